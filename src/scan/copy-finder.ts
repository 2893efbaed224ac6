import { resolve } from "node:path";
import { CallLedger, type CallOrigins } from "../report/call-ledger.js";
import type { FingerprintedFile } from "./fingerprinted-file.js";
import type { StoreScan } from "./scan-files.js";
import type { CopiesPart, CopiesTaskOptions } from "./tasks/copies-task.js";

/** Tells the calls of a store from their copies, once all its files went by, and reads the files with copies once more to add those up. */
export class CopyFinder {
  readonly #ledger = new CallLedger();
  /** By the ledger's number. */
  readonly #paths: string[] = [];

  add(files: readonly FingerprintedFile[]): void {
    for (const { fingerprints, ...file } of files) {
      this.#ledger.add(file, fingerprints);
      this.#paths.push(file.path);
    }
  }

  /** Where the calls and the files came from; nothing can be added after. */
  finish(): CallOrigins {
    return this.#ledger.finish();
  }

  /** By absolute path, for files that hold copies: which of their calls are, by their number in the file, ascending. Nothing can be added after. */
  findCopies(origins: CallOrigins = this.finish()): Map<string, Uint32Array> {
    const copies = new Map<string, Uint32Array>();
    for (const [file, path] of this.#paths.entries()) {
      const found = origins.copies(file);
      if (found) copies.set(path, found);
    }
    return copies;
  }

  /** The sums of all copies, batch by batch; nothing can be added after. */
  async *sumCopies(
    scan: StoreScan,
    task: Omit<CopiesTaskOptions, "copies">,
    copies = this.findCopies(),
  ): AsyncGenerator<CopiesPart, void, void> {
    if (copies.size === 0) return;
    const isChosen = (path: string): boolean => copies.has(resolve(path));
    for await (const { result } of scan.run("copies", { ...task, copies }, isChosen)) yield result;
  }
}
