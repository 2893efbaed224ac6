import { parseIsoTime } from "../format/time.js";

const UPPER_T = 0x54;
const UPPER_Z = 0x5a;
const COLON = 0x3a;
const DOT = 0x2e;
const ZERO = 0x30;

const ID_LENGTH = 8;
const TIME_LENGTH = 24;
const DAY_LENGTH = 10;

/** By byte: the value of a lower-case hex digit, -1 for any other. */
const hexValues = new Int8Array(256).fill(-1);
for (let value = 0; value < 16; value++) hexValues["0123456789abcdef".charCodeAt(value)] = value;

/** The bits of the 8 lower-case hex digits between the quotes at `start` and before `end`, as a number of 0 or more; -1 for anything else. */
export function readHexId(bytes: Uint8Array, start: number, end: number): number {
  if (end - start !== ID_LENGTH + 2) return -1;
  let bits = 0;
  let invalid = 0;
  for (let at = start + 1; at < end - 1; at++) {
    const value = hexValues[bytes[at]!]!;
    bits = (bits << 4) | value;
    invalid |= value;
  }
  return invalid < 0 ? -1 : bits >>> 0;
}

/** The day that was read last, and its first millisecond: entries of a session mostly share it. */
const lastDay = new Uint8Array(DAY_LENGTH);
let lastDayTime = Number.NaN;

/**
 * The instant of a time in the form that pi writes, `"2026-01-02T03:04:05.678Z"` with its quotes, in Unix milliseconds: as `parseIsoTime` reads it. NaN
 * for any other form, and for what is no time.
 */
export function readPlainTime(bytes: Buffer, start: number, end: number): number {
  const at = start + 1;
  const isForm =
    end - start === TIME_LENGTH + 2 &&
    bytes[at + 10] === UPPER_T &&
    bytes[at + 13] === COLON &&
    bytes[at + 16] === COLON &&
    bytes[at + 19] === DOT &&
    bytes[at + 23] === UPPER_Z;
  if (!isForm) return Number.NaN;
  const hour = readTwoDigits(bytes, at + 11);
  const minute = readTwoDigits(bytes, at + 14);
  const second = readTwoDigits(bytes, at + 17);
  const hundredths = readTwoDigits(bytes, at + 20);
  const thousandth = bytes[at + 22]! - ZERO;
  if (!(hour <= 23 && minute <= 59 && second <= 59 && hundredths <= 99 && thousandth >= 0 && thousandth <= 9))
    return Number.NaN;
  return readDay(bytes, at) + ((hour * 60 + minute) * 60 + second) * 1000 + hundredths * 10 + thousandth;
}

function readDay(bytes: Buffer, start: number): number {
  let isLast = true;
  for (let place = 0; place < DAY_LENGTH; place++) isLast &&= bytes[start + place] === lastDay[place];
  if (!isLast) {
    lastDayTime = parseIsoTime(`${bytes.toString("latin1", start, start + DAY_LENGTH)}T00:00Z`) ?? Number.NaN;
    lastDay.set(bytes.subarray(start, start + DAY_LENGTH));
  }
  return lastDayTime;
}

/** A number of two decimal digits; NaN for anything else. */
function readTwoDigits(bytes: Uint8Array, at: number): number {
  const tens = bytes[at]! - ZERO;
  const ones = bytes[at + 1]! - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}
