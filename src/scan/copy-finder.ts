import { resolve } from "node:path";
import { CallLedger, type CallOrigins } from "../report/call-ledger.js";
import { readKeptCalls, sizeOfKeptCalls } from "../report/kept-calls.js";
import { ZoneClock } from "../report/zone-clock.js";
import type { FingerprintedFile, TotalledFile } from "./fingerprinted-file.js";
import type { StoreScan } from "./scan-files.js";
import type { CopiesPart, CopiesTaskOptions } from "./tasks/copies-task.js";
import { FileSums } from "./tasks/file-sums.js";

/** How much memory kept calls may take; files whose calls are not kept are read again. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Tells the calls of a store from their copies, once all its files went by, and adds the copies up: those of forks as they were kept, as far as
 * there was room, those of other files from a second reading.
 */
export class CopyFinder {
  readonly #ledger = new CallLedger();
  /** By the ledger's number. */
  readonly #paths: string[] = [];

  /** By path: the calls of files, as far as they were kept. */
  readonly #kept = new Map<string, NonNullable<TotalledFile["kept"]>>();
  #keptBytes = 0;
  /** Files whose copies do not count. */
  readonly #leftOut = new Set<string>();

  add(files: readonly (FingerprintedFile | TotalledFile)[]): void {
    for (const { fingerprints, path, id, parent, created, ...more } of files) {
      this.#ledger.add({ path, id, parent, created }, fingerprints);
      this.#paths.push(path);
      if ("kept" in more) this.#keep(path, more);
    }
  }

  #keep(path: string, { copiesCount, kept }: Pick<TotalledFile, "copiesCount" | "kept">): void {
    if (!copiesCount) this.#leftOut.add(path);
    if (!kept || this.#keptBytes + sizeOfKeptCalls(kept.calls) > MAX_KEPT_BYTES) return;
    this.#keptBytes += sizeOfKeptCalls(kept.calls);
    this.#kept.set(path, kept);
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
    const clock = new ZoneClock(task.timeZone);
    const unread = new Map<string, Uint32Array>();
    for (const [path, ordinals] of copies) {
      const kept = this.#kept.get(path);
      if (kept) {
        const sums = new FileSums(kept.owner, task, clock);
        readKeptCalls(kept.calls, ordinals, (call) => sums.add(call));
        yield { ...sums.finish(), shares: [] };
      } else if (!this.#leftOut.has(path)) {
        unread.set(path, ordinals);
      }
    }
    if (unread.size === 0) return;
    const isChosen = (path: string): boolean => unread.has(resolve(path));
    for await (const { result } of scan.run("copies", { ...task, copies: unread }, isChosen)) yield result;
  }
}
