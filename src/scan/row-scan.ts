import { availableParallelism } from "node:os";
import pLimit from "p-limit";
import type { SessionFile } from "./find-session-files.js";
import { type BatchResult, readBuffer, runBatch } from "./run-batch.js";
import type { StoreOptions } from "./store-options.js";
import type { TaskName, TaskOptions } from "./tasks.js";
import { type OnPart, WorkerPool } from "./worker-pool.js";

/** Below this, starting a worker takes longer than reading it all. */
const WORKER_BYTES = 4 * 1024 * 1024;

const PROGRESS_MS = 50;

export interface RowScanOptions<Name extends TaskName> extends Pick<StoreOptions, "jobs" | "onProgress" | "signal"> {
  name: Name;
  task: TaskOptions<Name>;
  /** Each is read by one worker, one file after the other. */
  batches: readonly SessionFile[][];
  /** Takes the parts that the task hands on, one after the other. */
  onPart: OnPart;
}

/**
 * Runs a task over batches of files, and hands on its parts while it goes on: workers that are ahead of whoever takes them wait. Returns what came of the batches.
 * Memory: a few parts for each worker; without workers, those of a small batch.
 */
export async function scanRows<Name extends TaskName>(options: RowScanOptions<Name>): Promise<BatchResult<Name>[]> {
  const { batches, jobs = availableParallelism() } = options;
  const totalBytes = sumBytes(batches.flat());
  return totalBytes <= WORKER_BYTES ? await scanHere(options) : await scanWithWorkers(options, jobs, totalBytes);
}

async function scanHere<Name extends TaskName>({
  name,
  task,
  batches,
  onPart,
  signal,
}: RowScanOptions<Name>): Promise<BatchResult<Name>[]> {
  const results: BatchResult<Name>[] = [];
  for (const batch of batches) {
    signal?.throwIfAborted();
    const parts: unknown[] = [];
    const shared = { buffer: readBuffer(), onBytes: () => {}, onPart: (part: unknown) => parts.push(part) };
    results.push(runBatch(name, task, batch, shared));
    for (const part of parts) await onPart(part);
  }
  signal?.throwIfAborted();
  return results;
}

async function scanWithWorkers<Name extends TaskName>(
  { name, task, batches, onPart, signal, onProgress }: RowScanOptions<Name>,
  jobs: number,
  totalBytes: number,
): Promise<BatchResult<Name>[]> {
  const total = batches.flat().length;
  let done = 0;
  const pool = new WorkerPool(jobs);
  const limit = pLimit(2 * jobs);
  let fail: (error: unknown) => void;
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const abort = (): void => fail(signal!.reason);
  const tell = (): void => {
    try {
      onProgress?.({ done, total, bytes: Math.min(totalBytes, pool.bytesRead), totalBytes });
    } catch (error) {
      fail(error); // From a timer it would end the process.
    }
  };
  const timer = setInterval(tell, PROGRESS_MS);
  signal?.addEventListener("abort", abort);
  try {
    signal?.throwIfAborted();
    pool.setTask(name, task, onPart);
    const runs = batches.map((batch) =>
      limit(async () => {
        const result = await pool.run<Name>(batch);
        done += batch.length;
        return result;
      }),
    );
    return await Promise.race([Promise.all(runs), failure]);
  } finally {
    clearInterval(timer);
    signal?.removeEventListener("abort", abort);
    limit.clearQueue();
    await pool.close();
  }
}

/** Cuts a list of files into batches of about equal size. */
export function batchFiles(files: readonly SessionFile[], maxBytes: number, maxFiles: number): SessionFile[][] {
  const batches: SessionFile[][] = [];
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

function sumBytes(files: readonly SessionFile[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}
