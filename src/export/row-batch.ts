import type { TableName } from "./tables.js";

/** A value of a cell: `int64` and `double` are numbers, `timestamp` is Unix milliseconds. */
export type Cell = string | number | boolean | null;

/** Rows of one table and one session file, column by column in the order of the table's columns; it can be posted to another thread. */
export interface RowBatch {
  table: TableName;
  /** Absolute path of the session file that the rows came from. */
  path: string;
  count: number;
  columns: Cell[][];
}
