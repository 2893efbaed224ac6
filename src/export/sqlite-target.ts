import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { ExportError } from "../errors.js";
import { formatIsoTime } from "../format/time.js";
import { exportError, foreignFileError } from "./export-folder.js";
import type { ChangedFile, ExportedFile, ExportTarget, TargetOptions } from "./export-target.js";
import { FileClaim } from "./file-claim.js";
import type { Cell, RowBatch } from "./row-batch.js";
import { openSqliteDatabase, type SqliteDatabase, type SqliteStatement } from "./sqlite-database.js";
import { createTableStatement } from "./table-definition.js";
import {
  tables as allTables,
  type ColumnType,
  findTable,
  type RowCounts,
  type Table,
  type TableName,
} from "./tables.js";

/** Marks a file as one of an export, in its header: "piSE". */
const APPLICATION_ID = 0x70695345;

/** What a SQLite file begins with. */
const MAGIC = "SQLite format 3\0";

/** What SQLite puts beside a file while it is written. */
const JOURNALS = ["-journal"];

/** While a file is locked, this long is waited for its readers. */
const BUSY_MS = 10_000;

const columnTypes: Record<ColumnType, string> = {
  string: "TEXT",
  int64: "INTEGER",
  double: "REAL",
  boolean: "INTEGER",
  timestamp: "TEXT",
};

const toSqlite: Partial<Record<ColumnType, (cell: Cell) => string | number>> = {
  boolean: Number,
  timestamp: (cell) => formatIsoTime(cell as number),
};

/** What questions look rows up by, beside the keys. */
const indexes: Record<TableName, readonly string[]> = {
  sessions: ["session_id"],
  entries: ["session_id, entry_id", "timestamp"],
  messages: ["session_id, entry_id", "timestamp"],
  tool_calls: ["session_id, entry_id", "tool_name, timestamp"],
  usage: ["session_id, entry_id", "model, timestamp"],
};

/** What the file holds. The names tell these tables from those of the export. */
const MANIFEST = `CREATE TABLE _export (
  settings TEXT NOT NULL,
  schema TEXT NOT NULL
) STRICT;
CREATE TABLE _exported_files (
  path TEXT NOT NULL PRIMARY KEY,
  size_bytes INTEGER NOT NULL,
  mtime_ms REAL NOT NULL,
  state TEXT NOT NULL,
  note TEXT NOT NULL
) STRICT`;

/**
 * Opens a SQLite file, which is made when it is missing, to be written in one transaction: readers see the last state until it ends, and an export that was killed
 * is rolled back by whoever opens the file next. Readers may have to wait for the export to end, as SQLite's do for every large transaction.
 *
 * Times are ISO 8601 texts in UTC, as SQLite's date functions and people read them, all of one length, so that they sort; booleans are 0 and 1.
 * Memory: some 40 MB, and the manifest.
 *
 * @throws ExportError for a file that is no export, one that can't be written or that another export writes, and where Node.js has no SQLite and
 * better-sqlite3 is missing.
 */
export async function openSqliteTarget(path: string, options: TargetOptions): Promise<ExportTarget> {
  options.signal?.throwIfAborted();
  let claim: FileClaim | undefined;
  let database: SqliteDatabase | undefined;
  try {
    claim = await FileClaim.take(path);
    if (!claim.isNew && (await isForeign(path))) throw foreignFileError("SQLite", path);
    database = openSqliteDatabase(path);
    return new SqliteTarget(path, claim, options, database);
  } catch (error) {
    database?.close();
    await claim?.release(true, JOURNALS);
    throw sqliteError(path, error);
  }
}

/** SQLite itself takes a file of a few bytes for an empty database. The beginning of an export that was killed comes with a journal to roll it back. */
async function isForeign(path: string): Promise<boolean> {
  if (existsSync(`${path}-journal`)) return false;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAGIC.length), 0, MAGIC.length, 0);
    return bytesRead > 0 && buffer.toString("latin1") !== MAGIC;
  } finally {
    await file.close();
  }
}

class SqliteTarget implements ExportTarget {
  readonly exported: ReadonlyMap<string, ExportedFile>;
  readonly #path: string;
  readonly #tables: readonly Table[];
  readonly #signal: AbortSignal | undefined;
  readonly #database: SqliteDatabase;
  readonly #claim: FileClaim;
  readonly #inserts = new Map<TableName, SqliteStatement>();
  readonly #deletes: readonly SqliteStatement[];
  /** Files whose old rows are gone. */
  readonly #replaced = new Set<string>();

  constructor(path: string, claim: FileClaim, { tables, settings, signal }: TargetOptions, database: SqliteDatabase) {
    this.#path = path;
    this.#claim = claim;
    this.#tables = tables.map(findTable);
    this.#signal = signal;
    this.#database = database;
    // Another program writes to it: who knows for how long.
    database.exec("PRAGMA busy_timeout = 0; PRAGMA foreign_keys = OFF; PRAGMA cache_size = -32000; BEGIN IMMEDIATE");
    database.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
    const schema = [MANIFEST, ...this.#tables.map(tableStatement)].join(";\n");
    const exported = this.#isEmpty() ? undefined : this.#readManifest(settings, schema);
    if (!exported) this.#makeTables(settings, schema);
    this.exported = exported ?? new Map();
    for (const { name, columns } of this.#tables) {
      this.#inserts.set(name, database.prepare(`INSERT INTO ${name} VALUES (${columns.map(() => "?").join(", ")})`));
    }
    this.#deletes = this.#tables.map(({ name }) => database.prepare(`DELETE FROM ${name} WHERE path = ?`));
  }

  async readNotes(take: (note: string) => void): Promise<void> {
    if (this.exported.size === 0) return;
    this.#guard(() => {
      const notes = this.#database.prepare("SELECT note FROM _exported_files").iterate();
      for (const { note } of notes as Iterable<{ note: string }>) take(note);
    });
  }

  async write({ table, path, count, columns }: RowBatch): Promise<void> {
    this.#signal?.throwIfAborted();
    this.#guard(() => {
      this.#replace(path);
      const insert = this.#inserts.get(table)!;
      const cells = findTable(table).columns.map(({ type }, at) => toSqliteCells(columns[at]!, type));
      for (let row = 0; row < count; row++) insert.run(...cells.map((column) => column[row]!));
    });
  }

  async finish(changed: readonly ChangedFile[], removed: readonly string[]): Promise<RowCounts> {
    this.#guard(() => {
      for (const { path } of changed) this.#replace(path);
      for (const path of removed) this.#replace(path);
      const remove = this.#database.prepare("DELETE FROM _exported_files WHERE path = ?");
      for (const path of removed) remove.run(path);
      const add = this.#database.prepare("REPLACE INTO _exported_files VALUES (?, ?, ?, ?, ?)");
      for (const { path, sizeBytes, mtimeMs, state, note } of changed) add.run(path, sizeBytes, mtimeMs, state, note);
    });
    for (const statement of this.#tables.flatMap(indexStatements)) {
      await setImmediate(); // Each takes a while: an abort gets in between.
      this.#signal?.throwIfAborted();
      this.#guard(() => this.#database.exec(statement));
    }
    const rows = this.#guard(() => {
      const counts = this.#tables.map(({ name }) => [name, this.#number(`SELECT count(*) FROM ${name}`)]);
      this.#database.exec("COMMIT");
      this.#database.close();
      return Object.fromEntries(counts) as RowCounts;
    });
    await this.#claim.release(false, JOURNALS);
    return rows;
  }

  async abort(): Promise<void> {
    try {
      this.#database.close(); // Without a commit all is as it was.
    } catch {
      // It was closed already.
    }
    await this.#claim.release(true, JOURNALS);
  }

  /** Whether the file is empty; throws for one that an export did not write. */
  #isEmpty(): boolean {
    if (this.#number("SELECT count(*) FROM sqlite_schema") === 0) return true;
    if (this.#number("PRAGMA application_id") === APPLICATION_ID) return false;
    throw foreignFileError("SQLite", this.#path);
  }

  /** Undefined when it was written with other settings. */
  #readManifest(settings: string, schema: string): Map<string, ExportedFile> | undefined {
    const written = this.#database.prepare("SELECT settings, schema FROM _export").get() as
      | { settings: string; schema: string }
      | undefined;
    if (written?.settings !== settings || written.schema !== schema) return undefined;
    const files = this.#database
      .prepare("SELECT path, size_bytes AS sizeBytes, mtime_ms AS mtimeMs, state FROM _exported_files")
      .all() as ExportedFile[];
    return new Map(files.map((file) => [file.path, { ...file }]));
  }

  #makeTables(settings: string, schema: string): void {
    // Children before their parents.
    for (const name of ["_exported_files", "_export", ...allTables.map(({ name }) => name).reverse()]) {
      this.#database.exec(`DROP TABLE IF EXISTS ${name}`);
    }
    this.#database.exec(`PRAGMA application_id = ${APPLICATION_ID}; ${schema}`);
    this.#database.prepare("INSERT INTO _export VALUES (?, ?)").run(settings, schema);
  }

  /** Removes the old rows of a file, once. */
  #replace(path: string): void {
    if (this.#replaced.has(path)) return;
    this.#replaced.add(path);
    if (this.exported.has(path)) for (const statement of this.#deletes) statement.run(path);
  }

  #number(sql: string): number {
    return Object.values(this.#database.prepare(sql).get() as Record<string, number>)[0]!;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw sqliteError(this.#path, error);
    }
  }
}

/** Rows of the other tables belong to a session by the path of its file: ids may stand twice. */
function tableStatement(table: Table, _at: number, wanted: readonly Table[]): string {
  const constraints = [`PRIMARY KEY (${table.key.join(", ")})`];
  const hasSessions = wanted.some(({ name }) => name === "sessions");
  if (table.name !== "sessions" && hasSessions) constraints.push("FOREIGN KEY (path) REFERENCES sessions (path)");
  return `${createTableStatement(table, columnTypes, constraints)} STRICT`;
}

function indexStatements({ name }: Table): string[] {
  return indexes[name].map((columns) => {
    const index = `${name}_by_${columns.replaceAll(", ", "_and_")}`;
    return `CREATE INDEX IF NOT EXISTS ${index} ON ${name} (${columns})`;
  });
}

function toSqliteCells(cells: readonly Cell[], type: ColumnType): (string | number | null)[] {
  const convert = toSqlite[type];
  if (!convert) return cells as (string | number | null)[];
  return cells.map((cell) => (cell === null ? null : convert(cell)));
}

/** What SQLite's own words mean for an export. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/disk is full/, "the disk is full; make room and export again"],
  [/database is locked/, "another program is writing or reading it; export again when that is done"],
  [/readonly database/, "permission denied"],
  [/unable to open database file/, "no file can be opened there; check the name and the permissions of the folder"],
  [/malformed/, "the file is damaged; remove it and export again"],
];

function sqliteError(path: string, error: unknown): ExportError {
  const { message } = error as Error;
  if (/file is not a database/.test(message)) return foreignFileError("SQLite", path, error);
  const reason = reasons.find(([words]) => words.test(message))?.[1];
  if (!reason || error instanceof ExportError) return exportError(path, error);
  return new ExportError("WRITE_FAILED", `Cannot export to "${path}": ${reason}`, error);
}
