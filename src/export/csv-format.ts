import { stringify } from "csv-stringify/sync";
import { formatIsoTime } from "../format/time.js";
import type { Cell, RowBatch } from "./row-batch.js";
import type { RowFormat } from "./row-sink.js";
import { type ColumnType, findTable } from "./tables.js";

/** RFC 4180 in UTF-8, with a line of names. A missing value is an empty field, an empty text a quoted one. Times are ISO 8601 in UTC. */
export const csvFormat: RowFormat = {
  extension: "csv",
  head: (table) => writeRecords([findTable(table).columns.map(({ name }) => name)]),
  rows({ table, count, columns }: RowBatch): string {
    const types = findTable(table).columns.map(({ type }) => type);
    const records = Array.from({ length: count }, (_, row) =>
      types.map((type, at) => formatCell(columns[at]![row]!, type)),
    );
    return writeRecords(records);
  },
};

function writeRecords(records: (string | null)[][]): string {
  return stringify(records, { record_delimiter: "\r\n", quoted_match: /^$|[\r\n]/ });
}

function formatCell(cell: Cell, type: ColumnType): string | null {
  if (cell === null) return null;
  if (type === "timestamp") return formatIsoTime(cell as number);
  return typeof cell === "string" ? neutralise(cell) : String(cell);
}

/** What a spreadsheet takes for the beginning of a formula, be it behind white space; also in full width. */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠]/;

/** A text that a spreadsheet would run gets an apostrophe in front, which makes it a text there. */
function neutralise(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}
