import type { Cell } from "../row-batch.js";

/** The first and last instants that `DateTime64(3)` holds, in Unix milliseconds. */
const DATE_TIME_64 = [Date.UTC(1900, 0, 1), Date.UTC(2299, 11, 31, 23, 59, 59, 999)] as const;
/** As above, for the plain `DateTime`. */
const DATE_TIME = [0, 0xffff_ffff * 1000 + 999] as const;

const INT64_MAX = 0x7fff_ffff_ffff_ffffn;

/** How cells of a column of this type are spelled; undefined where they are as they are. */
export function cellSpelling(type: string): ((cell: Cell) => Cell) | undefined {
  if (type.includes("DateTime64")) return spellMilliseconds;
  if (type.includes("DateTime")) return spellSeconds;
  if (type.includes("UInt64")) return undefined;
  if (type.includes("Int64")) return spellInteger;
  return type.includes("Bool") || type.includes("UInt8") ? spellBoolean : undefined;
}

/** Whole numbers beyond 64 bits, which only broken files hold, become the nearest that fits. */
function spellInteger(cell: Cell): Cell {
  if (typeof cell !== "number" || Number.isSafeInteger(cell)) return cell;
  const whole = BigInt(Math.trunc(cell));
  if (whole > INT64_MAX) return INT64_MAX.toString();
  return (whole < -INT64_MAX - 1n ? -INT64_MAX - 1n : whole).toString();
}

function spellBoolean(cell: Cell): Cell {
  return cell === null ? null : cell ? 1 : 0;
}

function spellMilliseconds(cell: Cell): Cell {
  return spellTime(cell, DATE_TIME_64, true);
}

function spellSeconds(cell: Cell): Cell {
  return spellTime(cell, DATE_TIME, false);
}

const DAY = 86_400_000;
/** The last day that a time was spelled of: rows that stand together are mostly of one. */
let lastDay = Number.NaN;
let lastDate = "";

/** `YYYY-MM-DD hh:mm:ss`, and `.sss` with milliseconds, in UTC as the column is. */
function spellTime(cell: Cell, [first, last]: readonly [number, number], hasMilliseconds: boolean): Cell {
  const time = cell as number | null;
  if (time === null || time < first || time > last) return null;
  const day = Math.floor(time / DAY);
  if (day !== lastDay) {
    lastDay = day;
    lastDate = new Date(time).toISOString().slice(0, 10);
  }
  const ofDay = time - day * DAY;
  const hours = twoDigits(Math.trunc(ofDay / 3_600_000));
  const minutes = twoDigits(Math.trunc(ofDay / 60_000) % 60);
  const seconds = twoDigits(Math.trunc(ofDay / 1000) % 60);
  const text = `${lastDate} ${hours}:${minutes}:${seconds}`;
  return hasMilliseconds ? `${text}.${String(ofDay % 1000).padStart(3, "0")}` : text;
}

function twoDigits(value: number): string {
  return value < 10 ? `0${value}` : `${value}`;
}
