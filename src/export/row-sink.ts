import type { RowBatch } from "./row-batch.js";
import type { RowCounts, TableName } from "./tables.js";

/** What an export left behind. */
export interface Exported {
  /** By table: how many rows it holds now. */
  tables: RowCounts;
  /** The files that hold the rows; none for a server. */
  files: string[];
}

/** Where the rows of all sessions go that are written anew each time. Nothing of them can be seen before `finish`. */
export interface RowSink {
  /** Resolves when more may come. */
  write(batch: RowBatch): Promise<void>;
  finish(): Promise<Exported>;
  /** Leaves what there was before. May be called at any time before `finish` is done; never throws. */
  abort(): Promise<void>;
}

/** Writes the rows of batches as text. */
export interface RowFormat {
  /** Of file names, without the dot. */
  extension: string;
  /** What a file begins with. */
  head(table: TableName): string;
  rows(batch: RowBatch): string;
}
