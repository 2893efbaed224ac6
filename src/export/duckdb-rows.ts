import type { DuckDBAppender, DuckDBConnection, DuckDBDataChunk, DuckDBValue } from "@duckdb/node-api";
import type { DuckdbModule } from "./duckdb-database.js";
import type { Cell, RowBatch } from "./row-batch.js";
import { type ColumnType, findTable, type TableName } from "./tables.js";

/** The rows that a chunk can hold. */
const CHUNK_ROWS = 2048;

/** After so many batches rows go from the appender, which no limit holds for, to the database. */
const FLUSH_BATCHES = 8;

/** Adds rows to one table. */
export class DuckdbRows {
  readonly #appender: DuckDBAppender;
  /** Filled again and again: each new one would wait for the garbage collector. */
  readonly #chunk: DuckDBDataChunk;
  readonly #convert: ((cell: Cell) => DuckDBValue)[];
  #batches = 0;

  private constructor(module: DuckdbModule, appender: DuckDBAppender, table: TableName) {
    const { columns } = findTable(table);
    const { VARCHAR, BIGINT, DOUBLE, BOOLEAN, TIMESTAMP } = module;
    const types = { string: VARCHAR, int64: BIGINT, double: DOUBLE, boolean: BOOLEAN, timestamp: TIMESTAMP };
    this.#appender = appender;
    this.#chunk = module.DuckDBDataChunk.create(columns.map(({ type }) => types[type]));
    this.#convert = columns.map(({ type }) => converter(module, type));
  }

  /** `target` is the table, or one like it, in `catalog`. */
  static async open(
    module: DuckdbModule,
    connection: DuckDBConnection,
    table: TableName,
    { target, catalog }: { target: string; catalog: string },
  ): Promise<DuckdbRows> {
    return new DuckdbRows(module, await connection.createAppender(target, null, catalog), table);
  }

  add({ count, columns }: RowBatch): void {
    for (let start = 0; start < count; start += CHUNK_ROWS) {
      const end = Math.min(start + CHUNK_ROWS, count);
      this.#chunk.reset();
      this.#chunk.rowCount = end - start;
      for (const [at, cells] of columns.entries()) {
        const convert = this.#convert[at]!;
        const values = cells.slice(start, end).map((cell) => (cell === null ? null : convert(cell)));
        this.#chunk.setColumnValues(at, values);
      }
      this.#appender.appendDataChunk(this.#chunk);
    }
    if (++this.#batches % FLUSH_BATCHES === 0) this.#appender.flushSync();
  }

  finish(): void {
    this.#appender.closeSync();
  }
}

function converter({ DuckDBTimestampValue }: DuckdbModule, type: ColumnType): (cell: Cell) => DuckDBValue {
  if (type === "int64") return (cell) => BigInt(cell as number);
  if (type === "timestamp") return (cell) => new DuckDBTimestampValue(BigInt(cell as number) * 1000n);
  return (cell) => cell;
}
