import { readdir, rename, rm, rmdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";
import { missingPackageError } from "./missing-package.js";
import { isTemporary, temporaryPath } from "./temporary-path.js";

export type DuckdbModule = typeof import("@duckdb/node-api");

/** What DuckDB may hold in memory. It puts the rest into files. */
const MEMORY_LIMIT = 32 * 1024 * 1024;

/** Rows are compressed when there are so many: with DuckDB's 122,880, rows with texts of 1 KB would take 130 MB. */
const ROW_GROUP_SIZE = 16_384;

/** Loads the package, which only those have who want it. */
export async function loadDuckdb(): Promise<DuckdbModule> {
  try {
    return await import("@duckdb/node-api");
  } catch (cause) {
    throw missingPackageError("Cannot export to DuckDB", "@duckdb/node-api", cause);
  }
}

/** One DuckDB file, which is made when it is missing, opened for writing by this process alone. */
export class DuckdbDatabase {
  readonly #instance: DuckDBInstance;
  readonly #connection: DuckDBConnection;
  #memoryLimit = MEMORY_LIMIT;

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection) {
    this.#instance = instance;
    this.#connection = connection;
  }

  static async open(module: DuckdbModule, path: string, isNew: boolean): Promise<DuckdbDatabase> {
    if (isNew) await createFile(module, path);
    const database = await DuckdbDatabase.#attach(module, path);
    await sweep(path);
    return database;
  }

  /** Runs statements, one after the other. */
  async run(sql: string, values?: DuckDBValue[]): Promise<void> {
    await this.#connection.run(sql, values);
  }

  /** The rows of a statement. */
  async rows<Row>(sql: string, values?: DuckDBValue[]): Promise<Row[]> {
    return (await this.#connection.runAndReadAll(sql, values)).getRowObjectsJS() as Row[];
  }

  /** The rows of a statement, some thousand at a time. Nothing else may be asked meanwhile. */
  async *each<Row>(sql: string): AsyncGenerator<Row, void, void> {
    const result = await this.#connection.stream(sql);
    for await (const rows of result.yieldRowObjectJs()) yield* rows as Row[];
  }

  /** The one value of a statement's one row. */
  async number(sql: string): Promise<bigint> {
    const [row] = await this.rows<Record<string, bigint>>(sql);
    return Object.values(row!)[0]!;
  }

  get connection(): DuckDBConnection {
    return this.#connection;
  }

  /** Lets DuckDB hold so many bytes of text at once, beside all else. */
  async makeRoom(bytes: number): Promise<void> {
    const needed = MEMORY_LIMIT + 2 * bytes;
    // Small texts fit in as it is.
    if (bytes < MEMORY_LIMIT / 4 || needed <= this.#memoryLimit) return;
    this.#memoryLimit = needed;
    await this.run(`SET memory_limit = '${needed}B'`);
  }

  /** Rolls back what was not committed. */
  close(): void {
    this.#connection.closeSync();
    this.#instance.closeSync();
  }

  static async #attach(module: DuckdbModule, path: string): Promise<DuckdbDatabase> {
    // Only a file that is attached can have other row groups than the usual ones.
    const instance = await module.DuckDBInstance.create(":memory:", {
      memory_limit: `${MEMORY_LIMIT}B`,
      threads: "1",
      temp_directory: overflowFolder(path),
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
    });
    const database = new DuckdbDatabase(instance, await instance.connect());
    try {
      const quoted = path.replaceAll("'", "''");
      await database.run(`ATTACH '${quoted}' AS target (TYPE duckdb, ROW_GROUP_SIZE ${ROW_GROUP_SIZE}); USE target`);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  }
}

/** Where DuckDB puts what its memory does not hold. */
function overflowFolder(path: string): string {
  return `${path}.tmp`;
}

/** Removes what exports to a file left that were killed. */
async function sweep(path: string): Promise<void> {
  const overflow = overflowFolder(path);
  // There mostly is no such folder, and if there is, others may have put something there.
  for (const name of await readdir(overflow).catch(() => [])) {
    if (name.startsWith("duckdb_temp_")) await rm(join(overflow, name), { force: true });
  }
  await rmdir(overflow).catch(() => {});
  const folder = dirname(path);
  for (const name of await readdir(folder)) {
    if (isTemporary(name) && name.startsWith(`.${basename(path)}.`)) await rm(join(folder, name), { force: true });
  }
}

/** Makes an empty database: never is there half of one under its name. */
async function createFile(module: DuckdbModule, path: string): Promise<void> {
  const temporary = temporaryPath(dirname(path), basename(path));
  try {
    (await DuckdbDatabase.open(module, temporary, false)).close(); // That makes what is not there.
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
