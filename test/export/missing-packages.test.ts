/** The modules of an export where the packages that they can do without are not installed: in a folder that has none. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { TargetOptions } from "../../src/export/export-target.js";
import { projectRoot, scratchFolder } from "../helpers/files.js";

const options: TargetOptions = { tables: ["usage"], host: "pond", settings: "" };

/** Copies of the compiled modules. */
function barePackage(context: TestContext): string {
  const folder = scratchFolder(context);
  cpSync(join(projectRoot, "build/src"), join(folder, "src"), { recursive: true });
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  mkdirSync(join(folder, "out"));
  return folder;
}

async function load(folder: string, module: string): Promise<Record<string, unknown>> {
  return (await import(pathToFileURL(join(folder, "src/export", module)).href)) as Record<string, unknown>;
}

function howToInstall(spec: string): string {
  return `install it beside pi-sessions: npm install ${spec}, or npm install -g ${spec} where pi-sessions is installed globally`;
}

type Open = (path: string, options: TargetOptions) => Promise<unknown>;

test("openDuckdbTarget says what to install, and makes no file", async (context) => {
  const folder = barePackage(context);
  const { openDuckdbTarget } = await load(folder, "duckdb-target.js");
  await assert.rejects((openDuckdbTarget as Open)(join(folder, "out/x.duckdb"), options), {
    code: "MISSING_PACKAGE",
    message: `Cannot export to DuckDB: the package @duckdb/node-api is missing; ${howToInstall("@duckdb/node-api")}`,
  });
  assert.deepEqual(readdirSync(join(folder, "out")), []);
});

const hasSqlite = process.getBuiltinModule("node:sqlite") !== undefined;

test("openSqliteTarget says what to install where Node.js has no SQLite, and makes no file", {
  skip: hasSqlite && "this Node.js has SQLite",
}, async (context) => {
  const folder = barePackage(context);
  const { openSqliteTarget } = await load(folder, "sqlite-target.js");
  await assert.rejects((openSqliteTarget as Open)(join(folder, "out/x.db"), options), {
    code: "MISSING_PACKAGE",
    message: `Cannot export to SQLite, which Node.js itself has from 22.13 on: the package better-sqlite3 is missing; ${howToInstall("better-sqlite3@12")}`,
  });
  assert.deepEqual(readdirSync(join(folder, "out")), []);
});

test("openSqliteTarget says what to do when better-sqlite3 is there, but was built for another Node.js or not at all", {
  skip: hasSqlite && "this Node.js has SQLite",
}, async (context) => {
  const folder = barePackage(context);
  const installed = join(folder, "node_modules/better-sqlite3");
  mkdirSync(installed, { recursive: true });
  writeFileSync(
    join(installed, "index.js"),
    "module.exports = class { constructor() { throw Object.assign(new Error('no'), { code: 'ERR_DLOPEN_FAILED' }); } };",
  );
  const { openSqliteTarget } = await load(folder, "sqlite-target.js");
  await assert.rejects((openSqliteTarget as Open)(join(folder, "out/x.db"), options), {
    code: "MISSING_PACKAGE",
    message:
      /^Cannot export to SQLite, .* better-sqlite3 does not load here; npm rebuild better-sqlite3, with -g where it is installed globally$/,
  });
});

test("Redactor says what to install", async (context) => {
  const rules = "@secretlint/secretlint-rule-preset-recommend";
  const { Redactor } = await load(barePackage(context), "redactor.js");
  assert.throws(() => new (Redactor as new () => unknown)(), {
    code: "MISSING_PACKAGE",
    message: `Cannot redact: the package ${rules} is missing; ${howToInstall(`${rules}@11`)}`,
  });
});
