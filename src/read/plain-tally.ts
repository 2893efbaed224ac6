import type { CallModel } from "../format/model.js";
import { hashModelInto } from "../report/call-fingerprint.js";
import { FINGERPRINT_WORDS } from "../report/kernel/layout.js";
import { ModelCodes } from "../report/model-trail.js";
import type { UsageParts } from "../report/sum-usage.js";
import type { NumberColumn } from "../tree/column.js";
import { NO_HEX_ID, parseHexId } from "../tree/id-table.js";
import { scanner } from "./json-scanner.js";
import {
  CALL_MODELS,
  CALL_NUMBER_COUNT,
  CALL_NUMBERS,
  FINGERPRINTS,
  MAX_RECORDS,
  RUN,
  RUN_ACTIVITY,
  RUN_CALLS,
  RUN_FIRST_USES,
  RUN_HAS_REST,
  RUN_MESSAGES,
  RUN_NEW_MODELS,
  RUN_NUMBER_COUNT,
  RUN_NUMBERS,
  RUN_SUMS,
  RUN_WORDS,
  SUM_COUNT,
  TALLY_ENTRIES,
  TALLY_MODELS,
  TALLY_PARENTS,
} from "./kernel/layout.js";

/** With more models than that, codes begin anew with the next session. */
const MAX_CODES = 1000;

const hash = new Int32Array(2);

/** What a run of plain lines comes to; lent until the next run. */
export interface PlainRun {
  /** Each of which holds one entry. */
  lines: number;
  messages: number;
  calls: number;
  /** How many models came by that the session had no call of before; of each, in turn, the code (see `ModelCodes`) and which call of the run it was. */
  newModels: number;
  readonly firstUses: Int32Array;
  /** The latest time of a user's or an assistant's message, in Unix milliseconds; -Infinity without one. */
  lastActivity: number;
  readonly usage: UsageParts;
  /** Of each call in order, where they were wanted: its fingerprint, four words. */
  readonly fingerprints: Int32Array;
  /** Of each call, where they were wanted: the seven numbers of `KeptCalls`, and the code of its model; no call of a tool is tallied then. */
  readonly numbers: Float64Array;
  readonly callModels: Int32Array;
  /** Whether one more plain line was taken, which is not in these figures: it is told by the record behind those of the calls. */
  hasRest: boolean;
}

/**
 * A `LinkTally` in the memory of the kernel, which adds up most lines of a session that pi wrote without any JavaScript. There is one in a thread, for one
 * session at a time. `isExact` also turns false for ids that are not 8 hex digits, and for more than 32,768 entries. Memory: 22 bytes an entry, all of them
 * the kernel's.
 */
export class PlainTally {
  isExact = true;
  /** By entry: the code of the model that it sets (see `ModelTrail`). */
  readonly codes: NumberColumn;
  /** The models of the codes, of all sessions so far. */
  models = new ModelCodes();
  readonly #kernel = scanner.home.run;
  /** Whether the kernel has no room for another model. */
  #isFull = false;
  readonly #parents: Int32Array;
  readonly #words: Int32Array;
  readonly #numbers: Float64Array;
  /** Filled anew each time. */
  readonly #run: PlainRun;

  constructor() {
    const { buffer } = scanner.home.bytes;
    this.#parents = new Int32Array(buffer, TALLY_PARENTS, TALLY_ENTRIES);
    this.#words = new Int32Array(buffer, RUN, RUN_WORDS);
    this.#numbers = new Float64Array(buffer, RUN_NUMBERS, RUN_NUMBER_COUNT);
    this.#run = {
      ...{ lines: 0, messages: 0, calls: 0, newModels: 0, lastActivity: 0, hasRest: false },
      firstUses: this.#words.subarray(RUN_FIRST_USES),
      usage: this.#numbers.subarray(RUN_SUMS, RUN_SUMS + 2 * SUM_COUNT),
      fingerprints: new Int32Array(buffer, FINGERPRINTS, FINGERPRINT_WORDS * MAX_RECORDS),
      numbers: new Float64Array(buffer, CALL_NUMBERS, CALL_NUMBER_COUNT * MAX_RECORDS),
      callModels: new Int32Array(buffer, CALL_MODELS, MAX_RECORDS),
    };
    this.codes = new KernelColumn(new Int32Array(buffer, TALLY_MODELS, TALLY_ENTRIES));
  }

  /** Begins with another session. */
  clear(): void {
    this.isExact = true;
    if (this.#isFull || this.models.models.length > MAX_CODES) this.#forgetModels();
    // Drawn anew each time: no file can be made whose ids all meet in one slot.
    this.#kernel.clearTally(Math.floor(Math.random() * 2 ** 31) * 2 + 1);
  }

  /** Adds the next entry, by its own id and its parent's. Returns its number; -1 for an entry without id. */
  add(id: string | undefined, parentId: string | null): number {
    if (id === undefined) return -1;
    const bits = parseHexId(id);
    const parentBits = parentId === null ? 0 : parseHexId(parentId);
    if (bits !== NO_HEX_ID && parentBits !== NO_HEX_ID) return this.addBits(bits, parentId !== null, parentBits);
    this.isExact = false;
    return -1;
  }

  /** As `add`, of ids of 8 hex digits, by their bits. */
  addBits(id: number, hasParent: boolean, parentId: number): number {
    const number = this.#kernel.linkEntry(id, hasParent ? 1 : 0, parentId);
    if (number < 0) this.isExact = false;
    return number;
  }

  /** How many entries have no children. */
  get branchCount(): number {
    return this.#kernel.tallySize() - this.#kernel.tallyParents();
  }

  /** The number of an entry's parent; -1 for a root. */
  parentOf(number: number): number {
    return this.#parents[number]!;
  }

  /** The entry with this id; -1 without one. */
  numberOf(id: string): number {
    const bits = parseHexId(id);
    return bits === NO_HEX_ID ? -1 : this.#kernel.findEntry(bits);
  }

  /** Tells the model that the last entry names itself: if that was left over by a run, entries that spell it alike are added up from now on. */
  knowModel(model: CallModel): void {
    if (this.#isFull || !this.#run.hasRest) return;
    hashModelInto(hash, model);
    this.#isFull = this.#kernel.knowModel(this.models.codeOf(model), hash[0]!, hash[1]!) === 1;
  }

  /**
   * Before each run of a session of version 1: tells what the ids of its entries are made from, and the ordinals of the next entry and of the one before, 0
   * without one.
   */
  setMigration([key0, key1, key2, key3]: readonly number[], next: number, last: number): void {
    this.#kernel.setMigration(key0!, key1!, key2!, key3!, next, last);
  }

  #forgetModels(): void {
    this.models = new ModelCodes();
    this.#isFull = false;
    this.#kernel.forgetModels();
  }

  /** Adds up lines of the thread's read buffer, from `start` on, as long as that is possible; `wants` are bits of the layout. */
  takeLines(bytes: Uint8Array, start: number, end: number, wants: number): PlainRun {
    const run = this.#run;
    const words = this.#words;
    words.fill(0); // What stands there is of the run before, where these bytes are none of the read buffer.
    run.lines = scanner.tallyPlainLines(bytes, start, end, wants);
    run.messages = words[RUN_MESSAGES]!;
    run.calls = words[RUN_CALLS]!;
    run.newModels = words[RUN_NEW_MODELS]!;
    run.lastActivity = this.#numbers[RUN_ACTIVITY]!;
    run.hasRest = words[RUN_HAS_REST] === 1;
    return run;
  }
}

/** A column whose room is all there ever is. */
class KernelColumn implements NumberColumn {
  readonly capacity: number;
  readonly #numbers: Int32Array;

  constructor(numbers: Int32Array) {
    this.#numbers = numbers;
    this.capacity = numbers.length;
  }

  get(entry: number): number {
    return this.#numbers[entry]!;
  }

  set(entry: number, value: number): void {
    this.#numbers[entry] = value;
  }

  grow(): void {
    throw new RangeError(`Cannot make room for more than ${this.capacity} entries`);
  }
}
