import { type CompactionEntry, isCompactionEntry, type SessionEntry } from "../format/entry.js";

/** The last compaction among entries; null without one. */
export function getLatestCompactionEntry(entries: readonly SessionEntry[]): CompactionEntry | null {
  return entries.findLast(isCompactionEntry) ?? null;
}
