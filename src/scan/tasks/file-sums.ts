import type { Call } from "../../report/call.js";
import { modelFilter, timeFilter } from "../../report/call-filter.js";
import { CallGroups, type CallOwner, type GroupKey, type GroupParts } from "../../report/group-calls.js";
import { mapBranches } from "../../report/map-branches.js";
import { type UsageParts, UsageSum } from "../../report/sum-usage.js";
import type { ZoneClock } from "../../report/zone-clock.js";
import type { SessionIndex } from "../../tree/session-index.js";
import type { FilterOptions } from "./task.js";

/** Sums on their way to another thread, or into those of all files. */
export interface FileSumsParts {
  groups: GroupParts;
  total: UsageParts;
}

/** The sums of one file's calls: those that the filters let through. */
export class FileSums {
  readonly #groups: CallGroups;
  readonly #total = new UsageSum();
  readonly #owner: CallOwner;
  readonly #isTimeWanted: ReturnType<typeof timeFilter>;
  readonly #isModelWanted: ReturnType<typeof modelFilter>;
  /** Calls that can only be grouped once the tree is known. */
  readonly #waiting: Call[] = [];

  constructor(owner: CallOwner, options: FilterOptions & { by: readonly GroupKey[] }, clock: ZoneClock) {
    this.#groups = new CallGroups(options.by, clock);
    this.#owner = owner;
    this.#isTimeWanted = timeFilter(options);
    this.#isModelWanted = modelFilter(options);
  }

  add(call: Call): void {
    if (!this.#isTimeWanted(call.time) || !this.#isModelWanted(call)) return;
    this.#total.add(call.usage);
    if (this.#groups.by.includes("branch"))
      this.#waiting.push({ ...call, usage: { ...call.usage } }); // Calls may be lent.
    else if (this.#groups.by.length > 0) this.#groups.add({ call, owner: this.#owner, branch: null });
  }

  /** Adds what came of one range of the file. */
  merge({ groups, total }: FileSumsParts): void {
    this.#groups.merge(groups);
    this.#total.merge(total);
  }

  /** `index` is needed where calls are grouped by branch. */
  finish(index?: SessionIndex): FileSumsParts {
    const branchOf = index && mapBranches(index);
    for (const call of this.#waiting) {
      this.#groups.add({ call, owner: this.#owner, branch: branchOf!(call.number) });
    }
    return { groups: this.#groups.parts(), total: this.#total.parts() };
  }
}
