const BACKSLASH = 0x5c;

/** Cells of the hash table: a power of two, and many more than there are keys, so that most other keys meet an empty one. */
const CELLS = 256;

/** Of each key so many words of four bytes are kept, zeros behind it. */
const KEY_WORDS = 8;

/** Finds which of a few fixed keys some JSON spells, without making strings. The keys are ASCII, of 1 to 32 bytes, at most 31 of them. */
export class KeyTable {
  readonly #keys: readonly string[];
  /** The number of the key in each cell, or -1. */
  readonly #cells = new Int8Array(CELLS).fill(-1);
  readonly #lengths: Int32Array;
  readonly #words: Int32Array;

  constructor(keys: readonly string[]) {
    this.#keys = keys;
    this.#lengths = Int32Array.from(keys, (key) => key.length);
    this.#words = new Int32Array(keys.length * KEY_WORDS);
    for (const [number, key] of keys.entries()) {
      const bytes = Buffer.alloc(KEY_WORDS * 4);
      bytes.write(key);
      for (let i = 0; i < KEY_WORDS; i++) this.#words[number * KEY_WORDS + i] = bytes.readInt32LE(i * 4);
      let cell = chooseCell(bytes, 0, key.length);
      while (this.#cells[cell] !== -1) cell = (cell + 1) % CELLS;
      this.#cells[cell] = number;
    }
  }

  /**
   * The number of the key that stands in `bytes` from `start` up to `end`: the inside of a valid JSON string, escapes and all; -1 when it is none of the
   * table. `view` is of the same bytes; three of them must follow the key, as they do in every object.
   */
  find(bytes: Uint8Array, view: DataView, start: number, end: number): number {
    for (let cell = chooseCell(bytes, start, end); this.#cells[cell] !== -1; cell = (cell + 1) % CELLS) {
      const number = this.#cells[cell]!;
      if (this.#isKey(number, view, start, end)) return number;
    }
    for (let at = start; at < end; at++) {
      if (bytes[at] === BACKSLASH) return this.#keys.indexOf(parseKey(bytes, start, end));
    }
    return -1;
  }

  #isKey(number: number, view: DataView, start: number, end: number): boolean {
    if (this.#lengths[number] !== end - start) return false;
    const words = this.#words;
    let word = number * KEY_WORDS;
    let at = start;
    for (; at <= end - 4; at += 4) {
      if (view.getInt32(at, true) !== words[word++]) return false;
    }
    // Of the last word only its low bytes are the key's.
    return at === end || (view.getInt32(at, true) ^ words[word]!) << (8 * (at + 4 - end)) === 0;
  }
}

/** A key's cell, if no other has it. The factors keep the keys of entries and messages apart. */
function chooseCell(bytes: Uint8Array, start: number, end: number): number {
  return (bytes[start]! * 6 + bytes[end - 1]! * 3 + end - start) % CELLS;
}

function parseKey(bytes: Uint8Array, start: number, end: number): string {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + start - 1, end - start + 2).toString());
}
