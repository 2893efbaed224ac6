import { type FileHandle, open } from "node:fs/promises";
import { availableParallelism } from "node:os";
import pLimit from "p-limit";
import { SessionFormatError } from "../errors.js";
import { describeFailure, findSessionFiles, type SessionFile } from "./find-session-files.js";
import type { StoreOptions } from "./store-options.js";

/** A file that is open for a scan. */
export interface OpenFile extends SessionFile {
  handle: FileHandle;
  signal: AbortSignal | undefined;
  /** To be told of bytes that were read, for progress. */
  onBytes: (bytes: number) => void;
}

/** What came of one file. */
export type Scanned<T> = { file: SessionFile; value: T } | { file: { path: string }; skipped: string };

/**
 * Reads all files of the stores side by side, a bounded number open at a time, and yields what `scan` makes of each as soon as it is known, in no
 * particular order. A file that can't be opened or is no session is yielded as skipped, with the reason, and never stops the others.
 * Files that `isChosen` refuses are not opened. Memory: the list of files, and what the consumer has not taken yet.
 */
export async function* scanFiles<T>(
  options: StoreOptions,
  scan: (file: OpenFile) => Promise<T>,
  isChosen: (path: string) => boolean = () => true,
): AsyncGenerator<Scanned<T>, void, void> {
  const { files: found, skipped } = await findSessionFiles(options);
  const files = found.filter(({ path }) => isChosen(path));
  for (const { path, reason } of skipped) yield { file: { path }, skipped: reason };

  const abort = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, abort.signal]) : abort.signal;
  const progress = { done: 0, total: files.length, bytes: 0, totalBytes: 0 };
  for (const file of files) progress.totalBytes += file.sizeBytes;
  const onBytes = (bytes: number): void => {
    progress.bytes += bytes;
    options.onProgress?.({ ...progress });
  };

  const results = new Arrivals<Scanned<T>>();
  const limit = pLimit(options.jobs ?? 2 * availableParallelism());
  const all = Promise.all(
    files.map((file) =>
      limit(async () => {
        signal.throwIfAborted();
        results.push(await scanFile(file, scan, signal, onBytes));
        progress.done++;
        options.onProgress?.({ ...progress });
      }),
    ),
  );
  all.then(
    () => results.end(),
    (error: unknown) => results.fail(error),
  );
  try {
    yield* results;
  } finally {
    abort.abort();
    await all.catch(() => {}); // Whatever failed was thrown above; here only the open files are waited for.
  }
}

async function scanFile<T>(
  file: SessionFile,
  scan: (file: OpenFile) => Promise<T>,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<Scanned<T>> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file.path);
    return { file, value: await scan({ ...file, handle, signal, onBytes }) };
  } catch (error) {
    const reason = whySkipped(error);
    if (signal.aborted || reason === undefined) throw error;
    return { file, skipped: reason };
  } finally {
    await handle?.close();
  }
}

/** Why a file is passed over; undefined for a failure that is not the file's. */
function whySkipped(error: unknown): string | undefined {
  if (error instanceof SessionFormatError) return error.reason;
  return (error as NodeJS.ErrnoException).syscall === undefined ? undefined : describeFailure(error);
}

/** Results in order of arrival, for one consumer. */
class Arrivals<T> implements AsyncIterable<T> {
  #waiting: T[] = [];
  #ended = false;
  #failure: { error: unknown } | undefined;
  #wake = (): void => {};

  push(value: T): void {
    this.#waiting.push(value);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  fail(error: unknown): void {
    this.#failure = { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for (;;) {
      const arrived = this.#waiting;
      this.#waiting = [];
      yield* arrived;
      if (this.#failure) throw this.#failure.error;
      if (this.#waiting.length > 0) continue;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
