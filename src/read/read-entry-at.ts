import { constants } from "node:buffer";
import { SessionFormatError } from "../errors.js";
import { isEntry, type SessionEntry } from "../format/entry.js";
import type { EntryPosition, TruncatedString } from "../format/entry-record.js";
import { LongLineParser } from "./long-line-parser.js";
import { CHUNK_BYTES, readRangeSync } from "./read-chunks.js";

/**
 * Reads one entry, as written, from where an index says that it stands. It comes whole as long as its line fits into one JavaScript string
 * (about 512 MB); of a longer one, strings over 64 KiB are cut, and `truncated` names them.
 *
 * @throws SessionFormatError (`CHANGED_WHILE_READING`) when no entry stands there any more.
 */
export function readEntryAt(
  fd: number,
  path: string,
  { line, byteOffset, byteLength }: EntryPosition,
): { entry: SessionEntry; truncated?: TruncatedString[] } {
  const read =
    byteLength <= constants.MAX_STRING_LENGTH
      ? readWhole(fd, byteOffset, byteLength)
      : readCut(fd, byteOffset, byteLength);
  if (read && isEntry(read.value)) {
    return { entry: read.value, ...(read.truncated?.length && { truncated: read.truncated }) };
  }
  const message = `Cannot read an entry of "${path}": line ${line} is no longer what it was`;
  throw new SessionFormatError("CHANGED_WHILE_READING", message, { path, line, byteOffset });
}

interface ReadValue {
  value: unknown;
  truncated?: TruncatedString[];
}

function readWhole(fd: number, byteOffset: number, byteLength: number): ReadValue | undefined {
  try {
    return { value: JSON.parse(readRangeSync(fd, byteOffset, byteLength).toString()) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readCut(fd: number, byteOffset: number, byteLength: number): ReadValue | undefined {
  const parser = new LongLineParser();
  for (let from = 0; from < byteLength; from += CHUNK_BYTES) {
    parser.push(readRangeSync(fd, byteOffset + from, Math.min(CHUNK_BYTES, byteLength - from)));
  }
  return parser.end();
}
