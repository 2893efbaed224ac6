import { getEnvironmentData, type Serializable, setEnvironmentData } from "node:worker_threads";
import { costKeys, entryKeys, messageKeys, plainTypes, usageKeys } from "./entry-keys.js";
import {
  BYTES,
  CELL_COUNT,
  CELLS,
  DEPTH,
  ENDS,
  KEY_BYTES,
  KEY_LENGTHS,
  KEY_SIZE,
  LEVELS,
  MAX_RECORDS,
  MEMBERS,
  PLACES,
  RECORD_SIZE,
  RECORDS,
  RUN_END,
  STARTS,
} from "./kernel/layout.js";
import { kernelCode } from "./kernel.wasm.js";

/** What a scan says of bytes: they are no whole JSON object; they are one; they are one, but some key holds an escape, so that its members are not known. */
export const NO_OBJECT = 0;
export const OBJECT = 1;
export const OBJECT_WITH_ESCAPED_KEYS = 2;
export type ScanResult = typeof NO_OBJECT | typeof OBJECT | typeof OBJECT_WITH_ESCAPED_KEYS;

/** Large enough that a file of ordinary size is one read, small enough for the processor's cache. */
const READ_BUFFER_BYTES = 1024 * 1024;

/** Behind the bytes that are scanned so many more may be looked at. */
const PADDING = 64;

/** Room for lines that lie elsewhere; what was made larger than that is given back. */
const COPY_BYTES = 128 * 1024;
const KEPT_COPY_BYTES = 1024 * 1024;

const NEWLINE = 0x0a;

const PAGE_BYTES = 64 * 1024;

interface KernelExports {
  scanObject(start: number, stack: number): ScanResult;
  decodePlain(wants: number): number;
  takePlainLines(start: number, end: number, stack: number, wants: number): number;
  // Of the tally: see `PlainTally`.
  tallyPlainLines(start: number, end: number, stack: number, wants: number): number;
  clearTally(multiplier: number): void;
  linkEntry(id: number, hasParent: number, parentId: number): number;
  findEntry(id: number): number;
  tallySize(): number;
  tallyParents(): number;
  knowModel(code: number, left: number, right: number): number;
  forgetModels(): void;
  setMigration(key0: number, key1: number, key2: number, key3: number, next: number, last: number): void;
}

/** Threads that this one starts are given the compiled kernel under this name: it is compiled once for all. */
const COMPILED = "pi-sessions: kernel";

function compileKernel(): WebAssembly.Module {
  const inherited = getEnvironmentData(COMPILED);
  if (inherited instanceof WebAssembly.Module) return inherited;
  const module = new WebAssembly.Module(Buffer.from(kernelCode, "base64"));
  setEnvironmentData(COMPILED, module as unknown as Serializable);
  return module;
}

let compiled: WebAssembly.Module | undefined;

/** The kernel with a memory of its own, in which the bytes to be scanned must lie from `BYTES` on. */
class Kernel {
  readonly capacity: number;
  /** Where the bytes of its stack begin. */
  readonly stack: number;
  /** Its whole memory: what is found is told as places in these bytes. */
  readonly bytes: Buffer;
  readonly members: Int32Array;
  readonly depth: Int32Array;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  readonly runEnd: Int32Array;
  /** The records of plain entries, as words and as numbers. */
  readonly recordWords: Int32Array;
  readonly recordNumbers: Float64Array;
  readonly run: KernelExports;

  /** `capacity`: for how many bytes there is room, and for as many more on the stack, which cost nothing while they are not used. */
  constructor(capacity: number) {
    this.capacity = capacity;
    this.stack = BYTES + capacity + PADDING;
    const pages = Math.ceil((BYTES + 2 * (capacity + PADDING)) / PAGE_BYTES);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    compiled ??= compileKernel();
    const { exports } = new WebAssembly.Instance(compiled, { env: { memory } });
    const { buffer } = memory;
    this.bytes = Buffer.from(buffer);
    this.members = new Int32Array(buffer, MEMBERS, LEVELS);
    this.depth = new Int32Array(buffer, DEPTH, 1);
    this.starts = new Int32Array(buffer, STARTS, PLACES);
    this.ends = new Int32Array(buffer, ENDS, PLACES);
    this.runEnd = new Int32Array(buffer, RUN_END, 1);
    this.recordWords = new Int32Array(buffer, RECORDS, (MAX_RECORDS * RECORD_SIZE) / 4);
    this.recordNumbers = new Float64Array(buffer, RECORDS, (MAX_RECORDS * RECORD_SIZE) / 8);
    this.#layKeys();
    this.run = exports as unknown as KernelExports;
  }

  /** Puts a newline at a place, at which any scan ends; returns the byte that was there. */
  endLine(place: number): number {
    const behind = this.bytes[place]!;
    this.bytes[place] = NEWLINE;
    return behind;
  }

  #layKeys(): void {
    const { bytes } = this;
    bytes.fill(-1, CELLS, CELLS + (LEVELS + 1) * CELL_COUNT);
    let place = 0;
    for (const [level, keys] of [entryKeys, messageKeys, usageKeys, costKeys, plainTypes].entries()) {
      for (const [number, key] of keys.entries()) {
        bytes[KEY_LENGTHS + place] = key.length;
        bytes.write(key, KEY_BYTES + place * KEY_SIZE);
        // The factors keep the keys of each level apart; the kernel has them, too.
        let cell = (key.charCodeAt(0) * 6 + key.charCodeAt(key.length - 1) * 3 + key.length) % CELL_COUNT;
        while (bytes[CELLS + level * CELL_COUNT + cell] !== 0xff) cell = (cell + 1) % CELL_COUNT;
        bytes[CELLS + level * CELL_COUNT + cell] = number;
        place++;
      }
    }
  }
}

/**
 * Checks that bytes are one whole JSON object, and notes where the members that are looked for lie: those of `entryKeys` and, within a message, its usage and
 * the cost in that, those of the other keys. Nothing is built from the rest. It accepts just what `JSON.parse` accepts of the same bytes decoded as UTF-8.
 *
 * Bytes in the thread's `readBuffer` are scanned where they lie; others are copied first.
 */
export class JsonScanner {
  /** Holds the read buffer. */
  #home: Kernel | undefined;
  /** Holds copies. */
  #guest: Kernel | undefined;
  /** What the last scan found, until the next one. */
  found: Kernel;

  constructor() {
    this.found = this.#guest = new Kernel(COPY_BYTES);
  }

  /** A buffer to read files into, in which lines need not be copied: one for the whole thread, whose bytes are the reader's until another one reads. */
  readBuffer(): Buffer {
    return this.home.bytes.subarray(BYTES, BYTES + READ_BUFFER_BYTES);
  }

  /** The kernel in whose memory the read buffer is. */
  get home(): Kernel {
    this.#home ??= new Kernel(READ_BUFFER_BYTES);
    return this.#home;
  }

  /** The same bytes in the read buffer, for as long as nobody else reads: one copy of a chunk is cheaper than one of each line. Too many stay where they are. */
  inReadBuffer(bytes: Buffer): Buffer {
    const buffer = this.readBuffer();
    if (bytes.length > buffer.length) return bytes;
    bytes.copy(buffer);
    return buffer.subarray(0, bytes.length);
  }

  /**
   * Whether `bytes` from `start` up to `end` are exactly one whole JSON object without newlines, white space around it allowed. If so, its members are known until the
   * next scan; of a key that stands twice the later one counts, as in `JSON.parse`. Never throws; takes time linear in the bytes, and as much memory as
   * they have where they must be copied, another byte for each level of depth.
   */
  scan(bytes: Uint8Array, start: number, end: number): ScanResult {
    const home = this.#home;
    if (home !== undefined && bytes.buffer === home.bytes.buffer) {
      return this.#scanIn(home, bytes.byteOffset + start, bytes.byteOffset + end);
    }
    const length = end - start;
    let guest = this.#guest;
    if (!guest || guest.capacity < length || (guest.capacity > KEPT_COPY_BYTES && length <= KEPT_COPY_BYTES)) {
      this.#guest = undefined;
      guest = this.#guest = new Kernel(Math.max(COPY_BYTES, Math.ceil(length * 1.25)));
    }
    guest.bytes.set(bytes.subarray(start, end), BYTES);
    return this.#scanIn(guest, BYTES, BYTES + length);
  }

  #scanIn(kernel: Kernel, start: number, end: number): ScanResult {
    this.found = kernel;
    const behind = kernel.endLine(end);
    const result = kernel.run.scanObject(start, kernel.stack);
    kernel.bytes[end] = behind;
    return result !== NO_OBJECT && kernel.runEnd[0] === end ? result : NO_OBJECT;
  }

  /**
   * Takes whole lines from `start` on, as long as they are written plainly, and decodes them to records: how many there are. `wants` are bits of the layout.
   * `found.runEnd` says where the last one ends, behind its newline. Only in the thread's `readBuffer` are there any.
   */
  takePlainLines(bytes: Uint8Array, start: number, end: number, wants: number): number {
    return this.#takeLines("takePlainLines", bytes, start, end, wants);
  }

  /** As `takePlainLines`, but adds up what it can: see `PlainTally`. */
  tallyPlainLines(bytes: Uint8Array, start: number, end: number, wants: number): number {
    return this.#takeLines("tallyPlainLines", bytes, start, end, wants);
  }

  #takeLines(
    how: "takePlainLines" | "tallyPlainLines",
    bytes: Uint8Array,
    start: number,
    end: number,
    wants: number,
  ): number {
    const home = this.#home;
    if (home === undefined || bytes.buffer !== home.bytes.buffer) return 0;
    this.found = home;
    const last = bytes.byteOffset + end;
    const behind = home.endLine(last);
    const count = home.run[how](bytes.byteOffset + start, last, home.stack, wants);
    home.bytes[last] = behind;
    return count;
  }
}

/** The scanner of this thread: what it found is of no use to anybody once another one scans, so one is enough. */
export const scanner = new JsonScanner();
