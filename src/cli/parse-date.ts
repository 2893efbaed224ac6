import { Temporal } from "temporal-polyfill";
import { DATE_FORMS } from "./date-forms.js";

/** What dates are read against. */
export interface Clock {
  /** Unix milliseconds. */
  now: number;
  /** IANA name of the zone that days begin in. */
  timeZone: string;
}

/** The end of a range that a date stands at: a day begins at `since` and is over at `until`. */
export type RangeEnd = "since" | "until";

const DAY = /^(\d{4})(-?)(\d\d)\2(\d\d)$/;
const AGE = /^(\d+)([dwm])$/;
const HOURS = /^(\d+)h$/;
const EXACT = /^\d{4}-?\d\d-?\d\d[t ]\d\d(?::?\d\d(?::?\d\d(?:[.,]\d{1,9})?)?)?(z|[+-]\d\d(?::?\d\d)?)?$/;
const AGE_UNITS = { d: "days", w: "weeks", m: "months" } as const;
/** The furthest instant from 1970 that a date can hold, in milliseconds. */
const LAST_INSTANT = 8.64e15;

/**
 * Reads one end of a date range into Unix milliseconds; both ends are inclusive.
 *
 * A day (`2026-03-01`, `20260301`, `today`, `yesterday`, or an age in days, weeks or months) gives its first millisecond
 * at `since` and its last at `until`, in the clock's zone: a day can last 23 or 25 hours, and needn't begin at midnight.
 * An age in hours and ISO 8601 with a time are exact; without a zone of its own the time is one in the clock's zone
 * (where clocks are set back and it comes twice, the first; where they are set forward and it never comes, as much later).
 * Throws a RangeError that names the valid forms.
 */
export function parseDate(text: string, end: RangeEnd, clock: Clock): number {
  const word = text.trim().toLowerCase();
  try {
    const day = readDay(word, clock);
    if (day !== undefined) {
      return end === "since" ? startOfDay(day, clock) : startOfDay(day.add({ days: 1 }), clock) - 1;
    }
    const instant = readHours(word, clock) ?? readExact(word, clock);
    if (instant !== undefined) return instant;
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new RangeError(`"${text}" is a date that doesn't exist or lies out of range`, { cause });
  }
  throw new RangeError(`"${text}" is no date: give ${DATE_FORMS}`);
}

function readDay(word: string, clock: Clock): Temporal.PlainDate | undefined {
  const [, year, , month, day] = DAY.exec(word) ?? [];
  if (year !== undefined) {
    return Temporal.PlainDate.from({ year: +year, month: +month!, day: +day! }, { overflow: "reject" });
  }
  const today = Temporal.Instant.fromEpochMilliseconds(clock.now).toZonedDateTimeISO(clock.timeZone).toPlainDate();
  if (word === "today") return today;
  if (word === "yesterday") return today.subtract({ days: 1 });
  const [, count, unit] = AGE.exec(word) ?? [];
  return count === undefined ? undefined : today.subtract({ [AGE_UNITS[unit as keyof typeof AGE_UNITS]]: +count });
}

function startOfDay(day: Temporal.PlainDate, { timeZone }: Clock): number {
  return day.toZonedDateTime(timeZone).epochMilliseconds;
}

function readHours(word: string, { now }: Clock): number | undefined {
  const [, hours] = HOURS.exec(word) ?? [];
  if (hours === undefined) return undefined;
  const instant = now - +hours * 3_600_000;
  if (instant < -LAST_INSTANT) throw new RangeError("before the first instant");
  return instant;
}

function readExact(word: string, { timeZone }: Clock): number | undefined {
  const match = EXACT.exec(word);
  if (!match) return undefined;
  if (match[1] !== undefined) return Temporal.Instant.from(word).epochMilliseconds;
  return Temporal.PlainDateTime.from(word).toZonedDateTime(timeZone).epochMilliseconds;
}
