/** The databases in files that an export can write, and their own engines to ask what is in them. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openDuckdbTarget } from "../../src/export/duckdb-target.js";
import type { ExportTarget, TargetOptions } from "../../src/export/export-target.js";
import type { Cell } from "../../src/export/row-batch.js";
import { openSqliteDatabase } from "../../src/export/sqlite-database.js";
import { openSqliteTarget } from "../../src/export/sqlite-target.js";
import { type ColumnType, findTable, type TableName } from "../../src/export/tables.js";
import { projectRoot } from "./files.js";
import type { Row } from "./row-batches.js";

export interface DatabaseEngine {
  name: "sqlite" | "duckdb";
  open(path: string, options: TargetOptions): Promise<ExportTarget>;
  /** The rows of a statement; whole numbers come as numbers. */
  query(path: string, sql: string): Promise<Record<string, unknown>[]>;
  /** Runs a statement that has no rows. */
  run(path: string, sql: string): Promise<void>;
  /** In SQL: the month of a time, as in `2026-01`. */
  monthOf(column: string): string;
  /** A value of the engine as an exporter hands it on. */
  toCell: Partial<Record<ColumnType, (value: never) => Cell>>;
}

const sqlite: DatabaseEngine = {
  name: "sqlite",
  open: openSqliteTarget,
  async query(path, sql) {
    const database = openSqliteDatabase(path);
    try {
      return database
        .prepare(sql)
        .all()
        .map((row) => ({ ...(row as Record<string, unknown>) }));
    } finally {
      database.close();
    }
  },
  async run(path, sql) {
    const database = openSqliteDatabase(path);
    database.exec(sql);
    database.close();
  },
  monthOf: (column) => `strftime('%Y-%m', ${column})`,
  toCell: { boolean: (value: number) => value === 1, timestamp: (value: string) => Date.parse(value) },
};

const duckdb: DatabaseEngine = {
  name: "duckdb",
  open: openDuckdbTarget,
  async query(path, sql) {
    const { DuckDBInstance } = await import("@duckdb/node-api");
    const instance = await DuckDBInstance.create(path);
    const connection = await instance.connect();
    try {
      const rows = (await connection.runAndReadAll(sql)).getRowObjectsJS();
      return rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]),
        ),
      );
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  },
  async run(path, sql) {
    await duckdb.query(path, sql);
  },
  monthOf: (column) => `strftime(${column}, '%Y-%m')`,
  toCell: { timestamp: (value: Date) => value.getTime() },
};

export const databaseEngines: readonly DatabaseEngine[] = [sqlite, duckdb];

/** All rows of a table as an exporter handed them on, in the order of its key. */
export async function readTable(engine: DatabaseEngine, path: string, table: TableName): Promise<Row[]> {
  const { columns, key } = findTable(table);
  const rows = await engine.query(path, `SELECT * FROM ${table} ORDER BY ${key.join(", ")}`);
  return rows.map((row) =>
    Object.fromEntries(
      columns.map(({ name, type }) => {
        const value = row[name] as never;
        const toCell = value === null ? undefined : engine.toCell[type];
        return [name, toCell ? toCell(value) : value];
      }),
    ),
  );
}

/** Why tests of SQLite can't run on this Node.js, if so. */
export const needsSqlite = {
  skip:
    process.getBuiltinModule("node:sqlite") === undefined &&
    !existsSync(join(projectRoot, "node_modules/better-sqlite3/build/Release/better_sqlite3.node")) &&
    "SQLite is neither in this Node.js nor installed: npm install --no-save --save-dev better-sqlite3@12",
};

/** A test of each engine, whose name takes the place of `ENGINE` in the name of the test. */
export function testEngines(
  name: string,
  check: (engine: DatabaseEngine, context: TestContext) => Promise<void>,
): void {
  for (const engine of databaseEngines) {
    const { skip } = engine.name === "sqlite" ? needsSqlite : { skip: false as const };
    test(name.replace("ENGINE", engine.name), { skip }, async (context) => await check(engine, context));
  }
}
