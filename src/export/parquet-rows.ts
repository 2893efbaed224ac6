import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { ColumnBuffer } from "./column-buffer.js";
import { ParquetFile, ROW_GROUP_COST } from "./parquet-file.js";
import type { Cell, RowBatch } from "./row-batch.js";
import { findTable, type TableName } from "./tables.js";

/** A row group is written when it takes so much memory. */
const ROW_GROUP_BYTES = 2 * 1024 * 1024;
const ROW_GROUP_ROWS = 50_000;
/** What all row groups that are not written yet may take together. */
const BUFFERED_BYTES = 8 * 1024 * 1024;
/** What the files that are not finished yet may take for the row groups in them. */
const UNFINISHED_BYTES = 6 * 1024 * 1024;
/** A file that is larger is finished. */
const FILE_BYTES = 64 * 1024 * 1024;

/** A file that was written. */
export interface WrittenFile {
  table: TableName;
  /** Below the table's folder, as in `month=2026-01/0123456789abcdef.parquet`. */
  name: string;
  rows: number;
}

/** The rows of one table and month that are not written yet, and the file that they go to. */
interface MonthRows {
  table: TableName;
  month: string;
  count: number;
  bytes: number;
  buffers: ColumnBuffer[];
  file: ParquetFile | undefined;
}

/**
 * Writes rows as Parquet files in folders of tables and months, many of them open at once. Memory: 8 MiB of rows and 6 MiB for row groups written, whatever comes;
 * a larger row, or one more row group for each month, comes on top.
 */
export class ParquetRows {
  readonly #folder: string;
  readonly #months = new Map<string, MonthRows>();
  readonly #written: WrittenFile[] = [];
  readonly #clock = new MonthClock();
  #bytes = 0;
  #rowGroups = 0;

  /** Files are written below `folder`, which must be there. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  add({ table, count, columns }: RowBatch): void {
    const { columns: known, timeColumn } = findTable(table);
    const times = columns[known.findIndex(({ name }) => name === timeColumn)] as (number | null)[];
    for (let start = 0; start < count; ) {
      const month = this.#clock.monthOf(times[start]!);
      let end = start + 1;
      while (end < count && this.#clock.monthOf(times[end]!) === month) end++;
      this.#addRun(this.#rowsOf(table, month), columns, start, end);
      start = end;
    }
    while (this.#bytes > BUFFERED_BYTES) this.#write(this.#largest(({ bytes }) => bytes));
  }

  /** Adds rows of one month. */
  #addRun(rows: MonthRows, columns: readonly Cell[][], start: number, end: number): void {
    let bytes = 0;
    for (const [at, buffer] of rows.buffers.entries()) {
      buffer.append(columns[at]!, start, end);
      bytes += buffer.bytes;
    }
    this.#bytes += bytes - rows.bytes;
    rows.count += end - start;
    rows.bytes = bytes;
    if (bytes >= ROW_GROUP_BYTES || rows.count >= ROW_GROUP_ROWS) this.#write(rows);
  }

  /** Writes what is left. Returns all files, each of them whole. */
  finish(): WrittenFile[] {
    for (const rows of this.#months.values()) {
      if (rows.count > 0) this.#write(rows, true);
      if (rows.file) this.#finishFile(rows);
    }
    this.#months.clear();
    return this.#written;
  }

  #rowsOf(table: TableName, month: string): MonthRows {
    const key = `${table}/${month}`;
    let rows = this.#months.get(key);
    if (!rows) {
      rows = { table, month, count: 0, bytes: 0, buffers: ParquetFile.newBuffers(table), file: undefined };
      this.#months.set(key, rows);
    }
    return rows;
  }

  #write(rows: MonthRows, isLast = false): void {
    rows.file ??= this.#newFile(rows);
    rows.file.write(rows.buffers, rows.count, isLast);
    this.#bytes -= rows.bytes;
    this.#rowGroups++;
    rows.count = 0;
    rows.bytes = 0;
    rows.buffers = ParquetFile.newBuffers(rows.table);
    if (isLast) return;
    if (rows.file.size >= FILE_BYTES) this.#finishFile(rows);
    while (this.#rowGroups * ROW_GROUP_COST > UNFINISHED_BYTES) {
      this.#finishFile(this.#largest(({ file }) => file?.rowGroups ?? 0));
    }
  }

  #newFile({ table, month }: MonthRows): ParquetFile {
    const folder = join(this.#folder, table, `month=${month}`);
    mkdirSync(folder, { recursive: true });
    return new ParquetFile(join(folder, `${randomBytes(8).toString("hex")}.parquet`), table);
  }

  #finishFile(rows: MonthRows): void {
    const { file, table, month } = rows;
    file!.finish();
    this.#rowGroups -= file!.rowGroups;
    const name = `month=${month}/${basename(file!.path)}`;
    this.#written.push({ table, name, rows: file!.rows });
    rows.file = undefined;
  }

  #largest(size: (rows: MonthRows) => number): MonthRows {
    let largest: MonthRows | undefined;
    for (const rows of this.#months.values()) if (!largest || size(rows) > size(largest)) largest = rows;
    return largest!;
  }
}

/** Tells the UTC months of instants. Most of them are of the same month as the one before. */
class MonthClock {
  #start = 0;
  #end = 0;
  #month = "";

  /** As in `2026-01`. */
  monthOf(time: number | null): string {
    if (time === null) return "unknown";
    if (time < this.#start || time >= this.#end) {
      const date = new Date(time);
      const year = date.getUTCFullYear();
      const month = date.getUTCMonth();
      this.#start = startOfMonth(year, month);
      this.#end = startOfMonth(year, month + 1);
      const text = date.toISOString();
      // Years that are no four digits have a sign in front.
      this.#month = text.slice(0, text.indexOf("-", 1) + "-01".length);
    }
    return this.#month;
  }
}

/** Two digits of a year mean what they say, unlike with `Date.UTC`. */
function startOfMonth(year: number, month: number): number {
  return new Date(0).setUTCFullYear(year, month, 1);
}
