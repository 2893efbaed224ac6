const ISO_8601 =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})\d*)?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)$/;

/** The last millisecond of the year 9999; a message time above it is broken. */
const LAST_MILLISECOND = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The instant of an ISO 8601 string with a time and a zone, in Unix milliseconds; undefined for anything else
 * (a bare date, no zone, the 30th of February, a number).
 */
export function parseIsoTime(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const match = ISO_8601.exec(value);
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
