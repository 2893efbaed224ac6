import { closeSync, openSync, writeSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import { type ColumnBuffer, newColumnBuffer } from "./column-buffer.js";
import { type ColumnType, findTable, type TableColumn, type TableName } from "./tables.js";

/** What hyparquet-writer keeps of a row group until the file is finished, in bytes; measured. */
export const ROW_GROUP_COST = 12 * 1024;

/** How each type of column is stored. */
const physicalTypes: Record<ColumnType, Pick<SchemaElement, "type" | "converted_type" | "logical_type">> = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  int64: { type: "INT64" },
  double: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  timestamp: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
};

/** Columns of strings that repeat from row to row: for others no dictionary is tried, which costs more than the rest of the writing. */
const repeating = new Set(
  "session_id path host cwd parent_session type role provider model stop_reason tool_name source".split(" "),
);

/** Columns that are looked through by range. Of texts and ids no bounds are kept: they tell nothing, or could be as long as the texts. */
const bounded = new Set("session_id host cwd type role provider model stop_reason tool_name source".split(" "));

/** Half as large as with Snappy in JavaScript, and twice as fast, since Node has it built in. Every reader of Parquet knows it. */
const compressors = {
  GZIP: (bytes: Uint8Array) => gzipSync(bytes, { level: 1, chunkSize: Math.max(bytes.length, MIN_CHUNK_BYTES) }),
};

/** The least that zlib takes. */
const MIN_CHUNK_BYTES = 64;

/** A Parquet file on its way, written row group by row group; the file is open only while one is written. */
export class ParquetFile {
  readonly path: string;
  readonly table: TableName;
  /** In the row groups written so far. */
  rows = 0;
  rowGroups = 0;
  readonly #columns: readonly TableColumn[];
  readonly #bytes: FileBytes;
  readonly #writer: ParquetWriter;

  constructor(path: string, table: TableName) {
    this.path = path;
    this.table = table;
    this.#columns = findTable(table).columns;
    this.#bytes = new FileBytes(path);
    const schema: SchemaElement[] = [
      { name: "root", num_children: this.#columns.length },
      ...this.#columns.map(({ name, type, nullable }) => ({
        name,
        repetition_type: nullable ? ("OPTIONAL" as const) : ("REQUIRED" as const),
        ...physicalTypes[type],
      })),
    ];
    const options = { codec: "GZIP" as const, compressors, createdBy: "pi-sessions" };
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema, ...options });
  }

  /** Bytes of the file so far. */
  get size(): number {
    return this.#bytes.offset;
  }

  /** Buffers for a row group of a table. */
  static newBuffers(table: TableName): ColumnBuffer[] {
    return findTable(table).columns.map(({ name, type }) => newColumnBuffer(type, repeating.has(name)));
  }

  /** Writes a row group: its cells, column by column. The last one stays in memory until the file is finished. */
  write(buffers: readonly ColumnBuffer[], count: number, isLast = false): void {
    this.#bytes.isHeld = isLast;
    const columnData = this.#columns.map(({ name, type }, at) => ({
      name,
      data: buffers[at]!.values() as unknown[],
      ...(type !== "boolean" && !repeating.has(name) && { encoding: "PLAIN" as const }),
      ...(type === "string" && !bounded.has(name) && { statistics: false }),
    }));
    this.#writer.write({ columnData, rowGroupSize: count });
    this.rows += count;
    this.rowGroups++;
  }

  /** Ends the file, which is whole then, but need not be on the disk. */
  finish(): void {
    this.#writer.finish();
    this.#bytes.isHeld = false;
    this.#bytes.flush();
  }
}

/** Gathers bytes, and adds them to the file when they are flushed. */
class FileBytes extends ByteWriter {
  /** Whether they are to stay in memory for now. */
  isHeld = false;
  readonly #path: string;

  constructor(path: string) {
    super();
    this.#path = path;
  }

  flush(): void {
    if (this.isHeld) return;
    const bytes = this.getBytes();
    const fd = openSync(this.#path, "a");
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    } finally {
      closeSync(fd);
    }
    this.buffer = new ArrayBuffer(FIRST_BYTES);
    this.view = new DataView(this.buffer);
    this.index = 0;
  }
}

const FIRST_BYTES = 1024;
