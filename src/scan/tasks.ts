import { resolve } from "node:path";
import { headerCwd, type SessionHeader } from "../format/header.js";
import type { Problem } from "../format/problem.js";
import type { Usage } from "../format/usage.js";
import { checkOpenSessionSync } from "../read/check-session.js";
import type { EntrySink } from "../read/entry-parser.js";
import { pumpSessionSync, SessionPump } from "../read/pump-session.js";
import type { Call } from "../report/call.js";
import { type CallFilterOptions, filtersModels, modelFilter, timeFilter } from "../report/call-filter.js";
import { CallFingerprints, callIdentity } from "../report/call-fingerprint.js";
import type { LineageFile } from "../report/file-lineage.js";
import { CallGroups, type CallOwner, type GroupKey, type GroupParts } from "../report/group-calls.js";
import { mapBranches } from "../report/map-branches.js";
import type { Session } from "../report/session-summary.js";
import { SizeGroups, type SizeParts } from "../report/size-groups.js";
import { type UsageParts, UsageSum } from "../report/sum-usage.js";
import { ZoneClock } from "../report/zone-clock.js";
import type { SessionIndex } from "../tree/session-index.js";
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
  /** Whether each file's calls are to be told from those of others. */
  fingerprints: boolean;
}

/** A file and its calls, for the ledger that tells copies from calls. */
export interface FingerprintedFile extends LineageFile {
  fingerprints: Int32Array;
  /** What all its calls came to. */
  usage: Usage;
}

export interface TotalsPart {
  groups: GroupParts;
  total: UsageParts;
  files: number;
  damagedLines: number;
  /** All files, whatever the filters say: a copy is one wherever the call stands. */
  fingerprinted: FingerprintedFile[];
}

/** The sums of the calls that the filters let through. */
function totalsTask(options: TotalsTaskOptions): Task<TotalsPart> {
  const { by, fingerprints: wantsFingerprints } = options;
  const clock = new ZoneClock(options.timeZone);
  const isProjectWanted = projectFilter(options);
  const groups = new CallGroups(by, clock);
  const total = new UsageSum();
  const fingerprinted: FingerprintedFile[] = [];
  let files = 0;
  let damagedLines = 0;
  return {
    scan(file) {
      let sums: FileSums;
      let fingerprints: CallFingerprints;
      let isWanted = true;
      const scanned = scanSession(file, {
        wantsIndex: groups.by.includes("branch"),
        begin(header) {
          isWanted = isProjectWanted(header);
          if (!isWanted && !wantsFingerprints) return undefined;
          sums = new FileSums(header, options, clock);
          fingerprints = new CallFingerprints();
          return (call, entry) => {
            if (wantsFingerprints) fingerprints.add(call, callIdentity(entry));
            if (isWanted) sums.add(call);
          };
        },
      });
      if (!scanned) return;
      const { path, id, parentSession, created, usage } = scanned.session;
      if (wantsFingerprints) {
        fingerprinted.push({
          path: resolve(path),
          id,
          parent: parentSession,
          created: created === null ? null : Date.parse(created),
          fingerprints: fingerprints!.finish(),
          usage,
        });
      }
      if (!isWanted) return;
      const parts = sums!.finish(scanned.index);
      groups.merge(parts.groups);
      total.merge(parts.total);
      files++;
      damagedLines += scanned.session.damagedLines;
    },
    finish: () => ({ groups: groups.parts(), total: total.parts(), files, damagedLines, fingerprinted }),
  };
}

export interface CopiesTaskOptions extends FilterOptions {
  by: readonly GroupKey[];
  timeZone: string;
  /** By path: the calls that are copies, by their number in the file, ascending. */
  copies: ReadonlyMap<string, Uint32Array>;
}

export interface CopiesPart {
  groups: GroupParts;
  total: UsageParts;
  /** By path: what the copies in it came to, whatever the filters say. */
  copied: { path: string; usage: Usage }[];
}

/** The sums of the copies among the calls that the filters let through. */
function copiesTask(options: CopiesTaskOptions): Task<CopiesPart> {
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

/** The sums of one file's calls: those that the filters let through. */
class FileSums {
  readonly #groups: CallGroups;
  readonly #total = new UsageSum();
  readonly #owner: CallOwner;
  readonly #isTimeWanted: ReturnType<typeof timeFilter>;
  readonly #isModelWanted: ReturnType<typeof modelFilter>;
  /** Calls that can only be grouped once the tree is known. */
  readonly #waiting: Call[] = [];

  constructor(header: SessionHeader, options: FilterOptions & { by: readonly GroupKey[] }, clock: ZoneClock) {
    this.#groups = new CallGroups(options.by, clock);
    this.#owner = { sessionId: header.id, cwd: headerCwd(header) };
    this.#isTimeWanted = timeFilter(options);
    this.#isModelWanted = modelFilter(options);
  }

  add(call: Call): void {
    if (!this.#isTimeWanted(call.time) || !this.#isModelWanted(call)) return;
    this.#total.add(call.usage);
    if (this.#groups.by.includes("branch")) this.#waiting.push(call);
    else if (this.#groups.by.length > 0) this.#groups.add({ call, owner: this.#owner, branch: null });
  }

  /** `index` is needed where calls are grouped by branch. */
  finish(index: SessionIndex | undefined): { groups: GroupParts; total: UsageParts } {
    const branchOf = index && mapBranches(index);
    for (const call of this.#waiting) {
      this.#groups.add({ call, owner: this.#owner, branch: branchOf!(call.number) });
    }
    return { groups: this.#groups.parts(), total: this.#total.parts() };
  }
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
export const tasks = {
  list: listTask,
  totals: totalsTask,
  copies: copiesTask,
  check: checkTask,
  sizes: sizesTask,
  headers: headersTask,
};

export type TaskName = keyof typeof tasks;
export type TaskOptions<Name extends TaskName> = Parameters<(typeof tasks)[Name]>[0];
export type TaskResult<Name extends TaskName> = ReturnType<ReturnType<(typeof tasks)[Name]>["finish"]>;
