import type { StoredUsage } from "../format/usage.js";
import { readNumber } from "./read-number.js";

const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const CLOSE_BRACE = 0x7d;

/** What stands before each number of a usage object as pi writes it. Old files lack the total. */
const pieces = [
  '{"input":',
  ',"output":',
  ',"cacheRead":',
  ',"cacheWrite":',
  ',"totalTokens":',
  ',"cost":{"input":',
  ',"output":',
  ',"cacheRead":',
  ',"cacheWrite":',
  ',"total":',
].map((piece) => Buffer.from(piece));
const TOTAL_TOKENS = 4;

const numbers = new Float64Array(pieces.length);

/**
 * The usage object that stands in `bytes` from `start` up to `end`, if it is written just as pi writes one without further members; undefined for any
 * other JSON. Equal to what `JSON.parse` gives, in a third of the time.
 */
export function readPlainUsage(bytes: Buffer, start: number, end: number): StoredUsage | undefined {
  let at = start;
  let hasTotal = true;
  for (let i = 0; i < pieces.length; i++) {
    if (!isPiece(pieces[i]!, bytes, at)) {
      if (i !== TOTAL_TOKENS) return undefined;
      hasTotal = false;
      continue;
    }
    const number = at + pieces[i]!.length;
    at = numberEnd(bytes, number);
    if (at === number) return undefined;
    numbers[i] = readNumber(bytes, number, at);
  }
  if (bytes[at] !== CLOSE_BRACE || bytes[at + 1] !== CLOSE_BRACE || at + 2 !== end) return undefined;
  const cost = {
    input: numbers[5]!,
    output: numbers[6]!,
    cacheRead: numbers[7]!,
    cacheWrite: numbers[8]!,
    total: numbers[9]!,
  };
  const usage: StoredUsage = {
    input: numbers[0]!,
    output: numbers[1]!,
    cacheRead: numbers[2]!,
    cacheWrite: numbers[3]!,
    cost,
  };
  if (hasTotal) usage.totalTokens = numbers[TOTAL_TOKENS]!;
  return usage;
}

function isPiece(piece: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < piece.length; i++) {
    if (bytes[start + i] !== piece[i]) return false;
  }
  return true;
}

/** Behind a number that begins here; `start` when another value does. */
function numberEnd(bytes: Uint8Array, start: number): number {
  const first = bytes[start]!;
  if (first !== MINUS && (first < ZERO || first > NINE)) return start;
  let at = start;
  while (bytes[at] !== COMMA && bytes[at] !== CLOSE_BRACE) at++;
  return at;
}
