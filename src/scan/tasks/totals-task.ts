import type { SessionHeader } from "../../format/header.js";
import { CallFingerprints, callIdentity } from "../../report/call-fingerprint.js";
import { CallGroups, type GroupKey } from "../../report/group-calls.js";
import type { OnCall } from "../../report/session-calls.js";
import type { Session } from "../../report/session-summary.js";
import { UsageSum } from "../../report/sum-usage.js";
import { ZoneClock } from "../../report/zone-clock.js";
import type { SessionIndex } from "../../tree/session-index.js";
import { type FingerprintedFile, fingerprintedFile } from "../fingerprinted-file.js";
import { projectFilter } from "../project-filter.js";
import { joinSessionParts, type SessionPart, scanSession, scanSessionPart } from "../scan-session.js";
import { FileSums, type FileSumsParts } from "./file-sums.js";
import type { FilterOptions, Task } from "./task.js";

export interface TotalsTaskOptions extends FilterOptions {
  by: readonly GroupKey[];
  timeZone: string;
  /** Whether each file's calls are to be told from those of others. */
  fingerprints: boolean;
}

export interface TotalsPart extends FileSumsParts {
  files: number;
  damagedLines: number;
  /** All files, whatever the filters say: a copy is one wherever the call stands. */
  fingerprinted: FingerprintedFile[];
}

/** What one range of a file comes to. */
interface RangeTotals {
  session: SessionPart;
  sums: FileSumsParts;
  fingerprints: Int32Array;
}

/** The sums of the calls that the filters let through. */
export function totalsTask(options: TotalsTaskOptions): Task<TotalsPart> {
  const clock = new ZoneClock(options.timeZone);
  const isProjectWanted = projectFilter(options);
  const groups = new CallGroups(options.by, clock);
  const total = new UsageSum();
  const fingerprinted: FingerprintedFile[] = [];
  const byBranch = groups.by.includes("branch");
  let files = 0;
  let damagedLines = 0;

  /** What the calls of one file come to. */
  class FileTotals {
    readonly isWanted: boolean;
    readonly sums: FileSums;
    readonly fingerprints = new CallFingerprints();

    constructor(header: SessionHeader) {
      this.isWanted = isProjectWanted(header);
      this.sums = new FileSums(header, options, clock);
    }

    readonly onCall: OnCall = (call, entry) => {
      if (options.fingerprints) this.fingerprints.add(call, callIdentity(entry));
      if (this.isWanted) this.sums.add(call);
    };

    /** Adds the file to those of the batch. */
    finish(session: Session, index?: SessionIndex): void {
      if (options.fingerprints) fingerprinted.push(fingerprintedFile(session, this.fingerprints));
      if (!this.isWanted) return;
      const sums = this.sums.finish(index);
      groups.merge(sums.groups);
      total.merge(sums.total);
      files++;
      damagedLines += session.damagedLines;
    }
  }

  return {
    scan(file) {
      let totals: FileTotals;
      const scanned = scanSession(file, {
        wantsIndex: byBranch,
        begin(header) {
          totals = new FileTotals(header);
          return totals.isWanted || options.fingerprints ? totals.onCall : undefined;
        },
      });
      if (scanned) totals!.finish(scanned.session, scanned.index);
    },
    scanPart(file, range): RangeTotals | undefined {
      if (byBranch) return undefined;
      const totals = new FileTotals(range.header);
      const session = scanSessionPart(file, range, totals.onCall);
      return session && { session, sums: totals.sums.finish(), fingerprints: totals.fingerprints.finish() };
    },
    join(file, header, parts) {
      const ranges = parts as RangeTotals[];
      const totals = new FileTotals(header);
      let calls = 0;
      for (const { session, sums, fingerprints } of ranges) {
        totals.sums.merge(sums);
        totals.fingerprints.take(fingerprints, calls);
        calls += session.calls.count;
      }
      const sessions = ranges.map(({ session }) => session);
      const session = joinSessionParts(file, header, sessions, totals.onCall);
      if (session) totals.finish(session);
      return session !== undefined;
    },
    finish: () => ({ groups: groups.parts(), total: total.parts(), files, damagedLines, fingerprinted }),
  };
}
