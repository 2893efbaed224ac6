import { KeyTable } from "./key-table.js";

const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const LOWER_E = 0x65;
const LOWER_U = 0x75;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** What a byte can be, as bits. */
const WHITE = 1;
const DIGIT = 2;
const HEX = 4;
/** May stand behind a backslash. `u` is not among them: four hex digits must follow it. */
const ESCAPE = 8;
/** Stands for itself in a string. */
const PLAIN = 16;

const byteClass = new Uint8Array(256);
for (let byte = 0x20; byte < 256; byte++) byteClass[byte] = byte === QUOTE || byte === BACKSLASH ? 0 : PLAIN;
for (const [bit, characters] of [
  [WHITE, " \t\n\r"],
  [DIGIT, "0123456789"],
  [HEX, "0123456789abcdefABCDEF"],
  [ESCAPE, '"\\/bfnrt'],
] as const) {
  for (const byte of Buffer.from(characters)) byteClass[byte]! |= bit;
}

const TRUE = Buffer.from("true");
const FALSE = Buffer.from("false");
const NULL = Buffer.from("null");

const FIRST_DEPTH_BOUND = 64;

/**
 * Checks that bytes are one whole JSON object, and notes where the members that are looked for lie; nothing is built from the rest.
 *
 * It accepts just what `JSON.parse` accepts of the same bytes decoded as UTF-8, with U+FFFD for what is invalid: a byte above 0x7F is then part of
 * some character that stands for itself in a string and is an error outside, so nothing has to be decoded.
 * `bench/scan-lines.ts` shows the speed, which its two hot loops, `#scanObject` and `stringEnd`, are written for.
 */
export class JsonScanner {
  /** Of the object that was found: bit `i` is set when it has the member `keys[i]`. */
  members = 0;
  /** The same for `innerKeys` in the inner object; 0 when there is none. */
  innerMembers = 0;
  /** Where the value of `keys[i]` begins and ends, when its bit is set; that of `innerKeys[i]` stands at `keys.length + i`. */
  readonly starts: Int32Array;
  readonly ends: Int32Array;

  readonly #keys: KeyTable;
  readonly #innerKeys: KeyTable;
  readonly #innerBase: number;
  /** Which of `keys` is the inner object. */
  readonly #inner: number;
  /** The place in `starts` and `ends` of all members that are not looked for. */
  readonly #other: number;
  /** The object that was found nests less deep than this: some power of two, not much above its depth. */
  depthBound = FIRST_DEPTH_BOUND;
  /** The byte that closes the container at each depth, the object itself being at 1. */
  #closers: Uint8Array = new Uint8Array(FIRST_DEPTH_BOUND);
  readonly #firstClosers = this.#closers;
  #bytes: Uint8Array = new Uint8Array(0);
  #view: DataView = new DataView(new ArrayBuffer(0));

  /**
   * Looks for `keys` in the object itself and, where the member `inner` (one of `keys`) is an object, for `innerKeys` in that one.
   * At most 31 of each.
   */
  constructor(keys: readonly string[], inner: string, innerKeys: readonly string[]) {
    this.#keys = new KeyTable(keys);
    this.#innerKeys = new KeyTable(innerKeys);
    this.#innerBase = keys.length;
    this.#inner = keys.indexOf(inner);
    this.#other = keys.length + innerKeys.length;
    this.starts = new Int32Array(this.#other + 1);
    this.ends = new Int32Array(this.#other + 1);
  }

  /**
   * Whether `bytes` from `start` up to `end` are exactly one whole JSON object, white space around it allowed. If so, its members are known until the
   * next scan; of a key that stands twice the later one counts, as in `JSON.parse`. Never throws; takes time linear in the bytes and a byte of memory
   * for each level of depth. Refers to `bytes` until others are scanned.
   */
  scan(bytes: Uint8Array, start: number, end: number): boolean {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    let first = start;
    while (first < end && byteClass[bytes[first]!]! & WHITE) first++;
    let last = end - 1;
    while (last > first && byteClass[bytes[last]!]! & WHITE) last--;
    return first < last && bytes[first] === OPEN_BRACE && bytes[last] === CLOSE_BRACE && this.#scanObject(first, last);
  }

  /**
   * The bytes begin with `{` at `first` and end with `}` at `last`. Numbers, literals, escapes and white space all stop at that `}` by themselves, so
   * the end has to be looked for only inside strings and behind a closed container.
   */
  #scanObject(first: number, last: number): boolean {
    const bytes = this.#bytes;
    const view = this.#view;
    const { starts, ends } = this;
    let closers = (this.#closers = this.#firstClosers);
    this.depthBound = FIRST_DEPTH_BOUND;
    let depth = 0;
    // Members are noted down to this depth: 1, and 2 while inside the inner object.
    let notedDepth = 1;
    // Where in `starts` and `ends` the members at depth 1 and 2 go that are being read.
    let member = this.#other;
    let innerMember = this.#other;
    this.members = 0;
    this.innerMembers = 0;

    // `byte` is always the one at `at`, white space skipped. At the head of the loop a value begins, or the key before it.
    let at = first;
    let byte = OPEN_BRACE;
    let isKey = false;
    for (;;) {
      if (byte === QUOTE) {
        const start = at + 1;
        const end = stringEnd(bytes, view, start, last);
        if (end === -1) return false;
        byte = bytes[(at = end + 1)]!;
        if (byte <= 0x20) byte = bytes[(at = skipWhite(bytes, at))]!;
        if (isKey) {
          if (byte !== COLON) return false;
          byte = bytes[++at]!;
          if (byte <= 0x20) byte = bytes[(at = skipWhite(bytes, at))]!;
          if (depth <= notedDepth) {
            const noted = this.#noteKey(depth, start, end);
            starts[noted] = at;
            if (depth === 1) member = noted;
            else innerMember = noted;
          }
          isKey = false;
          continue;
        }
        if (depth <= notedDepth) ends[depth === 1 ? member : innerMember] = end + 1;
      } else if (isKey) {
        return false;
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (++depth === closers.length) closers = this.#growClosers();
        // In ASCII both brackets close two further on.
        const closer = byte + 2;
        closers[depth] = closer;
        if (depth === 2 && byte === OPEN_BRACE && member === this.#inner) notedDepth = 2;
        isKey = byte === OPEN_BRACE;
        byte = bytes[++at]!;
        if (byte <= 0x20) byte = bytes[(at = skipWhite(bytes, at))]!;
        if (byte !== closer) continue;
      } else {
        at = byteClass[byte]! & DIGIT || byte === MINUS ? numberEnd(bytes, at) : literalEnd(bytes, at);
        if (at === -1) return false;
        if (depth <= notedDepth) ends[depth === 1 ? member : innerMember] = at;
        byte = bytes[at]!;
        if (byte <= 0x20) byte = bytes[(at = skipWhite(bytes, at))]!;
      }

      // Behind a value, or in an empty container: close what ends here, up to the comma before the next value.
      while (byte !== COMMA) {
        if (byte !== closers[depth]) return false;
        at++;
        depth--;
        if (depth === 0) return at > last;
        if (at > last) return false;
        if (depth <= notedDepth) {
          notedDepth = depth;
          ends[depth === 1 ? member : innerMember] = at;
        }
        byte = bytes[at]!;
        if (byte <= 0x20) byte = bytes[(at = skipWhite(bytes, at))]!;
      }
      byte = bytes[++at]!;
      if (byte <= 0x20) byte = bytes[(at = skipWhite(bytes, at))]!;
      isKey = closers[depth] === CLOSE_BRACE;
    }
  }

  /** Notes the key that stands here, at depth 1 or 2; gives the place of its value in `starts` and `ends`. */
  #noteKey(depth: number, start: number, end: number): number {
    const key = (depth === 1 ? this.#keys : this.#innerKeys).find(this.#bytes, this.#view, start, end);
    if (key === -1) return this.#other;
    if (depth === 1) {
      this.members |= 1 << key;
      // Whatever follows takes the place of an inner object that came before.
      if (key === this.#inner) this.innerMembers = 0;
      return key;
    }
    this.innerMembers |= 1 << key;
    return this.#innerBase + key;
  }

  #growClosers(): Uint8Array {
    const grown = new Uint8Array(this.#closers.length * 2);
    grown.set(this.#closers);
    this.depthBound = grown.length;
    return (this.#closers = grown);
  }
}

function skipWhite(bytes: Uint8Array, start: number): number {
  let at = start;
  while (byteClass[bytes[at]!]! & WHITE) at++;
  return at;
}

/** From inside a string, where the quote that ends it stands; -1 when it is broken or does not end before `last`. */
function stringEnd(bytes: Uint8Array, view: DataView, start: number, last: number): number {
  const lastFour = last - 4;
  let at = start;
  for (;;) {
    // Four bytes at a time, to the first that is a quote, a backslash or a control character. XOR with 2 makes the quote a space and leaves control
    // characters below it: one subtraction then borrows into the top bit for both, another does for the backslash made zero, and `~four` takes out
    // bytes that had their top bit set. A borrow only spoils bytes above one that was found, so the lowest bit is always right.
    let found = 0;
    while (at <= lastFour) {
      const four = view.getInt32(at, true);
      found = (((four ^ 0x02020202) - 0x21212121) | ((four ^ 0x5c5c5c5c) - 0x01010101)) & ~four & 0x80808080;
      if (found !== 0) break;
      at += 4;
    }
    if (found !== 0) at += (31 - Math.clz32(found & -found)) >> 3;
    else while (at < last && byteClass[bytes[at]!]! & PLAIN) at++;

    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte !== BACKSLASH) return -1;
    const escaped = bytes[at + 1]!;
    if (byteClass[escaped]! & ESCAPE) at += 2;
    else if (escaped === LOWER_U && isHex(bytes, at + 2)) at += 6;
    else return -1;
  }
}

/** Whether four hex digits stand here. Looks no further than the first byte that is none. */
function isHex(bytes: Uint8Array, start: number): boolean {
  for (let at = start; at < start + 4; at++) {
    if (!(byteClass[bytes[at]!]! & HEX)) return false;
  }
  return true;
}

/** Where the number that begins here ends; -1 when it is broken. Of one that begins with a needless zero, that zero is the number. */
function numberEnd(bytes: Uint8Array, start: number): number {
  const whole = bytes[start] === MINUS ? start + 1 : start;
  const at = bytes[whole] === ZERO ? whole + 1 : digitsEnd(bytes, whole);
  if (at === whole) return -1;
  const byte = bytes[at]!;
  return byte === DOT || (byte | 0x20) === LOWER_E ? fractionEnd(bytes, at) : at;
}

/** Where a number's fraction and exponent end, one of which begins here; -1 when they are broken. */
function fractionEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  if (bytes[at] === DOT) {
    const fraction = at + 1;
    at = digitsEnd(bytes, fraction);
    if (at === fraction) return -1;
  }
  if ((bytes[at]! | 0x20) !== LOWER_E) return at;
  at++;
  const exponent = bytes[at] === PLUS || bytes[at] === MINUS ? at + 1 : at;
  at = digitsEnd(bytes, exponent);
  return at === exponent ? -1 : at;
}

function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (byteClass[bytes[at]!]! & DIGIT) at++;
  return at;
}

/** Where the `true`, `false` or `null` that begins here ends; -1 when it is none of them. */
function literalEnd(bytes: Uint8Array, start: number): number {
  const literal = bytes[start] === TRUE[0] ? TRUE : bytes[start] === FALSE[0] ? FALSE : NULL;
  for (let i = 0; i < literal.length; i++) {
    if (bytes[start + i] !== literal[i]) return -1;
  }
  return start + literal.length;
}
