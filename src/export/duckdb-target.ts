import { ExportError } from "../errors.js";
import { DuckdbDatabase, type DuckdbModule, loadDuckdb } from "./duckdb-database.js";
import { DuckdbRows } from "./duckdb-rows.js";
import { exportError, foreignFileError } from "./export-folder.js";
import type { ChangedFile, ExportedFile, ExportTarget, TargetOptions } from "./export-target.js";
import { FileClaim } from "./file-claim.js";
import type { RowBatch } from "./row-batch.js";
import { createTableStatement } from "./table-definition.js";
import {
  tables as allTables,
  type ColumnType,
  findTable,
  type RowCounts,
  type Table,
  type TableName,
} from "./tables.js";

const columnTypes: Record<ColumnType, string> = {
  string: "VARCHAR",
  int64: "BIGINT",
  double: "DOUBLE",
  boolean: "BOOLEAN",
  timestamp: "TIMESTAMP",
};

/** What the file holds. The names tell these tables from those of the export. */
const MANIFEST = `CREATE TABLE _export (
  settings VARCHAR NOT NULL,
  schema VARCHAR NOT NULL
);
CREATE TABLE _exported_files (
  path VARCHAR NOT NULL,
  size_bytes BIGINT NOT NULL,
  mtime_ms DOUBLE NOT NULL,
  state VARCHAR NOT NULL
);
CREATE TABLE _notes (
  path VARCHAR NOT NULL,
  piece VARCHAR NOT NULL
)`;

/** So long are the pieces of notes, which lie one behind the other: DuckDB holds thousands of rows at once. */
const PIECE_LENGTH = 2000;

/** What DuckDB puts beside a file while it is written. */
const JOURNALS = [".wal"];

/** After so many bytes pieces go from the appender, which no limit holds for, to the database. */
const FLUSH_BYTES = 256 * 1024;

/** Where the rows of sessions wait until the old ones are gone. */
const NEW_SESSIONS = "new_sessions";

/** What the key and the index take for a session, and what it takes to look for its path. */
const BYTES_PER_SESSION = 250;

/**
 * Opens a DuckDB file, which is made when it is missing, to be written in one transaction: an export that is killed leaves what there was. While it runs, no other process
 * can open the file.
 *
 * Times are TIMESTAMP in UTC: what a query makes of them does not depend on the time zone of the one who asks, and needs no extension. Only the sessions have a key and an
 * index, as DuckDB holds these in memory whole; the rows of one session lie together in each table, so that the bounds that it keeps for all columns find them.
 * Memory: some 100 MB, twice the text of 4,096 rows where that is more, the keys of the sessions, and the manifest.
 *
 * @throws ExportError for a file that is no export, one that can't be written, that another export writes or another process has open, and where
 * `@duckdb/node-api` is missing.
 */
export async function openDuckdbTarget(path: string, options: TargetOptions): Promise<ExportTarget> {
  const module = await loadDuckdb();
  options.signal?.throwIfAborted();
  let target: DuckdbTarget | undefined;
  try {
    target = new DuckdbTarget(path, await FileClaim.take(path), options, module);
    await target.open();
    return target;
  } catch (error) {
    await target?.abort();
    throw duckdbError(path, error);
  }
}

class DuckdbTarget implements ExportTarget {
  exported: ReadonlyMap<string, ExportedFile> = new Map();
  readonly #path: string;
  readonly #claim: FileClaim;
  readonly #tables: readonly Table[];
  readonly #options: TargetOptions;
  readonly #module: DuckdbModule;
  #database: DuckdbDatabase | undefined;
  readonly #rows = new Map<TableName, DuckdbRows>();
  /** The last row of each table that was there before. */
  readonly #lastOld = new Map<TableName, bigint>();

  constructor(path: string, claim: FileClaim, options: TargetOptions, module: DuckdbModule) {
    this.#path = path;
    this.#claim = claim;
    this.#tables = options.tables.map(findTable);
    this.#options = options;
    this.#module = module;
  }

  async open(): Promise<void> {
    const database = await DuckdbDatabase.open(this.#module, this.#path, this.#claim.isNew);
    this.#database = database;
    await database.run("BEGIN");
    const schema = [MANIFEST, ...this.#tables.map(tableStatements)].join(";\n");
    const exported = (await this.#isEmpty(database)) ? undefined : await this.#readManifest(database, schema);
    if (!exported) await this.#makeTables(database, schema);
    this.exported = exported ?? new Map();
    for (const { name } of this.#tables) {
      this.#lastOld.set(name, await database.number(`SELECT coalesce(max(rowid), -1) FROM ${name}`));
      if (name === "sessions") await database.run(`CREATE TEMP TABLE ${NEW_SESSIONS} AS FROM sessions LIMIT 0`);
      const place =
        name === "sessions" ? { catalog: "temp", target: NEW_SESSIONS } : { catalog: "target", target: name };
      this.#rows.set(name, await DuckdbRows.open(this.#module, database.connection, name, place));
    }
  }

  async readNotes(take: (note: string) => void): Promise<void> {
    if (this.exported.size === 0) return;
    await this.#guard(async () => {
      let note = "";
      let last: string | undefined;
      for await (const { path, piece } of this.#database!.each<{ path: string; piece: string }>("FROM _notes")) {
        if (path !== last && note !== "") take(note);
        note = path === last ? note + piece : piece;
        last = path;
      }
      if (note !== "") take(note);
    });
  }

  async write(batch: RowBatch): Promise<void> {
    this.#options.signal?.throwIfAborted();
    await this.#guard(async () => {
      const rows = this.#rows.get(batch.table)!;
      await this.#database!.makeRoom(rows.bytesAtOnce(batch));
      rows.add(batch);
    });
  }

  async finish(changed: readonly ChangedFile[], removed: readonly string[]): Promise<RowCounts> {
    return await this.#guard(async () => {
      const database = this.#database!;
      for (const rows of this.#rows.values()) rows.finish();
      await this.#updateManifest(database, changed, removed);
      const counts: [TableName, number][] = [];
      for (const { name } of this.#tables) {
        this.#options.signal?.throwIfAborted();
        if (name === "sessions") await this.#replaceSessions(database);
        else if (this.exported.size > 0) await this.#removeOldRows(database, name);
        counts.push([name, Number(await database.number(`SELECT count(*) FROM ${name}`))]);
      }
      await database.run("COMMIT");
      await database.run("CHECKPOINT target"); // All is in the one file then.
      this.#close();
      await this.#claim.release(false, JOURNALS);
      return Object.fromEntries(counts) as RowCounts;
    });
  }

  async abort(): Promise<void> {
    try {
      this.#close();
    } catch {
      // What it could not do, whoever opens the file next will.
    }
    await this.#claim.release(true, JOURNALS);
  }

  /** Whether there is nothing in the file; throws for one that an export did not write. */
  async #isEmpty(database: DuckdbDatabase): Promise<boolean> {
    const found = await database.rows<{ name: string }>(
      "SELECT table_name AS name FROM information_schema.tables WHERE table_catalog = 'target'",
    );
    if (found.length > 0 && !found.some(({ name }) => name === "_exported_files"))
      throw foreignFileError("DuckDB", this.#path);
    return found.length === 0;
  }

  /** Undefined when it was written with other settings. */
  async #readManifest(database: DuckdbDatabase, schema: string): Promise<Map<string, ExportedFile> | undefined> {
    const [written] = await database.rows<{ settings: string; schema: string }>("SELECT settings, schema FROM _export");
    if (written?.settings !== this.#options.settings || written.schema !== schema) return undefined;
    const files = await database.rows<ExportedFile>(
      "SELECT path, size_bytes::DOUBLE AS sizeBytes, mtime_ms AS mtimeMs, state FROM _exported_files",
    );
    return new Map(files.map((file) => [file.path, file]));
  }

  async #makeTables(database: DuckdbDatabase, schema: string): Promise<void> {
    for (const name of ["_notes", "_exported_files", "_export", ...allTables.map(({ name }) => name)]) {
      await database.run(`DROP TABLE IF EXISTS ${name}`);
    }
    await database.run(schema);
    await database.run("INSERT INTO _export VALUES (?, ?)", [this.#options.settings, schema]);
  }

  /** Their key allows no second row of a session, so that the old ones go first; and it is held in memory. */
  async #replaceSessions(database: DuckdbDatabase): Promise<void> {
    await database.run("DELETE FROM sessions WHERE path IN (FROM gone)");
    const old = await database.number("SELECT count(*) FROM sessions");
    await database.makeRoom(BYTES_PER_SESSION * (Number(old) + this.#rows.get("sessions")!.count));
    await database.run(`INSERT INTO sessions FROM ${NEW_SESSIONS}`);
  }

  /** Removes the rows of all files in `gone` that were there before, at once, as each time a whole column is looked through. */
  async #removeOldRows(database: DuckdbDatabase, name: TableName): Promise<void> {
    const last = this.#lastOld.get(name)!;
    const added = await database.number(`SELECT count(*) FROM ${name} WHERE rowid > ${last}`);
    // New rows come behind the old ones. Where that does not hold, some would be lost.
    if (Number(added) !== this.#rows.get(name)!.count) throw new Error("this release of DuckDB numbers rows otherwise");
    await database.run(`DELETE FROM ${name} WHERE rowid <= ${last} AND path IN (FROM gone)`);
  }

  async #updateManifest(
    database: DuckdbDatabase,
    changed: readonly ChangedFile[],
    removed: readonly string[],
  ): Promise<void> {
    const { VARCHAR } = this.#module;
    await database.makeRoom(BYTES_PER_SESSION * (changed.length + removed.length));
    await database.run("CREATE TEMP TABLE gone (path VARCHAR)");
    const gone = await database.connection.createAppender("gone", null, "temp");
    for (const path of [...removed, ...changed.map(({ path }) => path)]) {
      gone.appendValue(path, VARCHAR);
      gone.endRow();
    }
    gone.closeSync();
    await database.run("DELETE FROM _exported_files WHERE path IN (FROM gone)");
    const added = await database.connection.createAppender("_exported_files", null, "target");
    for (const { path, sizeBytes, mtimeMs, state } of changed) {
      added.appendVarchar(path);
      added.appendBigInt(BigInt(sizeBytes));
      added.appendDouble(mtimeMs);
      added.appendVarchar(state);
      added.endRow();
    }
    added.closeSync();
    await this.#replaceNotes(database, changed);
  }

  async #replaceNotes(database: DuckdbDatabase, changed: readonly ChangedFile[]): Promise<void> {
    await database.run("DELETE FROM _notes WHERE path IN (FROM gone)");
    const added = await database.connection.createAppender("_notes", null, "target");
    let heldBytes = 0;
    for (const { path, note } of changed) {
      for (let start = 0; start < note.length; start += PIECE_LENGTH) {
        added.appendVarchar(path);
        added.appendVarchar(note.slice(start, start + PIECE_LENGTH));
        added.endRow();
      }
      heldBytes += note.length;
      if (heldBytes < FLUSH_BYTES) continue;
      added.flushSync();
      heldBytes = 0;
    }
    added.closeSync();
  }

  #close(): void {
    const database = this.#database;
    this.#database = undefined;
    database?.close();
  }

  async #guard<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      throw duckdbError(this.#path, error);
    }
  }
}

function tableStatements(table: Table): string {
  if (table.name !== "sessions") return createTableStatement(table, columnTypes, []);
  const statement = createTableStatement(table, columnTypes, [`PRIMARY KEY (${table.key.join(", ")})`]);
  return `${statement};\nCREATE INDEX sessions_by_session_id ON sessions (session_id)`;
}

function lockedError(path: string, cause: unknown): ExportError {
  const message = `Cannot export to "${path}": another program has it open; export again when that is done`;
  return new ExportError("WRITE_FAILED", message, cause);
}

/** What DuckDB's own words mean for an export. */
function duckdbError(path: string, error: unknown): ExportError {
  const [message = ""] = (error as Error).message.split("\n", 1);
  if (/not a valid DuckDB database/.test(message)) return foreignFileError("DuckDB", path, error);
  if (/Could not set lock on file/.test(message)) return lockedError(path, error);
  const system = systemErrors.find(([words]) => words.test(message));
  if (system) return exportError(path, Object.assign(new Error(message, { cause: error }), { code: system[1] }));
  if (error instanceof ExportError || (error as NodeJS.ErrnoException).code) return exportError(path, error);
  return exportError(path, new Error(message, { cause: error }));
}

const systemErrors: readonly (readonly [RegExp, string])[] = [
  // Where the disk has no room for what memory does not hold, it speaks of its own setting.
  [/No space left on device|failed to offload data block/, "ENOSPC"],
  [/Permission denied|Operation not permitted/, "EACCES"],
  [/Read-only file system/, "EROFS"],
];
