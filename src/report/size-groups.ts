import { entryId, isMessageEntry, type SessionEntry } from "../format/entry.js";
import type { JsonObject } from "../format/json.js";

/** What entries are told apart by when their bytes are counted. */
export interface SizeKey {
  type: string;
  customType?: string;
  role?: string;
  tool?: string;
}

export interface SizeGroup {
  key: SizeKey;
  entries: number;
  /** Of the entries' lines, without newlines. */
  bytes: number;
}

export interface LargeEntry {
  path: string;
  /** null for an entry without id. */
  entryId: string | null;
  line: number;
  bytes: number;
}

/** What was counted, for another thread to go on with. */
export interface SizeParts {
  groups: SizeGroup[];
  largest: LargeEntry[];
}

/** Counts where the bytes of sessions are. Memory: a sum a group, and the largest entries so far. */
export class SizeGroups {
  readonly #groups = new Map<string, SizeGroup>();
  readonly #limit: number;
  #largest: LargeEntry[] = [];

  /** `limit`: how many of the largest entries are kept. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  add(entry: SessionEntry, path: string, line: number, bytes: number): void {
    const key = sizeKey(entry);
    this.#addTo(key, 1, bytes);
    this.#keepLargest({ path, entryId: entryId(entry) ?? null, line, bytes });
  }

  /** Takes in what another one counted. */
  merge({ groups, largest }: SizeParts): void {
    for (const { key, entries, bytes } of groups) this.#addTo(key, entries, bytes);
    for (const large of largest) this.#keepLargest(large);
  }

  /** What was counted: groups with most bytes and largest entries first. */
  parts(): SizeParts {
    return { groups: this.groups(), largest: this.largest() };
  }

  /** The groups, most bytes first. */
  groups(): SizeGroup[] {
    return [...this.#groups.values()].sort((a, b) => b.bytes - a.bytes || compareText(groupId(a.key), groupId(b.key)));
  }

  /** The largest entries, largest first; of equal ones those earlier in the store. */
  largest(): LargeEntry[] {
    this.#cutLargest();
    return this.#largest;
  }

  #addTo(key: SizeKey, entries: number, bytes: number): void {
    const id = groupId(key);
    const group = this.#groups.get(id);
    if (group) {
      group.entries += entries;
      group.bytes += bytes;
    } else {
      this.#groups.set(id, { key, entries, bytes });
    }
  }

  #keepLargest(large: LargeEntry): void {
    this.#largest.push(large);
    // Sorting once per doubling keeps the cost of an entry small.
    if (this.#largest.length > 2 * this.#limit + 100) this.#cutLargest();
  }

  #cutLargest(): void {
    this.#largest = this.#largest
      .sort((a, b) => b.bytes - a.bytes || compareText(a.path, b.path) || a.line - b.line)
      .slice(0, this.#limit);
  }
}

function groupId({ type, customType, role, tool }: SizeKey): string {
  return JSON.stringify([type, customType, role, tool]);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function sizeKey(entry: SessionEntry): SizeKey {
  const { type } = entry;
  const holder = (isMessageEntry(entry) ? entry.message : entry) as JsonObject;
  const key: SizeKey = { type };
  const { customType, role, toolName } = holder;
  if (typeof customType === "string") key.customType = customType;
  if (isMessageEntry(entry) && typeof role === "string") {
    key.role = role;
    if (role === "toolResult" && typeof toolName === "string") key.tool = toolName;
  }
  return key;
}
