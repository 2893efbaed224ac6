/** Batches of rows for targets, from records that name only what a test is about. */
import type { ChangedFile, ExportedFile, ExportTarget } from "../../src/export/export-target.js";
import type { Cell, RowBatch } from "../../src/export/row-batch.js";
import { type ColumnType, findTable, type TableName, tables } from "../../src/export/tables.js";

export const allTables = tables.map(({ name }) => name);

export type Row = Record<string, Cell>;

const blanks: Record<ColumnType, Cell> = { string: "", int64: 0, double: 0, boolean: false, timestamp: 0 };

/** Rows of one file. What a row does not name is null, or the type's zero where null can't be; lines count from 2. */
export function rowBatch(table: TableName, path: string, rows: readonly Row[], sessionId = "s"): RowBatch {
  const filled = rows.map((row, at) => ({ session_id: sessionId, path, line: at + 2, ...row }) as Row);
  const columns = findTable(table).columns.map(({ name, type, nullable }) =>
    filled.map((row) => (row[name] === undefined ? (nullable ? null : blanks[type]) : row[name])),
  );
  return { table, path, count: rows.length, columns };
}

/** A file as an exporter knows it. */
export function exportedFile(path: string, more: Partial<ExportedFile> = {}): ExportedFile {
  return { path, sizeBytes: 1, mtimeMs: 1_700_000_000_000.25, state: "", ...more };
}

/** A file as an exporter hands it on when it changed. */
export function changedFile(path: string, more: Partial<ChangedFile> = {}): ChangedFile {
  return { ...exportedFile(path), note: `note of ${path}`, ...more };
}

/** The notes of a target, sorted, each once. */
export async function notesOf(target: ExportTarget): Promise<string[]> {
  const notes = new Set<string>();
  await target.readNotes((note) => notes.add(note));
  return [...notes].sort();
}
