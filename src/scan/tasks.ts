import { headerCwd, type SessionHeader } from "../format/header.js";
import type { Problem } from "../format/problem.js";
import { checkOpenSessionSync } from "../read/check-session.js";
import type { EntrySink } from "../read/entry-parser.js";
import { pumpSessionSync, SessionPump } from "../read/pump-session.js";
import type { Call } from "../report/call.js";
import { type CallFilterOptions, filtersModels, modelFilter, timeFilter } from "../report/call-filter.js";
import { CallGroups, type GroupKey, type GroupParts } from "../report/group-calls.js";
import { mapBranches } from "../report/map-branches.js";
import type { Session } from "../report/session-summary.js";
import { SizeGroups, type SizeParts } from "../report/size-groups.js";
import { type UsageParts, UsageSum } from "../report/sum-usage.js";
import { ZoneClock } from "../report/zone-clock.js";
import type { OpenSession } from "./open-session.js";
import { projectFilter } from "./project-filter.js";
import { STORE_MAX_LINE_BYTES, scanSession } from "./scan-session.js";

/** A task on its way through a batch of files. What it keeps of a session that fails midway must not be seen in its result. */
interface Task<Result> {
  scan(session: OpenSession): void;
  /** What came of the batch; it can be posted to another thread. */
  finish(): Result;
}

/** The filters that choose sessions or calls. */
export interface FilterOptions extends CallFilterOptions {
  projects?: readonly string[] | undefined;
}

/** The sessions that the filters let through. */
function listTask(options: FilterOptions): Task<Session[]> {
  const isProjectWanted = projectFilter(options);
  const isTimeWanted = timeFilter(options);
  const isModelWanted = modelFilter(options);
  const needsModel = filtersModels(options);
  const sessions: Session[] = [];
  return {
    scan(file) {
      let hasModel = !needsModel;
      const scanned = scanSession(file, {
        wantsIndex: false,
        begin(header) {
          hasModel = !needsModel;
          return isProjectWanted(header) ? (call) => (hasModel ||= isModelWanted(call)) : undefined;
        },
      });
      if (scanned && hasModel && isTimeWanted(Date.parse(scanned.session.modified))) sessions.push(scanned.session);
    },
    finish: () => sessions,
  };
}

export interface TotalsTaskOptions extends FilterOptions {
  by: readonly GroupKey[];
  timeZone: string;
}

export interface TotalsPart {
  groups: GroupParts;
  total: UsageParts;
  files: number;
  damagedLines: number;
}

/** The sums of the calls that the filters let through. */
function totalsTask(options: TotalsTaskOptions): Task<TotalsPart> {
  const clock = new ZoneClock(options.timeZone);
  const isProjectWanted = projectFilter(options);
  const isTimeWanted = timeFilter(options);
  const isModelWanted = modelFilter(options);
  const groups = new CallGroups(options.by, clock);
  const total = new UsageSum();
  const byBranch = groups.by.includes("branch");
  let files = 0;
  let damagedLines = 0;
  return {
    scan(file) {
      let sums = new CallGroups(options.by, clock);
      let sum = new UsageSum();
      let calls: Call[] = [];
      let owner = { sessionId: "", cwd: null as string | null };
      const scanned = scanSession(file, {
        wantsIndex: byBranch,
        begin(header) {
          if (!isProjectWanted(header)) return undefined;
          sums = new CallGroups(options.by, clock);
          sum = new UsageSum();
          calls = [];
          owner = { sessionId: header.id, cwd: headerCwd(header) };
          return (call) => {
            if (!isTimeWanted(call.time) || !isModelWanted(call)) return;
            sum.add(call.usage);
            if (byBranch) calls.push(call);
            else if (options.by.length > 0) sums.add({ call, owner, branch: null });
          };
        },
      });
      if (!scanned) return;
      const branchOf = scanned.index && mapBranches(scanned.index);
      for (const call of calls) sums.add({ call, owner, branch: branchOf!(call.number) });
      groups.merge(sums.parts());
      total.merge(sum.parts());
      files++;
      damagedLines += scanned.session.damagedLines;
    },
    finish: () => ({ groups: groups.parts(), total: total.parts(), files, damagedLines }),
  };
}

/** What is wrong with each session. */
function checkTask(): Task<{ path: string; findings: Problem[] }[]> {
  const files: { path: string; findings: Problem[] }[] = [];
  return {
    scan({ fd, path, buffer, onBytes }) {
      const findings = checkOpenSessionSync(fd, path, { buffer, onBytes, maxLineBytes: STORE_MAX_LINE_BYTES });
      if (findings.length > 0) files.push({ path, findings });
    },
    finish: () => files,
  };
}

/** Where the bytes of the sessions are. */
function sizesTask({ limit }: { limit: number }): Task<SizeParts> {
  const sizes = new SizeGroups(limit);
  return {
    scan(file) {
      sizes.merge(measureOpenSession(file, limit).parts());
    },
    finish: () => sizes.parts(),
  };
}

/** Where the bytes of one session are. */
export function measureOpenSession({ fd, path, buffer, onBytes }: OpenSession, limit: number): SizeGroups {
  const sizes = new SizeGroups(limit);
  const sink: EntrySink = {
    header() {},
    entry(entry, line, _byteOffset, byteLength) {
      sizes.add(entry, path, line, byteLength);
    },
  };
  const pump = new SessionPump(fd, path, sink, { lean: {}, maxLineBytes: STORE_MAX_LINE_BYTES });
  pumpSessionSync(pump, fd, { buffer, onBytes });
  return sizes;
}

/** How much of a file is read to find its header. */
const HEADER_CHUNK_BYTES = 4096;

/** The headers of the sessions, read no further than that. */
function headersTask(options: FilterOptions): Task<{ path: string; id: string }[]> {
  const isProjectWanted = projectFilter(options);
  const headers: { path: string; id: string }[] = [];
  return {
    scan({ fd, path, buffer, onBytes }) {
      let found: SessionHeader | undefined;
      const sink: EntrySink = {
        header(header) {
          found = header;
        },
        entry() {},
      };
      const pump = new SessionPump(fd, path, sink, { lean: "links", maxLineBytes: STORE_MAX_LINE_BYTES });
      pumpSessionSync(pump, fd, {
        buffer: buffer.subarray(0, HEADER_CHUNK_BYTES),
        onBytes,
        isEnough: () => found !== undefined,
      });
      if (found && isProjectWanted(found)) headers.push({ path, id: found.id });
    },
    finish: () => headers,
  };
}

/**
 * The reports that a worker can run, by name: a function can't be posted to a worker. Each makes one result of a batch of files, which does not depend
 * on their order.
 */
export const tasks = { list: listTask, totals: totalsTask, check: checkTask, sizes: sizesTask, headers: headersTask };

export type TaskName = keyof typeof tasks;
export type TaskOptions<Name extends TaskName> = Parameters<(typeof tasks)[Name]>[0];
export type TaskResult<Name extends TaskName> = ReturnType<ReturnType<(typeof tasks)[Name]>["finish"]>;
