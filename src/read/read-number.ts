const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** The powers of ten that a double holds exactly. */
const powersOfTen = Float64Array.from({ length: 23 }, (_, power) => Number(`1e${power}`));

/**
 * The value of the JSON number that stands in `bytes` from `start` up to `end`: the same double that `JSON.parse` gives.
 *
 * Digits that make a safe integer, divided by a power of ten that a double holds exactly, come to the nearest double, as the one division rounds once.
 * Numbers that are not of that kind are left to `Number`.
 */
export function readNumber(bytes: Buffer, start: number, end: number): number {
  let digits = 0;
  let decimals = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte >= ZERO && byte <= NINE) digits = digits * 10 + (byte - ZERO);
    else if (byte === DOT) decimals = end - at - 1;
    else return Number(bytes.toString("latin1", start, end));
  }
  if (digits > Number.MAX_SAFE_INTEGER || decimals >= powersOfTen.length) {
    return Number(bytes.toString("latin1", start, end));
  }
  return decimals === 0 ? digits : digits / powersOfTen[decimals]!;
}
