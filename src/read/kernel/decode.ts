/** Decodes entries that are written as pi writes nearly all. */
import { COLON, DOT, isDigit, LOWER_A, LOWER_N, MINUS, OPEN_BRACE, QUOTE, UPPER_T, UPPER_Z, ZERO } from "./bytes";
import {
  COST,
  COSTS,
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
  IN_USAGE,
  IS_SAME_MODEL,
  LACKS_IDS,
  LEAVES_USERS,
  LINK_KEYS,
  MAX_RECORDS,
  MEMBERS,
  MESSAGE,
  MESSAGE_TIME,
  MESSAGE_TIMESTAMP,
  NO_ROLE,
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
import { findKey, hasBackslash, MESSAGE_MEMBER, objectEnd, objectStart, scanObject, USUAL_MEMBERS } from "./scan";

/** The record that an entry is decoded to. */
export let record: u32 = RECORDS;

/**
 * Takes lines from `start` up to `end`, each with its newline, as long as they are plain (see `decodePlain`), and decodes each to a record of its own,
 * as many as there is room for. Returns how many there were; where they ended stands at `RUN_END`. At `end` there must be a newline, too, so that the front of
 * a line ends there.
 */
export function takePlainLines(start: u32, end: u32, stack: u32, wants: u32): i32 {
  let at = start;
  let count = 0;
  // The record of the last call; 0 before the first.
  let lastCall: u32 = 0;
  while (count < MAX_RECORDS && at < end) {
    const place = RECORDS + count * RECORD_SIZE;
    if (scanObject(at, stack) !== 1 || load<u32>(RUN_END) === end || !decodeEntry(place, wants)) break;
    if (field(HAS_USAGE) !== 0) {
      if (lastCall !== 0 && isSameSpan(0, lastCall) && isSameSpan(1, lastCall) && isSameSpan(2, lastCall))
        setField(IS_SAME_MODEL, 1);
      lastCall = place;
    }
    count++;
    at = load<u32>(RUN_END) + 1;
  }
  store<u32>(RUN_END, at);
  return count;
}

const LINK_MEMBERS: i32 = (1 << LINK_KEYS) - 1;
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
  return decodeEntry(RECORDS, wants);
}

/** As `decodePlain`, to the record at a place. */
export function decodeEntry(place: u32, wants: u32): bool {
  record = place;
  setField(START, objectStart);
  setField(END, objectEnd);
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
    // One of anything but texts changes nothing.
    if (wantsCalls && !(isText(members, ENTRY_PROVIDER) && isText(members, ENTRY_MODEL_ID))) return false;
    noteSpan(0, members, ENTRY_PROVIDER, 0);
    noteSpan(1, members, ENTRY_MODEL_ID, 0);
    // No model of a response, which would stand in the next span.
    setField(SPANS + 4, 0);
    setField(SPANS + 5, 0);
  }
  if (!wantsCalls || code === TYPE_MODEL_CHANGE) return true;
  if (code === TYPE_COMPACTION || code === TYPE_BRANCH_SUMMARY) return (members & (1 << ENTRY_USAGE)) === 0;
  return code > TYPE_MODEL_CHANGE;
}

/** Whether a member of the entry is there, and a string. */
function isText(members: i32, key: u32): bool {
  return (members & (1 << key)) !== 0 && load<u8>(startOf(key)) === QUOTE;
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
  setField(IS_SAME_MODEL, 0);
  noteSpan(SPAN_COUNT - 1, members, TOOL_NAME, IN_MESSAGE);
  return true;
}

/** Whether a span holds the same bytes as that of another record. */
function isSameSpan(span: u32, other: u32): bool {
  const fields = (SPANS + 2 * span) << 2;
  const start = load<u32>(record + fields);
  const length = load<u32>(record + fields + 4) - start;
  const otherStart = load<u32>(other + fields);
  return load<u32>(other + fields + 4) - otherStart === length && memory.compare(start, otherStart, length) === 0;
}

/** Notes where the value of a key is, the first of whose level has the place `base`; `members` are those of its object. */
function noteSpan(span: u32, members: i32, key: u32, base: u32): void {
  const isThere = (members & (1 << key)) !== 0;
  setField(SPANS + 2 * span, isThere ? startOf(base + key) : 0);
  setField(SPANS + 2 * span + 1, isThere ? endOf(base + key) : 0);
}

export function setField(field: u32, value: u32): void {
  store<u32>(record + (field << 2), value);
}

export function field(field: u32): u32 {
  return load<u32>(record + (field << 2));
}

export function number(number: u32): f64 {
  return load<f64>(record + 4 * RECORD_FIELDS + (number << 3));
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
