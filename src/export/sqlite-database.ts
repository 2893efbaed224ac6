import { createRequire } from "node:module";
import { ExportError } from "../errors.js";
import { missingPackageError } from "./missing-package.js";

const TASK = "Cannot export to SQLite, which Node.js itself has from 22.13 on";

type SqliteValue = string | number | null;

/** What `node:sqlite` and better-sqlite3 have in common. */
export interface SqliteDatabase {
  exec(sql: string): void;
  prepare(sql: string): SqliteStatement;
  close(): void;
}

export interface SqliteStatement {
  run(...values: SqliteValue[]): unknown;
  get(...values: SqliteValue[]): unknown;
  all(...values: SqliteValue[]): unknown[];
  iterate(...values: SqliteValue[]): Iterable<unknown>;
}

type SqliteDriver = new (path: string) => SqliteDatabase;

/** Opens a file, which is made when it is missing, with what Node.js itself has, else with better-sqlite3. Throws an ExportError where there is neither. */
export function openSqliteDatabase(path: string): SqliteDatabase {
  const Builtin = builtinDriver();
  if (Builtin) return new Builtin(path);
  const BetterSqlite = betterSqlite();
  try {
    return new BetterSqlite(path);
  } catch (error) {
    // Its compiled part is loaded with the first database.
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ERR_DLOPEN_FAILED" || message.includes("bindings file")) {
      const what =
        "the package better-sqlite3 does not load here; npm rebuild better-sqlite3, with -g where it is installed globally";
      throw new ExportError("MISSING_PACKAGE", `${TASK}: ${what}`, error);
    }
    throw error;
  }
}

/** Undefined before Node.js 22.13. */
function builtinDriver(): SqliteDriver | undefined {
  const { emitWarning } = process;
  // Node.js 22 warns that its SQLite is new, which users can do nothing about.
  process.emitWarning = () => {};
  try {
    const module = process.getBuiltinModule("node:sqlite") as { DatabaseSync: SqliteDriver } | undefined;
    return module?.DatabaseSync;
  } finally {
    process.emitWarning = emitWarning;
  }
}

function betterSqlite(): SqliteDriver {
  try {
    return createRequire(import.meta.url)("better-sqlite3") as SqliteDriver;
  } catch (error) {
    throw missingPackageError(TASK, "better-sqlite3@12", error);
  }
}
