import { availableParallelism } from "node:os";
import pLimit from "p-limit";
import { cutSession } from "./cut-session.js";
import { type FoundFiles, findSessionFiles, type SessionFile } from "./find-session-files.js";
import { type BatchResult, canJoin, joinParts, readBuffer, runBatch } from "./run-batch.js";
import { checkOptions, type StoreOptions } from "./store-options.js";
import { loadTask, type TaskName, type TaskOptions } from "./tasks.js";
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
    checkOptions(options);
    this.#options = options;
    this.#jobs = options.jobs ?? availableParallelism();
  }

  /**
   * Runs a task over all files of the stores that `isChosen` lets through, shared out over worker threads, and yields what came of each batch as soon as
   * it is known, in no particular order. In the first run the workers begin while the search for files goes on. Files far larger than others are cut into
   * ranges that the workers share. Files that can't be opened or are no sessions are named with each batch, and never stop the others; what could not be
   * looked into is named in the first run. Memory: the list of files, and what the consumer has not taken yet.
   *
   * @throws StoreError for a store that is no folder; the reason of `signal` when it aborts; what a worker failed with, should one die.
   */
  async *run<Name extends TaskName>(
    name: Name,
    task: TaskOptions<Name>,
    isChosen: (path: string) => boolean = () => true,
  ): AsyncGenerator<BatchResult<Name>, void, void> {
    const { signal, onProgress } = this.#options;
    const isFirst = this.#found === undefined;
    const shareThread = this.#options.shareThread === true && this.#jobs > 1;
    const workers = shareThread ? this.#jobs - 1 : this.#jobs;
    const progress = isFirst ? onProgress : undefined;
    const run = new TaskRun(name, task, { jobs: this.#jobs, workers, shareThread, signal, onProgress: progress });
    signal?.throwIfAborted();
    await loadTask(name);
    if (this.#pool) run.useWorkers(this.#pool);
    const feed = async (): Promise<void> => {
      if (this.#found) for (const file of this.#found.files) addFile(file);
      else this.#found = await findSessionFiles(this.#options, addFile);
    };
    const addFile = (file: SessionFile): void => {
      if (!isChosen(file.path)) return;
      run.add(file);
      if (run.totalBytes > WORKER_BYTES && !this.#pool) run.useWorkers((this.#pool = new WorkerPool(workers)));
    };
    yield* run.results(feed);
    if (isFirst)
      yield {
        ...runBatch(name, task, [], { buffer: Buffer.alloc(0), onBytes: () => {} }),
        skipped: this.#found!.skipped,
      };
  }

  /** Ends the worker threads. */
  async close(): Promise<void> {
    await this.#pool?.close();
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

interface TaskRunOptions {
  jobs: number;
  workers: number;
  shareThread: boolean;
  signal: AbortSignal | undefined;
  onProgress: StoreOptions["onProgress"] | undefined;
}

/** One task on its way over files that come one by one: they go out in batches, to workers once there are any, else they are read here in the end. */
class TaskRun<Name extends TaskName> {
  /** Bytes of all files added. */
  totalBytes = 0;
  readonly #name: Name;
  readonly #task: TaskOptions<Name>;
  readonly #options: TaskRunOptions;
  readonly #results = new Arrivals<BatchResult<Name>>();
  /** Two batches for each worker: one that it reads, and one that it finds waiting. */
  readonly #limit: ReturnType<typeof pLimit>;
  readonly #running: Promise<void>[] = [];
  /** Batches that nobody has begun with. */
  #queue: SessionFile[][] = [];
  #endFeed = (): void => {};
  /** Resolves when all files have been added, or no more are wanted. */
  readonly #fed = new Promise<void>((resolve) => {
    this.#endFeed = resolve;
  });
  #pool: WorkerPool | undefined;
  /** Full batches that wait for workers. */
  readonly #waiting: SessionFile[][] = [];
  #batch: SessionFile[] = [];
  #batchBytes = 0;
  #files = 0;
  #filesDone = 0;
  /** What the workers had read before this task. */
  #bytesBefore = 0;
  /** Read in this thread. */
  #bytesHere = 0;
  #buffer: Buffer | undefined;

  constructor(name: Name, task: TaskOptions<Name>, options: TaskRunOptions) {
    this.#name = name;
    this.#task = task;
    this.#options = options;
    this.#limit = pLimit(2 * options.workers);
  }

  /** From now on batches go to these workers. */
  useWorkers(pool: WorkerPool): void {
    this.#pool = pool;
    this.#bytesBefore = pool.bytesRead;
    pool.setTask(this.#name, this.#task);
    for (const batch of this.#waiting.splice(0)) this.#send(batch);
    if (this.#options.shareThread)
      this.#running.push(this.#help().catch((error: unknown) => this.#results.fail(error)));
  }

  add(file: SessionFile): void {
    this.#files++;
    this.totalBytes += file.sizeBytes;
    if (this.#batchBytes + file.sizeBytes > BATCH_BYTES || this.#batch.length === BATCH_FILES) this.#closeBatch();
    this.#batch.push(file);
    this.#batchBytes += file.sizeBytes;
  }

  /** What comes of the files that `feed` adds, as it comes. */
  async *results(feed: () => Promise<void>): AsyncGenerator<BatchResult<Name>, void, void> {
    const { signal } = this.#options;
    const abort = (): void => this.#results.fail(signal!.reason);
    signal?.addEventListener("abort", abort);
    const timer = setInterval(() => this.#tellFromTimer(), PROGRESS_MS);
    const search = feed();
    search
      .then(() => {
        this.#closeBatch();
        this.#endFeed();
        return Promise.all(this.#running);
      })
      .then(
        () => this.#results.end(),
        (error: unknown) => this.#results.fail(error),
      );
    try {
      yield* this.#results;
      for (const batch of this.#waiting.splice(0)) yield this.#runHere(batch);
    } finally {
      clearInterval(timer);
      signal?.removeEventListener("abort", abort);
      this.#limit.clearQueue();
      this.#queue = [];
      this.#endFeed();
      await search.catch(() => {}); // Its failure was thrown above, or whoever leaves early does not care.
    }
  }

  #closeBatch(): void {
    if (this.#batch.length === 0) return;
    if (this.#pool) this.#send(this.#batch);
    else this.#waiting.push(this.#batch);
    this.#batch = [];
    this.#batchBytes = 0;
  }

  #send(batch: SessionFile[]): void {
    this.#queue.push(batch);
    this.#running.push(this.#limit(() => this.#runNext()).catch((error: unknown) => this.#results.fail(error)));
  }

  async #runNext(): Promise<void> {
    const batch = this.#queue.shift();
    if (!batch) return; // This thread has taken it.
    this.#results.push((await this.#runRanges(batch)) ?? (await this.#pool!.run(batch)));
    this.#filesDone += batch.length;
    this.#tell();
  }

  /**
   * Once all files are found, takes the batches of small ones that workers have no time for, one by one: between two of them, results come in. Before,
   * it would only hold up the search.
   */
  async #help(): Promise<void> {
    await this.#fed;
    for (;;) {
      const place = this.#queue.findIndex(([first]) => first!.sizeBytes <= BATCH_BYTES);
      if (place < 0) return;
      this.#results.push(this.#runHere(this.#queue.splice(place, 1)[0]!));
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
    }
  }

  /** Shares out a batch of one large file range by range; undefined for any other, and for a file that must be scanned whole. */
  async #runRanges([file, ...others]: SessionFile[]): Promise<BatchResult<Name> | undefined> {
    const count = Math.min(this.#options.jobs, Math.floor(file!.sizeBytes / RANGE_BYTES));
    if (others.length > 0 || count < 2 || !canJoin(this.#name, this.#task)) return undefined;
    const ranges = cutSession(file!, count);
    if (!ranges || ranges.length < 2) return undefined;
    const parts = await Promise.all(ranges.map((range) => this.#pool!.runPart(file!, range)));
    return joinParts(this.#name, this.#task, file!, ranges[0]!.header, parts);
  }

  #runHere(batch: SessionFile[]): BatchResult<Name> {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const onBytes = (bytes: number): void => {
      this.#bytesHere += bytes;
    };
    this.#buffer ??= readBuffer();
    const result = runBatch(this.#name, this.#task, batch, { buffer: this.#buffer, onBytes });
    this.#filesDone += batch.length;
    this.#tell();
    return result;
  }

  #tell(): void {
    const { totalBytes } = this;
    // A file that has to be read a second time counts once.
    const read = this.#bytesHere + (this.#pool ? this.#pool.bytesRead - this.#bytesBefore : 0);
    const bytes = Math.min(totalBytes, read);
    this.#options.onProgress?.({ done: this.#filesDone, total: this.#files, bytes, totalBytes });
  }

  /** From a timer, what the caller's onProgress throws would end the process. */
  #tellFromTimer(): void {
    try {
      this.#tell();
    } catch (error) {
      this.#results.fail(error);
    }
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
