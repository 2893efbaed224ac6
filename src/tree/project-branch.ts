import { isMessageEntry, type SessionEntry } from "../format/entry.js";
import type { Message } from "../format/message.js";
import { findSettings, type PathNode, projectNodes, type SessionContext, selectNodes } from "./select-context.js";

/** A selected entry, and the messages that it gives to the context, edits applied; none for state entries and those edited away. */
export interface ProjectedSessionEntry {
  sourceEntry: SessionEntry;
  messages: Message[];
}

/** A context that still tells which entry gave what. */
export interface SessionProjection extends SessionContext {
  entries: ProjectedSessionEntry[];
}

interface BranchNode extends PathNode {
  entry: SessionEntry;
}

/** The entries of a branch (root first) that its context is made of, state entries included: the last compaction comes first, then what it keeps. */
export function selectBranchEntries(branch: readonly SessionEntry[]): SessionEntry[] {
  return selectNodes(branch.map(nodeOf), entryOf).map(entryOf);
}

/** The context at the end of a branch (root first), entry by entry. The entries are not changed. */
export function projectBranch(branch: readonly SessionEntry[]): SessionProjection {
  const path = branch.map(nodeOf);
  const entries: ProjectedSessionEntry[] = projectNodes(selectNodes(path, entryOf), entryOf).map(
    ({ node, messages }) => ({ sourceEntry: node.entry, messages }),
  );
  return { entries, messages: entries.flatMap(({ messages }) => messages), ...findSettings(path, entryOf) };
}

function nodeOf(entry: SessionEntry): BranchNode {
  const role: unknown = isMessageEntry(entry) ? entry.message.role : undefined;
  return { id: entry.id, type: entry.type, role: typeof role === "string" ? role : undefined, entry };
}

function entryOf({ entry }: BranchNode): SessionEntry {
  return entry;
}
