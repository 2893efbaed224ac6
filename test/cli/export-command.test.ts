import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fixture, scratchFolder } from "../helpers/files.js";
import { type CliRun, runCli } from "./run-cli.js";

const store = fixture("store");

const run = (...words: string[]): Promise<CliRun> => runCli(["export", ...words, "--store", store]);

test("export writes a folder and tells the rows of each table", async (context) => {
  const out = join(scratchFolder(context), "out");
  const { exitCode, stdout, stderr } = await run("--format", "csv", "--out", out);
  assert.equal(exitCode, 0);
  assert.deepEqual(stdout.split("\n"), [
    "Table       Rows",
    "sessions      12",
    "entries       86",
    "messages      64",
    "tool_calls     4",
    "usage         35",
    "",
  ]);
  assert.deepEqual(stderr.split("\n"), [
    `exported to ${out}`,
    "warning: skipped 3 damaged lines (see: pi-sessions check) and 1 file that is no session or can't be read (see: pi-sessions list --json)",
    "",
  ]);
  assert.deepEqual(readdirSync(out).sort(), [
    ".pi-sessions-export.json",
    "entries.csv",
    "messages.csv",
    "sessions.csv",
    "tool_calls.csv",
    "usage.csv",
  ]);
});

test("export --json tells the tables and the files", async (context) => {
  const out = join(scratchFolder(context), "out");
  const { stdout } = await run("--format", "jsonl", "--tables", "usage,sessions", "--out", out, "--json");
  assert.deepEqual(JSON.parse(stdout), {
    tables: { sessions: 12, usage: 35 },
    files: [join(out, "sessions.jsonl"), join(out, "usage.jsonl")],
  });
});

test("export --out - prints the rows of one table and nothing else", async () => {
  const csv = await run("--format", "csv", "--tables", "tool_calls", "--out", "-", "--quiet");
  const lines = csv.stdout.split("\r\n");
  assert.match(lines[0]!, /^session_id,path,line,/);
  assert.equal(lines.length, 6);
  assert.equal(csv.stderr, "");
  const jsonl = await run("--format", "jsonl", "--tables", "usage", "--out", "-", "--model", "gpt-5-mini");
  const rows = jsonl.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual([...new Set(rows.map(({ model }) => model))], ["gpt-5-mini"]);
  assert.deepEqual(rows.map(({ is_copy }) => is_copy).sort(), [false, false, false, true]);
});

for (const [words, message] of [
  ["", "export needs --format: jsonl, csv, parquet, sqlite, duckdb, clickhouse"],
  [
    "--format cvs --out x",
    "option '--format <name>' argument 'cvs' is invalid. It can be jsonl, csv, parquet, sqlite, duckdb, clickhouse; did you mean csv?",
  ],
  ["--format csv", "--format csv needs --out"],
  ["--format csv --out -", "--out - takes one table: name it with --tables"],
  ["--format csv --out - --tables usage,entries", "--out - takes one table: name it with --tables"],
  ["--format csv --out - --tables usage --json", "--out - and --json both print to stdout: choose one"],
  ["--format parquet --out - --tables usage", "--out - is for jsonl and csv alone"],
  [
    "--format csv --out x --tables calls",
    "option '--tables <names>' argument 'calls' is invalid. Allowed choices are sessions, entries, messages, tool_calls, usage.",
  ],
  ["--format csv --out x --database d", "--database is for --format clickhouse alone"],
  ["--format clickhouse", "--format clickhouse needs --url, as in http://localhost:8123"],
  ["--format clickhouse --url http://h:8123 --out x", "--out is not for --format clickhouse: it takes --url"],
  ["--format csv --output x", "unknown option '--output'; did you mean --out?"],
] as const) {
  test(`export ${words} is a wrong command line`, async () => {
    const { exitCode, stdout, stderr } = await run(...words.split(" ").filter((word) => word !== ""));
    assert.deepEqual([exitCode, stdout, stderr], [2, "", `error: ${message}\n`]);
  });
}

test("export to a folder that holds something else fails in one line, and changes nothing", async (context) => {
  const out = scratchFolder(context);
  writeFileSync(join(out, "usage.csv"), "mine");
  for (const format of ["csv", "jsonl", "parquet"]) {
    const { exitCode, stderr } = await run("--format", format, "--out", out);
    assert.equal(exitCode, 1);
    assert.equal(
      stderr,
      `error: Cannot export to "${out}": it is not empty, and no export wrote it; name a new or empty folder\n`,
    );
  }
  assert.equal(readFileSync(join(out, "usage.csv"), "utf8"), "mine");
});

test("export that is interrupted leaves nothing behind", async (context) => {
  const folder = scratchFolder(context);
  for (const format of ["parquet", "csv", "jsonl"]) {
    const out = join(folder, format);
    const { exitCode, stdout } = await runCli(["export", "--format", format, "--out", out, "--store", store], {
      signal: AbortSignal.abort(),
    });
    assert.deepEqual([exitCode, stdout], [130, ""]);
  }
  assert.deepEqual(readdirSync(folder), []);
});

test("export exits with 1 and one line where no folder can be made", {
  skip: process.platform === "win32",
}, async () => {
  for (const format of ["parquet", "csv", "duckdb"]) {
    const { exitCode, stdout, stderr } = await run("--format", format, "--out", "/proc/new/folder/of/exports");
    assert.equal(exitCode, 1, format);
    assert.equal(stdout, "");
    assert.match(stderr, /^error: Cannot export to "\/proc\/new\/folder\/of\/exports": [^\n]+\n$/);
  }
});
