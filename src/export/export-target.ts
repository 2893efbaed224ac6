import type { RowBatch } from "./row-batch.js";
import type { RowCounts, TableName } from "./tables.js";

/** One session file as a target holds it: enough to tell whether the file, or what is known of its copies, changed since. */
export interface ExportedFile {
  /** Absolute path of the session file. */
  path: string;
  sizeBytes: number;
  mtimeMs: number;
  /** What the rows depend on beside the file: a target compares it for equality only. */
  state: string;
}

/** A session file that rows were written of. */
export interface ChangedFile extends ExportedFile {
  /** A line of printable ASCII that the target keeps for the next export. Made when it is asked for. */
  readonly note: string;
}

/**
 * A database that rows are written to, a session file at a time. Nothing that it is given can be seen before `finish`, and an export that ends before
 * leaves what the last one made.
 */
export interface ExportTarget {
  /** What it held when it was opened, by path. A target whose settings (tables, text, filters) differ from those of this export holds nothing. */
  readonly exported: ReadonlyMap<string, ExportedFile>;
  /** Hands on the notes of these files, one after the other, some of them perhaps twice. To be called before anything is written. */
  readNotes(take: (note: string) => void): Promise<void>;
  /** Takes rows of a file that is new or changed; all of its old rows go. Rows of a file come batch by batch, those of its session last. Resolves when more may come. */
  write(batch: RowBatch): Promise<void>;
  /**
   * Makes what was written the new state. `changed` are the files that rows were written of (also those that gave none), `removed` the paths of files
   * whose rows go. Returns the rows that each table now holds in all.
   */
  finish(changed: readonly ChangedFile[], removed: readonly string[]): Promise<RowCounts>;
  /** Leaves the last state. May be called at any time before `finish` is done; never throws. */
  abort(): Promise<void>;
}

/** What every target is opened with. */
export interface TargetOptions {
  /** The tables that are wanted, in the order of `tables`. */
  tables: readonly TableName[];
  /** The host that rows belong to. */
  host: string;
  /** Identifies the settings that rows depend on. */
  settings: string;
  signal?: AbortSignal | undefined;
}
