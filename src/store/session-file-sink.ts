import type { SessionEntry } from "../format/entry.js";
import type { EntryPosition } from "../format/entry-record.js";
import type { SessionHeader } from "../format/header.js";
import type { EntrySink } from "../read/entry-parser.js";
import { SessionIndex } from "../tree/session-index.js";

/** An entry without an id: it is listed, but in no tree. */
export interface StrayEntry extends EntryPosition {
  /** How many entries of the index stand before it. */
  before: number;
}

/** Feeds the index of a file that is being changed, and keeps account of the entries that no index holds. */
export class SessionFileSink implements EntrySink {
  readonly index = new SessionIndex();
  readonly strays: StrayEntry[] = [];

  header(header: SessionHeader): void {
    this.index.header = header;
  }

  entry(entry: SessionEntry, line: number, byteOffset: number, byteLength: number): void {
    const position = { line, byteOffset, byteLength };
    const before = this.index.size;
    if (this.index.add(entry, position) === -1) this.strays.push({ ...position, before });
  }
}
