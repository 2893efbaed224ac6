import { open } from "node:fs/promises";
import { SessionFormatError } from "../errors.js";
import type { EntryRecord } from "../format/entry-record.js";
import { describeValue } from "../format/json.js";
import type { IndexedEntry, SessionIndex } from "../tree/session-index.js";
import { indexOpenSession } from "./index-session.js";
import { migrateIndexedEntry } from "./migrate-indexed-entry.js";
import { readEntryAt } from "./read-entry-at.js";

/** An entry of a branch, with its place in the file. */
export type BranchRecord = Omit<EntryRecord, "ordinal">;

/**
 * Reads the entries of one branch from its root to its leaf (default: the current one), as version 3 would have them. One pass indexes the file; then
 * each entry is read by offset. Memory: the index and one entry.
 *
 * @throws SessionFormatError for a file that is no session (`NOT_A_SESSION`) and an unknown leaf (`ENTRY_NOT_FOUND`), and the system's error for a
 * file that can't be read.
 */
export async function* readBranch(
  path: string,
  { leafId, signal }: { leafId?: string; signal?: AbortSignal } = {},
): AsyncGenerator<BranchRecord, void, void> {
  const handle = await open(path);
  try {
    const index = await indexOpenSession(handle, path, signal ? { signal } : {});
    for (const node of findPath(index, path, leafId)) {
      signal?.throwIfAborted();
      const { entry, truncated } = readEntryAt(handle.fd, path, node);
      const { line, byteOffset, byteLength } = node;
      yield {
        entry: migrateIndexedEntry(entry, node, index),
        line,
        byteOffset,
        byteLength,
        ...(truncated && { truncated }),
      };
    }
  } finally {
    await handle.close();
  }
}

/** The path to a leaf, root first: the current one without an id, nothing for null. Throws a `SessionFormatError` for an unknown id. */
export function findPath(index: SessionIndex, path: string, leafId: string | null | undefined): IndexedEntry[] {
  if (leafId === null) return [];
  if (leafId !== undefined && !index.get(leafId)) {
    const message = `Cannot find the entry ${describeValue(leafId)} in "${path}"`;
    throw new SessionFormatError("ENTRY_NOT_FOUND", message, { path, reason: "there is no such entry" });
  }
  return index.path(leafId);
}
