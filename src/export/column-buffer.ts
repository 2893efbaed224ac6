import type { Cell } from "./row-batch.js";
import type { ColumnType } from "./tables.js";

/**
 * The cells of a column that wait to be written, in as few bytes as they can be told in, and out of the reach of the garbage collector, which would have
 * to walk over all of them time and again.
 */
export interface ColumnBuffer {
  /** What it takes in memory. */
  readonly bytes: number;
  append(cells: readonly Cell[], start: number, end: number): void;
  /** All cells, in the form that hyparquet-writer takes without another look. */
  values(): ArrayLike<unknown> & Iterable<unknown>;
}

/** A buffer for a column; `isRepeating` tells that its strings repeat from row to row. */
export function newColumnBuffer(type: ColumnType, isRepeating: boolean): ColumnBuffer {
  switch (type) {
    case "string":
      return isRepeating ? new RepeatingBuffer() : new TextBuffer();
    case "boolean":
      return new BooleanBuffer();
    case "double":
      return new NumberBuffer();
    case "int64":
    case "timestamp":
      return new IntegerBuffer();
  }
}

const FIRST_LENGTH = 32;

/** An array with the same numbers and room for `size`: it itself, if it has. */
function withRoom<A extends Float64Array | Int32Array | Uint8Array>(array: A, size: number): A {
  if (size <= array.length) return array;
  const larger = new (array.constructor as new (length: number) => A)(Math.max(size, 2 * array.length));
  larger.set(array);
  return larger;
}

/** Numbers, NaN for what is missing. */
class NumberBuffer implements ColumnBuffer {
  #numbers = new Float64Array(FIRST_LENGTH);
  #size = 0;

  get bytes(): number {
    return this.#numbers.byteLength;
  }

  append(cells: readonly Cell[], start: number, end: number): void {
    this.#numbers = withRoom(this.#numbers, this.#size + end - start);
    for (let row = start; row < end; row++) {
      const cell = cells[row];
      this.#numbers[this.#size++] = cell === null ? Number.NaN : (cell as number);
    }
  }

  values(): ArrayLike<unknown> & Iterable<unknown> {
    return this.numbers();
  }

  protected numbers(): Float64Array {
    return this.#numbers.subarray(0, this.#size);
  }
}

class IntegerBuffer extends NumberBuffer {
  override values(): (bigint | null)[] {
    return Array.from(this.numbers(), (number) => (Number.isNaN(number) ? null : BigInt(number)));
  }
}

const booleans: readonly Cell[] = [null, false, true];

class BooleanBuffer implements ColumnBuffer {
  #codes = new Uint8Array(FIRST_LENGTH);
  #size = 0;

  get bytes(): number {
    return this.#codes.byteLength;
  }

  append(cells: readonly Cell[], start: number, end: number): void {
    this.#codes = withRoom(this.#codes, this.#size + end - start);
    for (let row = start; row < end; row++) {
      const cell = cells[row];
      this.#codes[this.#size++] = cell === null ? 0 : cell === true ? 2 : 1;
    }
  }

  values(): Cell[] {
    return Array.from(this.#codes.subarray(0, this.#size), (code) => booleans[code]!);
  }
}

/** In place of the number of a string: there is none. */
const NO_STRING = -1;

/** Strings that repeat: each different one once. */
class RepeatingBuffer implements ColumnBuffer {
  readonly #strings: string[] = [];
  readonly #numberOf = new Map<string, number>();
  #stringBytes = 0;
  #numbers = new Int32Array(FIRST_LENGTH);
  #size = 0;

  get bytes(): number {
    return this.#numbers.byteLength + this.#stringBytes;
  }

  append(cells: readonly Cell[], start: number, end: number): void {
    this.#numbers = withRoom(this.#numbers, this.#size + end - start);
    let last: Cell = null;
    let number = NO_STRING;
    for (let row = start; row < end; row++) {
      const cell = cells[row] as string | null;
      if (cell !== last) {
        last = cell;
        number = cell === null ? NO_STRING : (this.#numberOf.get(cell) ?? this.#addString(cell));
      }
      this.#numbers[this.#size++] = number;
    }
  }

  values(): (string | null)[] {
    return Array.from(this.#numbers.subarray(0, this.#size), (number) => this.#strings[number] ?? null);
  }

  #addString(text: string): number {
    const number = this.#strings.push(text) - 1;
    this.#numberOf.set(text, number);
    this.#stringBytes += 2 * text.length + STRING_COST;
    return number;
  }
}

/** About what a string takes in an array and a map, beside its text. */
const STRING_COST = 64;

/** In place of where a text ends: there is none. */
const NO_TEXT = -1;

const FIRST_TEXT_BYTES = 256;

/** Texts as UTF-8, one behind the other. */
class TextBuffer implements ColumnBuffer {
  #text = Buffer.allocUnsafeSlow(FIRST_TEXT_BYTES);
  #textBytes = 0;
  /** Where each text ends. */
  #ends = new Float64Array(FIRST_LENGTH);
  #size = 0;

  get bytes(): number {
    return this.#text.byteLength + this.#ends.byteLength;
  }

  append(cells: readonly Cell[], start: number, end: number): void {
    this.#ends = withRoom(this.#ends, this.#size + end - start);
    for (let row = start; row < end; row++) {
      const cell = cells[row] as string | null;
      if (cell !== null) this.#write(cell);
      this.#ends[this.#size++] = cell === null ? NO_TEXT : this.#textBytes;
    }
  }

  values(): (Uint8Array | null)[] {
    const { buffer } = this.#text;
    let start = 0;
    return Array.from(this.#ends.subarray(0, this.#size), (end) => {
      if (end === NO_TEXT) return null;
      const text = new Uint8Array(buffer, start, end - start);
      start = end;
      return text;
    });
  }

  #write(text: string): void {
    // A code unit takes three bytes at most.
    if (this.#textBytes + 3 * text.length > this.#text.length) {
      const size = this.#textBytes + Buffer.byteLength(text);
      if (size > this.#text.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(size, 2 * this.#text.length));
        larger.set(this.#text.subarray(0, this.#textBytes));
        this.#text = larger;
      }
    }
    this.#textBytes += this.#text.write(text, this.#textBytes);
  }
}
