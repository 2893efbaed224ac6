const ISO_8601 =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})\d*)?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)$/;

const DOT = 0x2e;
const COLON = 0x3a;
const UPPER_T = 0x54;
const UPPER_Z = 0x5a;

/** The last millisecond of the year 9999; a message time above it is broken. */
const LAST_MILLISECOND = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The instant of an ISO 8601 string with a time and a zone, in Unix milliseconds; undefined for anything else
 * (a bare date, no zone, the 30th of February, a number).
 */
export function parseIsoTime(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  return parsePlainTime(value) ?? parseAnyTime(value);
}

/** The day that was read last: entries of a session mostly share it. */
const lastDay = { text: "", time: 0 };

/**
 * The form that pi writes, `2026-01-02T03:04:05.678Z`, which stands on nearly every line: read digit by digit in a tenth of the time.
 * Undefined for anything else.
 */
function parsePlainTime(text: string): number | undefined {
  const isForm =
    text.length === 24 &&
    text.charCodeAt(10) === UPPER_T &&
    text.charCodeAt(13) === COLON &&
    text.charCodeAt(16) === COLON &&
    text.charCodeAt(19) === DOT &&
    text.charCodeAt(23) === UPPER_Z;
  if (!isForm) return undefined;
  const hour = parseDigits(text, 11, 13);
  const minute = parseDigits(text, 14, 16);
  const second = parseDigits(text, 17, 19);
  const millisecond = parseDigits(text, 20, 23);
  // NaN fails each of these.
  if (!(hour <= 23 && minute <= 59 && second <= 59 && millisecond >= 0)) return undefined;
  if (!text.startsWith(lastDay.text) || lastDay.text === "") {
    const day = text.slice(0, 10);
    const time = parseAnyTime(`${day}T00:00Z`);
    if (time === undefined) return undefined;
    lastDay.text = day;
    lastDay.time = time;
  }
  return lastDay.time + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond;
}

/** The number that a part of a text spells in decimal digits; NaN when it holds anything else. */
function parseDigits(text: string, start: number, end: number): number {
  let value = 0;
  for (let place = start; place < end; place++) {
    const digit = text.charCodeAt(place) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

function parseAnyTime(text: string): number | undefined {
  const match = ISO_8601.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = "0", fraction = "", sign, zoneHour = "0", zoneMinute = "0"] = match;
  if (+hour! > 23 || +minute! > 59 || +second > 59 || +zoneHour > 23 || +zoneMinute > 59) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(+year!, +month! - 1, +day!);
  if (date.getUTCMonth() !== +month! - 1 || date.getUTCDate() !== +day!) return undefined;
  date.setUTCHours(+hour!, +minute!, +second, Math.floor(+`0.${fraction || 0}` * 1000));
  const zone = (+zoneHour * 60 + +zoneMinute) * 60_000;
  return date.getTime() + (sign === "-" ? zone : -zone);
}

/** A message's own time in Unix milliseconds: a number from 0 to the year 9999; undefined for anything else. */
export function readMessageTime(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= LAST_MILLISECOND ? value : undefined;
}

/** ISO 8601 in UTC with milliseconds, as pi writes it. */
export function formatIsoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
