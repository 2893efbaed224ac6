/**
 * The right answers about a corpus, added up from what its generator decided to write and never from reading it back. Money is counted in whole
 * millionths of a US dollar, so that every sum is exact.
 */

import { basename } from "node:path";

/** Sums over model calls: tokens, and millionths of a US dollar. */
export interface Sum {
  calls: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  costMicros: number;
}

/** Which model the usage of an entry belongs to. */
export interface Attribution {
  provider: string;
  /** `provider/model`. */
  model: string;
}

/** One model call, shared by all the files that hold a copy of it. */
export interface Call extends Attribution, Omit<Sum, "calls"> {
  /** Unix milliseconds. */
  time: number;
  source: string;
  tool: string | null;
  /** Whether an older file already owns it. */
  counted: boolean;
}

/** A call as it stands in one file. */
export interface StoredCall {
  call: Call;
  /** Of its entry; empty in version 1 files, which have none. */
  id: string;
  /** Of its entry, Unix milliseconds. */
  entryTime: number;
}

/** What is true of one session file. */
export interface SessionTruth {
  /** Below the store. */
  path: string;
  /** The physical line of the header: 1, or 2 behind a record of another program. */
  headerLine: number;
  id: string;
  cwd: string;
  name: string | null;
  version: number;
  created: string;
  modified: string;
  entryCount: number;
  messageCount: number;
  branches: number;
  damagedLines: number;
  sizeBytes: number;
  /** Each call in the file once, copied ones included. */
  usage: Sum;
}

export type GroupedSum = Sum & { key: string | null };

/** The keys that totals are grouped by; times are UTC. */
export const GROUP_KEYS = [
  "project",
  "session",
  "model",
  "provider",
  "day",
  "week",
  "month",
  "hour",
  "source",
  "tool",
] as const;
export type GroupKey = (typeof GROUP_KEYS)[number];

export interface Truth {
  shape: string;
  seed: number;
  /** Of all files, sessions or not. */
  bytes: number;
  files: number;
  sessions: number;
  notSessions: number;
  entries: number;
  messages: number;
  damagedLines: number;
  /** Each call once across forks. */
  total: Sum;
  /** The copies: `raw` less `total`. */
  duplicates: Sum;
  /** Every call of every file. */
  raw: Sum;
  /** What simpler rules come to, so that the answers of other tools can be explained to the last call. */
  simple: {
    /** Assistant messages alone, each pair of a file name and an entry time once: that merges copies only among sub-agents, whose files share a name. */
    assistantByFileName: Sum;
    /** Assistant messages alone, copies included, in files that begin with the header. */
    assistantAfterHeader: Sum;
    /** Each pair of an entry id and an entry time once: copies under new ids count again. */
    byIdAndTime: Sum;
  };
  /** Groups of `total`, in order of their keys. */
  by: Record<GroupKey, GroupedSum[]>;
  list: SessionTruth[];
  /** Where the shape is about one context: the entries that give its messages, in order. */
  context: { path: string; entryIds: string[] } | null;
}

const SUM_KEYS = ["calls", "input", "output", "cacheRead", "cacheWrite", "totalTokens", "costMicros"] as const;

function emptySum(): Sum {
  return { calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, costMicros: 0 };
}

function addCall(sum: Sum, call: Call): void {
  sum.calls += 1;
  sum.input += call.input;
  sum.output += call.output;
  sum.cacheRead += call.cacheRead;
  sum.cacheWrite += call.cacheWrite;
  sum.totalTokens += call.totalTokens;
  sum.costMicros += call.costMicros;
}

/** Adds up sessions. Files of one lineage must come oldest first: a copied call belongs to the first file that holds it. */
export class TruthAdder {
  context: Truth["context"] = null;
  private readonly total = emptySum();
  private readonly raw = emptySum();
  private readonly simple = {
    assistantByFileName: emptySum(),
    assistantAfterHeader: emptySum(),
    byIdAndTime: emptySum(),
  };
  private readonly seen = new Set<string>();
  private readonly groups = new Map<GroupKey, Map<string | null, Sum>>();
  private readonly list: SessionTruth[] = [];
  private otherFiles = 0;
  private otherBytes = 0;

  addSession(session: Omit<SessionTruth, "usage">, calls: Iterable<StoredCall>): void {
    const usage = emptySum();
    for (const { call, id, entryTime } of calls) {
      addCall(usage, call);
      addCall(this.raw, call);
      if (this.isNew(`${id} ${entryTime}`)) addCall(this.simple.byIdAndTime, call);
      if (call.source === "assistant") {
        if (this.isNew(`${basename(session.path)} ${entryTime}`)) addCall(this.simple.assistantByFileName, call);
        if (session.headerLine === 1) addCall(this.simple.assistantAfterHeader, call);
      }
      if (call.counted) continue;
      call.counted = true;
      addCall(this.total, call);
      for (const groupKey of GROUP_KEYS) {
        let group = this.groups.get(groupKey);
        if (!group) this.groups.set(groupKey, (group = new Map()));
        addCall(findSum(group, keyOf(groupKey, call, session)), call);
      }
    }
    this.list.push({ ...session, usage });
  }

  /** A `.jsonl` file that is no session. */
  addOtherFile(bytes: number): void {
    this.otherFiles += 1;
    this.otherBytes += bytes;
  }

  private isNew(name: string): boolean {
    const isNew = !this.seen.has(name);
    this.seen.add(name);
    return isNew;
  }

  finish(shape: string, seed: number): Truth {
    const duplicates = emptySum();
    for (const key of SUM_KEYS) duplicates[key] = this.raw[key] - this.total[key];
    const by = {} as Truth["by"];
    for (const key of GROUP_KEYS) by[key] = sortGroups(this.groups.get(key) ?? new Map());
    let [bytes, entries, messages, damagedLines] = [this.otherBytes, 0, 0, 0];
    for (const session of this.list) {
      bytes += session.sizeBytes;
      entries += session.entryCount;
      messages += session.messageCount;
      damagedLines += session.damagedLines;
    }
    return {
      shape,
      seed,
      bytes,
      files: this.list.length + this.otherFiles,
      sessions: this.list.length,
      notSessions: this.otherFiles,
      entries,
      messages,
      damagedLines,
      total: this.total,
      duplicates,
      raw: this.raw,
      simple: this.simple,
      by,
      list: this.list,
      context: this.context,
    };
  }
}

function findSum(group: Map<string | null, Sum>, key: string | null): Sum {
  let sum = group.get(key);
  if (!sum) group.set(key, (sum = emptySum()));
  return sum;
}

function sortGroups(group: Map<string | null, Sum>): GroupedSum[] {
  const sums = [...group].map(([key, sum]) => ({ key, ...sum }));
  return sums.sort((left, right) => ((left.key ?? "") < (right.key ?? "") ? -1 : 1));
}

const DAY_MILLISECONDS = 86_400_000;

function keyOf(key: GroupKey, call: Call, session: { id: string; cwd: string }): string | null {
  switch (key) {
    case "project":
      return session.cwd;
    case "session":
      return session.id;
    case "model":
      return call.model;
    case "provider":
      return call.provider;
    case "source":
      return call.source;
    case "tool":
      return call.tool;
    case "hour":
      return `${new Date(call.time).toISOString().slice(0, 13)}:00`;
    case "day":
      return new Date(call.time).toISOString().slice(0, 10);
    case "month":
      return new Date(call.time).toISOString().slice(0, 7);
    case "week": {
      const daysSinceMonday = (new Date(call.time).getUTCDay() + 6) % 7;
      return new Date(call.time - daysSinceMonday * DAY_MILLISECONDS).toISOString().slice(0, 10);
    }
  }
}
