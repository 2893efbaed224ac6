import { isEntry, type SessionEntry } from "../format/entry.js";
import type { EntryPosition } from "../format/entry-record.js";
import { isSessionHeader, type SessionHeader } from "../format/header.js";
import { projectBranch, type SessionProjection, selectBranchEntries } from "./project-branch.js";
import type { SessionContext } from "./select-context.js";
import { SessionIndex } from "./session-index.js";

/**
 * The entries that the context of a leaf is made of, state entries included, from all entries of a session (version 3, in file order; a header among
 * them is passed over). Without a leaf id, or with an unknown one, the last entry is the leaf; with null there is none, and nothing is given.
 * `byId` may bring further entries for links to find. Linear in the number of entries; for repeated use keep a `SessionIndex`.
 */
export function buildContextEntries(
  entries: readonly (SessionEntry | SessionHeader)[],
  leafId?: string | null,
  byId?: ReadonlyMap<string, SessionEntry>,
): SessionEntry[] {
  return selectBranchEntries(findBranch(entries, leafId, byId));
}

/**
 * The messages that the model would be sent from a leaf, the thinking level and the model. For the arguments see `buildContextEntries`.
 * Messages that need no change are the entries' own objects.
 *
 * @example
 * import { buildSessionContext } from "pi-sessions";
 *
 * const timestamp = "2026-01-02T03:04:05.000Z";
 * const context = buildSessionContext([
 *   { type: "thinking_level_change", id: "a", parentId: null, timestamp, thinkingLevel: "high" },
 *   { type: "message", id: "b", parentId: "a", timestamp, message: { role: "user", content: "Hello" } },
 * ]);
 * console.log(context.thinkingLevel, context.messages.length); // high 1
 */
export function buildSessionContext(
  entries: readonly (SessionEntry | SessionHeader)[],
  leafId?: string | null,
  byId?: ReadonlyMap<string, SessionEntry>,
): SessionContext {
  const { messages, thinkingLevel, model } = buildSessionProjection(entries, leafId, byId);
  return { messages, thinkingLevel, model };
}

/** The context of a leaf as `buildSessionContext` gives it, with the messages of each selected entry beside that entry. */
export function buildSessionProjection(
  entries: readonly (SessionEntry | SessionHeader)[],
  leafId?: string | null,
  byId?: ReadonlyMap<string, SessionEntry>,
): SessionProjection {
  return projectBranch(findBranch(entries, leafId, byId));
}

/** Entries in an array stand in no file. */
const NOWHERE: EntryPosition = { line: 0, byteOffset: 0, byteLength: 0 };

/** The path to a leaf, root first. */
function findBranch(
  entries: readonly (SessionEntry | SessionHeader)[],
  leafId: string | null | undefined,
  byId: ReadonlyMap<string, SessionEntry> | undefined,
): SessionEntry[] {
  if (leafId === null) return [];
  const index = new SessionIndex();
  const indexed: SessionEntry[] = [];
  const add = (entry: SessionEntry | SessionHeader): void => {
    if (isEntry(entry) && !isSessionHeader(entry) && index.add(entry, NOWHERE) !== -1) indexed.push(entry);
  };
  for (const entry of entries) add(entry);
  const last = index.leafNumber;
  if (byId) {
    const known = new Set<unknown>(entries);
    for (const entry of byId.values()) if (!known.has(entry)) add(entry);
  }
  const named = leafId === undefined ? -1 : index.numberOf(leafId);
  const leaf = named === -1 ? last : named;
  return leaf === -1 ? [] : Array.from(index.pathNumbers(leaf), (number) => indexed[number]!);
}
