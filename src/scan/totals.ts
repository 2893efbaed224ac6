import { emptyUsage, type Usage } from "../format/usage.js";
import { modelFilter, timeFilter } from "../report/call-filter.js";
import { CallGroups, type GroupKey, type GroupSort, type UsageGroup } from "../report/group-calls.js";
import { mapBranches } from "../report/map-branches.js";
import { UsageSum } from "../report/sum-usage.js";
import { ZoneClock } from "../report/zone-clock.js";
import { takeValue } from "./list-sessions.js";
import { projectFilter } from "./project-filter.js";
import { readReport, type SessionReport } from "./read-report.js";
import { scanFiles } from "./scan-files.js";
import type { StoreOptions } from "./store-options.js";

export interface TotalsOptions extends StoreOptions {
  /** What to group by; several keys are nested. Default: no groups, only the total. */
  by?: readonly GroupKey[];
  /** Default: by time where a time key is first, else by cost, highest first. */
  sort?: GroupSort;
  order?: "asc" | "desc";
  /** Groups given at most; the total is of all. */
  limit?: number;
}

export interface Totals {
  groups: UsageGroup[];
  /** Everything that the filters let through. */
  total: Usage;
  /** The copies of calls among it. */
  duplicates: Usage;
  /** Sessions read. */
  files: number;
  /** Files passed over. */
  skipped: number;
  damagedLines: number;
}

/**
 * Adds up the usage of all sessions of the stores: tokens and cost, by any keys. `since`, `until`, `models` and `providers` choose calls.
 * Does not depend on the order in which files are read. Memory: the list of files, a sum a group, and the sessions being read.
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
  const clock = new ZoneClock(options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const sums = new TotalsSums(options, clock);
  let skipped = 0;
  for await (const scanned of scanFiles(options, (file) => readReport(file, projectFilter(options)))) {
    const report = takeValue(scanned, () => skipped++);
    if (report) sums.add(report);
  }
  return {
    groups: sums.groups.groups(options.sort, options.order).slice(0, options.limit),
    total: sums.total.total(),
    duplicates: emptyUsage(),
    files: sums.files,
    skipped,
    damagedLines: sums.damagedLines,
  };
}

class TotalsSums {
  readonly groups: CallGroups;
  readonly total = new UsageSum();
  files = 0;
  damagedLines = 0;
  readonly #isModelWanted: ReturnType<typeof modelFilter>;
  readonly #isTimeWanted: ReturnType<typeof timeFilter>;

  constructor(options: TotalsOptions, clock: ZoneClock) {
    this.groups = new CallGroups(options.by ?? [], clock);
    this.#isModelWanted = modelFilter(options);
    this.#isTimeWanted = timeFilter(options);
  }

  add({ session, calls, index }: SessionReport): void {
    this.files++;
    this.damagedLines += session.damagedLines;
    const owner = { sessionId: session.id, cwd: session.cwd };
    const branchOf = this.groups.by.includes("branch") ? mapBranches(index) : () => null;
    for (const call of calls) {
      if (!this.#isTimeWanted(call.time) || !this.#isModelWanted(call)) continue;
      this.total.add(call.usage);
      if (this.groups.by.length > 0) this.groups.add({ call, owner, branch: branchOf(call.number) });
    }
  }
}
