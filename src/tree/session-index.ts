import type { BareEntry } from "../format/bare-entry.js";
import {
  entryId,
  entryParentId,
  isCompactionEntry,
  isContextEditEntry,
  isLabelEntry,
  isMessageEntry,
  isSessionInfoEntry,
  type LabelEntry,
  type SessionEntry,
} from "../format/entry.js";
import type { EntryPosition } from "../format/entry-record.js";
import type { SessionHeader } from "../format/header.js";
import { parseIsoTime } from "../format/time.js";
import { Column } from "./column.js";
import { Forest, NO_NODE } from "./forest.js";
import { formatHexId, IdTable } from "./id-table.js";
import { readSessionName } from "./session-name.js";

/** One entry as the index knows it: no payload. */
export interface IndexedEntry extends EntryPosition {
  /** Its place in file order among the indexed entries, from 0. */
  number: number;
  id: string;
  /** The parent in the tree; null for a root, be it that the parent named in the file is missing or was cut off to end a cycle. */
  parentId: string | null;
  type: string;
  /** The role of a message entry, when it is a string. */
  role: string | undefined;
  /** The entry's time in Unix milliseconds; undefined when it is absent or invalid. */
  timestamp: number | undefined;
}

/** A label in force. */
export interface EntryLabel {
  /** The id of the entry that has the label; there may be no such entry. */
  targetId: string;
  text: string;
  /** The time of the label entry in Unix milliseconds; undefined when it is absent or invalid. */
  timestamp: number | undefined;
}

/** What entries have in common that the index treats alike. */
interface EntryKind {
  type: string;
  role: string | undefined;
}

const DUPLICATE = 1;
const SELF_PARENT = 2;
const CYCLE_ROOT = 4;
const FLAG_BITS = 3;

/**
 * The tree of one session, fed entry by entry in file order. It holds no payload: ids, links, types, times and positions, about 70 to 80 bytes an
 * entry; ids that are not 8 lower-case hex digits come on top. Adding and looking up take constant time on average, in any mixture.
 *
 * Several entries may have one id. Each is an entry of its own, with its own number; a look-up by id means the last of them, a parent link the
 * nearest one before the child, else the nearest after it. A child whose parent is missing is a root, and so is the first entry of a cycle.
 * A link never changes once its parent is there: asked at any time, the index is what an index of just the entries so far would be.
 *
 * @example
 * import { SessionIndex } from "pi-sessions";
 *
 * const index = new SessionIndex();
 * const more = { type: "custom", customType: "note", timestamp: "2026-01-02T03:04:05.000Z" };
 * index.add({ ...more, id: "0000000a", parentId: null }, { line: 2, byteOffset: 90, byteLength: 109 });
 * index.add({ ...more, id: "0000000b", parentId: "0000000a" }, { line: 3, byteOffset: 200, byteLength: 115 });
 * console.log(index.leafId, index.children("0000000a").length); // 0000000b 1
 */
export class SessionIndex {
  /** The file's header. Whoever feeds the index sets it, as `treeStream` does. */
  header: SessionHeader | undefined;

  readonly #ids = new IdTable();
  readonly #forest = new Forest();
  /** By parent id: the entries whose parent has not come yet, in file order. */
  readonly #waiting = new Map<string, number[]>();

  /** Places in `#kinds`, and flags in the lowest bits. */
  readonly #kindCodes = new Column(Int32Array);
  /** NaN for an absent time. */
  readonly #times = new Column(Float64Array);
  readonly #lines = new Column(Float64Array);
  readonly #byteOffsets = new Column(Float64Array);
  readonly #byteLengths = new Column(Float64Array);

  readonly #kinds: EntryKind[] = [];
  /** The place of the kind that was asked for last. */
  #lastKind = -1;
  readonly #codeOfType = new Map<string, number>();
  readonly #codeOfRole = new Map<string, number>();

  /** By entry: the id that a label, context edit or compaction refers to. */
  readonly #targetIds = new Map<number, string>();
  /** By target id, in the order of the label entries. */
  readonly #labels = new Map<string, EntryLabel>();
  #name: string | null = null;

  /**
   * Adds the next entry of the file, of version 3 or migrated to it. Returns its number; -1 for an entry whose id is no non-empty
   * string: it is no parent, no leaf and not in the tree, but the label or the name that it sets counts.
   */
  add(entry: SessionEntry, position: EntryPosition): number {
    const timestamp = parseIsoTime(entry.timestamp);
    if (isLabelEntry(entry)) this.#setLabel(entry, timestamp);
    else if (isSessionInfoEntry(entry)) this.#name = readSessionName(entry.name);

    const id = entryId(entry);
    if (id === undefined) return NO_NODE;
    const parentId = entryParentId(entry);
    // Looked up before the entry's own id is known: one that names itself then finds the nearest earlier entry of that id, as any other does.
    const parent = parentId === null ? NO_NODE : this.#ids.last(parentId);
    const isDuplicate = this.#ids.add(id) !== NO_NODE;
    const role = isMessageEntry(entry) ? entry.message.role : undefined;
    const kind = this.#kindCodeOf(entry.type, typeof role === "string" ? role : undefined);
    const number = this.#insert(parent, isDuplicate, parentId === id, kind, timestamp ?? Number.NaN, position);
    const targetId = readTargetId(entry);
    if (targetId !== undefined) this.#targetIds.set(number, targetId);

    if (this.#waiting.size > 0) this.#adoptWaiting(number, id);
    if (parentId !== null && parent === NO_NODE) this.#wait(number, parentId);
    return number;
  }

  /** As `add`, of an entry that says no more than its place in the tree. */
  addBare({ type, role, idBits, hasParent, parentIdBits, time }: BareEntry, position: EntryPosition): number {
    const parent = hasParent ? this.#ids.lastBits(parentIdBits) : NO_NODE;
    const isDuplicate = this.#ids.addBits(idBits) !== NO_NODE;
    const isSelfParent = hasParent && parentIdBits === idBits;
    const number = this.#insert(parent, isDuplicate, isSelfParent, this.#kindCodeOf(type, role), time, position);
    if (this.#waiting.size > 0) this.#adoptWaiting(number, formatHexId(idBits));
    if (hasParent && parent === NO_NODE) this.#wait(number, formatHexId(parentIdBits));
    return number;
  }

  /** How many entries are in the tree. */
  get size(): number {
    return this.#forest.size;
  }

  /** The id of the current leaf, which is the last entry in the file; null without entries. */
  get leafId(): string | null {
    return this.size === 0 ? null : this.#ids.idAt(this.leafNumber);
  }

  /** The number of the current leaf; -1 without entries. */
  get leafNumber(): number {
    return this.size - 1;
  }

  /** The last entry with this id. */
  get(id: string): IndexedEntry | undefined {
    const number = this.numberOf(id);
    return number === NO_NODE ? undefined : this.entryAt(number);
  }

  /** The number of the last entry with this id; -1 without one. */
  numberOf(id: string): number {
    return this.#ids.last(id);
  }

  /** The entry of a number. Throws a `RangeError` when there is none. */
  entryAt(number: number): IndexedEntry {
    const parent = this.parentOf(number);
    const { type, role } = this.#kinds[this.#kindCodes.get(number) >>> FLAG_BITS]!;
    const time = this.#times.get(number);
    return {
      number,
      id: this.#ids.idAt(number),
      parentId: parent === NO_NODE ? null : this.#ids.idAt(parent),
      type,
      role,
      timestamp: Number.isNaN(time) ? undefined : time,
      line: this.#lines.get(number),
      byteOffset: this.#byteOffsets.get(number),
      byteLength: this.#byteLengths.get(number),
    };
  }

  /** The id of an entry. Throws a `RangeError` when there is none of this number. */
  idAt(number: number): string {
    this.#requireEntry(number);
    return this.#ids.idAt(number);
  }

  /** The number of an entry's parent; -1 for a root. Following it always ends. Throws a `RangeError` when there is no such entry. */
  parentOf(number: number): number {
    this.#requireEntry(number);
    return this.#forest.parentOf(number);
  }

  /** The path to the last entry with this id, or to the current leaf: root first; empty for an unknown id, and without entries. */
  path(id?: string): IndexedEntry[] {
    const number = id === undefined ? this.leafNumber : this.numberOf(id);
    return number === NO_NODE ? [] : Array.from(this.pathNumbers(number), (step) => this.entryAt(step));
  }

  /** The numbers of the entries on the path to an entry, root first. Throws a `RangeError` when there is no such entry. */
  pathNumbers(number: number): Int32Array {
    this.#requireEntry(number);
    return this.#forest.pathTo(number);
  }

  /** The children of the last entry with this id, in file order; empty for an unknown id. */
  children(id: string): IndexedEntry[] {
    const number = this.numberOf(id);
    return number === NO_NODE ? [] : this.childNumbers(number).map((child) => this.entryAt(child));
  }

  /** The numbers of an entry's children, in file order. Throws a `RangeError` when there is no such entry. */
  childNumbers(number: number): number[] {
    this.#requireEntry(number);
    return this.#forest.childrenOf(number);
  }

  /** The entries without a parent, in file order. Looks at every entry. */
  get roots(): IndexedEntry[] {
    return this.#filterEntries((number) => this.#forest.isRoot(number));
  }

  /** The leaves of the tree, that is the entries without children, in file order. Looks at every entry. */
  get branches(): IndexedEntry[] {
    return this.#filterEntries((number) => this.#forest.isLeaf(number));
  }

  /** How many `branches` there are, without looking. */
  get branchCount(): number {
    return this.#forest.leafCount;
  }

  /** The label in force on the entries of an id. */
  label(id: string): string | undefined {
    return this.#labels.get(id)?.text;
  }

  /** All labels in force, in the order of their label entries; also those on entries that are missing. */
  labels(): EntryLabel[] {
    return [...this.#labels.values()];
  }

  /** The session's name by its last `session_info`; null without one, and when that one clears it. */
  get name(): string | null {
    return this.#name;
  }

  /** The `firstKeptEntryId` of a compaction; undefined when it is no string, and for any other entry. */
  firstKept(number: number): string | undefined {
    const targetId = this.targetId(number);
    return targetId !== undefined && this.entryAt(number).type === "compaction" ? targetId : undefined;
  }

  /** The id that an entry refers to, if it is a string: `targetId` of a label or context edit, `firstKeptEntryId` of a compaction. */
  targetId(number: number): string | undefined {
    return this.#targetIds.get(number);
  }

  /** Whether an earlier entry has the same id. */
  isDuplicate(number: number): boolean {
    return this.#hasFlag(number, DUPLICATE);
  }

  /** Whether an entry names its own id as its parent. */
  isSelfParent(number: number): boolean {
    return this.#hasFlag(number, SELF_PARENT);
  }

  /** Whether an entry is a root only because its ancestors would lead back to it. */
  isCycleRoot(number: number): boolean {
    return this.#hasFlag(number, CYCLE_ROOT);
  }

  /** The parent ids that no entry has, by the number of the entry that names one; without entries that name themselves. */
  missingParents(): Map<number, string> {
    const missing = new Map<number, string>();
    for (const [parentId, children] of this.#waiting) {
      for (const child of children) {
        if (!this.isSelfParent(child)) missing.set(child, parentId);
      }
    }
    return missing;
  }

  #requireEntry(number: number): void {
    if (Number.isInteger(number) && number >= 0 && number < this.size) return;
    throw new RangeError(`Cannot look up entry ${number}: the index holds ${this.size}`);
  }

  #hasFlag(number: number, flag: number): boolean {
    this.#requireEntry(number);
    return (this.#kindCodes.get(number) & flag) !== 0;
  }

  #filterEntries(isWanted: (number: number) => boolean): IndexedEntry[] {
    const entries: IndexedEntry[] = [];
    for (let number = 0; number < this.size; number++) {
      if (isWanted(number)) entries.push(this.entryAt(number));
    }
    return entries;
  }

  #setLabel(entry: LabelEntry, timestamp: number | undefined): void {
    const { targetId } = entry;
    const text: unknown = entry.label;
    this.#labels.delete(targetId);
    if (typeof text === "string" && text !== "") this.#labels.set(targetId, { targetId, text, timestamp });
  }

  #insert(
    parent: number,
    isDuplicate: boolean,
    isSelfParent: boolean,
    kindCode: number,
    time: number,
    { line, byteOffset, byteLength }: EntryPosition,
  ): number {
    const number = this.#forest.add(parent);
    if (number === this.#kindCodes.capacity) this.#grow();
    const flags = (isDuplicate ? DUPLICATE : 0) | (isSelfParent ? SELF_PARENT : 0);
    this.#kindCodes.set(number, (kindCode << FLAG_BITS) | flags);
    this.#times.set(number, time);
    this.#lines.set(number, line);
    this.#byteOffsets.set(number, byteOffset);
    this.#byteLengths.set(number, byteLength);
    return number;
  }

  #kindCodeOf(type: string, role: string | undefined): number {
    const last = this.#kinds[this.#lastKind];
    if (last && last.role === role && (role !== undefined || last.type === type)) return this.#lastKind;
    this.#lastKind =
      role !== undefined
        ? (this.#codeOfRole.get(role) ?? this.#addKind(this.#codeOfRole, role, { type, role }))
        : (this.#codeOfType.get(type) ?? this.#addKind(this.#codeOfType, type, { type, role: undefined }));
    return this.#lastKind;
  }

  #addKind(codes: Map<string, number>, key: string, kind: EntryKind): number {
    const code = this.#kinds.push(kind) - 1;
    codes.set(key, code);
    return code;
  }

  #wait(number: number, parentId: string): void {
    const waiting = this.#waiting.get(parentId);
    if (waiting) waiting.push(number);
    else this.#waiting.set(parentId, [number]);
  }

  #adoptWaiting(parent: number, id: string): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    const cut = this.#forest.adopt(parent, waiting);
    if (cut !== NO_NODE) this.#kindCodes.set(cut, this.#kindCodes.get(cut) | CYCLE_ROOT);
  }

  #grow(): void {
    this.#kindCodes.grow();
    this.#times.grow();
    this.#lines.grow();
    this.#byteOffsets.grow();
    this.#byteLengths.grow();
  }
}

function readTargetId(entry: SessionEntry): string | undefined {
  if (isLabelEntry(entry) || isContextEditEntry(entry)) return entry.targetId;
  if (!isCompactionEntry(entry)) return undefined;
  const firstKeptId: unknown = entry.firstKeptEntryId;
  return typeof firstKeptId === "string" ? firstKeptId : undefined;
}
