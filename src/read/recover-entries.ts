import { isEntry, type SessionEntry } from "../format/entry.js";
import type { SessionHeader } from "../format/header.js";

/** How much of either end of a damaged line is searched: 16 MiB. */
export const RECOVERY_WINDOW_BYTES = 16 * 1024 * 1024;

/** An entry nested deeper is not recovered: V8 takes about 80 bytes a level to parse it, so 16 MiB of brackets would cost more than a gigabyte. */
const MAX_NESTING = 100_000;

/** A whole entry on a damaged line. */
export interface RecoveredEntry {
  entry: SessionEntry | SessionHeader;
  /** Where its bytes begin in the line, and where they end (exclusive). */
  start: number;
  end: number;
}

const NUL = 0x00;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * The whole entries of a line that is no JSON, in their order: those at its front, then those from the first place from which the rest of the line
 * is nothing but whole entries. NUL bytes and white space around them don't count. An entry is recovered only when it has a string `type` and a
 * string `timestamp`: the content blocks that a torn line is full of have no such time. Bytes that are no UTF-8 are read as U+FFFD.
 *
 * Linear in the line. Of a line longer than `windowBytes` only the first and the last `windowBytes` are searched.
 */
export function recoverEntries(line: Buffer, windowBytes = RECOVERY_WINDOW_BYTES): RecoveredEntry[] {
  if (line.length <= windowBytes) return recoverEntriesFromEnds(line, line, 0);
  const tailOffset = line.length - windowBytes;
  return recoverEntriesFromEnds(line.subarray(0, windowBytes), line.subarray(tailOffset), tailOffset);
}

/**
 * As `recoverEntries`, for a line too long to hold: `head` is how it begins and `tail`, which stands at `tailOffset` of the line, how it ends. They
 * may overlap; no entry is given twice. An entry that lies whole in neither is not found. `start` and `end` count from the line's beginning.
 */
export function recoverEntriesFromEnds(head: Buffer, tail: Buffer, tailOffset: number): RecoveredEntry[] {
  const front = recoverFront(head);
  const frontEnd = front.at(-1)?.end ?? 0;
  const back = recoverBack(tail, Math.max(0, frontEnd - tailOffset));
  for (const recovered of back) {
    recovered.start += tailOffset;
    recovered.end += tailOffset;
  }
  return front.concat(back);
}

/** The whole entries at the front of `bytes`. */
function recoverFront(bytes: Buffer): RecoveredEntry[] {
  const found: RecoveredEntry[] = [];
  let start = 0;
  for (;;) {
    while (start < bytes.length && isBlank(bytes[start])) start++;
    const end = findObjectEnd(bytes, start);
    const entry = parseEntry(bytes, start, end);
    if (!entry) return found;
    found.push({ entry, start, end });
    start = end;
  }
}

/**
 * The longest row of whole entries, at `floor` or behind it, that reaches to the end of `bytes`.
 *
 * It is built from its end, and never has a choice, since at most one whole object ends at a given `}`. Suppose that two did, one beginning later. If
 * that one began outside the strings of the other, it would be nested in it, and end before it. If it began inside a string of the other, the two
 * would disagree from there on about what is inside a string and what is not. A backslash stands only inside strings, so there could be none; then
 * each quote changes the side for both, and at the `}` they would disagree still: one of them would end inside a string.
 *
 * Hence the row is the only one of its length, and where it breaks off is the first place from which the rest is nothing but whole entries. Each step
 * takes bytes of its own, and the first that fails is the last: linear.
 */
function recoverBack(bytes: Buffer, floor: number): RecoveredEntry[] {
  const found: RecoveredEntry[] = [];
  let end = bytes.length;
  for (;;) {
    while (end > floor && isBlank(bytes[end - 1])) end--;
    const start = findObjectStart(bytes, end, floor);
    const entry = parseEntry(bytes, start, end);
    if (!entry) return found.reverse();
    found.push({ entry, start, end });
    end = start;
  }
}

/** The end (exclusive) of the object that begins at `start`; `start` when none does. It is whole only if it parses. */
function findObjectEnd(bytes: Buffer, start: number): number {
  if (bytes[start] !== OPEN_BRACE) return start;
  let depth = 0;
  for (let at = start; at < bytes.length && depth <= MAX_NESTING; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = findClosingQuote(bytes, at + 1);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth++;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (--depth === 0) return at + 1;
        break;
    }
  }
  return start;
}

/** The quote that closes the string whose text begins at `from`; the length of `bytes` when it stays open. */
function findClosingQuote(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/**
 * The beginning, at `floor` or behind it, of the object that ends at `end` (exclusive); `end` when there is none. It is whole only if it parses; if a
 * whole object ends there, this is it, since the walk then meets that object's own quotes and brackets in reverse.
 */
function findObjectStart(bytes: Buffer, end: number, floor: number): number {
  if (bytes[end - 1] !== CLOSE_BRACE) return end;
  let depth = 0;
  for (let at = end - 1; at >= floor && depth <= MAX_NESTING; at--) {
    switch (bytes[at]) {
      case QUOTE:
        at = findOpeningQuote(bytes, at - 1, floor);
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth++;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        if (--depth === 0) return at;
        break;
    }
  }
  return end;
}

/**
 * The quote that opens the string whose text ends at `from`; a place below `floor` when there is none. It is the nearest one behind an even number of
 * backslashes: quotes in the text are escaped and stand behind an odd number. A run of backslashes is counted once, for the quote behind it: linear.
 */
function findOpeningQuote(bytes: Buffer, from: number, floor: number): number {
  let at = from;
  while (at >= floor) {
    if (bytes[at] !== QUOTE) {
      at--;
      continue;
    }
    let before = at - 1;
    while (before >= floor && bytes[before] === BACKSLASH) before--;
    if ((at - 1 - before) % 2 === 0) return at;
    at = before;
  }
  return at;
}

/** What stands between `start` and `end`, when it is one whole entry. */
function parseEntry(bytes: Buffer, start: number, end: number): RecoveredEntry["entry"] | undefined {
  if (start === end) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString("utf8", start, end));
  } catch {
    return undefined; // no JSON, hence no entry; the line is reported as damage anyway
  }
  return isEntry(value) && typeof value.timestamp === "string" ? value : undefined;
}

/** Whether a byte may stand between entries: NUL or JSON's white space. */
function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === NUL || byte === TAB || byte === LINE_FEED || byte === CARRIAGE_RETURN;
}
