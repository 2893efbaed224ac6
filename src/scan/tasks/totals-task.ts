import { headerParent, type SessionHeader } from "../../format/header.js";
import { filtersCalls } from "../../report/call-filter.js";
import { CallFingerprints } from "../../report/call-fingerprint.js";
import { CallGroups, type CallOwner, callOwner, type GroupKey } from "../../report/group-calls.js";
import { KeptCalls } from "../../report/kept-calls.js";
import { UsageSum } from "../../report/sum-usage.js";
import { ZoneClock } from "../../report/zone-clock.js";
import type { SessionIndex } from "../../tree/session-index.js";
import type { SessionFile } from "../find-session-files.js";
import { fingerprintedFile, type TotalledFile } from "../fingerprinted-file.js";
import { projectFilter } from "../project-filter.js";
import {
  type CallTaker,
  type JoinedSession,
  joinSessionParts,
  type SessionPart,
  scanSession,
  scanSessionPart,
} from "../scan-session.js";
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
  fingerprinted: TotalledFile[];
}

/** What one range of a file comes to. */
interface RangeTotals {
  session: SessionPart;
  sums: FileSumsParts | undefined;
  fingerprints: Int32Array;
}

/** The sums of the calls that the filters let through. */
export function totalsTask(options: TotalsTaskOptions): Task<TotalsPart> {
  const clock = new ZoneClock(options.timeZone);
  const isProjectWanted = projectFilter(options);
  const groups = new CallGroups(options.by, clock);
  const total = new UsageSum();
  const fingerprinted: TotalledFile[] = [];
  const byBranch = groups.by.includes("branch");
  const looksAtCalls = groups.by.length > 0 || filtersCalls(options);
  let files = 0;
  let damagedLines = 0;

  // Of the file that is being read.
  const fingerprints = new CallFingerprints();
  const kept = new KeptCalls();

  /** What the calls of one file come to. */
  class FileTotals {
    readonly isWanted: boolean;
    readonly owner: CallOwner;
    /** Where they must be looked at one by one. */
    readonly sums: FileSums | undefined;
    readonly kept: KeptCalls | undefined;

    /** `isWhole`: whether it will be given all calls of the file. */
    constructor(header: SessionHeader, isWhole: boolean) {
      fingerprints.clear();
      this.isWanted = isProjectWanted(header);
      this.owner = callOwner(header);
      this.sums = looksAtCalls && this.isWanted ? new FileSums(this.owner, options, clock) : undefined;
      // A fork is likely to hold copies; branches are known at the end of the file alone.
      const keeps = isWhole && options.fingerprints && this.isWanted && !byBranch && headerParent(header) !== null;
      kept.clear();
      this.kept = keeps ? kept : undefined;
    }

    get taker(): CallTaker {
      const { sums, kept } = this;
      return {
        onCall: sums && ((call) => sums.add(call)),
        fingerprints: options.fingerprints ? fingerprints : undefined,
        kept,
      };
    }

    /** Adds the file to those of the batch. */
    finish({ path }: SessionFile, scanned: JoinedSession, index?: SessionIndex): void {
      if (options.fingerprints) {
        const copiesCount = this.isWanted;
        const kept = this.kept && { owner: this.owner, calls: this.kept.parts() };
        fingerprinted.push({ ...fingerprintedFile(path, scanned.header, fingerprints), copiesCount, kept });
      }
      if (!this.isWanted) return;
      const sums = this.sums?.finish(index);
      if (sums) groups.merge(sums.groups);
      total.merge(sums?.total ?? scanned.usage);
      files++;
      damagedLines += scanned.damagedLines;
    }
  }

  return {
    scan(file) {
      let totals: FileTotals;
      const scanned = scanSession(file, {
        wantsSession: false,
        wantsIndex: byBranch,
        begin(header) {
          totals = new FileTotals(header, true);
          return totals.isWanted || options.fingerprints ? totals.taker : undefined;
        },
      });
      if (scanned) totals!.finish(file, scanned, scanned.index);
    },
    scanPart(file, range): RangeTotals | undefined {
      if (byBranch) return undefined;
      const totals = new FileTotals(range.header, false);
      const session = scanSessionPart(file, range, totals.taker);
      return session && { session, sums: totals.sums?.finish(), fingerprints: fingerprints.finish() };
    },
    join(file, header, parts) {
      const ranges = parts as RangeTotals[];
      const totals = new FileTotals(header, false);
      let calls = 0;
      for (const { session, sums, fingerprints: words } of ranges) {
        if (sums) totals.sums?.merge(sums);
        fingerprints.take(words, calls);
        calls += session.calls.count;
      }
      const sessions = ranges.map(({ session }) => session);
      const joined = joinSessionParts(file, header, sessions, totals.taker);
      if (joined) totals.finish(file, joined);
      return joined !== undefined;
    },
    finish: () => {
      shareBuffer(fingerprinted);
      return { groups: groups.parts(), total: total.parts(), files, damagedLines, fingerprinted };
    },
  };
}

/** Lays the fingerprints of all files into one buffer, which goes to another thread in one piece: thousands of small ones would leave its memory in tatters. */
function shareBuffer(files: readonly TotalledFile[]): void {
  if (files.length === 1) return;
  const words = new Int32Array(files.reduce((sum, { fingerprints }) => sum + fingerprints.length, 0));
  let start = 0;
  for (const file of files) {
    const end = start + file.fingerprints.length;
    words.set(file.fingerprints, start);
    file.fingerprints = words.subarray(start, end);
    start = end;
  }
}
