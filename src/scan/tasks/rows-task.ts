import { resolve } from "node:path";
import { CellText, type TextMode } from "../../export/cell-text.js";
import type { TableName } from "../../export/tables.js";
import { projectFilter } from "../project-filter.js";
import { readSessionRows } from "../read-session-rows.js";
import type { FilterOptions, Task } from "./task.js";

export interface RowsTaskOptions extends FilterOptions {
  host: string;
  tables: readonly TableName[];
  text: TextMode;
  redact: boolean;
  /** By absolute path: the calls that are copies, by their number in the file. */
  copies: ReadonlyMap<string, Uint32Array>;
}

export interface RowsPart {
  /** Absolute paths of the files whose rows were handed on. */
  files: string[];
  damagedLines: number;
  cutEntries: number;
}

/** Hands on the rows of the sessions as parts, each a `RowBatch`. */
export function rowsTask(options: RowsTaskOptions): Task<RowsPart> {
  const { host, tables, text, copies } = options;
  const part: RowsPart = { files: [], damagedLines: 0, cutEntries: 0 };
  const request = {
    host,
    tables,
    text: new CellText(text),
    isTextWhole: text === "full",
    filters: options,
    isProjectWanted: projectFilter(options),
  };
  return {
    scan(session) {
      const path = resolve(session.path);
      const read = readSessionRows(session, { ...request, copies: copies.get(path) ?? [] }, session.onPart!);
      if (!read) return;
      part.files.push(path);
      part.damagedLines += read.damagedLines;
      part.cutEntries += read.cutEntries;
    },
    finish: () => part,
  };
}
