import type { BareEntry } from "../format/bare-entry.js";
import type { SessionEntry } from "../format/entry.js";
import type { JsonObject } from "../format/json.js";
import type { PlainTally } from "../read/plain-tally.js";
import { MigratedIds } from "./migrated-ids.js";
import { replaceKey } from "./replace-key.js";

/** Ids made from numbers below this belong to the entries of those ordinals; those above it are spare. */
const FIRST_SPARE = 2 ** 31;

const SHORT_ID = /^[0-9a-f]{8}$/;

/**
 * Gives the entries of a version 1 file their place in the tree, in file order: an id each, and the entry before as parent.
 * Memory: the short ids that the file brings along, and what tells a line's id from its ordinal where that isn't plain. Nothing of an entry is kept.
 */
export class V1ToV2 {
  readonly #ids: MigratedIds;
  #nextSpare = FIRST_SPARE;
  /** Ids of the file's own that a made one could meet, as numbers. */
  readonly #taken = new Set<number>();
  /** By ordinal, the ids that are not those of the ordinal. */
  readonly #otherIds = new Map<number, string>();
  /** Where runs of ordinals that are no entries begin and end, in turn, ascending. */
  readonly #gapBounds: number[] = [];
  #nextOrdinal = 1;
  #firstId: string | undefined;
  /** That of the ordinal before, where it is undefined. */
  #previousId: string | null | undefined = null;
  /** Of the entry before; 0 without one. */
  #lastOrdinal = 0;

  constructor(sessionId: string) {
    this.#ids = new MigratedIds(sessionId);
  }

  /** Whether all ids so far are those of the ordinals. */
  get canLinkBare(): boolean {
    return this.#otherIds.size === 0;
  }

  /** As `migrate`, of an entry without id and parent, as long as `canLinkBare`. */
  linkBare(entry: BareEntry, ordinal: number): void {
    this.#step(ordinal);
    entry.hasParent = this.#lastOrdinal > 0;
    entry.parentIdBits = entry.hasParent ? this.#ids.bitsAt(this.#lastOrdinal) : 0;
    entry.idBits = this.#ids.bitsAt(ordinal);
    this.#lastOrdinal = ordinal;
    this.#previousId = undefined;
    this.#firstId ??= this.#ids.at(ordinal);
  }

  /** Lets a tally give ids to entries as `linkBare` does, from the next ordinal on. */
  prepareRun(tally: PlainTally, ordinal: number): void {
    tally.setMigration(this.#ids.roundKeys, ordinal, this.#lastOrdinal);
  }

  /** Takes entries without ids that a tally has linked, the first of which has this ordinal. */
  linkRun(count: number, ordinal: number): void {
    this.#step(ordinal);
    this.#nextOrdinal = ordinal + count;
    this.#lastOrdinal = ordinal + count - 1;
    this.#previousId = undefined;
    this.#firstId ??= this.#ids.at(ordinal);
  }

  migrate(entry: SessionEntry, ordinal: number): SessionEntry {
    this.#step(ordinal);
    const linked = hasOwnLinks(entry)
      ? this.#keepLinks(entry, ordinal)
      : linkEntry(entry, this.#makeId(ordinal), this.#previousId ?? this.#idOfLast());
    const migrated = this.#nameFirstKept(linked, ordinal);
    this.#firstId ??= linked.id;
    this.#previousId = linked.id;
    this.#lastOrdinal = ordinal;
    return migrated;
  }

  #step(ordinal: number): void {
    if (ordinal > this.#nextOrdinal) this.#gapBounds.push(this.#nextOrdinal, ordinal);
    this.#nextOrdinal = ordinal + 1;
  }

  #idOfLast(): string | null {
    return this.#lastOrdinal === 0 ? null : this.#ids.at(this.#lastOrdinal);
  }

  #keepLinks(entry: SessionEntry, ordinal: number): SessionEntry {
    this.#otherIds.set(ordinal, entry.id);
    if (SHORT_ID.test(entry.id)) this.#taken.add(Number.parseInt(entry.id, 16));
    return entry;
  }

  #makeId(ordinal: number): string {
    let id = this.#ids.at(ordinal);
    if (!this.#isTaken(id)) return id;
    do id = this.#ids.at(this.#nextSpare++);
    while (this.#isTaken(id));
    this.#otherIds.set(ordinal, id);
    return id;
  }

  #isTaken(id: string): boolean {
    return this.#taken.size > 0 && this.#taken.has(Number.parseInt(id, 16));
  }

  #nameFirstKept(entry: SessionEntry, ordinal: number): SessionEntry {
    return nameFirstKept(entry, (index) => this.#idBefore(ordinal, index));
  }

  #idBefore(ordinal: number, index: unknown): string | undefined {
    if (index === 0) return this.#firstId;
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= ordinal) return undefined;
    return this.#isInGap(index) ? undefined : (this.#otherIds.get(index) ?? this.#ids.at(index));
  }

  #isInGap(ordinal: number): boolean {
    let low = 0;
    let high = this.#gapBounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#gapBounds[middle]! <= ordinal) low = middle + 1;
      else high = middle;
    }
    // As many bounds at or before it as make a beginning without its end.
    return low % 2 === 1;
  }
}

/** Whether an entry of a version 1 file has its place in the tree already: later versions append such lines. */
export function hasOwnLinks(entry: SessionEntry): boolean {
  const { id, parentId } = entry as JsonObject;
  return (
    typeof id === "string" && id !== "" && (parentId === null || (typeof parentId === "string" && parentId !== ""))
  );
}

/** The entry with its place in the tree, its keys in the order in which pi writes them. */
export function linkEntry(entry: SessionEntry, id: string, parentId: string | null): SessionEntry {
  const { type, id: _, parentId: __, timestamp, ...rest } = entry;
  const links = { type, id, parentId };
  return (timestamp === undefined ? { ...links, ...rest } : { ...links, timestamp, ...rest }) as SessionEntry;
}

/**
 * Turns a compaction's `firstKeptEntryIndex` into the id of that entry, unless it has a `firstKeptEntryId` already. `idAt` gives the id for an index
 * as it stands in the file; the key goes when there is no such entry before the compaction.
 */
export function nameFirstKept(entry: SessionEntry, idAt: (index: unknown) => string | undefined): SessionEntry {
  if (entry.type !== "compaction" || !Object.hasOwn(entry, "firstKeptEntryIndex")) return entry;
  const { firstKeptEntryId, firstKeptEntryIndex } = entry as JsonObject;
  const id = typeof firstKeptEntryId === "string" ? firstKeptEntryId : idAt(firstKeptEntryIndex);
  return replaceKey(entry as JsonObject, "firstKeptEntryIndex", "firstKeptEntryId", id) as SessionEntry;
}
