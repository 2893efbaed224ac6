/**
 * A second reader of session files, slow and plain on purpose: the judge in tests of the real one, with which it shares no code. It holds the whole file,
 * splits it at newlines, asks `JSON.parse` for everything, and tries every place where something may begin. Lines of some kilobytes are its limit.
 */
import type { JsonObject } from "../../src/format/json.js";

/** A place in a file: the physical line, 1-based, and the offset of a byte. */
export interface PlainSpot {
  line: number;
  byteOffset: number;
}

/** An object of a file; its own bytes go from its `{` to its `}`. */
export interface PlainEntry extends PlainSpot {
  entry: JsonObject;
  byteLength: number;
}

export interface PlainFile {
  /** When false, everything below but `bytes` is empty: a file that is no session has neither entries nor damage. */
  isSession: boolean;
  bytes: Buffer;
  /** The first header, as it stands in the file. */
  header: PlainEntry | null;
  /** The version that the header's `version` is read as. */
  version: number;
  /** As version 3. Ids that version 1 lacks are `made-<number>`; the library makes others, so only what they link can be compared. */
  entries: PlainEntry[];
  /** The places of damaged lines: where the line begins, behind a byte order mark. */
  damage: PlainSpot[];
  recordsBeforeHeader: PlainEntry[];
  laterHeaders: PlainEntry[];
  /** Entries whose bytes are no whole UTF-8. */
  invalidUtf8: PlainEntry[];
  /** Whether the last line is a whole entry that no newline ends. */
  lacksFinalNewline: boolean;
  lines: number;
  blankLines: number;
}

/** What one physical line says. */
interface PlainLine extends PlainSpot {
  kind: "blank" | "whole" | "damaged";
  /** Whether the line is JSON, or JSON was recovered from it. */
  isParsable: boolean;
  /** Objects that count for `firstKeptEntryIndex`: the entries, and an object that is the whole line but lacks a type. */
  objects: PlainEntry[];
  hasNewline: boolean;
}

const NUL = 0x00;
const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a line that is JSON is an entry (or a header). */
const isEntry = (value: unknown): value is JsonObject => isObject(value) && typeof value.type === "string";

/** Whether JSON found on a damaged line is an entry (or a header): content blocks have a type, but no time. */
const isRecoverable = (value: unknown): value is JsonObject => isEntry(value) && typeof value.timestamp === "string";

const isHeader = (value: JsonObject): boolean => value.type === "session" && typeof value.id === "string";

/** A session file, read by every rule for lines, headers and versions. */
export function readPlainly(bytes: Buffer): PlainFile {
  const lines = readLines(bytes);
  const empty = { bytes, entries: [], damage: [], recordsBeforeHeader: [], laterHeaders: [], invalidUtf8: [] };
  const header = findHeader(lines);
  if (header === null) {
    return { ...empty, isSession: false, header, version: 0, lacksFinalNewline: false, lines: 0, blankLines: 0 };
  }

  const objects = lines.flatMap((line) => line.objects);
  const counted = objects.slice(objects.indexOf(header));
  const typed = objects.filter((found) => isEntry(found.entry));
  const version = readVersion(header.entry);
  const last = lines.at(-1)!;
  return {
    isSession: true,
    bytes,
    header,
    version,
    entries:
      version === 1
        ? migrateFirstVersion(counted)
        : counted.filter(isEntryRecord).map(version === 2 ? migrateSecondVersion : keep),
    damage: lines.filter((line) => line.kind === "damaged").map(({ line, byteOffset }) => ({ line, byteOffset })),
    recordsBeforeHeader: typed.slice(0, typed.indexOf(header)),
    laterHeaders: counted.slice(1).filter((found) => isHeader(found.entry)),
    invalidUtf8: typed.filter(
      (found) => !isValidUtf8(bytes.subarray(found.byteOffset, found.byteOffset + found.byteLength)),
    ),
    lacksFinalNewline: last.kind === "whole" && !last.hasNewline,
    lines: lines.length,
    blankLines: lines.filter((line) => line.kind === "blank").length,
  };
}

function readLines(bytes: Buffer): PlainLine[] {
  const lines: PlainLine[] = [];
  let start = 0;
  while (start < bytes.length) {
    const newline = bytes.indexOf(NEWLINE, start);
    const end = newline === -1 ? bytes.length : newline;
    const isMarked = start === 0 && bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf]));
    lines.push(readLine(bytes, lines.length + 1, isMarked ? 3 : start, end, newline !== -1));
    start = end + 1;
  }
  return lines;
}

function readLine(bytes: Buffer, line: number, start: number, end: number, hasNewline: boolean): PlainLine {
  const content = bytes.subarray(start, end);
  const place = (found: Piece): PlainEntry => ({
    entry: found.value,
    line,
    byteOffset: start + found.start,
    byteLength: found.end - found.start,
  });
  const base = { line, byteOffset: start, hasNewline };
  if (content.every((byte) => byte === SPACE || byte === TAB || byte === RETURN)) {
    return { ...base, kind: "blank", isParsable: false, objects: [] };
  }
  const parsed = parseJson(content);
  if (parsed === undefined) {
    const pieces = recoverEntries(content);
    return { ...base, kind: "damaged", isParsable: pieces.length > 0, objects: pieces.map(place) };
  }
  const { value } = parsed;
  const kind = isEntry(value) ? "whole" : "damaged";
  const ends = { start: content.indexOf(OPEN_BRACE), end: content.lastIndexOf(CLOSE_BRACE) + 1 };
  const objects = isObject(value) ? [place({ value, ...ends })] : [];
  return { ...base, kind, isParsable: true, objects };
}

function parseJson(bytes: Buffer): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(bytes.toString("utf8")) };
  } catch {
    return undefined; // no JSON: that is the answer, not a failure
  }
}

interface Piece {
  value: JsonObject;
  start: number;
  end: number;
}

/** The whole entries at the front of a damaged line, then those from the first place from which nothing but whole entries follow. */
function recoverEntries(content: Buffer): Piece[] {
  const found: Piece[] = [];
  let at = skipFiller(content, 0);
  for (let piece = entryFrom(content, at); piece !== undefined; piece = entryFrom(content, at)) {
    found.push(piece);
    at = skipFiller(content, piece.end);
  }
  for (let from = at; from < content.length; from += 1) {
    const rest = entriesToTheEnd(content, from);
    if (rest !== undefined) return [...found, ...rest];
  }
  return found;
}

function entriesToTheEnd(content: Buffer, from: number): Piece[] | undefined {
  const found: Piece[] = [];
  let at = from;
  while (at < content.length) {
    const piece = entryFrom(content, at);
    if (piece === undefined) return undefined;
    found.push(piece);
    at = skipFiller(content, piece.end);
  }
  return found;
}

/** The entry whose `{` stands at `start`. No JSON object is the front of another, so the first `}` with which it is JSON is its end. */
function entryFrom(content: Buffer, start: number): Piece | undefined {
  if (content[start] !== OPEN_BRACE) return undefined;
  for (let brace = start; (brace = content.indexOf(CLOSE_BRACE, brace + 1)) !== -1; ) {
    const parsed = parseJson(content.subarray(start, brace + 1));
    if (parsed !== undefined) {
      return isRecoverable(parsed.value) ? { value: parsed.value, start, end: brace + 1 } : undefined;
    }
  }
  return undefined;
}

/** The first place from `at` on that is neither a NUL nor white space. */
function skipFiller(content: Buffer, at: number): number {
  let place = at;
  while (place < content.length && [NUL, TAB, RETURN, SPACE].includes(content[place]!)) place += 1;
  return place;
}

function isValidUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString("utf8"), "utf8").equals(bytes);
}

/** The header that makes the file a session: among the first 16 parsable lines, and before any other object with a type and an id. */
function findHeader(lines: PlainLine[]): PlainEntry | null {
  for (const line of lines.filter(({ isParsable }) => isParsable).slice(0, 16)) {
    for (const found of line.objects) {
      if (isHeader(found.entry)) return found;
      if (typeof found.entry.type === "string" && typeof found.entry.id === "string") return null;
    }
  }
  return null;
}

function readVersion(header: JsonObject): number {
  const { version } = header;
  return typeof version === "number" && Number.isInteger(version) && version >= 1 ? version : 1;
}

const isEntryRecord = (found: PlainEntry): boolean => isEntry(found.entry) && !isHeader(found.entry);

const keep = (found: PlainEntry): PlainEntry => found;

const hasOwnLinks = ({ id, parentId }: JsonObject): boolean =>
  typeof id === "string" && id !== "" && (parentId === null || (typeof parentId === "string" && parentId !== ""));

/** Version 1 as 3: ids and parents in file order, and ids for the indexes of compactions. `counted` goes from the header on. */
function migrateFirstVersion(counted: PlainEntry[]): PlainEntry[] {
  const taken = new Set(counted.map((found) => found.entry.id));
  const ids = counted.map((found, index) => {
    if (hasOwnLinks(found.entry)) return found.entry.id as string;
    let id = `made-${index}`;
    while (taken.has(id)) id += "+";
    return id;
  });

  const migrated: PlainEntry[] = [];
  counted.forEach((found, index) => {
    if (!isEntryRecord(found)) return;
    const before = migrated.at(-1);
    const links = hasOwnLinks(found.entry)
      ? {}
      : { id: ids[index], parentId: before === undefined ? null : before.entry.id };
    const { firstKeptEntryIndex, ...entry } = found.entry;
    if (entry.type === "compaction" && firstKeptEntryIndex !== undefined) {
      // The header itself keeps everything. What does not name an entry before the compaction keeps nothing.
      const first = firstKeptEntryIndex === 0 ? counted.findIndex(isEntryRecord) : (firstKeptEntryIndex as number);
      const kept = Number.isInteger(first) && first < index ? counted[first] : undefined;
      if (typeof entry.firstKeptEntryId !== "string") {
        delete entry.firstKeptEntryId;
        if (kept !== undefined && isEntryRecord(kept)) entry.firstKeptEntryId = ids[first];
      }
      migrated.push({ ...found, entry: { ...entry, ...links } });
    } else {
      migrated.push({ ...found, entry: { ...found.entry, ...links } });
    }
  });
  return migrated.map(migrateSecondVersion);
}

function migrateSecondVersion(found: PlainEntry): PlainEntry {
  const { entry } = found;
  if (entry.type !== "message" || !isObject(entry.message) || entry.message.role !== "hookMessage") return found;
  return { ...found, entry: { ...entry, message: { ...entry.message, role: "custom" } } };
}
