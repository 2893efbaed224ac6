import { Column } from "./column.js";

const FIRST_SLOT_BITS = 6;

/** In place of the bits of an id that is not 8 lower-case hex digits. */
export const NO_HEX_ID = -1;

/** The golden ratio in 32 bits: spreads what the first, random multiplication leaves of a pattern. */
const SECOND_MULTIPLIER = 0x9e3779b1;

/**
 * The ids of numbered entries, and which entry had an id last. Ids of 8 lower-case hex digits, as pi draws them, are kept as numbers and cost
 * no string: 5 bytes an entry, and 8 to 32 more in the hash table for each different id. Any other id is kept once, as a string.
 *
 * The hash table is of open addressing, half full at most. A slot holds the number of the last entry with an id, plus one (0 is free):
 *
 *     codes   0: 1a2b3c4d   1: 5e6f7081   2: 0 (texts[0])   3: 1a2b3c4d
 *     slots   0 2 0 0 4 0 …                       entry 1, and entry 3 where entry 0 was
 */
export class IdTable {
  #size = 0;
  /** Of the last id that was added, if it is a hex one. */
  #newestBits: number = NO_HEX_ID;
  /** By entry: the 32 bits of a hex id, else the id's place in `#texts`. */
  readonly #codes = new Column(Int32Array);
  readonly #isText = new Column(Uint8Array);

  #slots = new Int32Array(1 << FIRST_SLOT_BITS);
  #slotShift = 32 - FIRST_SLOT_BITS;
  #usedSlots = 0;
  /** Odd, and drawn anew for each table: no file can be made whose ids all meet in one slot. */
  readonly #multiplier = Math.floor(Math.random() * 2 ** 31) * 2 + 1;

  readonly #texts: string[] = [];
  readonly #codeOfText = new Map<string, number>();
  /** By text: the last entry with it. */
  readonly #lastOfText: number[] = [];

  /** Adds the id of the next entry. Returns the last entry before it with the same id, -1 without one. */
  add(id: string): number {
    const bits = parseHexId(id);
    return bits === NO_HEX_ID ? this.#addText(this.#next(NO_HEX_ID), id) : this.addBits(bits);
  }

  /** As `add`, of an id of 8 hex digits, by its bits. */
  addBits(bits: number): number {
    return this.#addHex(this.#next(bits), bits | 0);
  }

  /** The last entry with this id, -1 without one. */
  last(id: string): number {
    const bits = parseHexId(id);
    if (bits !== NO_HEX_ID) return this.lastBits(bits);
    const code = this.#codeOfText.get(id);
    return code === undefined ? -1 : this.#lastOfText[code]!;
  }

  /** As `last`, of an id of 8 hex digits, by its bits. */
  lastBits(bits: number): number {
    // The parent of an entry is mostly the one just before.
    return bits === this.#newestBits ? this.#size - 1 : this.#slots[this.#slotOf(bits | 0)]! - 1;
  }

  /** The id of an entry of this table. */
  idAt(entry: number): string {
    const code = this.#codes.get(entry);
    return this.#isText.get(entry) === 1 ? this.#texts[code]! : formatHexId(code);
  }

  /** Makes room for the next entry; returns its number. */
  #next(bits: number): number {
    const entry = this.#size++;
    this.#newestBits = bits;
    if (entry === this.#codes.capacity) {
      this.#codes.grow();
      this.#isText.grow();
    }
    return entry;
  }

  #addHex(entry: number, bits: number): number {
    this.#codes.set(entry, bits);
    const slot = this.#slotOf(bits);
    const previous = this.#slots[slot]! - 1;
    this.#slots[slot] = entry + 1;
    if (previous === -1 && ++this.#usedSlots * 2 > this.#slots.length) this.#growSlots();
    return previous;
  }

  #addText(entry: number, id: string): number {
    const known = this.#codeOfText.get(id);
    const previous = known === undefined ? -1 : this.#lastOfText[known]!;
    if (previous === -1) this.#codeOfText.set(id, this.#texts.push(id) - 1);
    const code = this.#codeOfText.get(id)!;
    this.#codes.set(entry, code);
    this.#isText.set(entry, 1);
    this.#lastOfText[code] = entry;
    return previous;
  }

  /** The slot of a hex id, or the free one where it belongs. */
  #slotOf(bits: number): number {
    const slots = this.#slots;
    let hash = Math.imul(bits ^ (bits >>> 16), this.#multiplier);
    hash = Math.imul(hash ^ (hash >>> 15), SECOND_MULTIPLIER);
    let slot = hash >>> this.#slotShift;
    for (;;) {
      const taken = slots[slot]!;
      if (taken === 0 || this.#codes.get(taken - 1) === bits) return slot;
      slot = (slot + 1) & (slots.length - 1);
    }
  }

  /** By four, since each growth finds a new slot for every id, which costs more than the room. */
  #growSlots(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 4);
    this.#slotShift -= 2;
    for (const taken of old) {
      if (taken !== 0) this.#slots[this.#slotOf(this.#codes.get(taken - 1))] = taken;
    }
  }
}

/** By ASCII code: the value of a lower-case hex digit, -1 for any other character. */
const hexValues = new Int8Array(128).fill(-1);
for (let value = 0; value < 16; value++) hexValues["0123456789abcdef".charCodeAt(value)] = value;

/** The 32 bits of an id of 8 lower-case hex digits, as a number of 0 or more; `NO_HEX_ID` for any other. */
export function parseHexId(id: string): number {
  if (id.length !== 8) return NO_HEX_ID;
  let bits = 0;
  for (let place = 0; place < 8; place++) {
    const unit = id.charCodeAt(place);
    const value = unit < 128 ? hexValues[unit]! : -1;
    if (value < 0) return NO_HEX_ID;
    bits = (bits << 4) | value;
  }
  return bits >>> 0;
}

export function formatHexId(bits: number): string {
  return (bits >>> 0).toString(16).padStart(8, "0");
}
