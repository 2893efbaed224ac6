import { isUtf8 } from "node:buffer";
import { BareEntry } from "../format/bare-entry.js";
import { isEntry, type SessionEntry } from "../format/entry.js";
import type { TruncatedString } from "../format/entry-record.js";
import { headerVersion, isSessionHeader, type SessionHeader } from "../format/header.js";
import { describeValue, isJsonObject } from "../format/json.js";
import type { DamageCode, OddityCode, Problem } from "../format/problem.js";
import { findEntryOddities, findHeaderOddities } from "./find-entry-oddities.js";
import { scanner } from "./json-scanner.js";
import { END, LACKS_IDS, LEAVES_USERS, START, WANTS_CALLS, WANTS_RECORDS } from "./kernel/layout.js";
import { type LeanWants, readBareOrLeanEntry, readLeanEntry } from "./lean-entry.js";
import { LineEnds } from "./line-ends.js";
import type { LineRun, LineSink } from "./line-splitter.js";
import { LongLineParser } from "./long-line-parser.js";
import { fillBareRecord, RECORD_WORDS } from "./plain-entry.js";
import type { PlainRun, PlainTally } from "./plain-tally.js";
import {
  RECOVERY_WINDOW_BYTES,
  type RecoveredEntry,
  recoverEntries,
  recoverEntriesFromEnds,
} from "./recover-entries.js";
import { isShallowObject, isWholeObject } from "./whole-object.js";

/** How many parsable lines may stand before the header. */
const HEADER_WITHIN_LINES = 16;

/** A line of more bytes is parsed only when it is a whole object, and none that nests too deep; else it is read as one that is too long to hold. */
const UNPARSED_BYTES = 64 * 1024;

/** Takes what a session file holds, in file order. */
export interface EntrySink {
  /** Comes once, before the first entry. */
  header(header: SessionHeader, line: number, byteOffset: number, byteLength: number): void;
  /** `ordinal` counts the parsed objects from the header as 0. The entry is the sink's to keep and to change. */
  entry(
    entry: SessionEntry,
    line: number,
    byteOffset: number,
    byteLength: number,
    ordinal: number,
    truncated: TruncatedString[] | undefined,
  ): void;
  problem?(problem: Problem): void;
  /** Where it is there, and only links or calls are wanted, it takes the entries that need no more: lent for the length of the call. */
  bare?(entry: BareEntry, line: number, byteOffset: number, byteLength: number, ordinal: number): void;
  /** Where it is there, and calls are wanted, it adds up those of the bare entries that it can, and `tallied` takes what they come to. */
  readonly tally?: PlainTally | undefined;
  /** How `tally` is to be used: bits of the kernel's layout. */
  readonly tallyWants?: number;
  tallied?(run: PlainRun, ordinal: number): void;
  /** Comes before each run of `tally`; `ordinal` is that of the run's first entry, as in `tallied`. */
  prepareRun?(ordinal: number): void;
}

/** What a reading saw. */
export interface ReadCounts {
  bytes: number;
  lines: number;
  /** Lines of nothing but white space. */
  blank: number;
  entries: number;
  /** Physical lines that are damaged, whether or not entries were recovered from them. */
  damaged: number;
}

export interface EntryParserOptions {
  /** Entries without their payload, much faster: see `readLeanEntry`. Default: whole entries. */
  lean?: LeanWants;
  /** Also names the oddities of single entries, which costs another look at each. Default false. */
  oddities?: boolean;
  /** The header, for a parser that goes on behind it; entries count on from it as number 0. */
  header?: SessionHeader;
  /** Reads bytes of the file once more. With it, damaged long lines cost memory only when they are met. */
  reread?: (byteOffset: number, byteLength: number) => Buffer;
}

/** A whole entry found on a damaged line; `start` and `end` count from the line's begin, behind a byte order mark. */
interface Recovered extends RecoveredEntry {
  /** True, too, where nobody asked. */
  isUtf8: boolean;
}

/**
 * Turns lines into entries: finds the header, parses each line (long ones as a token stream), recovers whole entries from damaged lines, and reports
 * what is wrong and where. It never throws on what a file holds; when the file is no session, `rejection` says why and later lines are passed over.
 * Memory: one line.
 */
export class EntryParser implements LineSink {
  /** What the parser leaves out of lean entries; may be changed between lines. */
  lean: LeanWants | undefined;
  /** Whether the sink's `bare` may be used: where nothing that it tells has to be migrated. */
  takesBare = false;
  /** Whether bare entries are those without `id` and `parentId`, as in version 1: their ids are still to be made. */
  lacksIds = false;
  /** Set when nothing more is wanted: later lines are passed over without a look. */
  isStopped = false;
  readonly counts: ReadCounts = { bytes: 0, lines: 0, blank: 0, entries: 0, damaged: 0 };
  readonly #sink: EntrySink;
  readonly #oddities: boolean;
  readonly #reread: EntryParserOptions["reread"];
  #rejection: { reason: string; line: number; byteOffset: number } | undefined;
  #version: number | undefined;
  /** Parsed objects since the header, which is number 0. */
  #ordinal = 0;
  #parsableLines = 0;
  #longLine: LongLine | undefined;
  readonly #bare = new BareEntry();
  readonly #run: LineRun = { count: 0, end: 0 };

  constructor(sink: EntrySink, options: EntryParserOptions = {}) {
    this.#sink = sink;
    this.lean = options.lean;
    this.#oddities = options.oddities ?? false;
    this.#reread = options.reread;
    if (options.header) this.#version = headerVersion(options.header);
  }

  /** Why the file is no session, and the line that told; undefined as long as it may be one. */
  get rejection(): { reason: string; line: number; byteOffset: number } | undefined {
    return this.#rejection;
  }

  line(bytes: Buffer, start: number, end: number, line: number, byteOffset: number, terminated: boolean): void {
    if (this.#rejection || this.isStopped) return;
    if (end - start > UNPARSED_BYTES && !this.#canParse(bytes, skipMark(bytes, start, end, line), end)) {
      this.longLine(bytes, start, end, line, byteOffset, true, terminated);
      return;
    }
    this.counts.bytes += end - start + (terminated ? 1 : 0);
    this.counts.lines++;
    const first = skipMark(bytes, start, end, line);
    const from = skipSpace(bytes, first, end);
    const to = skipSpaceBack(bytes, from, end);
    if (from === to) {
      this.counts.blank++;
      return;
    }
    const lineOffset = byteOffset + first - start;
    const value = this.#parse(bytes, from, to);
    if (value === this.#bare) {
      this.counts.entries++;
      this.#sink.bare!(this.#bare, line, byteOffset + from - start, to - from, ++this.#ordinal);
      return;
    }
    if (isEntry(value)) {
      const at = byteOffset + from - start;
      if (this.#oddities) this.#findByteOddities(isUtf8(bytes.subarray(from, to)), line, at, terminated);
      this.#countParsable();
      this.#take(value, line, at, to - from, undefined);
    } else if (value !== undefined) {
      this.#notAnEntry(value, line, lineOffset);
    } else {
      const damaged = bytes.subarray(first, end);
      const recovered = recoverEntries(damaged).map((found) => ({
        ...found,
        isUtf8: !this.#oddities || isUtf8(damaged.subarray(found.start, found.end)),
      }));
      this.#recover(recovered, line, lineOffset, terminated, isNulOnly(damaged));
    }
    this.#checkHeaderInTime(line, byteOffset);
  }

  /** Takes the lines that only bare entries are made of, sooner than one by one. */
  lines(bytes: Buffer, start: number, end: number, line: number, byteOffset: number): LineRun {
    const run = this.#run;
    run.count = 0;
    run.end = start;
    const wants = this.#plainWants();
    const shift = byteOffset - start - bytes.byteOffset;
    while (wants !== 0 && !this.isStopped) {
      const from = run.end;
      const { tally } = this.#sink;
      if (tally) this.#sink.prepareRun!(this.#ordinal + 1);
      const count = tally
        ? this.#takeTallied(tally.takeLines(bytes, from, end, wants | this.#sink.tallyWants!), shift, line + run.count)
        : this.#takeRecords(scanner.takePlainLines(bytes, from, end, wants), 0, shift, line + run.count);
      if (count === 0) break;
      run.end = scanner.found.runEnd[0]! - bytes.byteOffset;
      run.count += count;
      this.counts.bytes += run.end - from;
    }
    return run;
  }

  longLine(
    bytes: Buffer,
    start: number,
    end: number,
    line: number,
    byteOffset: number,
    last: boolean,
    terminated: boolean,
  ): void {
    if (this.#rejection || this.isStopped) return;
    this.counts.bytes += end - start + (terminated ? 1 : 0);
    this.#longLine ??= new LongLine(line === 1, this.#reread === undefined, this.#oddities);
    this.#longLine.push(bytes.subarray(start, end));
    if (!last) return;
    const long = this.#longLine;
    this.#longLine = undefined;
    this.counts.lines++;
    const parsed = long.end();
    if (long.isBlank) this.counts.blank++;
    else this.#endLongLine(long, parsed, line, byteOffset + long.markLength, terminated);
    this.#checkHeaderInTime(line, byteOffset);
  }

  /** What is wanted of plain lines, where they may be taken at once; else 0. */
  #plainWants(): number {
    const { lean } = this;
    if (!this.takesBare || this.#oddities || (lean !== "calls" && lean !== "texts")) return 0;
    return WANTS_CALLS | (lean === "calls" ? 0 : LEAVES_USERS) | (this.lacksIds ? LACKS_IDS : 0);
  }

  /** Returns how many lines the run had, with the one that is left over. */
  #takeTallied(run: PlainRun, shift: number, line: number): number {
    const { lines, calls, hasRest } = run;
    this.counts.lines += lines;
    this.counts.entries += lines;
    if (lines > 0) this.#sink.tallied!(run, this.#ordinal + 1);
    this.#ordinal += lines;
    if (hasRest) this.#takeRecords(1, (this.#sink.tallyWants! & WANTS_RECORDS) === 0 ? 0 : calls, shift, line + lines);
    return lines + (hasRest ? 1 : 0);
  }

  /** Takes so many records from one on; `shift` is what must be added to a place in the scanner's bytes to come to one in the file. Returns the count. */
  #takeRecords(count: number, first: number, shift: number, line: number): number {
    const { recordWords: words } = scanner.found;
    for (let record = first; record < first + count && !this.isStopped; record++) {
      fillBareRecord(this.#bare, record);
      const start = words[record * RECORD_WORDS + START]!;
      const end = words[record * RECORD_WORDS + END]!;
      this.#sink.bare!(this.#bare, line + record - first, start + shift, end - start, ++this.#ordinal);
    }
    this.counts.lines += count;
    this.counts.entries += count;
    return count;
  }

  /** Ends the file: one in which no header was found is no session. */
  end(): void {
    if (this.#version === undefined && !this.#rejection) {
      const { lines, blank } = this.counts;
      this.#rejection = {
        reason: lines === blank ? "the file is empty" : "there is no session header",
        line: 1,
        byteOffset: 0,
      };
    }
  }

  /** Whether a large line can be parsed as `#parse` does it without taking many times its size in memory. */
  #canParse(bytes: Buffer, start: number, end: number): boolean {
    const isLean = this.lean !== undefined && this.#version !== undefined;
    return isLean ? isWholeObject(bytes, start, end) : isShallowObject(bytes, start, end);
  }

  #parse(bytes: Buffer, start: number, end: number): unknown {
    // The header is wanted whole.
    if (this.lean && this.#version !== undefined) {
      const { lean } = this;
      const entry =
        this.takesBare && !this.lacksIds && (lean === "links" || lean === "calls")
          ? readBareOrLeanEntry(bytes, start, end, lean, this.#bare)
          : readLeanEntry(bytes, start, end, lean);
      if (entry) return entry;
    }
    try {
      return JSON.parse(bytes.toString("utf8", start, end)) as unknown;
    } catch {
      return undefined; // Damage is data: the caller recovers what it can and reports the line.
    }
  }

  #endLongLine(
    long: LongLine,
    parsed: ReturnType<LongLine["end"]>,
    line: number,
    lineOffset: number,
    terminated: boolean,
  ): void {
    if (parsed && isEntry(parsed.value)) {
      const at = lineOffset + long.leading;
      if (this.#oddities) this.#findByteOddities(long.isUtf8, line, at, terminated);
      this.#countParsable();
      const truncated = parsed.truncated.length > 0 ? parsed.truncated : undefined;
      this.#take(parsed.value, line, at, long.length - long.leading - long.trailing, truncated);
    } else if (parsed) {
      this.#notAnEntry(parsed.value, line, lineOffset);
    } else {
      this.#recover(this.#recoverFromEnds(long, lineOffset), line, lineOffset, terminated, long.isNul);
    }
  }

  #recoverFromEnds({ length, ends }: LongLine, lineOffset: number): Recovered[] {
    const tailOffset = Math.max(0, length - RECOVERY_WINDOW_BYTES);
    const head = this.#reread?.(lineOffset, Math.min(length, RECOVERY_WINDOW_BYTES)) ?? ends!.head();
    const tail = this.#reread?.(lineOffset + tailOffset, length - tailOffset) ?? ends!.tail().bytes;
    return recoverEntriesFromEnds(head, tail, tailOffset).map((found) => {
      const { start, end } = found;
      const bytes =
        end <= head.length ? head.subarray(start, end) : tail.subarray(start - tailOffset, end - tailOffset);
      return { ...found, isUtf8: !this.#oddities || isUtf8(bytes) };
    });
  }

  /** Takes one whole object of the file: the header, a record before it, a second header, or an entry. */
  #take(
    value: SessionEntry | SessionHeader,
    line: number,
    byteOffset: number,
    byteLength: number,
    truncated: TruncatedString[] | undefined,
  ): void {
    if (this.#rejection) return;
    if (this.#version === undefined) {
      this.#takeBeforeHeader(value, line, byteOffset, byteLength);
      return;
    }
    this.#ordinal++;
    if (isSessionHeader(value)) {
      this.#odd(
        "second-header",
        `a second header, of session ${describeValue(value.id)}, is passed over`,
        line,
        byteOffset,
      );
      return;
    }
    this.counts.entries++;
    if (this.#oddities) {
      for (const { code, message } of findEntryOddities(value, this.#version))
        this.#odd(code, message, line, byteOffset);
    }
    this.#sink.entry(value, line, byteOffset, byteLength, this.#ordinal, truncated);
  }

  #takeBeforeHeader(value: SessionEntry | SessionHeader, line: number, byteOffset: number, byteLength: number): void {
    if (isSessionHeader(value)) {
      this.#version = headerVersion(value);
      this.#sink.header(value, line, byteOffset, byteLength);
      if (!this.#sink.problem) return;
      for (const { code, message } of findHeaderOddities(value)) this.#odd(code, message, line, byteOffset);
    } else if (typeof value.id === "string") {
      this.#rejection = { reason: "an entry stands before any session header", line, byteOffset };
    } else {
      this.#odd(
        "record-before-header",
        `a ${describeValue(value.type)} record before the header is passed over`,
        line,
        byteOffset,
      );
    }
  }

  #notAnEntry(value: unknown, line: number, byteOffset: number): void {
    this.#damage("not-an-entry", "the line is JSON, but no object with a type", line, byteOffset);
    this.#countParsable();
    if (this.#version !== undefined && isJsonObject(value)) this.#ordinal++;
  }

  #recover(
    recovered: readonly Recovered[],
    line: number,
    byteOffset: number,
    terminated: boolean,
    isNul: boolean,
  ): void {
    const found = recovered.length === 0 ? "" : `; whole entries recovered from it: ${recovered.length}`;
    if (isNul) this.#damage("nul-bytes", "the line is nothing but NUL bytes", line, byteOffset);
    else if (terminated) this.#damage("broken-line", `the line is no JSON${found}`, line, byteOffset);
    else this.#damage("torn-tail", `the last line is half written${found}`, line, byteOffset);
    if (recovered.length > 0) this.#countParsable();
    for (const { entry, start, end, isUtf8 } of recovered) {
      this.#findByteOddities(isUtf8, line, byteOffset + start, true);
      this.#take(entry, line, byteOffset + start, end - start, undefined);
    }
  }

  #countParsable(): void {
    if (this.#version === undefined) this.#parsableLines++;
  }

  #checkHeaderInTime(line: number, byteOffset: number): void {
    if (this.#version !== undefined || this.#rejection || this.#parsableLines < HEADER_WITHIN_LINES) return;
    const reason = `there is no session header among the first ${HEADER_WITHIN_LINES} lines`;
    this.#rejection = { reason, line, byteOffset };
  }

  #findByteOddities(isWholeUtf8: boolean, line: number, byteOffset: number, terminated: boolean): void {
    if (!terminated) this.#odd("no-final-newline", "the last line has no newline", line, byteOffset);
    if (!isWholeUtf8) this.#odd("invalid-utf8", "bytes that are no UTF-8 are read as U+FFFD", line, byteOffset);
  }

  #damage(code: DamageCode, message: string, line: number, byteOffset: number): void {
    this.counts.damaged++;
    this.#sink.problem?.({ line, byteOffset, severity: "damage", code, message });
  }

  #odd(code: OddityCode, message: string, line: number, byteOffset: number): void {
    this.#sink.problem?.({ line, byteOffset, severity: "oddity", code, message });
  }
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** A line above `maxLineBytes` on its way through, piece by piece. A byte order mark at its begin does not count as part of it. */
class LongLine {
  readonly #parser = new LongLineParser();
  /** What recovery may need, where the line can't be read a second time. */
  readonly ends: LineEnds | undefined;
  /** Bytes of a byte order mark: 0 or 3. */
  markLength = 0;
  length = 0;
  /** White space at the line's begin and end. */
  leading = 0;
  trailing = 0;
  isBlank = true;
  isNul = true;
  isUtf8 = true;
  /** How much of a byte order mark has come by; all of it, where none can be. */
  #matched: number;
  readonly #utf8: InstanceType<typeof TextDecoder> | undefined;

  constructor(isFirstLine: boolean, keepEnds: boolean, checkUtf8: boolean) {
    this.#matched = isFirstLine ? 0 : BYTE_ORDER_MARK.length;
    this.ends = keepEnds ? new LineEnds(RECOVERY_WINDOW_BYTES) : undefined;
    this.#utf8 = checkUtf8 ? new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }) : undefined;
  }

  push(piece: Buffer): void {
    let from = 0;
    while (this.#matched < BYTE_ORDER_MARK.length && from < piece.length) {
      if (piece[from] === BYTE_ORDER_MARK[this.#matched]) {
        this.#matched++;
        from++;
        if (this.#matched === BYTE_ORDER_MARK.length) this.markLength = BYTE_ORDER_MARK.length;
      } else {
        this.#take(BYTE_ORDER_MARK.subarray(0, this.#matched)); // The front of a mark alone is text like any other.
        this.#matched = BYTE_ORDER_MARK.length;
      }
    }
    this.#take(piece.subarray(from));
  }

  end(): ReturnType<LongLineParser["end"]> {
    if (this.#matched < BYTE_ORDER_MARK.length) this.#take(BYTE_ORDER_MARK.subarray(0, this.#matched));
    this.#checkUtf8(undefined);
    return this.#parser.end();
  }

  #take(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.length += bytes.length;
    this.isNul &&= isNulOnly(bytes);
    const text = skipSpace(bytes, 0, bytes.length);
    if (this.isBlank) this.leading += text;
    if (text < bytes.length) {
      this.isBlank = false;
      this.trailing = bytes.length - skipSpaceBack(bytes, text, bytes.length);
    } else {
      this.trailing += bytes.length;
    }
    this.#checkUtf8(bytes);
    this.ends?.push(bytes);
    this.#parser.push(bytes);
  }

  #checkUtf8(piece: Buffer | undefined): void {
    if (!this.#utf8 || !this.isUtf8) return;
    try {
      this.#utf8.decode(piece, { stream: piece !== undefined });
    } catch {
      this.isUtf8 = false; // The decoder has no other way to tell.
    }
  }
}

function skipByteOrderMark(bytes: Buffer, start: number, end: number): number {
  const from = start + BYTE_ORDER_MARK.length;
  return from <= end && BYTE_ORDER_MARK.equals(bytes.subarray(start, from)) ? from : start;
}

/** Where a line begins behind a byte order mark, which may stand in the first one alone. */
function skipMark(bytes: Buffer, start: number, end: number, line: number): number {
  return line === 1 ? skipByteOrderMark(bytes, start, end) : start;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

function skipSpace(bytes: Buffer, start: number, end: number): number {
  let at = start;
  while (at < end && isSpace(bytes[at])) at++;
  return at;
}

function skipSpaceBack(bytes: Buffer, start: number, end: number): number {
  let at = end;
  while (at > start && isSpace(bytes[at - 1])) at--;
  return at;
}

function isNulOnly(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== 0) return false;
  return bytes.length > 0;
}
