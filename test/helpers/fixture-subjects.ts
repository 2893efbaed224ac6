/** Those whose answers the fixtures are compared with, each behind one shape. */
import { readFileSync } from "node:fs";
import type { JsonObject } from "../../src/format/json.js";
import type { Usage } from "../../src/format/usage.js";
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
  /** The sums over the files of a store, times in UTC. */
  total(paths: string[], options: { dedupe: boolean }): Promise<StoreAnswer>;
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
  async total(paths, options) {
    const totals = totalsPlainly(
      paths.map((path) => ({ path, file: readPlainly(readFileSync(path)) })),
      options,
    );
    const groups = (list: { key: string | null; usage: Usage }[]): Groups =>
      Object.fromEntries(list.filter(({ key }) => key !== null).map(({ key, usage }) => [key, usage]));
    return {
      total: totals.total,
      duplicates: totals.duplicates,
      byModel: groups(totals.byModel),
      byProject: groups(totals.byProject),
      byDay: groups(totals.byDay),
      bySource: groups(totals.bySource),
    };
  },
};
