import type { SessionEntry } from "../format/entry.js";
import type { SessionHeader } from "../format/header.js";
import { SessionIndex } from "../tree/session-index.js";
import { type BuildEntry, type EntryReader, nextLinks, type SessionStore } from "./session-store.js";

/** Entries in an array stand in no file. */
const NOWHERE = { line: 0, byteOffset: 0, byteLength: 0 };

/** A session that is held in memory: for good, or until it is worth a file. */
export class MemoryStore implements SessionStore {
  readonly header: SessionHeader;
  readonly index = new SessionIndex();
  leafId: string | null = null;
  readonly #entries: SessionEntry[] = [];
  /** Those of them that are in the index, by their number there. */
  readonly #indexed: SessionEntry[] = [];

  /** The entries must be of version 3 or migrated to it. */
  constructor(header: SessionHeader, entries: Iterable<SessionEntry> = []) {
    this.header = header;
    this.index.header = header;
    for (const entry of entries) this.#add(entry);
    this.leafId = this.index.leafId;
  }

  view<T>(use: (reader: EntryReader, index: SessionIndex) => T): T {
    const read = (number: number): SessionEntry => this.#indexed[number]!;
    return use({ read, write: (number, writer) => writer.writeLine(read(number)) }, this.index);
  }

  entries(): SessionEntry[] {
    return this.#entries.slice();
  }

  get entryCount(): number {
    return this.#entries.length;
  }

  append<E extends SessionEntry>(build: BuildEntry<E>): E {
    const entry = build(nextLinks(this));
    this.#add(entry);
    this.leafId = entry.id;
    return entry;
  }

  #add(entry: SessionEntry): void {
    this.#entries.push(entry);
    if (this.index.add(entry, NOWHERE) !== -1) this.#indexed.push(entry);
  }
}
