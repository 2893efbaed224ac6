import type { DuckDBAppender, DuckDBConnection, DuckDBDataChunk, DuckDBValue } from "@duckdb/node-api";
import type { DuckdbModule } from "./duckdb-database.js";
import type { Cell, RowBatch } from "./row-batch.js";
import { type ColumnType, findTable, type TableName } from "./tables.js";

/** The rows that a chunk can hold. */
const CHUNK_ROWS = 2048;

/** Rows go from the appender, which no limit holds for, to the database after so many bytes of text, and at the latest after so many batches. */
const FLUSH_BYTES = 1024 * 1024;
const FLUSH_BATCHES = 8;

/** Adds rows to one table. */
export class DuckdbRows {
  readonly #appender: DuckDBAppender;
  /** Filled again and again: each new one would wait for the garbage collector. */
  readonly #chunk: DuckDBDataChunk;
  readonly #convert: ((cell: Cell) => DuckDBValue)[];
  #count = 0;
  /** What the appender holds. */
  #held = { batches: 0, bytes: 0 };
  /** The bytes of text in the rows since a chunk was full, and in the chunk before. */
  #recent = { rows: 0, bytes: 0, bytesBefore: 0 };

  private constructor(module: DuckdbModule, appender: DuckDBAppender, table: TableName) {
    const { columns } = findTable(table);
    const { VARCHAR, BIGINT, DOUBLE, BOOLEAN, TIMESTAMP } = module;
    const types = { string: VARCHAR, int64: BIGINT, double: DOUBLE, boolean: BOOLEAN, timestamp: TIMESTAMP };
    this.#appender = appender;
    this.#chunk = module.DuckDBDataChunk.create(columns.map(({ type }) => types[type]));
    this.#convert = columns.map(({ type }) => converter(module, type));
  }

  static async open(module: DuckdbModule, connection: DuckDBConnection, table: TableName): Promise<DuckdbRows> {
    return new DuckdbRows(module, await connection.createAppender(table, null, "target"), table);
  }

  /** Of all rows so far. */
  get count(): number {
    return this.#count;
  }

  /** To be called before a batch is added: how many bytes of text DuckDB will have to hold at once, as it compresses whole chunks. */
  bytesAtOnce({ count, columns }: RowBatch): number {
    const recent = this.#recent;
    if (recent.rows + count > CHUNK_ROWS) {
      recent.rows = 0;
      recent.bytesBefore = recent.bytes;
      recent.bytes = 0;
    }
    const bytes = textBytes(columns);
    recent.rows += count;
    recent.bytes += bytes;
    this.#held.bytes += bytes;
    return recent.bytesBefore + recent.bytes;
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
    this.#count += count;
    if (++this.#held.batches < FLUSH_BATCHES && this.#held.bytes < FLUSH_BYTES) return;
    this.#appender.flushSync();
    this.#held = { batches: 0, bytes: 0 };
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

/** In UTF-8. */
function textBytes(columns: readonly (readonly Cell[])[]): number {
  let sum = 0;
  for (const cells of columns) {
    for (const cell of cells) if (typeof cell === "string") sum += Buffer.byteLength(cell);
  }
  return sum;
}
