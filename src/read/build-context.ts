import { open } from "node:fs/promises";
import type { SessionEntry } from "../format/entry.js";
import type { TruncatedString } from "../format/entry-record.js";
import { type SelectedContext, selectContext } from "../tree/select-context.js";
import type { IndexedEntry, SessionIndex } from "../tree/session-index.js";
import { type IndexSessionOptions, indexOpenSession } from "./index-session.js";
import { migrateIndexedEntry } from "./migrate-indexed-entry.js";
import { findPath } from "./read-branch.js";
import { readEntryAt } from "./read-entry-at.js";

export interface BuildContextOptions extends IndexSessionOptions {
  /** The entry that the context ends at; default the current leaf, the last entry of the file. null gives nothing. */
  leafId?: string | null;
}

/** What the model would be sent, and what it took to find out. */
export interface BuiltContext extends SelectedContext {
  /** The bytes of the lines that the context was made of: what was read after the one pass that indexes the file. */
  bytesRead: number;
  /** Strings that were cut, since no JavaScript string can hold their line; absent when all is whole. */
  truncated?: (TruncatedString & { entryId: string })[];
}

/**
 * Rebuilds the context of a leaf: the messages that the model would be sent, the thinking level and the model. One pass indexes the file; then only
 * the lines that the context needs are read, by offset. Works on every version; changes nothing.
 * Memory: the index (below 100 bytes an entry) and the messages themselves, however large the rest of the file is.
 *
 * @throws SessionFormatError for a file that is no session (`NOT_A_SESSION`) and an unknown leaf (`ENTRY_NOT_FOUND`), and the system's error for a
 * file that can't be read.
 *
 * @example
 * import { buildContext } from "pi-sessions";
 *
 * const { messages, model, bytesRead } = await buildContext("fixtures/traits/two-compactions.jsonl");
 * console.log(messages.map((message) => message.role), model, bytesRead);
 */
export async function buildContext(path: string, options: BuildContextOptions = {}): Promise<BuiltContext> {
  const handle = await open(path);
  try {
    const index = await indexOpenSession(handle, path, options);
    return selectFromFile(handle.fd, path, index, options.leafId);
  } finally {
    await handle.close();
  }
}

function selectFromFile(
  fd: number,
  path: string,
  index: SessionIndex,
  leafId: string | null | undefined,
): BuiltContext {
  let bytesRead = 0;
  const truncated: (TruncatedString & { entryId: string })[] = [];
  const read = (node: IndexedEntry): SessionEntry => {
    const found = readEntryAt(fd, path, node);
    bytesRead += node.byteLength;
    for (const cut of found.truncated ?? []) truncated.push({ ...cut, entryId: node.id });
    return migrateIndexedEntry(found.entry, node, index);
  };
  const context = selectContext(findPath(index, path, leafId), read);
  return { ...context, bytesRead, ...(truncated.length > 0 && { truncated }) };
}
