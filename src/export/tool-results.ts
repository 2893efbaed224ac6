import { Column } from "../tree/column.js";

/** What a tool gave back. */
export interface ToolResult {
  /** The number of its entry in the tree; -1 for one that is not in it. */
  number: number;
  /** The entry's time in Unix milliseconds; undefined when it is absent or invalid. */
  time: number | undefined;
  /** Null when the file does not tell. */
  isError: boolean | null;
  /** The UTF-8 bytes of its text. */
  bytes: number;
}

/** In place of the number of a result's entry: the call has no result. */
const NO_RESULT = -2;

const errorCodes: readonly (boolean | null)[] = [null, false, true];

/**
 * Tells which result belongs to which tool call of a session, both fed in file order. Ids may stand twice, as some providers count from 0 in each answer: a result
 * belongs to the nearest call before it that has its id, else to the nearest after it, and of several results of one call the first counts.
 * Memory: 45 to 70 bytes a call, and each result that comes before any call of its id.
 */
export class ToolResults {
  /** By id: the call that came last. */
  readonly #latest = new HashedMap();
  /** By hashed id: the first result that came before any call. */
  readonly #waiting = new Map<number, ToolResult>();
  #size = 0;

  // By call, of its result.
  readonly #numbers = new Column(Int32Array);
  readonly #times = new Column(Float64Array);
  readonly #errors = new Column(Uint8Array);
  readonly #bytes = new Column(Float64Array);

  /** Adds the next call. An id that is no string has no result. */
  addCall(id: unknown): void {
    const call = this.#size++;
    if (call === this.#numbers.capacity) this.#grow();
    this.#numbers.set(call, NO_RESULT);
    if (typeof id !== "string") return;
    const key = hashId(id);
    this.#latest.set(key, call);
    const waiting = this.#waiting.get(key);
    if (!waiting) return;
    this.#waiting.delete(key);
    this.#setResult(call, waiting);
  }

  addResult(id: unknown, result: ToolResult): void {
    if (typeof id !== "string") return;
    const key = hashId(id);
    const call = this.#latest.get(key);
    if (call !== NOTHING) {
      if (this.#numbers.get(call) === NO_RESULT) this.#setResult(call, result);
    } else if (!this.#waiting.has(key)) {
      this.#waiting.set(key, result);
    }
  }

  /** The result of a call, by the number of calls that were added before it; undefined without one. */
  resultOf(call: number): ToolResult | undefined {
    if (call >= this.#size || this.#numbers.get(call) === NO_RESULT) return undefined;
    const time = this.#times.get(call);
    return {
      number: this.#numbers.get(call),
      time: Number.isNaN(time) ? undefined : time,
      isError: errorCodes[this.#errors.get(call)]!,
      bytes: this.#bytes.get(call),
    };
  }

  #setResult(call: number, { number, time, isError, bytes }: ToolResult): void {
    this.#numbers.set(call, number);
    this.#times.set(call, time ?? Number.NaN);
    this.#errors.set(call, errorCodes.indexOf(isError));
    this.#bytes.set(call, bytes);
  }

  #grow(): void {
    this.#numbers.grow();
    this.#times.grow();
    this.#errors.grow();
    this.#bytes.grow();
  }
}

/** A hash of 53 bits, never 0, of two that mix differently: of half a million ids the odds are 1 : 70,000 that any two meet in it. */
function hashId(id: string): number {
  let low = id.length;
  let high = 0;
  for (let at = 0; at < id.length; at++) {
    const unit = id.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    low ^= low >>> 15;
    high = Math.imul(((high << 7) | (high >>> 25)) + unit, 0x9e3779b1);
  }
  high ^= high >>> 13;
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0) || 1;
}

/** What a `HashedMap` says of a key that it does not have. */
const NOTHING = -1;

const FIRST_SLOTS = 64;

/** Numbers by hashes other than 0: open addressing, half full at most. Memory: 24 to 48 bytes a key. */
class HashedMap {
  #keys = new Float64Array(FIRST_SLOTS);
  #values = new Int32Array(FIRST_SLOTS);
  #size = 0;

  get(key: number): number {
    const slot = this.#slotOf(key);
    return this.#keys[slot] === key ? this.#values[slot]! : NOTHING;
  }

  set(key: number, value: number): void {
    if (2 * this.#size >= this.#keys.length) this.#grow();
    const slot = this.#slotOf(key);
    if (this.#keys[slot] !== key) this.#size++;
    this.#keys[slot] = key;
    this.#values[slot] = value;
  }

  /** Where a key is, or would be. */
  #slotOf(key: number): number {
    const mask = this.#keys.length - 1;
    let slot = key % this.#keys.length;
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const [keys, values] = [this.#keys, this.#values];
    this.#keys = new Float64Array(2 * keys.length);
    this.#values = new Int32Array(2 * keys.length);
    for (const [at, key] of keys.entries()) {
      if (key === 0) continue;
      const slot = this.#slotOf(key);
      this.#keys[slot] = key;
      this.#values[slot] = values[at]!;
    }
  }
}
