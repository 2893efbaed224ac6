import { Column } from "../tree/column.js";
import { ENTRY_HASH, FINGERPRINT_WORDS } from "./call-fingerprint.js";
import { DisjointSets } from "./disjoint-sets.js";
import { findParents, joinLineages, type LineageFile, missesParent, NO_FILE } from "./file-lineage.js";
import { FingerprintTable, MAX_CALLS } from "./fingerprint-table.js";
import { IS_COPY, markCopies } from "./mark-copies.js";
import { orderOldestFirst } from "./oldest-first.js";

/**
 * Knows every call of a store by its fingerprint, and tells in the end which ones are copies: calls that an older file of the same lineage holds. Files
 * belong to one lineage that are linked by their headers (see `findParents`), name the same missing parent, have the same session id, or share a call: the
 * same entry id at the same entry time. Calls alike in numbers link nothing, and merge nothing outside their lineage.
 *
 * Files may come in any order; what comes out does not depend on it. Memory: 16 bytes a call, 6 to 12 more in the end, and 5 to 11 for each call of
 * the lineage that is looked at. Files that are alone in their lineage are not looked at again.
 *
 * @example
 * const ledger = new CallLedger();
 * const file = ledger.add({ path, id: header.id, parent: headerParent(header), created }, fingerprints);
 * const copies = ledger.finish().copies(file);
 */
export class CallLedger {
  readonly #files: LineageFile[] = [];
  /** By file: its first call. */
  readonly #starts: number[] = [];
  #size = 0;
  readonly #words = new Column(Int32Array);
  readonly #lineages = new DisjointSets();

  /**
   * Adds a file with the fingerprints of its calls, in file order, each call once (lines that repeat one are already left out). The
   * fingerprints are copied. Returns the file's number.
   */
  add(file: LineageFile, fingerprints: Int32Array): number {
    const count = fingerprints.length / FINGERPRINT_WORDS;
    if (this.#size + count > MAX_CALLS) throw new RangeError(`Cannot compare more than ${MAX_CALLS} calls`);
    const number = this.#files.push(file) - 1;
    this.#starts.push(this.#size);
    this.#lineages.add();
    const end = (this.#size + count) * FINGERPRINT_WORDS;
    while (end > this.#words.capacity) this.#words.grow();
    this.#words.setAll(this.#size * FINGERPRINT_WORDS, fingerprints);
    this.#size += count;
    return number;
  }

  /** Tells the copies from the calls, and where each file came from. The ledger is used up by this; let go of it to free its memory. */
  finish(): CallOrigins {
    const files = this.#files;
    const parents = findParents(files);
    joinLineages(files, parents, this.#lineages);
    const order = orderOldestFirst(files, parents);
    const starts = Int32Array.from([...this.#starts, this.#size]);
    const entries = this.#joinByCalls(starts);
    const marks = new Uint8Array(this.#size);
    const calls = { starts, words: this.#words, entries, marks };
    for (const lineage of this.#forkedLineages(order)) markCopies(lineage, calls);
    return new CallOrigins({ files, parents, order, starts, marks });
  }

  /**
   * Joins files that share a call, and returns what finds the first of all calls with the same entry hash. How many there are is known now, so that the table
   * need not grow.
   */
  #joinByCalls(starts: Int32Array): FingerprintTable {
    const words = this.#words;
    const entries = new FingerprintTable(words, ENTRY_HASH, this.#size);
    for (let file = 0; file < starts.length - 1; file++) {
      const start = starts[file]!;
      const end = starts[file + 1]!;
      for (let call = start; call < end; call++) {
        const isEntry = words.get(call * FINGERPRINT_WORDS + ENTRY_HASH + 1) !== 0;
        const first = isEntry ? entries.put(call) : call;
        if (first < start) this.#lineages.join(file, fileOf(first, starts));
      }
    }
    return entries;
  }

  /** The lineages of more than one file; their files stand in the given order. */
  *#forkedLineages(order: Int32Array): Generator<Int32Array> {
    const sizes = new Int32Array(order.length);
    for (const file of order) sizes[this.#lineages.find(file)]!++;
    // Files of one lineage come to stand side by side: behind those of all lineages whose root has a smaller number.
    const ends = new Int32Array(order.length);
    let end = 0;
    for (const [root, size] of sizes.entries()) {
      ends[root] = end;
      if (size > 1) end += size;
    }
    const sorted = new Int32Array(end);
    for (const file of order) {
      const root = this.#lineages.find(file);
      if (sizes[root]! > 1) sorted[ends[root]!++] = file;
    }
    for (const [root, size] of sizes.entries()) {
      if (size > 1) yield sorted.subarray(ends[root]! - size, ends[root]);
    }
  }
}

/** The file that a call stands in: the last one that does not start behind it. */
function fileOf(call: number, starts: Int32Array): number {
  let low = 0;
  let high = starts.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= call) low = middle;
    else high = middle;
  }
  return low;
}

interface Origins {
  files: readonly LineageFile[];
  parents: Int32Array;
  order: Int32Array;
  starts: Int32Array;
  marks: Uint8Array;
}

/** Where the calls and the files of a store came from. Files are known by the numbers that the ledger gave them. Memory: a byte a call. */
export class CallOrigins {
  /** All files, oldest first: parents before their forks, as far as no files are the parents of each other (see `orderOldestFirst`). */
  readonly oldestFirst: Int32Array;
  readonly #origins: Origins;

  constructor(origins: Origins) {
    this.#origins = origins;
    this.oldestFirst = origins.order;
  }

  /** The calls of a file that are copies, by their number in the file, ascending; undefined when none is. */
  copies(file: number): Uint32Array | undefined {
    const { starts, marks } = this.#origins;
    const start = starts[file]!;
    const copies: number[] = [];
    for (let call = start; call < starts[file + 1]!; call++) {
      if ((marks[call]! & IS_COPY) !== 0) copies.push(call - start);
    }
    return copies.length === 0 ? undefined : Uint32Array.from(copies);
  }

  /** The file that a file was forked from; null when it names none, or none that is in the store. */
  parentOf(file: number): number | null {
    const parent = this.#origins.parents[file]!;
    return parent === NO_FILE ? null : parent;
  }

  /** The parent that a file names, when it is not in the store; else null. */
  missingParentOf(file: number): string | null {
    const { files, parents } = this.#origins;
    return missesParent(files[file]!, parents[file]!) ? files[file]!.parent : null;
  }
}
