import { cutToWidth, displayWidth } from "./display-width.js";

export interface Column {
  head: string;
  /** Numbers stand right, words left. */
  align?: "left" | "right";
  /** Whether the column may be cut where the terminal is narrow, and which end of its texts then stays. */
  cut?: "keep-start" | "keep-end";
  /** Whether the column is left out where the others would have too little room. */
  isExtra?: boolean;
}

export interface TableOptions {
  /** Columns of the terminal; nothing is cut without it. */
  width?: number | undefined;
  /** A row of sums below the others. */
  total?: string[] | undefined;
  /** How the head and the total are set off. */
  emphasise?: (line: string) => string;
}

const GAP = "  ";
/** A column that is cut keeps this much, ... */
const LEAST_WIDTH = 8;
/** ... and this much, if it takes no more than leaving out columns that are extra. */
const FAIR_WIDTH = 16;
/**
 * The lines of a table with aligned columns: head, rows, total. Cells must hold no control characters (see `cellText`).
 * Put a column of free text last: text of scripts whose width terminals disagree on then shifts nothing.
 */
export function* tableLines(columns: Column[], rows: string[][], options: TableOptions = {}): Generator<string> {
  const { width = Number.POSITIVE_INFINITY, total, emphasise = (line) => line } = options;
  const head = columns.map((column) => column.head);
  const natural = naturalWidths(total ? [head, ...rows, total] : [head, ...rows]);
  const shown = shownColumns(columns, natural, width);
  const shownOf = <T>(row: T[]): T[] => shown.map((index) => row[index]!);
  const layout: Layout = {
    columns: shownOf(columns),
    widths: narrowWidths(shownOf(columns), shownOf(natural), width),
  };
  // Columns that may not be cut can still be too wide together: the terminal's edge then cuts, not a second line.
  const line = (row: string[]): string => cutToWidth(layoutRow(layout, shownOf(row)), width);
  yield emphasise(line(head));
  for (const row of rows) yield line(row);
  if (total) yield emphasise(line(total));
}

interface Layout {
  columns: Column[];
  widths: number[];
}

/** The widest cell of each column. */
function naturalWidths(rows: string[][]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, displayWidth(cell));
  }
  return widths;
}

function totalWidth(widths: number[]): number {
  return widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1));
}

/** The places of the columns that are shown: all, or without extra ones, from the left, as long as there is too little room. */
function shownColumns(columns: Column[], natural: number[], width: number): number[] {
  const least = columns.map(({ cut }, index) => (cut ? Math.min(natural[index]!, FAIR_WIDTH) : natural[index]!));
  let shown = [...columns.keys()];
  for (const [index, { isExtra }] of columns.entries()) {
    if (totalWidth(shown.map((each) => least[each]!)) <= width) break;
    if (isExtra) shown = shown.filter((each) => each !== index);
  }
  return shown;
}

/** The widths at which the columns fit: the widest of those that may be cut give way. */
function narrowWidths(columns: Column[], natural: number[], width: number): number[] {
  const widths = [...natural];
  for (let excess = totalWidth(widths) - width; excess > 0; excess--) {
    const widest = widestToCut(columns, widths);
    if (widest === undefined) break;
    widths[widest]!--;
  }
  return widths;
}

function widestToCut(columns: Column[], widths: number[]): number | undefined {
  let widest: number | undefined;
  for (const [index, { cut }] of columns.entries()) {
    if (!cut || widths[index]! <= LEAST_WIDTH) continue;
    if (widest === undefined || widths[index]! > widths[widest]!) widest = index;
  }
  return widest;
}

function layoutRow({ columns, widths }: Layout, row: string[]): string {
  const cells = row.map((cell, index) =>
    padCell(cutCell(cell, columns[index]!, widths[index]!), columns[index]!, widths[index]!),
  );
  return cells.join(GAP).trimEnd();
}

function padCell(cell: string, { align = "left" }: Column, width: number): string {
  const padding = " ".repeat(Math.max(0, width - displayWidth(cell)));
  return align === "left" ? cell + padding : padding + cell;
}

function cutCell(cell: string, { cut }: Column, width: number): string {
  return cut ? cutToWidth(cell, width, cut === "keep-end" ? "end" : "start") : cell;
}
