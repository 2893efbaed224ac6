import { resolve } from "node:path";
import type { Usage } from "../../format/usage.js";
import { CallGroups, type GroupKey } from "../../report/group-calls.js";
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
}

export interface CopiesPart extends FileSumsParts {
  /** By path: what the copies in it came to, whatever the filters say. */
  copied: { path: string; usage: Usage }[];
}

/** The sums of the copies among the calls that the filters let through. */
export function copiesTask(options: CopiesTaskOptions): Task<CopiesPart> {
  const clock = new ZoneClock(options.timeZone);
  const isProjectWanted = projectFilter(options);
  const groups = new CallGroups(options.by, clock);
  const total = new UsageSum();
  const copied: CopiesPart["copied"] = [];
  return {
    scan(file) {
      const path = resolve(file.path);
      const isCopy = new Set(options.copies.get(path));
      let sums: FileSums;
      let all = new UsageSum();
      let isWanted = true;
      const scanned = scanSession(file, {
        wantsIndex: groups.by.includes("branch"),
        begin(header) {
          isWanted = isProjectWanted(header);
          sums = new FileSums(header, options, clock);
          all = new UsageSum();
          return (call) => {
            if (!isCopy.has(call.ordinal)) return;
            all.add(call.usage);
            if (isWanted) sums.add(call);
          };
        },
      });
      copied.push({ path, usage: all.total() });
      if (!isWanted) return;
      const parts = sums!.finish(scanned!.index);
      groups.merge(parts.groups);
      total.merge(parts.total);
    },
    finish: () => ({ groups: groups.parts(), total: total.parts(), copied }),
  };
}
