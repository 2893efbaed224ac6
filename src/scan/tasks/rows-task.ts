import { resolve } from "node:path";
import { CellText, type TextMode } from "../../export/cell-text.js";
import { Redactor } from "../../export/redactor.js";
import type { RowBatch } from "../../export/row-batch.js";
import type { TableName } from "../../export/tables.js";
import type { OpenSession } from "../open-session.js";
import { projectFilter } from "../project-filter.js";
import { type ReadRows, readSessionRows, type SessionRowsRequest } from "../read-session-rows.js";
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
  /** By absolute path: the files whose rows were handed on. */
  files: Map<string, ReadRows>;
}

/** Hands on the rows of the sessions as parts, each a `RowBatch`. */
export function rowsTask(options: RowsTaskOptions): Task<RowsPart> {
  const reader = new RowsReader(options);
  return {
    scan: (session) => reader.read(session, session.onPart!),
    finish: () => reader.part,
  };
}

/** Reads the rows of one session after the other. */
export class RowsReader {
  /** What was read so far. */
  readonly part: RowsPart = { files: new Map() };
  readonly #request: Omit<SessionRowsRequest, "copies">;
  readonly #copies: RowsTaskOptions["copies"];

  constructor(options: RowsTaskOptions) {
    const { host, tables, text, redact, copies } = options;
    const redactor = redact ? new Redactor() : undefined;
    this.#copies = copies;
    this.#request = {
      host,
      tables,
      text: new CellText(text, redactor),
      redactor,
      isTextWhole: text === "full",
      filters: options,
      isProjectWanted: projectFilter(options),
    };
  }

  read(session: OpenSession, take: (batch: RowBatch) => void): void {
    const path = resolve(session.path);
    const read = readSessionRows(session, { ...this.#request, copies: this.#copies.get(path) ?? [] }, take);
    if (read) this.part.files.set(path, read);
  }
}
