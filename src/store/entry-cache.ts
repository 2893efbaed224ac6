import type { SessionEntry } from "../format/entry.js";

/** The entries that were read or appended last, by their number in the index, as long as their lines take no more than `maxBytes` together. */
export class EntryCache {
  readonly #maxBytes: number;
  /** The one used last comes last. */
  readonly #held = new Map<number, { entry: SessionEntry; bytes: number }>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(number: number): SessionEntry | undefined {
    const held = this.#held.get(number);
    if (!held) return undefined;
    this.#held.delete(number);
    this.#held.set(number, held);
    return held.entry;
  }

  /** Keeps an entry that is not held yet. One that is larger than all the room is kept alone, until the next one comes. */
  add(number: number, entry: SessionEntry, bytes: number): void {
    this.#held.set(number, { entry, bytes });
    this.#bytes += bytes;
    for (const [oldest, { bytes: freed }] of this.#held) {
      if (this.#bytes <= this.#maxBytes || oldest === number) return;
      this.#held.delete(oldest);
      this.#bytes -= freed;
    }
  }

  clear(): void {
    this.#held.clear();
    this.#bytes = 0;
  }
}
