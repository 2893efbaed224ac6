/**
 * The inner loops of reading, in AssemblyScript: compiled ahead, they run at full speed from the first line on, and look at sixteen bytes at a time.
 * Nothing here allocates: all that is handed over lies at the places of `layout.ts`, and in the bytes.
 */
import {
  CELL_COUNT,
  CELLS,
  COST,
  COSTS,
  DEPTH,
  END,
  ENDS,
  ENTRY_MODEL_ID,
  ENTRY_PROVIDER,
  ENTRY_USAGE,
  FIRST_SPAN_KEY,
  HAS_PARENT,
  HAS_USAGE,
  ID,
  ID_BITS,
  IN_COST,
  IN_MESSAGE,
  IN_TYPES,
  IN_USAGE,
  IS_SAME_MODEL,
  KEY_BYTES,
  KEY_LENGTHS,
  KEY_SIZE,
  LACKS_IDS,
  LEAVES_USERS,
  LINK_KEYS,
  MAX_RECORDS,
  MEMBERS,
  MESSAGE,
  MESSAGE_TIME,
  MESSAGE_TIMESTAMP,
  NO_ROLE,
  OTHER,
  PARENT_ID,
  PARENT_ID_BITS,
  RECORD_FIELDS,
  RECORD_SIZE,
  RECORDS,
  ROLE,
  ROLE_ASSISTANT,
  ROLE_CODE,
  ROLE_OTHER,
  ROLE_TOOL_RESULT,
  ROLE_USER,
  RUN_END,
  SPAN_COUNT,
  SPANS,
  START,
  STARTS,
  TIME,
  TIMESTAMP,
  TOKENS,
  TOOL_NAME,
  TYPE,
  TYPE_BRANCH_SUMMARY,
  TYPE_CODE,
  TYPE_COMPACTION,
  TYPE_LEVEL,
  TYPE_MESSAGE,
  TYPE_MODEL_CHANGE,
  USAGE,
  WANTS_CALLS,
} from "./layout";

const NEWLINE: u32 = 0x0a;
const SPACE: u32 = 0x20;
const QUOTE: u32 = 0x22;
const PLUS: u32 = 0x2b;
const COMMA: u32 = 0x2c;
const MINUS: u32 = 0x2d;
const DOT: u32 = 0x2e;
const SLASH: u32 = 0x2f;
const ZERO: u32 = 0x30;
const COLON: u32 = 0x3a;
const UPPER_T: u32 = 0x54;
const UPPER_Z: u32 = 0x5a;
const OPEN_BRACKET: u32 = 0x5b;
const BACKSLASH: u32 = 0x5c;
const LOWER_A: u32 = 0x61;
const LOWER_B: u32 = 0x62;
const LOWER_E: u32 = 0x65;
const LOWER_F: u32 = 0x66;
const LOWER_L: u32 = 0x6c;
const LOWER_N: u32 = 0x6e;
const LOWER_R: u32 = 0x72;
const LOWER_T: u32 = 0x74;
const LOWER_U: u32 = 0x75;
const OPEN_BRACE: u32 = 0x7b;
const CLOSE_BRACE: u32 = 0x7d;

// The literals, as four bytes each, the first in the lowest.
const TRUE: u32 = 0x65757274;
const ALSE: u32 = 0x65736c61;
const NULL: u32 = 0x6c6c756e;

/** Whether a key that may be one of those that are looked for is spelled with escapes. */
let hasEscapedKey = false;

/** The record that an entry is decoded to. */
let record: u32 = RECORDS;

/** The record of the last call of this run; 0 before the first. */
let lastCall: u32 = 0;

/**
 * Takes lines from `start` up to `end`, each with its newline, as long as they are plain (see `decodePlain`), and decodes each to a record of its own,
 * as many as there is room for. Returns how many there were; where they ended stands at `RUN_END`. At `end` there must be a newline, too, so that the front of
 * a line ends there.
 */
export function takePlainLines(start: u32, end: u32, stack: u32, wants: u32): i32 {
  let at = start;
  let count = 0;
  lastCall = 0;
  while (count < MAX_RECORDS && at < end) {
    record = RECORDS + count * RECORD_SIZE;
    if (scanObject(at, stack) !== 1 || load<u32>(RUN_END) === end || !decodeEntry(wants)) break;
    count++;
    at = load<u32>(RUN_END) + 1;
  }
  store<u32>(RUN_END, at);
  return count;
}

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
  store<u32>(record + START * 4, first);
  store<u32>(record + END * 4, end);
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

/** The number of the key that stands in the bytes: the inside of a valid JSON string; -1 when it is none that is looked for. */
function findKey(level: u32, start: u32, end: u32): i32 {
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

function isDigit(byte: u32): bool {
  return byte - ZERO < 10;
}

function skipWhite(start: u32): u32 {
  let at = start;
  while (load<u8>(at) <= SPACE && isWhite(load<u8>(at))) at++;
  return at;
}

/**
 * From inside a string, where the quote that ends it stands; 0 when it is broken. Escapes stand everywhere in what tools print, so
 * those of sixteen bytes are told apart at once, in bits, instead of by jumping from one to the next.
 */
function stringEnd(start: u32): u32 {
  let at = start;
  // 1 when the byte before `at` was a backslash that escapes the first one here.
  let carried: u32 = 0;
  while (true) {
    const bytes = v128.load(at);
    const isQuote = i8x16.eq(bytes, i8x16.splat(QUOTE as i8));
    const isBackslash = i8x16.eq(bytes, i8x16.splat(BACKSLASH as i8));
    const isControl = i8x16.lt_u(bytes, i8x16.splat(SPACE as i8));
    let ends: u32 = i8x16.bitmask(v128.or(v128.or(isQuote, isControl), isBackslash));
    const first = at + ctz(ends | 0x10000);
    if (carried === 0 && (ends === 0 || load<u8>(first) !== BACKSLASH)) {
      if (ends !== 0) return load<u8>(first) === QUOTE ? first : 0;
      at += 16;
      continue;
    }
    const quotes: u32 = i8x16.bitmask(isQuote);
    const backslashes: u32 = i8x16.bitmask(isBackslash);
    let escaped = findEscaped(backslashes & ~carried, carried);
    carried = escaped >> 16;
    escaped &= 0xffff;
    ends = (quotes & ~escaped) | i8x16.bitmask(isControl);
    const end: u32 = ctz(ends | 0x10000);
    // Newlines, quotes and backslashes are what is escaped most.
    const newlines: u32 = i8x16.bitmask(i8x16.eq(bytes, i8x16.splat(LOWER_N as i8)));
    let rest = escaped & ~(quotes | backslashes | newlines) & ((1 << end) - 1);
    for (; rest !== 0; rest &= rest - 1) {
      const place = at + ctz(rest);
      if (!isEscape(load<u8>(place)) && !(load<u8>(place) === LOWER_U && isHex(place + 1))) return 0;
    }
    at += end;
    if (ends !== 0) return load<u8>(at) === QUOTE ? at : 0;
  }
}

/**
 * Which of sixteen bytes stand behind a backslash that is not itself escaped, where those at the bits of `backslashes` are backslashes. `carried` is 1 when the
 * byte before them is one. Bit 16 says the same of the byte that follows.
 *
 * Of a run of backslashes every second one escapes. Adding a run's first bit to it carries to the bit behind its end: so the runs that begin at odd bits are
 * taken out, and in all others it is the odd bits that are escaped.
 */
function findEscaped(backslashes: u32, carried: u32): u32 {
  const follows = (backslashes << 1) | carried;
  const oddStarts = backslashes & ~EVEN_BITS & ~follows;
  const evenRuns = oddStarts + backslashes;
  return (EVEN_BITS ^ (evenRuns << 1)) & follows;
}

const EVEN_BITS: u32 = 0x55555555;

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

const LINK_MEMBERS: i32 = (1 << LINK_KEYS) - 1;
const MESSAGE_MEMBER: i32 = 1 << MESSAGE;
const USUAL_MEMBERS: i32 = (1 << TYPE) | (1 << ID) | (1 << PARENT_ID) | (1 << TIMESTAMP) | MESSAGE_MEMBER;
const ID_MEMBERS: i32 = (1 << ID) | (1 << PARENT_ID);
const OWN_MEMBERS: i32 = USUAL_MEMBERS & ~MESSAGE_MEMBER;
const ROLE_MEMBER: i32 = 1 << ROLE;
const USAGE_MEMBER: i32 = 1 << USAGE;

// Words of JSON, as their bytes from the lowest on.
const USER_WORD: u64 = (0x2272 << 32) | 0x65737522; // "user"
const ASSISTANT_WORD: u64 = (0x6e617473 << 32) | 0x69737361; // assistan
const T_QUOTE: u32 = 0x2274; // t"
const TOOL_RES_WORD: u64 = (0x75736552 << 32) | 0x6c6f6f74; // toolResu
const LT_QUOTE: u32 = 0x22746c; // lt"

/**
 * Decodes the object that was scanned last to the first record, if it is an entry written as pi writes nearly all, which says nothing beyond what a record
 * holds. `wants` are bits of the layout. Where calls are wanted that is a message whose usage, if it is a call, is plain, or an entry of a type that tells of
 * none; else all that matters is the place in the tree. Returns false for any other entry, of which nothing is known then.
 */
export function decodePlain(wants: u32): bool {
  record = RECORDS;
  lastCall = 0;
  return decodeEntry(wants);
}

function decodeEntry(wants: u32): bool {
  const members = load<i32>(MEMBERS);
  const wantsCalls = (wants & WANTS_CALLS) !== 0;
  if (wantsCalls) {
    if ((members & OWN_MEMBERS) !== ((wants & LACKS_IDS) !== 0 ? OWN_MEMBERS & ~ID_MEMBERS : OWN_MEMBERS)) return false;
  } else if (((members & LINK_MEMBERS) | MESSAGE_MEMBER) !== USUAL_MEMBERS) return false;
  setField(HAS_PARENT, 0);
  setField(PARENT_ID_BITS, 0);
  if ((wants & LACKS_IDS) === 0 && !decodeIds()) return false;
  if (!decodeTime()) return false;
  const type = startOf(TYPE);
  const typeEnd = endOf(TYPE);
  if (load<u8>(type) !== QUOTE || hasBackslash(type, typeEnd)) return false;
  const code = findKey(TYPE_LEVEL, type + 1, typeEnd - 1);
  setField(TYPE_CODE, code);
  setField(ROLE_CODE, NO_ROLE);
  setField(HAS_USAGE, 0);
  // Entries of other types may have a member of this name, too; it is no message then.
  if (code === TYPE_MESSAGE && (members & MESSAGE_MEMBER) !== 0) return decodeMessage(wants);
  if (code === TYPE_MODEL_CHANGE) {
    noteSpan(0, members, ENTRY_PROVIDER, 0);
    noteSpan(1, members, ENTRY_MODEL_ID, 0);
  }
  if (!wantsCalls || code === TYPE_MODEL_CHANGE) return true;
  if (code === TYPE_COMPACTION || code === TYPE_BRANCH_SUMMARY) return (members & (1 << ENTRY_USAGE)) === 0;
  return code > TYPE_MODEL_CHANGE;
}

function decodeIds(): bool {
  if (!decodeId(ID, ID_BITS)) return false;
  if (load<u8>(startOf(PARENT_ID)) === LOWER_N) return true;
  setField(HAS_PARENT, 1);
  return decodeId(PARENT_ID, PARENT_ID_BITS);
}

function decodeMessage(wants: u32): bool {
  const members = load<i32>(MEMBERS + 4);
  if (load<u8>(startOf(MESSAGE)) !== OPEN_BRACE || !(members & ROLE_MEMBER)) return false;
  if (load<u8>(startOf(IN_MESSAGE + ROLE)) !== QUOTE) return false;
  const role = roleCode();
  if (role < 0) return false;
  setField(ROLE_CODE, role);
  if ((wants & WANTS_CALLS) === 0) return true;
  const hasUsage = (members & USAGE_MEMBER) !== 0;
  if (role === ROLE_OTHER) return !hasUsage;
  if (role === ROLE_TOOL_RESULT && !hasUsage) return true;
  if (!decodeMessageTime(members)) return false;
  if (role === ROLE_USER) return !hasUsage && (wants & LEAVES_USERS) === 0;
  if (!hasUsage || !decodeUsage()) return false;
  setField(HAS_USAGE, 1);
  for (let span = 0; span < SPAN_COUNT - 1; span++) noteSpan(span, members, FIRST_SPAN_KEY + span, IN_MESSAGE);
  const isSame = lastCall !== 0 && isSameSpan(0) && isSameSpan(1) && isSameSpan(2);
  setField(IS_SAME_MODEL, isSame ? 1 : 0);
  lastCall = record;
  noteSpan(SPAN_COUNT - 1, members, TOOL_NAME, IN_MESSAGE);
  return true;
}

/** Whether a span holds the same bytes as that of the last call. */
function isSameSpan(span: u32): bool {
  const fields = (SPANS + 2 * span) << 2;
  const start = load<u32>(record + fields);
  const length = load<u32>(record + fields + 4) - start;
  const lastStart = load<u32>(lastCall + fields);
  if (load<u32>(lastCall + fields + 4) - lastStart !== length) return false;
  for (let at: u32 = 0; at < length; at++) if (load<u8>(start + at) !== load<u8>(lastStart + at)) return false;
  return true;
}

/** Notes where the value of a key is, the first of whose level has the place `base`; `members` are those of its object. */
function noteSpan(span: u32, members: i32, key: u32, base: u32): void {
  const isThere = (members & (1 << key)) !== 0;
  setField(SPANS + 2 * span, isThere ? startOf(base + key) : 0);
  setField(SPANS + 2 * span + 1, isThere ? endOf(base + key) : 0);
}

function setField(field: u32, value: u32): void {
  store<u32>(record + (field << 2), value);
}

function setNumber(number: u32, value: f64): void {
  store<f64>(record + 4 * RECORD_FIELDS + (number << 3), value);
}

function startOf(place: u32): u32 {
  return load<u32>(STARTS + (place << 2));
}

function endOf(place: u32): u32 {
  return load<u32>(ENDS + (place << 2));
}

/** The role of the message; -1 for one that is spelled with escapes. */
function roleCode(): i32 {
  const start = startOf(IN_MESSAGE + ROLE);
  const length = endOf(IN_MESSAGE + ROLE) - start;
  if (length === 6 && (load<u64>(start) & 0xffffffffffff) === USER_WORD) return ROLE_USER;
  if (length === 11 && load<u64>(start + 1) === ASSISTANT_WORD && load<u16>(start + 9) === T_QUOTE)
    return ROLE_ASSISTANT;
  const isToolResult =
    length === 12 && load<u64>(start + 1) === TOOL_RES_WORD && load<u32>(start + 8) >> 8 === LT_QUOTE;
  if (isToolResult) return ROLE_TOOL_RESULT;
  return hasBackslash(start, start + length) ? -1 : ROLE_OTHER;
}

function hasBackslash(start: u32, end: u32): bool {
  for (let at = start; at < end; at++) if (load<u8>(at) === BACKSLASH) return true;
  return false;
}

/** Decodes an id of 8 lower-case hex digits. */
function decodeId(place: u32, field: u32): bool {
  const start = startOf(place);
  if (endOf(place) - start !== 10 || load<u8>(start) !== QUOTE) return false;
  let bits: u32 = 0;
  for (let at = start + 1; at < start + 9; at++) {
    const byte: u32 = load<u8>(at);
    const letter = byte - LOWER_A;
    const value = letter < 6 ? letter + 10 : byte - ZERO;
    if (value > 15 || (letter >= 6 && value > 9)) return false;
    bits = (bits << 4) | value;
  }
  setField(field, bits);
  return true;
}

/** Two decimal digits as a number; a large one for anything else. */
function twoDigits(at: u32): u32 {
  const tens = (load<u8>(at) as u32) - ZERO;
  const ones = (load<u8>(at + 1) as u32) - ZERO;
  return tens < 10 && ones < 10 ? tens * 10 + ones : 1000;
}

/** Decodes an entry's time in the form that pi writes, `"2026-01-02T03:04:05.678Z"`, of a day from 1970 on. */
function decodeTime(): bool {
  const at = startOf(TIMESTAMP);
  if (endOf(TIMESTAMP) - at !== 26) return false;
  const isForm =
    load<u8>(at) === QUOTE &&
    load<u8>(at + 5) === MINUS &&
    load<u8>(at + 8) === MINUS &&
    load<u8>(at + 11) === UPPER_T &&
    load<u8>(at + 14) === COLON &&
    load<u8>(at + 17) === COLON &&
    load<u8>(at + 20) === DOT &&
    load<u8>(at + 24) === UPPER_Z;
  if (!isForm) return false;
  const century = twoDigits(at + 1);
  const ofCentury = twoDigits(at + 3);
  const month = twoDigits(at + 6);
  const day = twoDigits(at + 9);
  const hour = twoDigits(at + 12);
  const minute = twoDigits(at + 15);
  const second = twoDigits(at + 18);
  const hundredths = twoDigits(at + 21);
  const thousandth = (load<u8>(at + 23) as u32) - ZERO;
  const year = century * 100 + ofCentury;
  if (century > 99 || ofCentury > 99 || year < 1970 || month - 1 > 11 || day - 1 >= daysIn(year, month)) return false;
  if (hour > 23 || minute > 59 || second > 59 || hundredths > 99 || thousandth > 9) return false;
  const seconds = (hour * 60 + minute) * 60 + second;
  const milliseconds = (((daysBefore(year, month) + day - 1) as f64) * 86400000.0 +
    (seconds * 1000 + hundredths * 10 + thousandth)) as f64;
  setNumber(TIME, milliseconds);
  return true;
}

function daysIn(year: u32, month: u32): u32 {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days from 1970-01-01 to the first of a month of the Gregorian calendar: years are counted from March on, so that the leap day is the last. */
function daysBefore(year: u32, month: u32): u32 {
  const years = month > 2 ? year : year - 1;
  const months = month > 2 ? month - 3 : month + 9;
  return years * 365 + years / 4 - years / 100 + years / 400 + (months * 153 + 2) / 5 - 719468;
}

/** The powers of ten that a double holds exactly. */
const POWERS_OF_TEN = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
  1e21, 1e22,
]);
const MAX_DECIMALS: u32 = 22;
const MAX_SAFE_INTEGER: u64 = 9007199254740991;

/**
 * The number of 0 or more at a place; -1 when it is not spelled in digits alone, or not so that it is read exactly.
 *
 * Digits that make a safe integer, divided by a power of ten that a double holds exactly, come to the nearest double, as the one division rounds once.
 */
function plainNumber(place: u32): f64 {
  const start = startOf(place);
  const end = endOf(place);
  if (end - start > MAX_DECIMALS) return -1;
  let digits: u64 = 0;
  let decimals: u32 = 0;
  for (let at = start; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (isDigit(byte)) {
      digits = digits * 10 + (byte - ZERO);
      if (digits > MAX_SAFE_INTEGER) return -1;
    } else if (byte === DOT) decimals = end - at - 1;
    else return -1;
  }
  return (digits as f64) / load<f64>(POWERS_OF_TEN + (decimals << 3));
}

/** The last millisecond of the year 9999. */
const LAST_MILLISECOND: f64 = 253402300799999.0;

/** Decodes the time of a message that has one, or none; false when it can't be told here. */
function decodeMessageTime(members: i32): bool {
  let time: f64 = NaN;
  if (members & (1 << MESSAGE_TIMESTAMP)) {
    time = plainNumber(IN_MESSAGE + MESSAGE_TIMESTAMP);
    if (time < 0 || time > LAST_MILLISECOND) return false;
  }
  setNumber(MESSAGE_TIME, time);
  return true;
}

/** Decodes usage whose numbers are all plain; what is missing is NaN. */
function decodeUsage(): bool {
  if (load<u8>(startOf(IN_MESSAGE + USAGE)) !== OPEN_BRACE) return false;
  const members = load<i32>(MEMBERS + 8);
  if (!(members & (1 << COST)) || load<u8>(startOf(IN_USAGE + COST)) !== OPEN_BRACE) return false;
  return decodeNumbers(members, IN_USAGE, TOKENS) && decodeNumbers(load<i32>(MEMBERS + 12), IN_COST, COSTS);
}

function decodeNumbers(members: i32, first: u32, into: u32): bool {
  for (let key: u32 = 0; key < 5; key++) {
    let value: f64 = NaN;
    if (members & (1 << key)) {
      value = plainNumber(first + key);
      if (value < 0) return false;
    }
    setNumber(into + key, value);
  }
  return true;
}
