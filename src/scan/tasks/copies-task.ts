import { resolve } from "node:path";
import type { Usage } from "../../format/usage.js";
import { CallGroups, callOwner, type GroupKey } from "../../report/group-calls.js";
import { UsageSum } from "../../report/sum-usage.js";
import { ZoneClock } from "../../report/zone-clock.js";
import { projectFilter } from "../project-filter.js";
import { scanSession } from "../scan-session.js";
import { FileSums, type FileSumsParts } from "./file-sums.js";
import type { FilterOptions, Task } from "./task.js";

export interface CopiesTaskOptions extends FilterOptions {
  by: readonly GroupKey[];
  timeZone: string;
  /** By path: the calls that are copies, by their number in the file, ascending. */
  copies: ReadonlyMap<string, Uint32Array>;
  /** Whether the shares of each file are wanted; else files are read no further than their last copy. */
  shares: boolean;
}

/** What the calls of one file came to, whatever the filters say. */
export interface FileShares {
  /** Absolute. */
  path: string;
  /** Those that are no copies. */
  own: Usage;
  copied: Usage;
}

export interface CopiesPart extends FileSumsParts {
  shares: FileShares[];
}

/** The sums of the copies among the calls that the filters let through, and the shares of each file. */
export function copiesTask(options: CopiesTaskOptions): Task<CopiesPart> {
  const clock = new ZoneClock(options.timeZone);
  const isProjectWanted = projectFilter(options);
  const groups = new CallGroups(options.by, clock);
  const total = new UsageSum();
  const shares: FileShares[] = [];
  return {
    scan(file) {
      const path = resolve(file.path);
      const copies = options.copies.get(path)!;
      const isCopy = new Set(copies);
      const last = copies.at(-1)!;
      let isPastLast = false;
      let sums: FileSums;
      let own: UsageSum;
      let copied: UsageSum;
      let isWanted = true;
      const scanned = scanSession(file, {
        wantsSession: false,
        wantsIndex: groups.by.includes("branch"),
        // Branches are known at the end of the file alone.
        isEnough: () => isPastLast && !options.shares && !groups.by.includes("branch"),
        begin(header) {
          isWanted = isProjectWanted(header);
          sums = new FileSums(callOwner(header), options, clock);
          own = new UsageSum();
          copied = new UsageSum();
          isPastLast = false;
          return {
            onCall(call) {
              isPastLast ||= call.ordinal >= last;
              const isCopied = isCopy.has(call.ordinal);
              (isCopied ? copied : own).add(call.usage);
              if (isCopied && isWanted) sums.add(call);
            },
          };
        },
      });
      if (options.shares) shares.push({ path, own: own!.total(), copied: copied!.total() });
      if (!isWanted) return;
      const parts = sums!.finish(scanned!.index);
      groups.merge(parts.groups);
      total.merge(parts.total);
    },
    finish: () => ({ groups: groups.parts(), total: total.parts(), shares }),
  };
}
