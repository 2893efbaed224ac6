import { readNumber } from "./read-number.js";
import { readPlainUsage } from "./read-plain-usage.js";

const QUOTE = 0x22;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const FIRST_LETTER = 0x40;
const UPPER_T = 0x54;
const UPPER_Z = 0x5a;
const LOWER_F = 0x66;
const LOWER_N = 0x6e;
const LOWER_T = 0x74;
const OPEN_BRACE = 0x7b;

/** The length of an id. */
const ID_LENGTH = 8;

/** The length of a time as `Date.prototype.toISOString` writes it. */
const TIME_LENGTH = 24;

/** Strings of at most so many bytes are shared. */
const MAX_SHARED_BYTES = 32;
const SHARED_STRINGS = 1024;

/**
 * Makes the values of spans of valid JSON, the same that `JSON.parse` makes, but sooner for what entries hold most. Short strings that came up lately are
 * given again instead of made again: types, roles and models, and a parent's id, which is mostly the id of the entry just before.
 * The values refer to no bytes; those of the shared strings are copied, 32 KiB in all.
 */
export class SpanDecoder {
  /** For each cell of a hash table a string, and the bytes it was made of (between its quotes). */
  readonly #strings: string[] = new Array(SHARED_STRINGS).fill("");
  readonly #lengths = new Uint8Array(SHARED_STRINGS);
  readonly #sources = new Uint8Array(SHARED_STRINGS * MAX_SHARED_BYTES);

  /** The value of the JSON that stands in `bytes` from `start` up to `end`, without white space around it. */
  decode(bytes: Buffer, start: number, end: number): unknown {
    switch (bytes[start]) {
      case QUOTE:
        return this.#decodeString(bytes, start + 1, end - 1);
      case OPEN_BRACE:
        return readPlainUsage(bytes, start, end) ?? JSON.parse(bytes.toString("utf8", start, end));
      case OPEN_BRACKET:
        return JSON.parse(bytes.toString("utf8", start, end));
      case LOWER_N:
        return null;
      case LOWER_T:
        return true;
      case LOWER_F:
        return false;
      default:
        return readNumber(bytes, start, end);
    }
  }

  #decodeString(bytes: Buffer, start: number, end: number): string {
    const length = end - start;
    if (length === 0) return "";
    if (length === TIME_LENGTH) return readTime(bytes, start) ?? makeString(bytes, start, end);
    if (length > MAX_SHARED_BYTES) return makeString(bytes, start, end);
    const cell =
      (bytes[start]! * 7 +
        bytes[start + (length >> 1)]! * 61 +
        bytes[end - 2]! * 311 +
        bytes[end - 1]! * 1511 +
        length) %
      SHARED_STRINGS;
    if (this.#lengths[cell] === length && this.#isSource(cell, bytes, start, length)) return this.#strings[cell]!;
    const string = makeString(bytes, start, end);
    this.#strings[cell] = string;
    this.#lengths[cell] = length;
    const source = cell * MAX_SHARED_BYTES;
    for (let i = 0; i < length; i++) this.#sources[source + i] = bytes[start + i]!;
    return string;
  }

  #isSource(cell: number, bytes: Buffer, start: number, length: number): boolean {
    const source = cell * MAX_SHARED_BYTES;
    for (let i = 0; i < length; i++) {
      if (this.#sources[source + i] !== bytes[start + i]) return false;
    }
    return true;
  }
}

/** The decoder of this thread. */
export const decoder = new SpanDecoder();

function makeString(bytes: Buffer, start: number, end: number): string {
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === BACKSLASH || byte >= 0x80) return JSON.parse(bytes.toString("utf8", start - 1, end + 1));
  }
  return end - start === ID_LENGTH ? makeId(bytes, start) : bytes.toString("latin1", start, end);
}

// Calling out of JavaScript, as Buffer does for any string, would cost more than all else that is done for an id or a time.

function makeId(b: Buffer, at: number): string {
  return String.fromCharCode(
    b[at]!,
    b[at + 1]!,
    b[at + 2]!,
    b[at + 3]!,
    b[at + 4]!,
    b[at + 5]!,
    b[at + 6]!,
    b[at + 7]!,
  );
}

/** The string of 24 bytes that begins here, if it has the letters of a time and no others (nor escapes, then); undefined for any other. */
function readTime(b: Buffer, at: number): string | undefined {
  if (b[at + 10] !== UPPER_T || b[at + 23] !== UPPER_Z) return undefined;
  const date =
    b[at]! |
    b[at + 1]! |
    b[at + 2]! |
    b[at + 3]! |
    b[at + 4]! |
    b[at + 5]! |
    b[at + 6]! |
    b[at + 7]! |
    b[at + 8]! |
    b[at + 9]!;
  const minute = b[at + 11]! | b[at + 12]! | b[at + 13]! | b[at + 14]! | b[at + 15]!;
  const second = b[at + 16]! | b[at + 17]! | b[at + 18]! | b[at + 19]! | b[at + 20]! | b[at + 21]! | b[at + 22]!;
  // Digits and signs are all below the letters.
  if ((date | minute | second) >= FIRST_LETTER) return undefined;
  return String.fromCharCode(
    b[at]!,
    b[at + 1]!,
    b[at + 2]!,
    b[at + 3]!,
    b[at + 4]!,
    b[at + 5]!,
    b[at + 6]!,
    b[at + 7]!,
    b[at + 8]!,
    b[at + 9]!,
    b[at + 10]!,
    b[at + 11]!,
    b[at + 12]!,
    b[at + 13]!,
    b[at + 14]!,
    b[at + 15]!,
    b[at + 16]!,
    b[at + 17]!,
    b[at + 18]!,
    b[at + 19]!,
    b[at + 20]!,
    b[at + 21]!,
    b[at + 22]!,
    b[at + 23]!,
  );
}
