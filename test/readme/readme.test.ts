import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { commands } from "../../src/cli/commands.js";
import { runCommandLine } from "../../src/cli/program.js";
import { CapturedStream } from "../cli/captured-output.js";
import { projectRoot } from "../helpers/files.js";
import { readExamples, runModule } from "./examples.js";

const readme = readFileSync(join(projectRoot, "README.md"), "utf8");
const examples = readExamples(readme);

before(() => process.chdir(projectRoot));

for (const { language, text, line, output } of examples) {
  const named = (wanted: string) => output.find((block) => block.language === wanted)?.text;
  const expected = named("json") ?? named("text");
  // What npm does with the project is seen where the project is installed and tested.
  const commandLine = text.trim().replace(/^npm ci && /, "");
  if (language === "sh" && commandLine !== "npm test") {
    test(`README line ${line}: ${commandLine}`, async () => {
      const { stdout, stderr } = await runShell(commandLine);
      assert.equal(stdout, expected);
      const remarks = named("stderr");
      if (remarks !== undefined) assert.equal(stderr, remarks);
    });
  } else if (language === "js") {
    test(`README line ${line}: ${text.split("\n", 1)}`, async (context) => {
      const lines = await runModule(context, text);
      assert.equal(lines.map((printed) => `${printed}\n`).join(""), expected);
    });
  }
}

test("README names every command, and none that does not exist", () => {
  const table = readme.slice(readme.indexOf("| command | does |"), readme.indexOf("`<command> --help`"));
  const named = Array.from(table.matchAll(/`([a-z]+)(?: \[?SESSION\]?)?`/g), ([, name]) => name);
  assert.deepEqual(named.sort(), commands.map(({ name }) => name).sort());
});

test("README links to files that are there", () => {
  const links = Array.from(readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g), ([, link]) => link!);
  assert.deepEqual(
    links.filter((link) => !existsSync(join(projectRoot, link))),
    [],
  );
});

/** Runs `node dist/cli/main.js …` within this process, in UTC and without colours. */
async function runShell(commandLine: string): Promise<{ stdout: string; stderr: string }> {
  const [node, main, ...words] = commandLine.split(" ");
  assert.deepEqual([node, main], ["node", "dist/cli/main.js"]);
  const stdout = new CapturedStream();
  const stderr = new CapturedStream();
  await runCommandLine(words, commands, {
    stdout,
    stderr,
    clock: { now: Date.now(), timeZone: "UTC" },
    colour: false,
    signal: new AbortController().signal,
  });
  return { stdout: stdout.text, stderr: stderr.text };
}
