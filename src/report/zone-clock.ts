import { Temporal } from "temporal-polyfill";

const SLOT_MS = 15 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

/**
 * Tells the calendar day, week, month and hour of instants in one time zone. Offsets are looked up once a quarter of an hour, since a zone changes
 * its offset at such a boundary, if at all; a slot in which it does change is looked up each time.
 */
export class ZoneClock {
  readonly timeZone: string;
  /** The date last asked for: the calls of a session mostly fall on one day. */
  #lastDate = { day: Number.NaN, text: "" };
  /** By slot: the offset in milliseconds, or NaN when it changes within the slot. */
  readonly #offsets = new Map<number, number>();

  /** @throws RangeError for a name that is no time zone. */
  constructor(timeZone: string) {
    this.timeZone = new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone;
  }

  /** `YYYY-MM-DD`. */
  day(time: number): string {
    return this.#date(this.#local(time));
  }

  /** The date of the week's Monday. */
  week(time: number): string {
    const days = Math.floor(this.#local(time) / DAY_MS);
    return this.#date((days - ((((days + 3) % 7) + 7) % 7)) * DAY_MS); // Day 0 of the epoch was a Thursday.
  }

  /** `YYYY-MM`. */
  month(time: number): string {
    return this.day(time).slice(0, -3);
  }

  /** `YYYY-MM-DDTHH:00`. */
  hour(time: number): string {
    const local = new Date(this.#local(time)).toISOString();
    return `${local.slice(0, local.indexOf(":"))}:00`;
  }

  #date(local: number): string {
    const day = Math.floor(local / DAY_MS);
    if (day !== this.#lastDate.day) {
      const iso = new Date(day * DAY_MS).toISOString();
      this.#lastDate = { day, text: iso.slice(0, iso.indexOf("T")) };
    }
    return this.#lastDate.text;
  }

  #local(time: number): number {
    const slot = Math.floor(time / SLOT_MS);
    let offset = this.#offsets.get(slot);
    if (offset === undefined) {
      offset = this.#offsetAt(slot * SLOT_MS);
      if (offset !== this.#offsetAt((slot + 1) * SLOT_MS - 1)) offset = Number.NaN;
      this.#offsets.set(slot, offset);
    }
    return time + (Number.isNaN(offset) ? this.#offsetAt(time) : offset);
  }

  #offsetAt(time: number): number {
    return (
      Temporal.Instant.fromEpochMilliseconds(Math.floor(time)).toZonedDateTimeISO(this.timeZone).offsetNanoseconds / 1e6
    );
  }
}
