import { SessionFormatError } from "../errors.js";
import type { SessionHeader } from "../format/header.js";
import { scanner } from "../read/json-scanner.js";
import { describeFailure } from "./describe-failure.js";
import type { SessionFile } from "./find-session-files.js";
import { withOpenSession } from "./open-session.js";
import type { SessionRange } from "./scan-session.js";
import type { SkippedFile } from "./store-options.js";
import type { Task } from "./tasks/task.js";
import { type TaskName, type TaskOptions, type TaskResult, tasks } from "./tasks.js";

/** What came of a batch of files. */
export interface BatchResult<Name extends TaskName> {
  result: TaskResult<Name>;
  /** Files that could not be opened or are no sessions. */
  skipped: SkippedFile[];
}

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

/** Runs a task over one range of a file; undefined when the file must be scanned whole, which then tells why. */
export function runPart<Name extends TaskName>(
  name: Name,
  options: TaskOptions<Name>,
  file: SessionFile,
  range: SessionRange,
  shared: { buffer: Buffer; onBytes: (bytes: number) => void },
): unknown {
  const task: Task<unknown> = tasks[name](options as never);
  try {
    return withOpenSession(file, shared, (session) => task.scanPart?.(session, range));
  } catch (error) {
    whySkipped(error);
    return undefined;
  }
}

/** What a task makes of a file by its parts; undefined when it must be scanned whole. */
export function joinParts<Name extends TaskName>(
  name: Name,
  options: TaskOptions<Name>,
  file: SessionFile,
  header: SessionHeader,
  parts: readonly unknown[],
): BatchResult<Name> | undefined {
  const task: Task<unknown> = tasks[name](options as never);
  if (parts.includes(undefined) || !task.join?.(file, header, parts)) return undefined;
  return { result: task.finish() as TaskResult<Name>, skipped: [] };
}

/** Whether a task can share out the ranges of one file. */
export function canJoin<Name extends TaskName>(name: Name, options: TaskOptions<Name>): boolean {
  return (tasks[name](options as never) as Task<unknown>).join !== undefined;
}

/** The buffer that this thread reads files into. */
export function readBuffer(): Buffer {
  return scanner.readBuffer();
}

/** Why a file is passed over. A failure that is not the file's is thrown on. */
function whySkipped(error: unknown): string {
  if (error instanceof SessionFormatError) return error.reason;
  if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  return describeFailure(error);
}
