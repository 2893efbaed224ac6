/** docs/export.md tells every column, and its command and its questions run as pasted. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { tables } from "../../src/export/tables.js";
import { runCli } from "../cli/run-cli.js";
import { projectRoot, scratchFolder } from "../helpers/files.js";
import { readExamples } from "./examples.js";

const page = readFileSync(join(projectRoot, "docs/export.md"), "utf8");
const examples = readExamples(page);
const duckdb = join(projectRoot, "bench/peers/node_modules/@duckdb/node-api/lib/index.js");
const needsDuckdb = {
  skip: !existsSync(duckdb) && "DuckDB is not installed: npm install --prefix bench/peers --no-save",
};

for (const { name, columns, key } of tables) {
  test(`docs/export.md tells what each column of ${name} means`, () => {
    const [section = ""] = page.split(`\n### ${name}\n`)[1]!.split("\n##");
    const rows = Array.from(
      section.matchAll(/^\| `(\w+)` \| (\w+)(, or null)? \| (.+) \|$/gm),
      ([, ...cells]) => cells,
    );
    assert.deepEqual(
      rows.map(([column, type, nullable]) => [column, type, nullable !== undefined]),
      columns.map(({ name, type, nullable }) => [name, type, nullable]),
    );
    assert.match(section, new RegExp(`Key: ${key.map((column) => `\`${column}\``).join(", ")}\\.`));
  });
}

test(
  "docs/export.md asks ten questions whose answers are right, as pasted into DuckDB",
  needsDuckdb,
  async (context) => {
    const folder = scratchFolder(context);
    const before = process.cwd();
    const { DuckDBInstance } = await import(pathToFileURL(duckdb).href);
    const connection = await (await DuckDBInstance.create()).connect();
    context.after(() => connection.closeSync());
    await connection.run("SET TimeZone = 'UTC'");
    process.chdir(folder);
    context.after(() => process.chdir(before));
    let questions = 0;
    for (const { language, text, line, output } of examples) {
      if (language === "sh") {
        const words = text.trim().replace("node dist/cli/main.js ", "").split(" ");
        const fromHere = words.map((word) => (word === "fixtures/store" ? join(projectRoot, word) : word));
        const { stdout, stderr, exitCode } = await runCli(fromHere);
        assert.equal(exitCode, 0, stderr);
        assert.equal(stdout, output[0]!.text);
      } else if (language === "sql") {
        const reader = await connection.runAndReadAll(text);
        const rows = reader.getRowsJson() as unknown[][];
        const lines = rows.map((cells) => `${cells.map((cell) => cell ?? "").join("\t")}\n`).join("");
        assert.equal(lines, output[0]!.text, `line ${line}`);
        questions++;
      }
    }
    assert.equal(questions, 10);
  },
);
