import type { DuckDBAppender, DuckDBConnection, DuckDBDataChunk, DuckDBValue } from "@duckdb/node-api";
import type { DuckdbModule } from "./duckdb-database.js";
import type { Cell, RowBatch } from "./row-batch.js";
import { type ColumnType, findTable, type TableName } from "./tables.js";

/** So many rows are worth a chunk: with more, the process takes 40 MB more, as what waits outlives the young generation. */
const WORTHWHILE_ROWS = 256;

/** The rows that a chunk can hold. */
const CHUNK_ROWS = 2048;

/** Rows go from the appender, which no limit holds for, to the database after so many bytes of text: each row has some, and each time takes a while. */
const FLUSH_BYTES = 256 * 1024;

/** Adds rows to one table. */
export class DuckdbRows {
  readonly #appender: DuckDBAppender;
  /** Filled again and again: each new one would wait for the garbage collector. */
  readonly #chunk: DuckDBDataChunk;
  readonly #convert: ((cell: Cell) => DuckDBValue)[];
  #count = 0;
  /** Rows that wait for a chunk to be worth it, by column: batches of small sessions have a row or two. */
  readonly #gathered: Cell[][];
  #gatheredRows = 0;
  /** The bytes of text in rows that are not in the database yet. */
  #heldBytes = 0;
  /** The bytes of text in the rows since a chunk was full, and in the chunk before. */
  #recent = { rows: 0, bytes: 0, bytesBefore: 0 };

  private constructor(module: DuckdbModule, appender: DuckDBAppender, table: TableName) {
    const { columns } = findTable(table);
    const { VARCHAR, BIGINT, DOUBLE, BOOLEAN, TIMESTAMP } = module;
    const types = { string: VARCHAR, int64: BIGINT, double: DOUBLE, boolean: BOOLEAN, timestamp: TIMESTAMP };
    this.#appender = appender;
    this.#gathered = columns.map(() => []);
    this.#chunk = module.DuckDBDataChunk.create(columns.map(({ type }) => types[type]));
    this.#convert = columns.map(({ type }) => converter(module, type));
  }

  /** `target` is the table, or one that is like it. */
  static async open(
    module: DuckdbModule,
    connection: DuckDBConnection,
    table: TableName,
    { catalog, target }: { catalog: string; target: string },
  ): Promise<DuckdbRows> {
    return new DuckdbRows(module, await connection.createAppender(target, null, catalog), table);
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
    this.#heldBytes += bytes;
    return recent.bytesBefore + recent.bytes;
  }

  add({ count, columns }: RowBatch): void {
    for (const [at, cells] of columns.entries()) {
      const gathered = this.#gathered[at]!;
      for (const cell of cells) gathered.push(cell);
    }
    this.#gatheredRows += count;
    this.#count += count;
    if (this.#gatheredRows < WORTHWHILE_ROWS && this.#heldBytes < FLUSH_BYTES) return;
    this.#append();
    if (this.#heldBytes < FLUSH_BYTES) return;
    this.#appender.flushSync();
    this.#heldBytes = 0;
  }

  finish(): void {
    this.#append();
    this.#appender.closeSync();
  }

  #append(): void {
    for (let start = 0; start < this.#gatheredRows; start += CHUNK_ROWS) {
      const end = Math.min(start + CHUNK_ROWS, this.#gatheredRows);
      this.#chunk.reset();
      this.#chunk.rowCount = end - start;
      for (const [at, cells] of this.#gathered.entries()) {
        const convert = this.#convert[at]!;
        const values = cells.slice(start, end).map((cell) => (cell === null ? null : convert(cell)));
        this.#chunk.setColumnValues(at, values);
      }
      this.#appender.appendDataChunk(this.#chunk);
    }
    for (const cells of this.#gathered) cells.length = 0;
    this.#gatheredRows = 0;
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
