import type { SessionEntry } from "../../src/format/entry.js";
import type { EntryPosition } from "../../src/format/entry-record.js";
import { SessionIndex } from "../../src/tree/session-index.js";
import type { Line } from "./entries.js";

/** Where the entry stands that is added as `number`-th: as if it came after a header, each line taking 100 bytes, newline included. */
export const positionOf = (number: number): EntryPosition => ({
  line: number + 2,
  byteOffset: (number + 1) * 100,
  byteLength: 99,
});

/** Adds entries to an index, by default a new one, as if they stood below each other in a file. */
export function indexEntries(entries: Line[], index = new SessionIndex()): SessionIndex {
  for (const entry of entries) index.add(entry as unknown as SessionEntry, positionOf(index.size));
  return index;
}
