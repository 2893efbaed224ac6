/** The thread that reads files for a scan: takes batches of files and ranges of large ones, posts what came of each. `WorkerPool` starts it. */
import { parentPort, workerData } from "node:worker_threads";
import { readBuffer, runBatch, runPart } from "./run-batch.js";
import type { TaskSetup, WorkerReply, WorkerRequest, WorkerSetup } from "./worker-pool.js";

const { bytesRead } = workerData as WorkerSetup;
const counter = new BigInt64Array(bytesRead);
const shared = {
  buffer: readBuffer(),
  onBytes: (bytes: number) => {
    Atomics.add(counter, 0, BigInt(bytes));
  },
};
let task: TaskSetup | undefined;

parentPort!.on("message", (message: TaskSetup | WorkerRequest) => {
  if ("name" in message) task = message;
  else parentPort!.postMessage(reply(message));
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
    return { id, error };
  }
}
