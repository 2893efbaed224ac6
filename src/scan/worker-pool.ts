import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import { ExportError } from "../errors.js";
import type { SessionFile } from "./find-session-files.js";
import type { BatchResult } from "./run-batch.js";
import type { SessionRange } from "./scan-session.js";
import type { TaskName, TaskOptions } from "./tasks.js";

/** What a worker is started with. */
export interface WorkerSetup {
  /** Eight bytes that all workers add to: the bytes read so far. */
  bytesRead: SharedArrayBuffer;
  /** Four bytes of this worker alone: how many parts it has posted that are not taken yet. */
  partsWaiting: SharedArrayBuffer;
}

/** The task for all requests that follow. */
export interface TaskSetup {
  name: TaskName;
  options: TaskOptions<TaskName>;
}

/** Files to be scanned, or one range of a file. */
export type WorkerRequest = { id: number } & ({ files: SessionFile[] } | { file: SessionFile; range: SessionRange });

/** What came of a request: a `BatchResult`, or a part of a file. */
export type WorkerReply = { id: number } & ({ value: unknown } | { error: unknown; exportCode?: ExportError["code"] });

/** Something of a result that is too large to wait for the reply. */
export interface WorkerPart {
  part: unknown;
}

/** Takes a part; the promise is done when more may come. */
export type OnPart = (part: unknown) => Promise<void>;

interface PendingRequest {
  worker: Worker;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * A worker lives on what it reads at the moment; without these bounds V8 lets the garbage of each thread grow to many times that: how much it lets by depends on how
 * much there may be in all.
 */
const HEAP_LIMITS = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 1024 };

/** Where whole texts are wanted: some strings as long as V8 allows must fit. */
const WHOLE_TEXT_LIMITS = { ...HEAP_LIMITS, maxOldGenerationSizeMb: 2000 };

/** Threads that run tasks over batches of files, one task after the other. A worker that dies fails all that was asked and all that will be. */
export class WorkerPool {
  readonly #size: number;
  readonly #limits: typeof WHOLE_TEXT_LIMITS;
  readonly #workers: Worker[] = [];
  #task: TaskSetup | undefined;
  #onPart: OnPart | undefined;
  /** Done when everything that arrived so far was taken: parts go out one by one, and replies after the parts before them. */
  #taken: Promise<void> = Promise.resolve();
  readonly #loads = new Map<Worker, number>();
  readonly #pending = new Map<number, PendingRequest>();
  readonly #bytesRead = new SharedArrayBuffer(8);
  #nextId = 0;
  #failure: { error: unknown } | undefined;

  /** `size` is how many workers there can be; more than there are cores are only started once all others are busy. */
  constructor(size: number, { holdsWholeTexts = false }: { holdsWholeTexts?: boolean } = {}) {
    this.#size = size;
    this.#limits = holdsWholeTexts ? WHOLE_TEXT_LIMITS : HEAP_LIMITS;
    try {
      while (this.#workers.length < Math.min(size, availableParallelism())) this.#start();
    } catch (error) {
      void this.close(); // Those that did start would keep the process alive.
      throw error;
    }
  }

  /**
   * Sets the task that all later requests are for. `onPart` takes the parts that the task hands on, one after the other; a worker that is some parts ahead of it waits.
   * What it fails with fails all requests.
   */
  setTask<Name extends TaskName>(name: Name, options: TaskOptions<Name>, onPart?: OnPart): void {
    this.#task = { name, options };
    this.#onPart = onPart;
    for (const worker of this.#workers) worker.postMessage(this.#task);
  }

  /** Bytes that the workers have read so far. */
  get bytesRead(): number {
    return Number(new BigInt64Array(this.#bytesRead)[0]!);
  }

  /** What came of files. Fails with what the worker failed with. */
  run<Name extends TaskName>(files: SessionFile[]): Promise<BatchResult<Name>> {
    return this.#request({ files }) as Promise<BatchResult<Name>>;
  }

  /** What came of one range of a file, for `Task.join`; undefined when the file must be scanned whole. */
  runPart(file: SessionFile, range: SessionRange): Promise<unknown> {
    return this.#request({ file, range });
  }

  /** Hands a request to the worker that has the fewest. */
  #request(request: { files: SessionFile[] } | { file: SessionFile; range: SessionRange }): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#failure) {
        reject(this.#failure.error);
        return;
      }
      const worker = this.#chooseWorker();
      const id = this.#nextId++;
      this.#pending.set(id, { worker, resolve, reject });
      this.#loads.set(worker, this.#loadOf(worker) + 1);
      worker.postMessage({ id, ...request } satisfies WorkerRequest);
    });
  }

  /** Ends all workers, whatever they are doing. */
  async close(): Promise<void> {
    this.#fail(new Error("Cannot scan: the workers were stopped"));
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }

  /** The worker that has the fewest requests, or a new one where all have some. */
  #chooseWorker(): Worker {
    const least = this.#workers.reduce((one, other) => (this.#loadOf(other) < this.#loadOf(one) ? other : one));
    return this.#loadOf(least) > 0 && this.#workers.length < this.#size ? this.#start() : least;
  }

  #start(): Worker {
    const partsWaiting = new SharedArrayBuffer(4);
    const workerData = { bytesRead: this.#bytesRead, partsWaiting } satisfies WorkerSetup;
    const worker = new Worker(new URL("../scan/worker.js", import.meta.url), {
      workerData,
      resourceLimits: this.#limits,
      execArgv: [], // The options of this process are not for a file: with --input-type, say, no worker would start.
    });
    worker.on("message", (message: WorkerReply | WorkerPart) => this.#receive(message, new Int32Array(partsWaiting)));
    worker.on("error", (error) => this.#fail(error));
    worker.on("exit", (code) => this.#fail(new Error(`Cannot scan: a worker ended with code ${code}`)));
    if (this.#task) worker.postMessage(this.#task);
    this.#workers.push(worker);
    return worker;
  }

  #receive(message: WorkerReply | WorkerPart, partsWaiting: Int32Array): void {
    if (!this.#onPart) {
      this.#settle(message as WorkerReply);
      return;
    }
    const take = async (): Promise<void> => {
      if (!("part" in message)) {
        this.#settle(message);
        return;
      }
      if (this.#failure) return;
      await this.#onPart!(message.part);
      Atomics.sub(partsWaiting, 0, 1);
      Atomics.notify(partsWaiting, 0);
    };
    this.#taken = this.#taken.then(take).catch((error: unknown) => this.#fail(error));
  }

  #loadOf(worker: Worker): number {
    return this.#loads.get(worker) ?? 0;
  }

  #settle(reply: WorkerReply): void {
    const request = this.#pending.get(reply.id);
    if (!request) return;
    this.#pending.delete(reply.id);
    this.#loads.set(request.worker, this.#loadOf(request.worker) - 1);
    if ("value" in reply) request.resolve(reply.value);
    else request.reject(revive(reply.error, reply.exportCode));
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    for (const { reject } of this.#pending.values()) reject(this.#failure.error);
    this.#pending.clear();
  }
}

/** An error as the worker threw it: on the way between threads it becomes a plain one. */
function revive(error: unknown, exportCode: ExportError["code"] | undefined): unknown {
  return exportCode === undefined ? error : new ExportError(exportCode, (error as Error).message, error);
}
