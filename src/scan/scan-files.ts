import { availableParallelism } from "node:os";
import pLimit from "p-limit";
import { cutSession } from "./cut-session.js";
import { type FoundFiles, findSessionFiles, type SessionFile } from "./find-session-files.js";
import { type BatchResult, canJoin, joinParts, newReadBuffer, runBatch } from "./run-batch.js";
import type { StoreOptions } from "./store-options.js";
import type { TaskName, TaskOptions } from "./tasks.js";
import { WorkerPool } from "./worker-pool.js";

/** A batch is full at either; small ones keep all workers busy to the end, large ones keep messages few. */
const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_FILES = 64;

/** Below this, starting a worker takes longer than reading it all. */
const WORKER_BYTES = 4 * 1024 * 1024;

/** A file is cut into ranges when each of them has this many bytes at least. */
const RANGE_BYTES = 32 * 1024 * 1024;

const PROGRESS_MS = 50;

/**
 * A scan of stores, which may go over the files more than once: they are looked for once, and the worker threads that read them are kept until `close`.
 */
export class StoreScan {
  readonly #options: StoreOptions;
  readonly #jobs: number;
  #found: FoundFiles | undefined;
  #pool: WorkerPool | undefined;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#jobs = options.jobs ?? availableParallelism();
  }

  /**
   * Runs a task over all files of the stores that `isChosen` lets through, shared out over worker threads, and yields what came of each batch as soon as
   * it is known, in no particular order. Large files come first, so that none is left for the end, and those far larger than others are cut into ranges
   * that the workers share. Files that can't be opened or are no sessions are named with each batch, and never stop the others; what could not be looked
   * into is named in the first run. Memory: the list of files, and what the consumer has not taken yet.
   *
   * @throws StoreError for a store that is no folder; the reason of `signal` when it aborts; what a worker failed with, should one die.
   */
  async *run<Name extends TaskName>(
    name: Name,
    task: TaskOptions<Name>,
    isChosen?: (path: string) => boolean,
  ): AsyncGenerator<BatchResult<Name>, void, void> {
    const isFirst = this.#found === undefined;
    this.#found ??= await this.#find(isChosen);
    const { files: found, skipped } = this.#found;
    if (isFirst) yield { ...runBatch(name, task, [], { buffer: Buffer.alloc(0), onBytes: () => {} }), skipped };
    const files = isChosen ? found.filter(({ path }) => isChosen(path)) : found;
    const run = { name, task, batches: makeBatches(files), signal: this.#options.signal };
    const progress = new Progress(files, isFirst ? this.#options.onProgress : undefined);
    const pool = this.#pool;
    pool?.setTask(name, task);
    if (pool) yield* runInWorkers({ ...run, progress, pool, jobs: this.#jobs });
    else yield* runHere({ ...run, progress });
  }

  /** Ends the worker threads. */
  async close(): Promise<void> {
    await this.#pool?.close();
  }

  async #find(isChosen?: (path: string) => boolean): Promise<FoundFiles> {
    let foundBytes = 0;
    return findSessionFiles(this.#options, ({ path, sizeBytes }) => {
      foundBytes += isChosen && !isChosen(path) ? 0 : sizeBytes;
      // The workers start while the search for files goes on.
      if (foundBytes > WORKER_BYTES) this.#pool ??= new WorkerPool(this.#jobs);
    });
  }
}

export interface ScanFilesOptions<Name extends TaskName> extends StoreOptions {
  /** Files that it refuses are not opened. */
  isChosen?: (path: string) => boolean;
  /** What runs over the files, and its own options. */
  name: Name;
  task: TaskOptions<Name>;
}

/** A scan that goes over the files once: see `StoreScan.run`. */
export async function* scanFiles<Name extends TaskName>(
  options: ScanFilesOptions<Name>,
): AsyncGenerator<BatchResult<Name>, void, void> {
  const scan = new StoreScan(options);
  try {
    yield* scan.run(options.name, options.task, options.isChosen);
  } finally {
    await scan.close();
  }
}

/** Large files first; then batches of files up to some bytes. */
function makeBatches(files: readonly SessionFile[]): SessionFile[][] {
  const bySize = [...files].sort((a, b) => b.sizeBytes - a.sizeBytes);
  const batches: SessionFile[][] = [];
  let batch: SessionFile[] = [];
  let bytes = 0;
  for (const file of bySize) {
    if (batch.length > 0 && (bytes + file.sizeBytes > BATCH_BYTES || batch.length === BATCH_FILES)) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += file.sizeBytes;
  }
  return batch.length > 0 ? [...batches, batch] : batches;
}

/** One task on its way over batches of files. */
interface Run<Name extends TaskName> {
  name: Name;
  task: TaskOptions<Name>;
  batches: SessionFile[][];
  progress: Progress;
  signal: AbortSignal | undefined;
}

interface WorkerRun<Name extends TaskName> extends Run<Name> {
  pool: WorkerPool;
  jobs: number;
}

async function* runInWorkers<Name extends TaskName>(
  run: WorkerRun<Name>,
): AsyncGenerator<BatchResult<Name>, void, void> {
  const { pool, batches, progress, jobs, signal } = run;
  const results = new Arrivals<BatchResult<Name>>();
  // Two for each worker: one that it reads, and one that it finds waiting.
  const limit = pLimit(2 * jobs);
  const runBatchOrRanges = async (batch: SessionFile[]): Promise<void> => {
    results.push((await runRanges(run, batch)) ?? (await pool.run(batch)));
    progress.add(batch.length, pool.bytesRead);
  };
  const abort = (): void => results.fail(signal!.reason);
  signal?.addEventListener("abort", abort);
  const tick = (): void => {
    try {
      progress.add(0, pool.bytesRead);
    } catch (error) {
      results.fail(error); // Thrown from a timer, what the caller's onProgress throws would end the process.
    }
  };
  const timer = setInterval(tick, PROGRESS_MS);
  try {
    signal?.throwIfAborted();
    limit.map(batches, runBatchOrRanges).then(
      () => results.end(),
      (error: unknown) => results.fail(error),
    );
    yield* results;
  } finally {
    clearInterval(timer);
    signal?.removeEventListener("abort", abort);
    limit.clearQueue();
  }
}

/** Shares out a batch of one large file range by range; undefined for any other, and for a file that must be scanned whole. */
async function runRanges<Name extends TaskName>(
  { pool, name, task, jobs }: WorkerRun<Name>,
  [file, ...others]: SessionFile[],
): Promise<BatchResult<Name> | undefined> {
  const count = Math.min(jobs, Math.floor(file!.sizeBytes / RANGE_BYTES));
  if (others.length > 0 || count < 2 || !canJoin(name, task)) return undefined;
  const ranges = cutSession(file!, count);
  if (!ranges || ranges.length < 2) return undefined;
  const parts = await Promise.all(ranges.map((range) => pool.runPart(file!, range)));
  return joinParts(name, task, file!, ranges[0]!.header, parts);
}

async function* runHere<Name extends TaskName>({
  name,
  task,
  batches,
  progress,
  signal,
}: Run<Name>): AsyncGenerator<BatchResult<Name>, void, void> {
  let bytesRead = 0;
  const shared = {
    buffer: newReadBuffer(),
    onBytes: (bytes: number) => {
      bytesRead += bytes;
    },
  };
  for (const batch of batches) {
    signal?.throwIfAborted();
    yield runBatch(name, task, batch, shared);
    progress.add(batch.length, bytesRead);
  }
}

/** Tells how far a scan has come. */
class Progress {
  readonly #onProgress: StoreOptions["onProgress"];
  readonly #state = { done: 0, total: 0, bytes: 0, totalBytes: 0 };

  constructor(files: readonly SessionFile[], onProgress: StoreOptions["onProgress"]) {
    this.#onProgress = onProgress;
    this.#state.total = files.length;
    for (const { sizeBytes } of files) this.#state.totalBytes += sizeBytes;
  }

  /** Notes that `files` more are done, and `bytes` were read in all. */
  add(files: number, bytes: number): void {
    this.#state.done += files;
    this.#state.bytes = bytes;
    this.#onProgress?.({ ...this.#state });
  }
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
    this.#failure ??= { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for (;;) {
      if (this.#failure) throw this.#failure.error;
      const arrived = this.#waiting;
      this.#waiting = [];
      yield* arrived;
      if (this.#waiting.length > 0 || this.#failure) continue;
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
