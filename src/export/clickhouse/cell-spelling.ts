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
  return spellTime(cell, DATE_TIME_64, 23);
}

function spellSeconds(cell: Cell): Cell {
  return spellTime(cell, DATE_TIME, 19);
}

/** `YYYY-MM-DD hh:mm:ss.sss`, in UTC as the column is, cut to a length. */
function spellTime(cell: Cell, [first, last]: readonly [number, number], length: number): Cell {
  const time = cell as number | null;
  if (time === null || time < first || time > last) return null;
  return new Date(time).toISOString().replace("T", " ").slice(0, length);
}
