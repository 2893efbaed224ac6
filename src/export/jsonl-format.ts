import { formatIsoTime } from "../format/time.js";
import type { Cell, RowBatch } from "./row-batch.js";
import type { RowFormat } from "./row-sink.js";
import { type ColumnType, findTable } from "./tables.js";

/** One JSON object a row: numbers, booleans and null as such, times as ISO 8601 in UTC. */
export const jsonlFormat: RowFormat = {
  extension: "jsonl",
  head: () => "",
  rows({ table, count, columns }: RowBatch): string {
    const named = findTable(table).columns.map(({ name, type }, at) => ({
      prefix: `${at === 0 ? "{" : ","}${JSON.stringify(name)}:`,
      type,
      cells: columns[at]!,
    }));
    let text = "";
    for (let row = 0; row < count; row++) {
      for (const { prefix, type, cells } of named) text += prefix + formatCell(cells[row]!, type);
      text += "}\n";
    }
    return text;
  },
};

function formatCell(cell: Cell, type: ColumnType): string {
  return type === "timestamp" && cell !== null ? `"${formatIsoTime(cell as number)}"` : JSON.stringify(cell);
}
