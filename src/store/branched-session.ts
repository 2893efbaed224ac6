import type { LabelEntry, SessionEntry } from "../format/entry.js";
import type { SessionHeader } from "../format/header.js";
import { formatIsoTime } from "../format/time.js";
import type { IndexedEntry, SessionIndex } from "../tree/session-index.js";
import type { FileWriter } from "./file-writer.js";
import { newEntryId } from "./new-ids.js";
import type { EntryReader } from "./session-store.js";

/** One entry of a branch on its way into a session of its own. */
interface BranchedEntry {
  node: IndexedEntry;
  /** The parent that it has there. */
  parentId: string | null;
  /** For a compaction that was to keep from a label on: the entry that it keeps from instead. */
  firstKeptEntryId: string | undefined;
}

/** A session made of one branch. */
export interface BranchedSession {
  header: SessionHeader;
  entries: BranchedEntry[];
  /** New entries behind them. */
  labels: LabelEntry[];
}

/**
 * What becomes of a branch (root first) in a session of its own: label entries are left out, each child of one hangs on the entry before it, and the
 * labels in force on what is kept are set anew at the end, with the times that they had.
 */
export function planBranchedSession(
  header: SessionHeader,
  branch: readonly IndexedEntry[],
  index: SessionIndex,
): BranchedSession {
  const entries: BranchedEntry[] = [];
  const kept = new Set<string>();
  /** By the id of a label entry: the next entry that is kept. */
  const nextOfLabel = new Map<string, string>();
  let passedLabels: string[] = [];
  let parentId: string | null = null;
  for (const node of branch) {
    if (node.type === "label") {
      passedLabels.push(node.id);
      continue;
    }
    for (const label of passedLabels) nextOfLabel.set(label, node.id);
    passedLabels = [];
    const firstKept = index.firstKept(node.number);
    const firstKeptEntryId = firstKept === undefined ? undefined : nextOfLabel.get(firstKept);
    entries.push({ node, parentId, firstKeptEntryId });
    kept.add(node.id);
    parentId = node.id;
  }
  return { header, entries, labels: labelAnew(index, kept, parentId) };
}

/** All entries of the new session. */
export function readBranchedSession({ entries, labels }: BranchedSession, reader: EntryReader): SessionEntry[] {
  const changed = entries.map((step) => {
    const entry = reader.read(step.node.number);
    return isChanged(step, entry) ? changeEntry(step, entry) : entry;
  });
  return [...changed, ...labels];
}

/** Writes the new session, holding no more of it than one entry; what needs no change is copied byte for byte. */
export function writeBranchedSession(
  { header, entries, labels }: BranchedSession,
  reader: EntryReader,
  writer: FileWriter,
): void {
  writer.writeLine(header);
  for (const step of entries) {
    // The index knows the parent, but of an entry whose parent is missing.
    const mayChange = step.node.parentId !== step.parentId || step.parentId === null || step.firstKeptEntryId;
    const entry = mayChange ? reader.read(step.node.number) : undefined;
    if (entry && isChanged(step, entry)) writer.writeLine(changeEntry(step, entry));
    else reader.write(step.node.number, writer);
  }
  for (const label of labels) writer.writeLine(label);
}

function isChanged({ parentId, firstKeptEntryId }: BranchedEntry, entry: SessionEntry): boolean {
  return entry.parentId !== parentId || firstKeptEntryId !== undefined;
}

function changeEntry({ parentId, firstKeptEntryId }: BranchedEntry, entry: SessionEntry): SessionEntry {
  return { ...entry, parentId, ...(firstKeptEntryId !== undefined && { firstKeptEntryId }) } as SessionEntry;
}

function labelAnew(index: SessionIndex, kept: ReadonlySet<string>, lastId: string | null): LabelEntry[] {
  const labels: LabelEntry[] = [];
  const taken = new Set(kept);
  let parentId = lastId;
  for (const { targetId, text, timestamp } of index.labels()) {
    if (!kept.has(targetId)) continue;
    const id = newEntryId((id) => taken.has(id));
    taken.add(id);
    labels.push({
      type: "label",
      id,
      parentId,
      timestamp: formatIsoTime(timestamp ?? Date.now()),
      targetId,
      label: text,
    });
    parentId = id;
  }
  return labels;
}
