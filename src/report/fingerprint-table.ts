import type { Column } from "../tree/column.js";
import { FINGERPRINT_WORDS } from "./call-fingerprint.js";

const FIRST_SLOT_BITS = 6;

/** How many bits of a slot are for the call. The others are the lowest of its hash, so that most calls with another hash are told without a look at it. */
const CALL_BITS = 28;
const CALL_MASK = 2 ** CALL_BITS - 1;

/** A table knows no call from this one on; their fingerprints would take 4 GiB. */
export const MAX_CALLS = CALL_MASK;

/**
 * Finds the first of all calls that have the same hash. It is a hash table of open addressing, three quarters full at most. A slot holds the number of a
 * call plus one (0 is free) and a bit of its hash; the hash itself stays where it is, among the fingerprints. Memory: 5.3 to 10.7 bytes for each
 * different hash.
 */
export class FingerprintTable {
  readonly #words: Column<Int32Array>;
  readonly #hash: number;
  #slots: Int32Array;
  #slotShift: number;
  #used = 0;
  /** Odd, and drawn anew for each table: no files can be made whose different hashes all crowd in one place. */
  readonly #multiplier = drawOdd();
  readonly #secondMultiplier = drawOdd();

  /** A table of the hashes that begin `hash` words into each fingerprint, with room for `size` different ones before it has to grow. */
  constructor(words: Column<Int32Array>, hash: number, size = 0) {
    const slotBits = Math.max(FIRST_SLOT_BITS, Math.ceil(Math.log2((size * 4) / 3)));
    this.#words = words;
    this.#hash = hash;
    this.#slots = new Int32Array(2 ** slotBits);
    this.#slotShift = 32 - slotBits;
  }

  /** Puts in a call. Returns the first one that was put in with this hash: it itself when there was none. */
  put(call: number): number {
    const slot = this.#slotOf(call);
    const taken = this.#slots[slot]!;
    if (taken !== 0) return (taken & CALL_MASK) - 1;
    this.#slots[slot] = this.#mark(call);
    this.#used++;
    if (this.#used * 4 > this.#slots.length * 3) this.#growSlots();
    return call;
  }

  /** The first call that was put in with the hash of this one, which was put in before. */
  first(call: number): number {
    return (this.#slots[this.#slotOf(call)]! & CALL_MASK) - 1;
  }

  /** The slot of a call's hash, or the free one where it belongs. */
  #slotOf(call: number): number {
    const slots = this.#slots;
    const words = this.#words;
    const at = call * FINGERPRINT_WORDS + this.#hash;
    const first = words.get(at);
    const second = words.get(at + 1);
    let slot = (Math.imul(first, this.#multiplier) + Math.imul(second, this.#secondMultiplier)) >>> this.#slotShift;
    for (;;) {
      const taken = slots[slot]!;
      if (taken === 0) return slot;
      if (taken >>> CALL_BITS === (second << CALL_BITS) >>> CALL_BITS) {
        const other = ((taken & CALL_MASK) - 1) * FINGERPRINT_WORDS + this.#hash;
        if (words.get(other) === first && words.get(other + 1) === second) return slot;
      }
      slot = (slot + 1) & (slots.length - 1);
    }
  }

  /** What stands in the slot of a call. */
  #mark(call: number): number {
    return (this.#words.get(call * FINGERPRINT_WORDS + this.#hash + 1) << CALL_BITS) | (call + 1);
  }

  #growSlots(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    this.#slotShift--;
    for (const taken of old) {
      if (taken !== 0) this.#slots[this.#slotOf((taken & CALL_MASK) - 1)] = taken;
    }
  }
}

function drawOdd(): number {
  return Math.floor(Math.random() * 2 ** 31) * 2 + 1;
}
