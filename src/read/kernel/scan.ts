/** Tells whether a line is a whole JSON object, and where its members are. */
import {
  BACKSLASH,
  CLOSE_BRACE,
  COLON,
  COMMA,
  DOT,
  isDigit,
  LOWER_A,
  LOWER_B,
  LOWER_E,
  LOWER_F,
  LOWER_L,
  LOWER_N,
  LOWER_R,
  LOWER_T,
  LOWER_U,
  MINUS,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  QUOTE,
  SLASH,
  SPACE,
  ZERO,
} from "./bytes";
import {
  CELL_COUNT,
  CELLS,
  COST,
  DEPTH,
  ENDS,
  ID,
  IN_COST,
  IN_MESSAGE,
  IN_TYPES,
  IN_USAGE,
  KEY_BYTES,
  KEY_LENGTHS,
  KEY_SIZE,
  MEMBERS,
  MESSAGE,
  OTHER,
  PARENT_ID,
  RUN_END,
  STARTS,
  TIMESTAMP,
  TYPE,
  USAGE,
} from "./layout";

// The literals, as four bytes each, the first in the lowest.
const TRUE: u32 = 0x65757274;
const ALSE: u32 = 0x65736c61;
const NULL: u32 = 0x6c6c756e;

/** Whether a key that may be one of those that are looked for is spelled with escapes. */
let hasEscapedKey = false;

/** Where the object begins and ends that was scanned last. */
export let objectStart: u32 = 0;
export let objectEnd: u32 = 0;

export const MESSAGE_MEMBER: i32 = 1 << MESSAGE;
export const USUAL_MEMBERS: i32 = (1 << TYPE) | (1 << ID) | (1 << PARENT_ID) | (1 << TIMESTAMP) | MESSAGE_MEMBER;

/**
 * Whether the line that begins at `start` and ends before the next newline is one whole JSON object, white space around it allowed: 0 for no, 1 for yes, 2 for
 * yes when a key among those at the noted levels holds an escape, so that the members are not known. Where the newline stands is then told at `RUN_END`.
 * `stack` is where as many bytes are free as the line has. Some bytes behind the line are looked at, whatever they are.
 *
 * It accepts just what `JSON.parse` accepts of the same bytes decoded as UTF-8, with U+FFFD for what is invalid: a byte above 0x7F is then part of
 * some character that stands for itself in a string and is an error outside, so nothing has to be decoded. The newline ends each loop by itself: it is no
 * part of any string, number or literal, and no white space here.
 */
export function scanObject(start: u32, stack: u32): i32 {
  const first = skipWhite(start);
  if (load<u8>(first) !== OPEN_BRACE) return 0;
  hasEscapedKey = false;
  const end = scanMembers(first, stack);
  if (end === 0) return 0;
  const newline = skipWhite(end);
  if (load<u8>(newline) !== NEWLINE) return 0;
  objectStart = first;
  objectEnd = end;
  store<u32>(RUN_END, newline);
  return hasEscapedKey ? 2 : 1;
}

/** Scans the object that begins with the brace at `first`; where it ends, 0 for one that is broken. */
function scanMembers(first: u32, stack: u32): u32 {
  let depth: u32 = 0;
  let deepest: u32 = 0;
  // Members are noted down to this depth: 1, and one more inside a message, its usage, and the cost in that.
  let notedDepth: u32 = 1;
  // The places of the members that are being read, at depths 1 to 4, each a byte.
  let places: u32 = OTHER * 0x01010101;
  store<u64>(MEMBERS, 0);
  store<u64>(MEMBERS + 8, 0);

  // `byte` is always the one at `at`, white space skipped. At the head of the loop a value begins, or the key before it.
  let at = first;
  let byte: u32 = OPEN_BRACE;
  let closer: u32 = 0;
  let isKey = false;
  const message = skipUsualFront(first);
  if (message !== 0) {
    at = message;
    depth = 1;
    closer = CLOSE_BRACE;
    store<u8>(stack + 1, CLOSE_BRACE);
    places = (places & ~0xff) | MESSAGE;
    byte = load<u8>(at);
  }
  while (true) {
    if (byte === QUOTE) {
      const start = at + 1;
      const end = stringEnd(start);
      if (end === 0) return 0;
      at = skipWhite(end + 1);
      byte = load<u8>(at);
      if (isKey) {
        if (byte !== COLON) return 0;
        at = skipWhite(at + 1);
        byte = load<u8>(at);
        if (depth <= notedDepth) {
          const shift = (depth - 1) << 3;
          const place = noteKey(depth - 1, start, end);
          places = (places & ~(0xff << shift)) | (place << shift);
          store<u32>(STARTS + (place << 2), at);
        }
        isKey = false;
        continue;
      }
      if (depth <= notedDepth) noteEnd(places, depth, end + 1);
    } else if (isKey) {
      return 0;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      isKey = byte === OPEN_BRACE;
      if (isKey && depth === notedDepth && depth > 0 && isNoted(places, depth)) notedDepth++;
      depth++;
      if (depth > deepest) deepest = depth;
      // In ASCII both brackets close two further on.
      closer = byte + 2;
      store<u8>(stack + depth, closer);
      at = skipWhite(at + 1);
      byte = load<u8>(at);
      if (byte !== closer) continue;
    } else {
      const end = isDigit(byte) || byte === MINUS ? numberEnd(at) : literalEnd(at);
      if (end === 0) return 0;
      if (depth <= notedDepth) noteEnd(places, depth, end);
      at = skipWhite(end);
      byte = load<u8>(at);
    }

    // Behind a value, or in an empty container: close what ends here, up to the comma before the next value.
    while (byte !== COMMA) {
      if (byte !== closer) return 0;
      at++;
      depth--;
      if (depth === 0) {
        store<u32>(DEPTH, deepest);
        return at;
      }
      if (depth <= notedDepth) {
        notedDepth = depth;
        noteEnd(places, depth, at);
      }
      closer = load<u8>(stack + depth);
      at = skipWhite(at);
      byte = load<u8>(at);
    }
    at = skipWhite(at + 1);
    byte = load<u8>(at);
    isKey = closer === CLOSE_BRACE;
  }
}

// The front of an entry, eight or four bytes each.
const FRONT_1: u64 = (0x3a226570 << 32) | 0x7974227b; // {"type":
const FRONT_2: u64 = (0x65676173 << 32) | 0x73656d22; // "message
const FRONT_3: u64 = (0x223a2264 << 32) | 0x69222c22; // ","id":"
const FRONT_4: u64 = (0x6e657261 << 32) | 0x70222c22; // ","paren
const FRONT_5: u32 = 0x22644974; // tId"
const FRONT_6: u64 = (0x7473656d << 32) | 0x6974222c; // ,"timest
const FRONT_7: u32 = 0x22706d61; // amp"
const FRONT_8: u64 = (0x67617373 << 32) | 0x656d222c; // ,"messag
const FRONT_9: u32 = 0x3a226567; // ge":
const COLON_QUOTE: u32 = 0x223a; // :"
const NULL_AFTER_COLON: u32 = 0x6c756e3a; // :nul

const TIME_LENGTH: u32 = 24;

/**
 * Where the value of `message` begins in an entry whose front is just as pi writes it, and notes the members before; 0 for any other. It only saves time:
 *
 *     {"type":"message","id":"1a2b3c4d","parentId":"5e6f7081","timestamp":"2026-01-02T03:04:05.678Z","message":{
 */
function skipUsualFront(start: u32): u32 {
  if (load<u64>(start) !== FRONT_1 || load<u64>(start + 8) !== FRONT_2 || load<u64>(start + 16) !== FRONT_3) return 0;
  if (!isPlainText(start + 24, 8) || load<u64>(start + 32) !== FRONT_4 || load<u32>(start + 40) !== FRONT_5) return 0;
  // The quote of the parent's id, or the first letter of null.
  let parentEnd = start + 49;
  if (load<u32>(start + 44) === NULL_AFTER_COLON) {
    if (load<u8>(start + 48) !== LOWER_L) return 0;
  } else {
    if (load<u16>(start + 44) !== COLON_QUOTE || !isPlainText(start + 46, 8) || load<u8>(start + 54) !== QUOTE)
      return 0;
    parentEnd = start + 55;
  }
  if (
    load<u64>(parentEnd) !== FRONT_6 ||
    load<u32>(parentEnd + 8) !== FRONT_7 ||
    load<u16>(parentEnd + 12) !== COLON_QUOTE
  )
    return 0;
  const time = parentEnd + 13;
  const timeEnd = time + TIME_LENGTH + 2;
  if (!isPlainText(time + 1, 8) || !isPlainText(time + 9, 16) || load<u8>(timeEnd - 1) !== QUOTE) return 0;
  if (load<u64>(timeEnd) !== FRONT_8 || load<u32>(timeEnd + 7) !== FRONT_9) return 0;
  const message = skipWhite(timeEnd + 11);
  store<i32>(MEMBERS, USUAL_MEMBERS);
  notePlace(TYPE, start + 8, start + 17);
  notePlace(ID, start + 23, start + 33);
  notePlace(PARENT_ID, start + 45, parentEnd);
  notePlace(TIMESTAMP, time, timeEnd);
  store<u32>(STARTS + (MESSAGE << 2), message);
  return message;
}

function notePlace(place: u32, start: u32, end: u32): void {
  store<u32>(STARTS + (place << 2), start);
  store<u32>(ENDS + (place << 2), end);
}

/** Whether so many bytes, 8 or 16, can only be the inside of a string. */
function isPlainText(at: u32, length: u32): bool {
  const bytes = length === 16 ? v128.load(at) : v128.load64_zero(at);
  const special = v128.or(
    v128.or(i8x16.eq(bytes, i8x16.splat(QUOTE as i8)), i8x16.eq(bytes, i8x16.splat(BACKSLASH as i8))),
    i8x16.lt_u(bytes, i8x16.splat(SPACE as i8)),
  );
  return (i8x16.bitmask(special) & ((1 << length) - 1)) === 0;
}

/** Whether the member that is being read at a noted depth has members that are noted, too, should it be an object. */
function isNoted(places: u32, depth: u32): bool {
  const place = (places >> ((depth - 1) << 3)) & 0xff;
  return depth === 1
    ? place === MESSAGE
    : depth === 2
      ? place === IN_MESSAGE + USAGE
      : depth === 3 && place === IN_USAGE + COST;
}

function noteEnd(places: u32, depth: u32, end: u32): void {
  store<u32>(ENDS + (((places >> ((depth - 1) << 3)) & 0xff) << 2), end);
}

/** Notes the key that stands here; gives the place of its value. */
function noteKey(level: u32, start: u32, end: u32): u32 {
  const key = findKey(level, start, end);
  if (key < 0) return OTHER;
  const members = MEMBERS + (level << 2);
  store<i32>(members, load<i32>(members) | (1 << key));
  // Whatever follows takes the place of an inner object that came before.
  if (level === 0) {
    if (key === MESSAGE) {
      store<i32>(MEMBERS + 4, 0);
      store<i32>(MEMBERS + 8, 0);
      store<i32>(MEMBERS + 12, 0);
    }
    return key;
  }
  if (level === 1) {
    if (key === USAGE) {
      store<i32>(MEMBERS + 8, 0);
      store<i32>(MEMBERS + 12, 0);
    }
    return IN_MESSAGE + key;
  }
  if (level === 2) {
    if (key === COST) store<i32>(MEMBERS + 12, 0);
    return IN_USAGE + key;
  }
  return IN_COST + key;
}

export function hasBackslash(start: u32, end: u32): bool {
  for (let at = start; at < end; at++) if (load<u8>(at) === BACKSLASH) return true;
  return false;
}

/** The number of the key that stands in the bytes: the inside of a valid JSON string; -1 when it is none that is looked for. */
export function findKey(level: u32, start: u32, end: u32): i32 {
  const length = end - start;
  const cells = CELLS + level * CELL_COUNT;
  const base: u32 =
    level === 0 ? 0 : level === 1 ? IN_MESSAGE : level === 2 ? IN_USAGE : level === 3 ? IN_COST : IN_TYPES;
  let cell = (load<u8>(start) * 6 + load<u8>(end - 1) * 3 + length) % CELL_COUNT;
  while (true) {
    const key: i32 = load<i8>(cells + cell);
    if (key < 0) break;
    const place = base + key;
    if (load<u8>(KEY_LENGTHS + place) === length && isSame(start, KEY_BYTES + place * KEY_SIZE, length)) return key;
    cell = (cell + 1) % CELL_COUNT;
  }
  if (hasBackslash(start, end)) hasEscapedKey = true;
  return -1;
}

/** Whether `length` bytes are the same in both places; behind those at `other` stand zeros, up to a multiple of eight. */
function isSame(start: u32, other: u32, length: u32): bool {
  let at: u32 = 0;
  for (; at + 8 <= length; at += 8) if (load<u64>(start + at) !== load<u64>(other + at)) return false;
  const rest = length - at;
  return rest === 0 || (load<u64>(start + at) & (~(0 as u64) >> ((8 - rest) << 3))) === load<u64>(other + at);
}
function isWhite(byte: u32): bool {
  return byte === SPACE || byte === 0x09 || byte === 0x0d;
}

function skipWhite(start: u32): u32 {
  let at = start;
  while (load<u8>(at) <= SPACE && isWhite(load<u8>(at))) at++;
  return at;
}

/** From inside a string, where the quote that ends it stands; 0 when it is broken. Most strings are short, and hold no escape. */
function stringEnd(start: u32): u32 {
  const bytes = v128.load(start);
  const ends: u32 = i8x16.bitmask(v128.or(isSpecial(bytes), isByte(bytes, BACKSLASH)));
  if (ends === 0) return longStringEnd(start + 16);
  const end = start + ctz(ends);
  const byte: u32 = load<u8>(end);
  return byte === QUOTE ? end : byte === BACKSLASH ? longStringEnd(start) : 0;
}

/**
 * As `stringEnd`, sixty-four bytes at a time. Escapes stand everywhere in what tools print, so those of all these bytes are told apart at once, in bits, instead
 * of by jumping from one to the next.
 */
function longStringEnd(start: u32): u32 {
  let at = start;
  // 1 when the byte before `at` was a backslash that escapes the first one here.
  let carried: u64 = 0;
  while (true) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    const specials = bitmask64(isSpecial(a), isSpecial(b), isSpecial(c), isSpecial(d));
    const backslashes = bitmask64(
      isByte(a, BACKSLASH),
      isByte(b, BACKSLASH),
      isByte(c, BACKSLASH),
      isByte(d, BACKSLASH),
    );
    let ends = specials;
    if ((backslashes | carried) !== 0) {
      const escaped = findEscaped(backslashes & ~carried, carried);
      carried = (backslashes & ~escaped) >> 63;
      ends = specials & ~escaped;
      const checked = escaped & (ends === 0 ? ALL_BITS : (ends & -ends) - 1);
      // Newlines, tabs, quotes and backslashes are what is escaped most; a control character can't be.
      const usual = bitmask64(isUsualEscape(a), isUsualEscape(b), isUsualEscape(c), isUsualEscape(d)) | backslashes;
      for (let rest = checked & ~usual; rest !== 0; rest &= rest - 1) {
        const place = at + (ctz(rest) as u32);
        if (!isEscape(load<u8>(place)) && !(load<u8>(place) === LOWER_U && isHex(place + 1))) return 0;
      }
    }
    if (ends !== 0) {
      const end = at + (ctz(ends) as u32);
      return load<u8>(end) === QUOTE ? end : 0;
    }
    at += 64;
  }
}

const ALL_BITS = ~(0 as u64);

function isByte(bytes: v128, byte: u32): v128 {
  return i8x16.eq(bytes, i8x16.splat(byte as i8));
}

/** Quotes and control characters. */
function isSpecial(bytes: v128): v128 {
  return v128.or(isByte(bytes, QUOTE), i8x16.lt_u(bytes, i8x16.splat(SPACE as i8)));
}

function isUsualEscape(bytes: v128): v128 {
  return v128.or(v128.or(isByte(bytes, LOWER_N), isByte(bytes, LOWER_T)), isByte(bytes, QUOTE));
}

function bitmask64(a: v128, b: v128, c: v128, d: v128): u64 {
  const low = (i8x16.bitmask(a) as u32) | ((i8x16.bitmask(b) as u32) << 16);
  const high = (i8x16.bitmask(c) as u32) | ((i8x16.bitmask(d) as u32) << 16);
  return (low as u64) | ((high as u64) << 32);
}

/**
 * Which of sixty-four bytes stand behind a backslash that is not itself escaped, where those at the bits of `backslashes` are backslashes. `carried` is 1 when the
 * byte before them is one.
 *
 * Of a run of backslashes every second one escapes. Adding a run's first bit to it carries to the bit behind its end: so the runs that begin at odd bits are
 * taken out, and in all others it is the odd bits that are escaped.
 */
function findEscaped(backslashes: u64, carried: u64): u64 {
  const follows = (backslashes << 1) | carried;
  const oddStarts = backslashes & ~EVEN_BITS & ~follows;
  const evenRuns = oddStarts + backslashes;
  return (EVEN_BITS ^ (evenRuns << 1)) & follows;
}

const EVEN_BITS: u64 = (0x55555555 << 32) | 0x55555555;

/** What may stand behind a backslash; `u` is not among them, as four hex digits must follow it. */
function isEscape(byte: u32): bool {
  return (
    byte === LOWER_N ||
    byte === QUOTE ||
    byte === BACKSLASH ||
    byte === LOWER_T ||
    byte === SLASH ||
    byte === LOWER_R ||
    byte === LOWER_B ||
    byte === LOWER_F
  );
}

/** Whether four hex digits stand here. Looks no further than the first byte that is none. */
function isHex(start: u32): bool {
  for (let at = start; at < start + 4; at++) {
    const byte: u32 = load<u8>(at);
    if (!isDigit(byte) && (byte | 0x20) - LOWER_A > 5) return false;
  }
  return true;
}

/** Where the number that begins here ends; 0 when it is broken. Of one that begins with a needless zero, that zero is the number. */
function numberEnd(start: u32): u32 {
  const whole = load<u8>(start) === MINUS ? start + 1 : start;
  const at = load<u8>(whole) === ZERO ? whole + 1 : digitsEnd(whole);
  if (at === whole) return 0;
  const byte: u32 = load<u8>(at);
  return byte === DOT || (byte | 0x20) === LOWER_E ? fractionEnd(at) : at;
}

/** Where a number's fraction and exponent end, one of which begins here; 0 when they are broken. */
function fractionEnd(start: u32): u32 {
  let at = start;
  if (load<u8>(at) === DOT) {
    const fraction = at + 1;
    at = digitsEnd(fraction);
    if (at === fraction) return 0;
  }
  if ((load<u8>(at) | 0x20) !== LOWER_E) return at;
  at++;
  const sign: u32 = load<u8>(at);
  const exponent = sign === PLUS || sign === MINUS ? at + 1 : at;
  at = digitsEnd(exponent);
  return at === exponent ? 0 : at;
}

function digitsEnd(start: u32): u32 {
  let at = start;
  while (isDigit(load<u8>(at))) at++;
  return at;
}

/** Where the `true`, `false` or `null` that begins here ends; 0 when it is none of them. */
function literalEnd(start: u32): u32 {
  const four = load<u32>(start);
  if (four === TRUE || four === NULL) return start + 4;
  return load<u8>(start) === LOWER_F && load<u32>(start + 1) === ALSE ? start + 5 : 0;
}
