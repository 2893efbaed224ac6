/** The thread that reads files for a scan: takes batches of files and ranges of large ones, posts what came of each. `WorkerPool` starts it. */
import { parentPort, workerData } from "node:worker_threads";
import { ExportError } from "../errors.js";
import { largeBuffers } from "./large-buffers.js";
import { readBuffer, runBatch, runPart } from "./run-batch.js";
import { loadTask } from "./tasks.js";
import type { TaskSetup, WorkerPart, WorkerReply, WorkerRequest, WorkerSetup } from "./worker-pool.js";

/** How many parts may be on their way: while one is worked on, others can come in. */
const MAX_PARTS_WAITING = 4;

const { bytesRead, partsWaiting } = workerData as WorkerSetup;
const counter = new BigInt64Array(bytesRead);
const waiting = new Int32Array(partsWaiting);
const shared = {
  buffer: readBuffer(),
  onBytes: (bytes: number) => {
    Atomics.add(counter, 0, BigInt(bytes));
  },
  onPart: (part: unknown) => {
    Atomics.add(waiting, 0, 1);
    parentPort!.postMessage({ part } satisfies WorkerPart);
    for (let parts = Atomics.load(waiting, 0); parts >= MAX_PARTS_WAITING; parts = Atomics.load(waiting, 0)) {
      Atomics.wait(waiting, 0, parts);
    }
  },
};
let task: TaskSetup | undefined;
let loaded: Promise<void> = Promise.resolve();

parentPort!.on("message", async (message: TaskSetup | WorkerRequest) => {
  if ("name" in message) {
    task = message;
    loaded = loadTask(message.name);
  }
  // In the order of their arrival; what fails to load ends the thread.
  await loaded;
  if ("name" in message) return;
  const answer = reply(message);
  parentPort!.postMessage(answer, "value" in answer ? [...largeBuffers(answer.value)] : []);
});

function reply(request: WorkerRequest): WorkerReply {
  const { id } = request;
  const { name, options } = task!;
  try {
    const value =
      "files" in request
        ? runBatch(name, options, request.files, shared)
        : runPart(name, options, request.file, request.range, shared);
    return { id, value };
  } catch (error) {
    return { id, error, ...(error instanceof ExportError && { exportCode: error.code }) };
  }
}
