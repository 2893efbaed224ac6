/** The worker threads of this process, seen from outside. */
import type { TestContext } from "node:test";
import { Worker } from "node:worker_threads";

/** How many worker threads run: each keeps a port open to this one. */
export function countWorkers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "MessagePort").length;
}

/** Ends the worker that gets the `nth` message (from 1) of all that are sent to workers, as soon as it got it. */
export function killWorkerAt(context: TestContext, nth: number): void {
  const { postMessage } = Worker.prototype;
  let sent = 0;
  context.mock.method(Worker.prototype, "postMessage", function (this: Worker, message: unknown): void {
    postMessage.call(this, message);
    if (++sent === nth) void this.terminate();
  });
}
