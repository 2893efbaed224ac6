import { availableParallelism } from "node:os";
import pLimit from "p-limit";
import type { TextMode } from "../export/cell-text.js";
import type { SessionFile } from "./find-session-files.js";
import { type BatchResult, readBuffer, runBatch } from "./run-batch.js";
import type { StoreOptions } from "./store-options.js";
import { loadTask, type TaskName, type TaskOptions } from "./tasks.js";
import { type OnPart, WorkerPool } from "./worker-pool.js";

/** Below this, starting a worker takes longer than reading it all. */
const WORKER_BYTES = 4 * 1024 * 1024;

const PROGRESS_MS = 50;

/** Files that one worker reads, one after the other. */
export type FileBatch = readonly SessionFile[];

export interface RowScanOptions extends Pick<StoreOptions, "jobs" | "onProgress" | "signal"> {
  /** Where it is `full`, workers may need much memory. */
  text?: TextMode;
}

/** Runs tasks over batches of files that are known already, and hands on the parts that tasks make meanwhile. */
export class RowScan {
  readonly #options: RowScanOptions;
  /** How many workers there are at most. */
  readonly jobs: number;
  #pool: WorkerPool | undefined;

  constructor(options: RowScanOptions) {
    this.#options = options;
    this.jobs = options.jobs ?? availableParallelism();
  }

  /**
   * What comes of the batches. `onPart` takes the parts one after the other: workers that are ahead of it wait. Small stores are read in this thread.
   * Memory: a few parts for each worker; without workers, those of a batch.
   *
   * @throws the reason of `signal` when it aborts, and what a task or `onPart` failed with.
   */
  async run<Name extends TaskName>(
    name: Name,
    task: TaskOptions<Name>,
    batches: readonly FileBatch[],
    onPart: OnPart = async () => {},
  ): Promise<BatchResult<Name>[]> {
    this.#options.signal?.throwIfAborted();
    const totalBytes = batches.reduce((sum, batch) => sum + sumBytes(batch), 0);
    if (totalBytes <= WORKER_BYTES) return await this.#runHere(name, task, batches, onPart);
    this.#pool ??= new WorkerPool(this.jobs, { holdsWholeTexts: this.#options.text === "full" });
    this.#pool.setTask(name, task, onPart);
    return await this.#runInPool<Name>(this.#pool, batches, totalBytes);
  }

  /** Ends the worker threads. */
  async close(): Promise<void> {
    await this.#pool?.close();
  }

  async #runHere<Name extends TaskName>(
    name: Name,
    task: TaskOptions<Name>,
    batches: readonly FileBatch[],
    onPart: OnPart,
  ): Promise<BatchResult<Name>[]> {
    await loadTask(name);
    const results: BatchResult<Name>[] = [];
    for (const batch of batches) {
      const parts: unknown[] = [];
      const shared = { buffer: readBuffer(), onBytes: () => {}, onPart: (part: unknown) => parts.push(part) };
      results.push(runBatch(name, task, batch, shared));
      for (const part of parts) await onPart(part);
      this.#options.signal?.throwIfAborted();
    }
    return results;
  }

  async #runInPool<Name extends TaskName>(
    pool: WorkerPool,
    batches: readonly FileBatch[],
    totalBytes: number,
  ): Promise<BatchResult<Name>[]> {
    const { signal, onProgress } = this.#options;
    const total = batches.reduce((sum, batch) => sum + batch.length, 0);
    const bytesBefore = pool.bytesRead;
    let done = 0;
    let fail: (error: unknown) => void = () => {};
    const failure = new Promise<never>((_, reject) => {
      fail = reject;
    });
    const abort = (): void => fail(signal!.reason);
    const tell = (): void => {
      const bytes = Math.min(totalBytes, pool.bytesRead - bytesBefore);
      try {
        onProgress?.({ done, total, bytes, totalBytes });
      } catch (error) {
        fail(error); // From a timer it would end the process.
      }
    };
    const timer = setInterval(tell, PROGRESS_MS);
    signal?.addEventListener("abort", abort);
    // One batch for each worker: they take long, and in the end none should wait for a busy one.
    const limit = pLimit(this.jobs);
    const runs = batches.map((batch) =>
      limit(async () => {
        const result = await pool.run<Name>([...batch]);
        done += batch.length;
        return result;
      }),
    );
    try {
      return await Promise.race([Promise.all(runs), failure]);
    } finally {
      clearInterval(timer);
      signal?.removeEventListener("abort", abort);
      limit.clearQueue();
    }
  }
}

/** Cuts a list of files into batches of at most so many bytes and files, but for single files that are larger. */
export function batchFiles<File extends SessionFile>(
  files: readonly File[],
  maxBytes: number,
  maxFiles = Number.POSITIVE_INFINITY,
): File[][] {
  const batches: File[][] = [];
  let bytes = 0;
  for (const file of files) {
    const batch = batches.at(-1);
    if (!batch || batch.length === maxFiles || bytes + file.sizeBytes > maxBytes) {
      batches.push([file]);
      bytes = file.sizeBytes;
    } else {
      batch.push(file);
      bytes += file.sizeBytes;
    }
  }
  return batches;
}

export function sumBytes(files: readonly SessionFile[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
