import { wellFormed } from "./cell-text.js";
import type { Redactor } from "./redactor.js";
import type { Cell, RowBatch } from "./row-batch.js";
import { findTable, type TableName } from "./tables.js";

/** A batch is full at either. */
const BATCH_ROWS = 1000;
const BATCH_UNITS = 256 * 1024;

/** As long as a path or so. */
const SHORT_UNITS = 256;

/** The rows of one table that are not handed on yet. */
interface Gathered {
  count: number;
  /** Code units in their strings. */
  units: number;
  columns: Cell[][];
  width: number;
  /** By column: whether its strings are to be redacted. */
  isOpen: boolean[];
}

/** Columns that stay as they are: the path is a key, and what `CellText` made was redacted before it was cut. */
const closedColumns = new Set(["path", "first_message", "text", "thinking", "error_message", "arguments"]);

/** Gathers the rows of one session file, a batch a table. Strings become such as UTF-8 can hold. Memory: half a MB a table, and a row. */
export class RowBatcher {
  readonly #path: string;
  readonly #take: (batch: RowBatch) => void;
  readonly #redactor: Redactor | undefined;
  readonly #gathered = new Map<TableName, Gathered>();

  constructor(path: string, tables: readonly TableName[], take: (batch: RowBatch) => void, redactor?: Redactor) {
    this.#path = path;
    this.#take = take;
    this.#redactor = redactor;
    for (const table of tables) {
      const { columns } = findTable(table);
      const width = columns.length;
      const isOpen = columns.map(({ name }) => redactor !== undefined && !closedColumns.has(name));
      this.#gathered.set(table, { count: 0, units: 0, columns: emptyColumns(width), width, isOpen });
    }
  }

  wants(table: TableName): boolean {
    return this.#gathered.has(table);
  }

  /** Adds a row, its cells in the order of the table's columns. */
  add(table: TableName, row: readonly Cell[]): void {
    const gathered = this.#gathered.get(table)!;
    for (let at = 0; at < gathered.width; at++) {
      let cell = row[at]!;
      const cells = gathered.columns[at]!;
      if (typeof cell === "string") {
        // Most cells are what they were in the row before. Only short ones don't count then.
        const isRepeated = cell === cells[cells.length - 1];
        if (!isRepeated) cell = wellFormed(gathered.isOpen[at] ? this.#redactor!.redact(cell) : cell);
        if (!isRepeated || cell.length > SHORT_UNITS) gathered.units += cell.length;
      }
      cells.push(cell);
    }
    gathered.count++;
    if (gathered.count >= BATCH_ROWS || gathered.units >= BATCH_UNITS) this.#handOn(table, gathered);
  }

  /** Hands on what is left. */
  finish(): void {
    for (const [table, gathered] of this.#gathered) if (gathered.count > 0) this.#handOn(table, gathered);
  }

  #handOn(table: TableName, gathered: Gathered): void {
    const { count, columns, width } = gathered;
    gathered.count = 0;
    gathered.units = 0;
    gathered.columns = emptyColumns(width);
    this.#take({ table, path: this.#path, count, columns });
  }
}

function emptyColumns(width: number): Cell[][] {
  return Array.from({ length: width }, () => []);
}
