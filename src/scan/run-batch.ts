import { SessionFormatError } from "../errors.js";
import { describeFailure, type SessionFile } from "./find-session-files.js";
import { withOpenSession } from "./open-session.js";
import type { SkippedFile } from "./store-options.js";
import { type TaskName, type TaskOptions, type TaskResult, tasks } from "./tasks.js";

/** What came of a batch of files. */
export interface BatchResult<Name extends TaskName> {
  result: TaskResult<Name>;
  /** Files that could not be opened or are no sessions. */
  skipped: SkippedFile[];
}

/** Large enough that a file of ordinary size is one read, small enough for the processor's cache. */
const BUFFER_BYTES = 1024 * 1024;

/** Runs a task over files, one after the other. A file that can't be read never stops the others. */
export function runBatch<Name extends TaskName>(
  name: Name,
  options: TaskOptions<Name>,
  files: readonly SessionFile[],
  shared: { buffer: Buffer; onBytes: (bytes: number) => void },
): BatchResult<Name> {
  const task = tasks[name](options as never);
  const skipped: SkippedFile[] = [];
  for (const file of files) {
    try {
      withOpenSession(file, shared, (session) => task.scan(session));
    } catch (error) {
      skipped.push({ path: file.path, reason: whySkipped(error) });
    }
  }
  return { result: task.finish() as TaskResult<Name>, skipped };
}

/** A buffer to read files into, for one thread. */
export function newReadBuffer(): Buffer {
  return Buffer.allocUnsafeSlow(BUFFER_BYTES);
}

/** Why a file is passed over. A failure that is not the file's is thrown on. */
function whySkipped(error: unknown): string {
  if (error instanceof SessionFormatError) return error.reason;
  if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  return describeFailure(error);
}
