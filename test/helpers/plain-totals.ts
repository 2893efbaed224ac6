/** What a store adds up to, by the plain reader: lineages, copies of calls, and groups; every file is compared with every other. */
import type { Usage } from "../../src/format/usage.js";
import type { PlainFile } from "./plain-file.js";
import { callsPlainly, isSameEntry, type PlainCall, parentSessionPlainly, sumPlainly } from "./plain-session.js";
import { timePlainly } from "./plain-time.js";

export interface PlainStoreFile {
  /** Absolute. */
  path: string;
  file: PlainFile;
}

export interface PlainGroup {
  key: string | null;
  usage: Usage;
}

export interface PlainTotals {
  total: Usage;
  duplicates: Usage;
  byModel: PlainGroup[];
  byProject: PlainGroup[];
  /** In UTC. */
  byDay: PlainGroup[];
  bySource: PlainGroup[];
  sessions: PlainShare[];
  files: number;
  skipped: number;
  damagedLines: number;
}

/** What one file adds: calls of its own, and calls that an older file of its lineage holds as well. */
export interface PlainShare {
  path: string;
  id: string;
  /** The session that this one was forked from; null without one in the store. */
  parentId: string | null;
  own: Usage;
  copied: Usage;
}

interface Member extends PlainStoreFile {
  id: string;
  created: number | null;
  parentPath: string | null;
  calls: PlainCall[];
  parent: Member | null;
  own: PlainCall[];
  copied: PlainCall[];
}

/** The sums over a store. Without `dedupe`, each file's calls count, copies or not. */
export function totalsPlainly(files: readonly PlainStoreFile[], { dedupe = true } = {}): PlainTotals {
  const sessions = files.filter(({ file }) => file.isSession);
  const members = sessions.map(readMember);
  for (const member of members) member.parent = findParentFile(members, member);
  for (const lineage of findLineages(members)) shareCalls(oldestFirst(lineage));

  const counted = members.flatMap((member) =>
    (dedupe ? member.own : member.calls).map((call) => ({ call, cwd: member.file.header!.entry.cwd })),
  );
  const group = (keyOf: (counted: { call: PlainCall; cwd: unknown }) => string | null) => groupBy(counted, keyOf);
  return {
    total: sum(counted.map(({ call }) => call)),
    duplicates: sum(dedupe ? members.flatMap(({ copied }) => copied) : []),
    byModel: group(({ call }) => call.model),
    byProject: group(({ cwd }) => (typeof cwd === "string" ? cwd : null)),
    byDay: group(({ call }) => (call.time === null ? null : new Date(call.time).toISOString().slice(0, 10))),
    bySource: group(({ call }) => call.source),
    sessions: members.map(({ path, id, parent, own, copied }) => ({
      path,
      id,
      parentId: parent?.id ?? null,
      own: sum(own),
      copied: sum(copied),
    })),
    files: sessions.length,
    skipped: files.length - sessions.length,
    damagedLines: sessions.reduce((lines, { file }) => lines + file.damage.length, 0),
  };
}

/** By path: the calls of each file that are copies. */
export function copiesPlainly(files: readonly PlainStoreFile[]): Map<string, PlainCall[]> {
  const members = files.filter(({ file }) => file.isSession).map(readMember);
  for (const member of members) member.parent = findParentFile(members, member);
  for (const lineage of findLineages(members)) shareCalls(oldestFirst(lineage));
  return new Map(members.map(({ path, copied }) => [path, copied]));
}

function readMember({ path, file }: PlainStoreFile): Member {
  const header = file.header!.entry;
  return {
    path,
    file,
    id: header.id as string,
    created: timePlainly(header.timestamp),
    parentPath: parentSessionPlainly(header),
    calls: callsPlainly(file),
    parent: null,
    own: [],
    copied: [],
  };
}

const sum = (calls: PlainCall[]): Usage => sumPlainly(calls.map(({ usage }) => usage));

function groupBy<Counted extends { call: PlainCall }>(
  counted: Counted[],
  keyOf: (counted: Counted) => string | null,
): PlainGroup[] {
  const keys = [...new Set(counted.map(keyOf))];
  return keys.map((key) => ({ key, usage: sum(counted.filter((one) => keyOf(one) === key).map(({ call }) => call)) }));
}

/** The parts of a path of any operating system. */
const partsOf = (path: string): string[] => path.split(/[/\\]/);

/** The file that a header names as its parent: by path, else by file name, else by the session id in the name or in its place. */
function findParentFile(members: Member[], child: Member): Member | null {
  const named = child.parentPath;
  if (named === null) return null;
  const others = members.filter((other) => other !== child);
  const byPath = others.find((other) => other.path === named);
  if (byPath !== undefined) return byPath;

  const agreement = (other: Member): number => {
    const ours = partsOf(other.path).toReversed();
    const theirs = partsOf(named).toReversed();
    const differing = theirs.findIndex((part, index) => part !== ours[index]);
    return differing === -1 ? theirs.length : differing;
  };
  const best = Math.max(0, ...others.map(agreement));
  const byName = best === 0 ? undefined : others.find((other) => agreement(other) === best);
  const fileName = partsOf(named).at(-1)!;
  return byName ?? others.find(({ id }) => id === named || (id !== "" && fileName.endsWith(`_${id}.jsonl`))) ?? null;
}

function belongTogether(one: Member, other: Member): boolean {
  return (
    one.parent === other ||
    other.parent === one ||
    (one.parentPath !== null && one.parent === null && other.parent === null && one.parentPath === other.parentPath) ||
    one.id === other.id ||
    one.calls.some((call) => other.calls.some((otherCall) => isSameEntry(call, otherCall)))
  );
}

function findLineages(members: Member[]): Member[][] {
  const lineages: Member[][] = [];
  for (const member of members) {
    const joined = lineages.filter((lineage) => lineage.some((other) => belongTogether(member, other)));
    for (const lineage of joined) lineages.splice(lineages.indexOf(lineage), 1);
    lineages.push([...joined.flat(), member]);
  }
  return lineages;
}

/** The oldest first: a parent before its forks, then the earlier header, then the smaller path. */
function oldestFirst(lineage: Member[]): Member[] {
  const left = lineage.toSorted((one, other) => {
    const [time, otherTime] = [one.created ?? Number.MAX_VALUE, other.created ?? Number.MAX_VALUE];
    return time - otherTime || (one.path < other.path ? -1 : 1);
  });
  const ordered: Member[] = [];
  while (left.length > 0) {
    // Files that name each other as parents have no oldest: then the earliest is taken.
    const next = Math.max(
      0,
      left.findIndex(({ parent }) => parent === null || !left.includes(parent)),
    );
    ordered.push(...left.splice(next, 1));
  }
  return ordered;
}

/** Tells the own calls of each file from the copies of calls that an older file owns. */
function shareCalls(ordered: Member[]): void {
  const owned: PlainCall[] = [];
  for (const member of ordered) {
    const renamed = member.calls.filter((call) => !owned.some((other) => isSameEntry(call, other)));
    const ownHere = renamed.filter((call) => {
      // Whatever their ids, calls with one time and the same numbers are as many as the file with most of them holds.
      const inFile = member.calls.filter((other) => hasSameNumbers(call, other)).length;
      const known = owned.filter((other) => hasSameNumbers(call, other)).length;
      const alike = renamed.filter((other) => hasSameNumbers(call, other));
      const added = Math.max(0, Math.min(alike.length, inFile - known));
      return call.time === null || alike.indexOf(call) >= alike.length - added;
    });
    member.own = ownHere;
    member.copied = member.calls.filter((call) => !ownHere.includes(call));
    owned.push(...ownHere);
  }
}

function hasSameNumbers(one: PlainCall, other: PlainCall): boolean {
  const describe = ({ time, provider, model, responseId, usage }: PlainCall) =>
    JSON.stringify([time, provider, model, responseId ?? null, Object.values(usage)]);
  return describe(one) === describe(other);
}
