import { DisjointSets } from "./disjoint-sets.js";
import { findParents, joinLineages, type LineageFile, missesParent, NO_FILE } from "./file-lineage.js";
import { FINGERPRINT_WORDS, IS_COPY, PAIRS, WORDS } from "./kernel/layout.js";
import { kernelCode } from "./kernel.wasm.js";
import { orderOldestFirst } from "./oldest-first.js";

/** With more of them, what the kernel needs at most would no longer fit into its memory of 4 GiB. */
const MAX_CALLS = 100_000_000;

/**
 * Knows every call of a store by its fingerprint, and tells in the end which ones are copies: calls that an older file of the same lineage holds. Files
 * belong to one lineage that are linked by their headers (see `findParents`), name the same missing parent, have the same session id, or share a call: the
 * same entry id at the same entry time. Calls alike in numbers link nothing, and merge nothing outside their lineage.
 *
 * Files may come in any order; what comes out does not depend on it. Memory: 16 bytes a call, 6 to 12 more in the end, and 5 to 11 for each call of
 * the largest lineage. Files that are alone in their lineage are not looked at again.
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
  readonly #memory = new KernelMemory();

  /**
   * Adds a file with the fingerprints of its calls, in file order, each call once (lines that repeat one are already left out). The
   * fingerprints are copied. Returns the file's number.
   */
  add(file: LineageFile, fingerprints: Int32Array): number {
    const count = fingerprints.length / FINGERPRINT_WORDS;
    if (this.#size + count > MAX_CALLS) throw new RangeError(`Cannot compare more than ${MAX_CALLS} calls`);
    const number = this.#files.push(file) - 1;
    this.#starts.push(this.#size);
    this.#memory.words(WORDS + 4 * FINGERPRINT_WORDS * this.#size, fingerprints.length).set(fingerprints);
    this.#size += count;
    return number;
  }

  /** Tells the copies from the calls, and where each file came from. The ledger is used up by this; let go of it to free its memory. */
  finish(): CallOrigins {
    const files = this.#files;
    const parents = findParents(files);
    const order = orderOldestFirst(files, parents);
    const starts = Int32Array.from([...this.#starts, this.#size]);
    const marks = this.#markCopies(starts, order, parents);
    return new CallOrigins({ files, parents, order, starts, marks });
  }

  /** By call: 1 for a copy. */
  #markCopies(starts: Int32Array, order: Int32Array, parents: Int32Array): Uint8Array {
    const size = this.#size;
    const memory = this.#memory;
    const startsPlace = WORDS + 4 * FINGERPRINT_WORDS * size;
    const marksPlace = startsPlace + 4 * starts.length;
    const entriesPlace = aligned(marksPlace + size);
    const listPlace = entriesPlace + 4 * 2 ** slotBitsFor(size);
    memory.words(startsPlace, starts.length).set(starts);
    memory.words(entriesPlace, 2 ** slotBitsFor(size));
    const { setUp, findShared, markCopies } = memory.run;
    setUp(startsPlace, order.length, marksPlace, entriesPlace, slotBitsFor(size), drawOdd(), drawOdd());

    const lineages = new DisjointSets();
    for (const _ of order) lineages.add();
    for (let pairs = findShared(); pairs > 0; pairs = findShared()) {
      const files = memory.words(PAIRS, 2 * pairs);
      for (let pair = 0; pair < files.length; pair += 2) lineages.join(files[pair]!, files[pair + 1]!);
    }
    joinLineages(this.#files, parents, lineages);

    for (const lineage of forkedLineages(order, lineages)) {
      let calls = 0;
      for (const file of lineage) calls += starts[file + 1]! - starts[file]!;
      const kindsPlace = listPlace + 4 * lineage.length;
      memory.words(listPlace, lineage.length).set(lineage);
      memory.words(kindsPlace, 2 ** slotBitsFor(calls)).fill(0);
      markCopies(listPlace, lineage.length, kindsPlace, slotBitsFor(calls));
    }
    return memory.bytes(marksPlace, size).map((mark) => mark & IS_COPY);
  }
}

/** How large a table is for so many hashes that are three quarters of it at most, in bits. */
function slotBitsFor(size: number): number {
  return Math.max(6, Math.ceil(Math.log2((size * 4) / 3 + 1)));
}

function aligned(place: number): number {
  return Math.ceil(place / 4) * 4;
}

function drawOdd(): number {
  return Math.floor(Math.random() * 2 ** 31) * 2 + 1;
}

interface KernelExports {
  setUp(
    starts: number,
    fileCount: number,
    marks: number,
    entrySlots: number,
    entrySlotBits: number,
    firstMultiplier: number,
    secondMultiplier: number,
  ): void;
  findShared(): number;
  markCopies(files: number, count: number, kindSlots: number, kindSlotBits: number): void;
}

const PAGE_BYTES = 64 * 1024;
const MAX_PAGES = 65_536;

/** It grows by so many pages at once. */
const GROWTH_PAGES = 16;

let compiled: WebAssembly.Module | undefined;

/** The ledger's kernel and its memory, zeros at first, which grows as it is used. */
class KernelMemory {
  readonly #memory = new WebAssembly.Memory({ initial: 1, maximum: MAX_PAGES });
  #exports: KernelExports | undefined;

  /** So many words from a place on; good until others are asked for. */
  words(place: number, length: number): Int32Array {
    this.#reach(place + 4 * length);
    return new Int32Array(this.#memory.buffer, place, length);
  }

  bytes(place: number, length: number): Uint8Array {
    this.#reach(place + length);
    return new Uint8Array(this.#memory.buffer, place, length);
  }

  get run(): KernelExports {
    if (!this.#exports) {
      compiled ??= new WebAssembly.Module(Buffer.from(kernelCode, "base64"));
      const { exports } = new WebAssembly.Instance(compiled, { env: { memory: this.#memory } });
      this.#exports = exports as unknown as KernelExports;
    }
    return this.#exports;
  }

  #reach(end: number): void {
    const missing = Math.ceil((end - this.#memory.buffer.byteLength) / PAGE_BYTES);
    if (missing > 0) this.#memory.grow(Math.ceil(missing / GROWTH_PAGES) * GROWTH_PAGES);
  }
}

/** The lineages of more than one file; their files stand in the given order. */
function* forkedLineages(order: Int32Array, lineages: DisjointSets): Generator<Int32Array> {
  const sizes = new Int32Array(order.length);
  for (const file of order) sizes[lineages.find(file)]!++;
  // Files of one lineage come to stand side by side: behind those of all lineages whose root has a smaller number.
  const ends = new Int32Array(order.length);
  let end = 0;
  for (const [root, size] of sizes.entries()) {
    ends[root] = end;
    if (size > 1) end += size;
  }
  const sorted = new Int32Array(end);
  for (const file of order) {
    const root = lineages.find(file);
    if (sizes[root]! > 1) sorted[ends[root]!++] = file;
  }
  for (const [root, size] of sizes.entries()) {
    if (size > 1) yield sorted.subarray(ends[root]! - size, ends[root]);
  }
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
      if (marks[call] === 1) copies.push(call - start);
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
