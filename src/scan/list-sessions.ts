import type { Session } from "../report/session-summary.js";
import { scanFiles } from "./scan-files.js";
import { callFilters, type SkippedFile, type StoreOptions } from "./store-options.js";

export interface ListOptions extends StoreOptions {
  /** Told of each file that was passed over. */
  onSkipped?: (skipped: SkippedFile) => void;
}

/**
 * Yields every session of the stores that the filters let through, each as soon as it is known, in no particular order. `since` and `until` choose by
 * `modified`; `models` and `providers` choose sessions with at least one such call.
 * Memory: the list of files and the sessions being read; nothing of a session stays once it is taken.
 *
 * @throws StoreError for a store that is no folder; the reason of `signal` when it aborts.
 *
 * @example
 * import { listAll } from "pi-sessions";
 *
 * for await (const { id, name, usage } of listAll({ stores: ["fixtures/store"] })) console.log(id, name, usage.costTotal);
 */
export async function* listAll({ onSkipped, ...options }: ListOptions = {}): AsyncGenerator<Session, void, void> {
  for await (const { result, skipped } of scanFiles({ ...options, name: "list", task: callFilters(options) })) {
    for (const file of skipped) onSkipped?.(file);
    for (const session of result) {
      options.signal?.throwIfAborted();
      yield session;
    }
  }
}

/** All sessions of the stores, newest `modified` first, and the files that were passed over, by path. See `listAll`. */
export async function listSessions(
  options: StoreOptions = {},
): Promise<{ sessions: Session[]; skipped: SkippedFile[] }> {
  const sessions: Session[] = [];
  const skipped: SkippedFile[] = [];
  for await (const session of listAll({ ...options, onSkipped: (file) => skipped.push(file) })) sessions.push(session);
  return { sessions: sessions.sort(byNewest), skipped: skipped.sort(byPath) };
}

export function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** Newest `modified` first, ties by path. */
export function byNewest(a: Session, b: Session): number {
  return Date.parse(b.modified) - Date.parse(a.modified) || byPath(a, b);
}
