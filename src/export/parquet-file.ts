import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { ByteWriter, ParquetWriter, type SchemaElement } from "hyparquet-writer";
import type { Cell } from "./row-batch.js";
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

/** Texts hardly repeat, and nobody looks for them by range: no dictionary is tried, and no bounds are kept, which could be as long as the texts. */
const texts = new Set(["text", "thinking", "arguments", "first_message", "error_message"]);

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
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema, codec: "SNAPPY", createdBy: "pi-sessions" });
  }

  /** Bytes of the file so far. */
  get size(): number {
    return this.#bytes.offset;
  }

  /** Writes a row group: its cells, column by column. */
  write(columns: readonly Cell[][], count: number): void {
    const columnData = this.#columns.map(({ name, type }, at) => {
      const cells = columns[at]!;
      const isWhole = type === "int64" || type === "timestamp";
      return {
        name,
        data: isWhole ? cells.map((cell) => (cell === null ? null : BigInt(cell as number))) : cells,
        ...(texts.has(name) && { encoding: "PLAIN" as const, statistics: false }),
      };
    });
    this.#writer.write({ columnData, rowGroupSize: count });
    this.rows += count;
    this.rowGroups++;
  }

  /** Ends the file, which is whole then, and on the disk. */
  finish(): void {
    this.#writer.finish();
    this.#bytes.flush();
    const fd = openSync(this.path, "r+");
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }
}

/** Gathers bytes, and adds them to the file when they are flushed. */
class FileBytes extends ByteWriter {
  readonly #path: string;

  constructor(path: string) {
    super();
    this.#path = path;
  }

  flush(): void {
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
