import { exportError } from "../../export/export-folder.js";
import { ParquetRows, type WrittenFile } from "../../export/parquet-rows.js";
import { type RowsPart, RowsReader, type RowsTaskOptions } from "./rows-task.js";
import type { Task } from "./task.js";

export interface ParquetTaskOptions extends RowsTaskOptions {
  /** Where the tables' folders are. */
  folder: string;
  /** What a failure names. */
  target: string;
}

export interface ParquetPart extends RowsPart {
  written: WrittenFile[];
}

/** Writes the rows of the sessions as Parquet files, those of a batch into files of their own. */
export function parquetTask({ folder, target, ...options }: ParquetTaskOptions): Task<ParquetPart> {
  const reader = new RowsReader(options);
  const rows = new ParquetRows(folder);
  const guard = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw exportError(target, error);
    }
  };
  return {
    scan: (session) => reader.read(session, (batch) => guard(() => rows.add(batch))),
    finish: () => ({ ...reader.part, written: guard(() => rows.finish()) }),
  };
}
