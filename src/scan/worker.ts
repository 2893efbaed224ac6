/** The thread that reads files for a scan: takes batches, posts what came of each. `WorkerPool` starts it. */
import { parentPort, workerData } from "node:worker_threads";
import { newReadBuffer, runBatch } from "./run-batch.js";
import type { BatchReply, BatchRequest, WorkerSetup } from "./worker-pool.js";

const { name, options, bytesRead } = workerData as WorkerSetup;
const counter = new BigInt64Array(bytesRead);
const shared = {
  buffer: newReadBuffer(),
  onBytes: (bytes: number) => {
    Atomics.add(counter, 0, BigInt(bytes));
  },
};

parentPort!.on("message", ({ id, files }: BatchRequest) => {
  let reply: BatchReply;
  try {
    reply = { id, batch: runBatch(name, options, files, shared) };
  } catch (error) {
    reply = { id, error };
  }
  parentPort!.postMessage(reply);
});
