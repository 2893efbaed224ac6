import { filtersModels, modelFilter, timeFilter } from "../report/call-filter.js";
import type { Session } from "../report/session-summary.js";
import { projectFilter } from "./project-filter.js";
import { readReport } from "./read-report.js";
import { type Scanned, scanFiles } from "./scan-files.js";
import type { SkippedFile, StoreOptions } from "./store-options.js";

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
export async function* listAll(options: ListOptions = {}): AsyncGenerator<Session, void, void> {
  const isModelWanted = filtersModels(options) ? modelFilter(options) : undefined;
  const isTimeWanted = timeFilter(options);
  const isProjectWanted = projectFilter(options);
  for await (const scanned of scanFiles(options, (file) => readReport(file, isProjectWanted))) {
    const report = takeValue(scanned, options.onSkipped);
    if (!report || !isTimeWanted(Date.parse(report.session.modified))) continue;
    if (isModelWanted && !report.calls.some(isModelWanted)) continue;
    yield report.session;
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

/** What was made of a file; undefined, once it is reported, for one that was passed over. */
export function takeValue<T>(scanned: Scanned<T>, onSkipped?: (skipped: SkippedFile) => void): T | undefined {
  if ("value" in scanned) return scanned.value;
  onSkipped?.({ path: scanned.file.path, reason: scanned.skipped });
  return undefined;
}

export function byPath(a: { path: string }, b: { path: string }): number {
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** Newest `modified` first, ties by path. */
export function byNewest(a: Session, b: Session): number {
  return a.modified === b.modified ? byPath(a, b) : a.modified < b.modified ? 1 : -1;
}
