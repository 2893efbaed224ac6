import { resolve } from "node:path";
import { formatIsoTime } from "../format/time.js";
import { emptyUsage } from "../format/usage.js";
import type { MissReason } from "../report/cache-misses.js";
import { UsageSum } from "../report/sum-usage.js";
import { CopyFinder } from "./copy-finder.js";
import { byPath } from "./list-sessions.js";
import { scanFiles } from "./scan-files.js";
import { callFilters, type SkippedFile, type StoreOptions } from "./store-options.js";
import type { FileMisses } from "./tasks/misses-task.js";

export interface CacheMissesOptions extends StoreOptions {
  /** After a pause of more minutes than this a cache is expected to be cold. Default 5. */
  cacheTtlMinutes?: number;
}

/** A turn that paid again for what the turn before had in its prompt. */
export interface CacheMiss {
  path: string;
  /** The session id. */
  id: string;
  entryId: string;
  /** ISO 8601, UTC; null when the file doesn't tell. */
  timestamp: string | null;
  /** As in totals: `provider/model`. */
  model: string | null;
  missedTokens: number;
  /** What they cost more than they would have from the cache, in US dollars. */
  missedCost: number;
  reason: MissReason;
}

export interface CacheMisses {
  /** The dearest first. */
  misses: CacheMiss[];
  total: { missedTokens: number; missedCost: number; count: number };
  skipped: SkippedFile[];
  damagedLines: number;
}

const DEFAULT_TTL_MINUTES = 5;

/**
 * Finds the turns that paid again for a prefix that the turn before had in its prompt: see `CacheMissFinder` for what counts as a miss, what it cost and why
 * it happened. Models that neither read from a cache nor wrote to one, in all of the stores, are left out. A miss of a call that forks copied belongs to
 * the oldest file that holds the call. `since`, `until`, `models` and `providers` choose calls; what is a miss, or a copy, does not depend on it.
 * Memory: the list of files, the misses, about 30 bytes a call, and the sessions being read.
 *
 * @throws StoreError for a store that is no folder, RangeError for minutes that are not above 0; the reason of `signal` when it aborts.
 *
 * @example
 * import { findCacheMisses } from "pi-sessions";
 *
 * const { misses, total } = await findCacheMisses({ stores: ["fixtures/store"] });
 * console.log(total.missedCost, misses.map(({ reason, missedTokens }) => [reason, missedTokens]));
 */
export async function findCacheMisses(options: CacheMissesOptions = {}): Promise<CacheMisses> {
  const { cacheTtlMinutes = DEFAULT_TTL_MINUTES, ...storeOptions } = options;
  if (!(cacheTtlMinutes > 0)) {
    throw new RangeError(`Cannot find cache misses: "cacheTtlMinutes" must be above 0, but is ${cacheTtlMinutes}`);
  }
  const copyFinder = new CopyFinder();
  const files: FileMisses[] = [];
  const cachingModels = new Set<string | null>();
  const passedOver: SkippedFile[] = [];
  let damagedLines = 0;
  const task = { ...callFilters(storeOptions), ttlMs: cacheTtlMinutes * 60_000 };
  for await (const { result, skipped } of scanFiles({ ...storeOptions, name: "misses", task })) {
    copyFinder.add(result.fingerprinted);
    files.push(...result.files);
    for (const model of result.cachingModels) cachingModels.add(model);
    passedOver.push(...skipped);
    damagedLines += result.damagedLines;
  }

  const copies = copyFinder.findCopies();
  const misses: CacheMiss[] = [];
  for (const { path, id, calls } of files) {
    const isCopy = new Set(copies.get(resolve(path)));
    for (const { ordinal, time, entryId, model, missedTokens, missedCost, reason } of calls) {
      if (isCopy.has(ordinal) || !cachingModels.has(model)) continue;
      const timestamp = time === undefined ? null : formatIsoTime(time);
      misses.push({ path, id, entryId, timestamp, model, missedTokens, missedCost, reason });
    }
  }
  misses.sort((a, b) => b.missedCost - a.missedCost || b.missedTokens - a.missedTokens || byPath(a, b));
  return { misses, total: sumMisses(misses), skipped: passedOver.sort(byPath), damagedLines };
}

function sumMisses(misses: readonly CacheMiss[]): CacheMisses["total"] {
  const sum = new UsageSum();
  for (const { missedTokens, missedCost } of misses) {
    sum.add({ ...emptyUsage(), input: missedTokens, costTotal: missedCost, calls: 1 });
  }
  const { input, costTotal, calls } = sum.total();
  return { missedTokens: input, missedCost: costTotal, count: calls };
}
