/** The thread that reads files for a scan: takes batches of files and ranges of large ones, posts what came of each. `WorkerPool` starts it. */
import { parentPort, workerData } from "node:worker_threads";
import { newReadBuffer, runBatch, runPart } from "./run-batch.js";
import type { WorkerReply, WorkerRequest, WorkerSetup } from "./worker-pool.js";

const { name, options, bytesRead } = workerData as WorkerSetup;
const counter = new BigInt64Array(bytesRead);
const shared = {
  buffer: newReadBuffer(),
  onBytes: (bytes: number) => {
    Atomics.add(counter, 0, BigInt(bytes));
  },
};

parentPort!.on("message", ({ id, ...request }: WorkerRequest) => {
  let reply: WorkerReply;
  try {
    const value =
      "files" in request
        ? runBatch(name, options, request.files, shared)
        : runPart(name, options, request.file, request.range, shared);
    reply = { id, value };
  } catch (error) {
    reply = { id, error };
  }
  parentPort!.postMessage(reply);
});
