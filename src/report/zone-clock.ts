const SLOT_MS = 15 * 60_000;
const DAY_MS = 24 * 60 * 60_000;

const LOCAL_PARTS = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
} as const;

/**
 * Tells the calendar day, week, month and hour of instants in one time zone. Offsets are looked up once a quarter of an hour, since a zone changes
 * its offset at such a boundary, if at all; a slot in which it does change is looked up each time.
 */
export class ZoneClock {
  readonly timeZone: string;
  /** The date last asked for: the calls of a session mostly fall on one day. */
  #lastDate = { day: Number.NaN, text: "" };
  /** Made when it is needed: in many a worker it never is. */
  #format: Intl.DateTimeFormat | undefined;
  /** By slot: the offset in milliseconds, or NaN when it changes within the slot. */
  readonly #offsets = new Map<number, number>();

  /** @throws RangeError for a name that is no time zone. */
  constructor(timeZone: string) {
    this.timeZone = resolveZone(timeZone);
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

  /** How far local time is ahead of UTC, in milliseconds. */
  #offsetAt(time: number): number {
    const second = Math.floor(time / 1000) * 1000;
    this.#format ??= new Intl.DateTimeFormat("en-US", { timeZone: this.timeZone, hourCycle: "h23", ...LOCAL_PARTS });
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
    for (const { type, value } of this.#format.formatToParts(second)) parts[type] = value;
    const local = new Date(0);
    local.setUTCFullYear(Number(parts.year), Number(parts.month) - 1, Number(parts.day));
    local.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
    return local.getTime() - second;
  }
}

/** The last zone that was asked for, and what it is called: to ask takes half a millisecond, and each batch of files has a clock of its own. */
let lastZone = { asked: "UTC", name: "UTC" };

function resolveZone(asked: string): string {
  if (asked !== lastZone.asked) {
    lastZone = { asked, name: new Intl.DateTimeFormat("en", { timeZone: asked }).resolvedOptions().timeZone };
  }
  return lastZone.name;
}

/** The system's time zone; UTC where the system names none that can be used, as with an empty `TZ`. */
export function systemTimeZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  try {
    return new ZoneClock(timeZone).timeZone;
  } catch {
    return "UTC"; // The only thing that can be wrong is the name.
  }
}
