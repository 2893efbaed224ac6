import type { SessionEntry } from "./entry.js";
import type { SessionHeader } from "./header.js";

/** Where an entry stands in its file. */
export interface EntryPosition {
  /** The physical line, 1-based. Entries recovered from one damaged line share it. */
  line: number;
  /** Where the entry's own bytes begin in the file, and how many they are (the newline is not among them). */
  byteOffset: number;
  byteLength: number;
}

/** A string that was cut while its line was read as a token stream. */
export interface TruncatedString {
  /** Where the string stands in the entry, as in `message.content[0].data`. */
  path: string;
  /** Its whole length in UTF-8 bytes. */
  bytes: number;
}

/** One entry on its way through the reading pipeline. */
export interface EntryRecord extends EntryPosition {
  entry: SessionEntry;
  /** How many parsed objects stand before it, from the header as 0: what version 1 counts by. */
  ordinal: number;
  /** The cut strings, when the line was above `maxLineBytes`. */
  truncated?: TruncatedString[];
}

/** The header on its way through the pipeline: always the first record. */
export interface HeaderRecord extends EntryPosition {
  entry: SessionHeader;
  ordinal: 0;
}

/** Whether a record is the header's; every other one is an entry's. */
export function isHeaderRecord(record: HeaderRecord | EntryRecord): record is HeaderRecord {
  return record.ordinal === 0;
}
