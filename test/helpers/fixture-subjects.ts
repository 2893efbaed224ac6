/** Those whose answers the fixtures are compared with, each behind one shape. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { JsonObject } from "../../src/format/json.js";
import type { Usage } from "../../src/format/usage.js";
import {
  buildContext,
  checkSession,
  type GroupKey,
  listSessions,
  readSession,
  readTree,
  totals,
} from "../../src/index.js";
import {
  contextPlainly,
  labelsPlainly,
  odditiesPlainly,
  type PlainSession,
  type PlainSpot,
  readPlainly,
  sessionPlainly,
  totalsPlainly,
  treePlainly,
} from "./plain-reader.js";

/** What a subject says of one session file. */
export interface SessionAnswer {
  session: PlainSession;
  context(leafId?: string): ContextAnswer | Promise<ContextAnswer>;
  tree: { leafId: string | null; rootIds: string[]; labels: Record<string, string> };
  damage: PlainSpot[];
  oddities: { line: number; code: string }[];
  /** Physical lines, blank and damaged ones among them, and entries. */
  counts: { bytes: number; lines: number; blank: number; damaged: number; entries: number };
}

export interface ContextAnswer {
  messages: JsonObject[];
  entryIds: string[];
  model: { provider: string; modelId: string } | null;
  thinkingLevel: string;
}

/** Sums by key; what has no key is left out. */
export type Groups = Record<string, Usage>;

/** What a subject says of a store. */
export interface StoreAnswer {
  total: Usage;
  duplicates: Usage;
  byModel: Groups;
  byProject: Groups;
  byDay: Groups;
  bySource: Groups;
}

export interface Subject {
  name: string;
  /** The answer for one file; null when it is no session. */
  read(path: string): Promise<SessionAnswer | null>;
  /** The sums over a store, times in UTC. Without `dedupe`, copies of calls count as well. */
  total(store: string, options: { dedupe: boolean }): Promise<StoreAnswer>;
}

export const plainReader: Subject = {
  name: "the plain reader",
  async read(path) {
    const file = readPlainly(readFileSync(path));
    if (!file.isSession) return null;
    const entries = file.entries.map(({ entry }) => entry);
    const nodes = treePlainly(entries);
    return {
      session: sessionPlainly(file),
      context: (leafId) => contextPlainly(entries, leafId),
      tree: {
        leafId: nodes.at(-1)?.id ?? null,
        rootIds: nodes.filter(({ parent }) => parent === null).map(({ id }) => id),
        labels: Object.fromEntries(labelsPlainly(entries)),
      },
      damage: file.damage,
      oddities: odditiesPlainly(file),
      counts: {
        bytes: file.bytes.length,
        lines: file.lines,
        blank: file.blankLines,
        damaged: file.damage.length,
        entries: entries.length,
      },
    };
  },
  async total(store, options) {
    const names = readdirSync(store, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
    const paths = names.map((name) => join(store, name));
    const sums = totalsPlainly(
      paths.map((path) => ({ path, file: readPlainly(readFileSync(path)) })),
      options,
    );
    const groups = (list: { key: string | null; usage: Usage }[]): Groups =>
      Object.fromEntries(list.filter(({ key }) => key !== null).map(({ key, usage }) => [key, usage]));
    return {
      total: sums.total,
      duplicates: sums.duplicates,
      byModel: groups(sums.byModel),
      byProject: groups(sums.byProject),
      byDay: groups(sums.byDay),
      bySource: groups(sums.bySource),
    };
  },
};

/** The sessions of a folder, listed once for all the files in it. */
const listings = new Map<string, ReturnType<typeof listSessions>>();

function listOnce(folder: string): ReturnType<typeof listSessions> {
  const listing = listings.get(folder) ?? listSessions({ stores: [folder] });
  listings.set(folder, listing);
  return listing;
}

export const library: Subject = {
  name: "the library",
  async read(path) {
    const session = (await listOnce(dirname(path))).sessions.find((session) => session.path === path);
    if (session === undefined) return null;
    const { index } = await readTree(path);
    const problems = await checkSession(path);
    const reading = readSession(path);
    for await (const _ of reading); // Its counts are complete at the end.
    return {
      session,
      context: async (leafId) => {
        const { messages, ...context } = await buildContext(path, leafId === undefined ? {} : { leafId });
        return { messages: messages as JsonObject[], ...context };
      },
      tree: {
        leafId: index.leafId,
        rootIds: index.roots.map(({ id }) => id),
        labels: Object.fromEntries(index.labels().map(({ targetId, text }) => [targetId, text])),
      },
      damage: problems.filter(({ severity }) => severity === "damage"),
      oddities: problems.filter(({ severity }) => severity === "oddity"),
      counts: reading.counts,
    };
  },
  async total(store, { dedupe }) {
    const add = (by: GroupKey) => totals({ stores: [store], by: [by], timeZone: "UTC", dedupe });
    const groups = async (by: GroupKey): Promise<Groups> => {
      const groups = (await add(by)).groups.filter(({ key }) => key[by] !== null);
      return Object.fromEntries(groups.map(({ key, ...usage }) => [key[by], usage]));
    };
    const { total, duplicates } = await add("model");
    return {
      total,
      duplicates,
      byModel: await groups("model"),
      byProject: await groups("project"),
      byDay: await groups("day"),
      bySource: await groups("source"),
    };
  },
};
