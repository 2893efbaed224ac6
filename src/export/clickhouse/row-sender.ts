import type { Cell, RowBatch } from "../row-batch.js";
import type { RowCounts, TableName } from "../tables.js";
import { cellSpelling } from "./cell-spelling.js";
import type { Connection, ServerSettings } from "./connection.js";
import { qualify } from "./create-tables.js";
import { quoteName } from "./quote.js";
import { MANIFEST, type StoredTable } from "./stored-table.js";
import { TabSeparatedRows } from "./tab-separated-rows.js";

/** What all rows of an export have. */
export interface RowOrigin {
  host: string;
  /** Its number. */
  generation: bigint;
}

/** What was written of a file. */
export interface WrittenFile {
  sessionId: string;
  rows: RowCounts;
}

interface Outlet {
  table: StoredTable;
  rows: TabSeparatedRows;
}

/** At most so much is sent at once, unless one row is larger. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_ROWS = 50_000;

/**
 * Writes rows into tables, in bounded batches: while one is on its way the next one gathers. A batch that is sent twice, as the answer to the first
 * was lost, adds the same rows again, of which the table keeps one.
 */
export class RowSender {
  /** By path. */
  readonly written = new Map<string, WrittenFile>();
  readonly #server: Connection;
  readonly #database: string;
  readonly #origin: RowOrigin;
  readonly #outlets: Map<string, Outlet>;
  readonly #settings: ServerSettings;
  #sending: Promise<void> = Promise.resolve();

  constructor(
    server: Connection,
    database: string,
    tables: readonly StoredTable[],
    origin: RowOrigin,
    settings: ServerSettings,
  ) {
    this.#server = server;
    this.#database = database;
    this.#origin = origin;
    this.#outlets = new Map(tables.map((table) => [table.name, { table, rows: new TabSeparatedRows() }]));
    this.#settings = settings;
  }

  /** Resolves when more may come. */
  async write({ table, path, count, columns }: RowBatch): Promise<void> {
    const outlet = this.#outlets.get(table)!;
    const fixed: Record<string, Cell> = { host: this.#origin.host, generation: this.#origin.generation.toString() };
    const sources = outlet.table.columns.map(({ name, type, source }) => ({
      cells: source === null ? undefined : columns[source]!,
      fixed: fixed[name]!,
      spell: cellSpelling(type),
    }));
    const row: Cell[] = new Array(sources.length);
    for (let at = 0; at < count; at++) {
      for (let column = 0; column < sources.length; column++) {
        const { cells, fixed, spell } = sources[column]!;
        if (cells === undefined) row[column] = fixed;
        else row[column] = spell ? spell(cells[at]!) : cells[at]!;
      }
      outlet.rows.add(row);
      if (outlet.rows.count >= BATCH_ROWS || outlet.rows.byteLength >= BATCH_BYTES) await this.#send(outlet);
    }
    if (count > 0) this.#note(table, path, count, columns[0]![0] as string);
  }

  /** Takes a line of the manifest. All of them are sent at once, so that they are seen at once. */
  addToManifest(cells: readonly Cell[]): void {
    this.#outlets.get(MANIFEST)!.rows.add(cells);
  }

  /** Sends what is left; resolves when the server has all. */
  async flush(): Promise<void> {
    for (const outlet of this.#outlets.values()) if (outlet.rows.count > 0) await this.#send(outlet);
    await this.#sending;
  }

  /** Sends what has gathered for a table, as soon as the batch before has arrived. */
  async #send({ table, rows }: Outlet): Promise<void> {
    await this.#sending;
    const columns = table.columns.map(({ name }) => quoteName(name));
    this.#sending = this.#server.insert(qualify(this.#database, table.name), columns, rows.take(), this.#settings);
    // A failure is thrown to whoever waits for it next.
    this.#sending.catch(() => {});
  }

  #note(table: TableName, path: string, count: number, sessionId: string): void {
    const file = this.written.get(path) ?? { sessionId, rows: {} };
    file.rows[table] = (file.rows[table] ?? 0) + count;
    this.written.set(path, file);
  }
}
