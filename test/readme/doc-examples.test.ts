import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { projectRoot } from "../helpers/files.js";
import { promisedLines, readDocExamples, runModule } from "./examples.js";

const readSource = (file: string): string => readFileSync(join(projectRoot, "src", file), "utf8");

/** The modules whose names can be imported from the package. */
const publicModules = Array.from(
  readSource("index.ts").matchAll(/ from "\.\/(.*)\.js";$/gm),
  ([, module]) => `${module}.ts`,
);

for (const file of publicModules) {
  readDocExamples(readSource(file)).forEach((code, index) => {
    test(`src/${file}: example ${index + 1} runs and prints what it says`, async (context) => {
      const printed = await runModule(context, code);
      const promised = promisedLines(code);
      if (promised.length > 0) assert.deepEqual(printed, promised);
    });
  });
}

test("readDocExamples takes an example to the next tag, or to the end of its comment", () => {
  const source = [
    "/**",
    " * Adds.",
    " *",
    " * @example",
    " * add(1,",
    " *   2);",
    " *",
    " * @throws never",
    " */",
  ].join("\n");
  assert.deepEqual(readDocExamples(source), ["add(1,\n  2);\n\n"]);
  assert.deepEqual(readDocExamples("  /**\n   * @example\n   * add();\n   */\n"), ["add();\n"]);
});
