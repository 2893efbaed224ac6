import type { Usage } from "../format/usage.js";
import { CallGroups, type GroupKey, type GroupSort, type UsageGroup } from "../report/group-calls.js";
import { UsageSum } from "../report/sum-usage.js";
import { systemTimeZone, ZoneClock } from "../report/zone-clock.js";
import { CopyFinder } from "./copy-finder.js";
import { StoreScan } from "./scan-files.js";
import { callFilters, type StoreOptions } from "./store-options.js";

export interface TotalsOptions extends StoreOptions {
  /** What to group by; several keys are nested. Default: no groups, only the total. */
  by?: readonly GroupKey[];
  /** Default: by time where a time key is first, else by cost, highest first. */
  sort?: GroupSort;
  order?: "asc" | "desc";
  /** Groups given at most; the total is of all. */
  limit?: number;
  /** Whether a call that forks copied counts once, in the oldest file that holds it. Default true. */
  dedupe?: boolean;
}

export interface Totals {
  groups: UsageGroup[];
  /** Everything that the filters let through. */
  total: Usage;
  /** The copies of calls that the filters would have let through; none without `dedupe`. */
  duplicates: Usage;
  /** Sessions that the filters let through. */
  files: number;
  /** Files passed over. */
  skipped: number;
  damagedLines: number;
}

/**
 * Adds up the usage of all sessions of the stores: tokens and cost, by any keys. `since`, `until`, `models` and `providers` choose calls.
 * A call that forks copied counts once, in the oldest file that holds it, whatever the filters let through: for that all files are read, and of those with
 * copies some twice. Does not depend on the order in which files are read.
 * Memory: the list of files, a sum a group, the sessions being read, about 30 bytes a call to tell copies, and 16 MiB at most for the calls of forks.
 *
 * @throws StoreError for a store that is no folder, RangeError for an unknown time zone; the reason of `signal` when it aborts.
 *
 * @example
 * import { totals } from "pi-sessions";
 *
 * const { groups, total } = await totals({ stores: ["fixtures/store"], by: ["model"] });
 * console.log(groups.map(({ key, costTotal }) => [key.model, costTotal]), total.costTotal);
 */
export async function totals(options: TotalsOptions = {}): Promise<Totals> {
  const { by = [], timeZone = systemTimeZone(), dedupe = true } = options;
  const groups = new CallGroups(by, new ZoneClock(timeZone));
  const total = new UsageSum();
  const duplicates = new UsageSum();
  const copyFinder = new CopyFinder();
  let files = 0;
  let skippedFiles = 0;
  let damagedLines = 0;
  const task = { ...callFilters(options), by, timeZone };
  const scan = new StoreScan(options);
  try {
    for await (const { result, skipped } of scan.run("totals", { ...task, fingerprints: dedupe })) {
      groups.merge(result.groups);
      total.merge(result.total);
      files += result.files;
      damagedLines += result.damagedLines;
      skippedFiles += skipped.length;
      copyFinder.add(result.fingerprinted);
    }
    for await (const copies of copyFinder.sumCopies(scan, { ...task, shares: false })) {
      groups.subtract(copies.groups);
      total.subtract(copies.total);
      duplicates.merge(copies.total);
    }
  } finally {
    await scan.close();
  }
  return {
    groups: groups.groups(options.sort, options.order).slice(0, options.limit),
    total: total.total(),
    duplicates: duplicates.total(),
    files,
    skipped: skippedFiles,
    damagedLines,
  };
}
