import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { storeFolder, writeCorpus } from "../../bench/corpus.js";
import { GROUP_KEYS, type GroupKey, type Truth } from "../../bench/truth.js";
import type { Usage } from "../../src/format/usage.js";
import { scratchFolder } from "../helpers/files.js";
import { callsPlainly, type PlainCall, readPlainly, sessionPlainly } from "../helpers/plain-reader.js";

const options = { shape: "many", bytes: 1_500_000, sessions: 130, seed: 7 } as const;

test("writeCorpus gives the same bytes for the same seed, and others for another", (context) => {
  const folder = scratchFolder(context);
  const small = { ...options, bytes: 200_000, sessions: 20 };
  writeCorpus({ ...small, out: join(folder, "one") });
  writeCorpus({ ...small, out: join(folder, "two") });
  writeCorpus({ ...small, seed: 8, out: join(folder, "three") });
  assert.equal(hashFolder(join(folder, "one")), hashFolder(join(folder, "two")));
  assert.notEqual(hashFolder(join(folder, "one")), hashFolder(join(folder, "three")));
});

test("writeCorpus tells the truth about what it wrote, every trait of a store included", (context) => {
  const out = join(scratchFolder(context), "corpus");
  const truth = writeCorpus({ ...options, out });
  const store = storeFolder(out);
  const paths = readdirSync(store, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".jsonl"));
  const files = paths.map((path) => readSession(store, path)).filter((file) => file !== undefined);

  const list = files.map(describe).sort((left, right) => (left.path < right.path ? -1 : 1));
  const told = truth.list.toSorted((left, right) => (left.path < right.path ? -1 : 1));
  assert.deepEqual(list, told);
  assert.equal(truth.files, paths.length);
  assert.equal(truth.sessions + truth.notSessions, truth.files);
  assert.equal(
    truth.bytes,
    paths.reduce((bytes, path) => bytes + readFileSync(join(store, path)).length, 0),
  );
  for (const [key, part] of [
    ["entries", "entryCount"],
    ["messages", "messageCount"],
    ["damagedLines", "damagedLines"],
  ] as const) {
    assert.equal(
      truth[key],
      list.reduce((sum, session) => sum + session[part], 0),
    );
  }

  const { total, raw, by, simple } = countOnce(files);
  assert.deepEqual(total, truth.total);
  assert.deepEqual(raw, truth.raw);
  assert.deepEqual(simple, truth.simple);
  for (const key of GROUP_KEYS) assert.deepEqual(by[key], truth.by[key], key);

  assert.deepEqual(new Set(list.map((session) => session.version)), new Set([1, 2, 3]));
  const sources = ["assistant", "branch_summary", "tool", "usage:cache_warm"];
  assert.deepEqual(
    truth.by.source.map(({ key }) => key),
    sources,
  );
  assert.ok(truth.duplicates.calls > 0 && truth.damagedLines >= 3 && truth.notSessions > 0);
  assert.ok(list.some((session) => session.branches > 1));
  assert.ok(paths.some((path) => path.endsWith("/run-1/session.jsonl")));
});

test("writeCorpus names the entries of the context whose bulk it put outside", (context) => {
  const out = join(scratchFolder(context), "corpus");
  const truth = writeCorpus({ shape: "outside", bytes: 1_000_000, sessions: 1, seed: 1, out });
  const { path, entryIds } = truth.context!;
  const { entries } = readPlainly(readFileSync(join(storeFolder(out), path)));
  const byId = new Map(entries.map(({ entry }) => [entry.id, entry]));
  const route: unknown[] = [];
  for (let id = entries.at(-1)!.entry.id; id !== null; id = byId.get(id)!.parentId) route.unshift(id);
  const compaction = route.findIndex((id) => byId.get(id)!.type === "compaction");
  const kept = route.indexOf(byId.get(route[compaction])!.firstKeptEntryId);
  assert.ok(kept > 0 && route.length < entries.length);
  assert.deepEqual(entryIds, [route[compaction], ...route.slice(kept, compaction), ...route.slice(compaction + 1)]);
});

interface ReadFile {
  path: string;
  file: ReturnType<typeof readPlainly>;
  calls: PlainCall[];
}

function readSession(store: string, path: string): ReadFile | undefined {
  const file = readPlainly(readFileSync(join(store, path)));
  return file.isSession ? { path, file, calls: callsPlainly(file) } : undefined;
}

function describe({ path, file, calls }: ReadFile): Truth["list"][number] {
  const session = sessionPlainly(file);
  const { id, cwd, name, version, created, modified, entryCount, messageCount, branches, damagedLines, sizeBytes } =
    session;
  const usage = sum(calls);
  return {
    ...{ path, headerLine: file.header!.line, id, cwd: cwd!, name, version, created: created!, modified },
    ...{ entryCount, messageCount, branches, damagedLines, sizeBytes, usage },
  };
}

/** The totals of a store, each call once. The corpus has no two calls of one time in a lineage, so that is all the numbers need to tell copies by. */
function countOnce(files: readonly ReadFile[]) {
  const owned: { call: PlainCall; owner: ReadFile }[] = [];
  for (const lineage of groupLineages(files)) {
    const seen = new Set<string>();
    for (const owner of lineage) {
      for (const call of owner.calls) {
        if (![nameById(call), nameByNumbers(call)].some((name) => seen.has(name))) owned.push({ call, owner });
      }
      for (const call of owner.calls) seen.add(nameById(call)).add(nameByNumbers(call));
    }
  }
  const group = (key: GroupKey) => {
    const groups = new Map<string | null, PlainCall[]>();
    for (const { call, owner } of owned) {
      const value = keyOf(key, call, owner);
      groups.set(value, [...(groups.get(value) ?? []), call]);
    }
    const sums = [...groups].map(([value, calls]) => ({ key: value, ...sum(calls) }));
    return sums.sort((left, right) => ((left.key ?? "") < (right.key ?? "") ? -1 : 1));
  };
  // Sub-agents all write to a `session.jsonl`.
  const byFileName = files.flatMap(({ path, calls }) =>
    calls
      .filter(({ source }) => source === "assistant")
      .map((call) => [`${path.replace(/^.*\//, "")} ${call.entryTime}`, call] as const),
  );
  const answers = (files: readonly ReadFile[]) =>
    files.flatMap(({ calls }) => calls.filter(({ source }) => source === "assistant"));
  const byIdAndTime = new Map(
    files.flatMap(({ file, calls }) =>
      calls.map((call) => [file.version === 1 ? call.entryTime : nameById(call), call] as const),
    ),
  );
  return {
    simple: {
      assistantByFileName: sum([...new Map(byFileName).values()]),
      assistantAfterHeader: sum(answers(files.filter(({ file }) => file.header!.line === 1))),
      byIdAndTime: sum([...byIdAndTime.values()]),
    },
    total: sum(owned.map(({ call }) => call)),
    raw: sum(files.flatMap(({ calls }) => calls)),
    by: Object.fromEntries(GROUP_KEYS.map((key) => [key, group(key)])) as Truth["by"],
  };
}

function nameById(call: PlainCall): string {
  return `${call.id} ${call.entryTime}`;
}

function nameByNumbers({ time, model, responseId, usage }: PlainCall): string {
  return JSON.stringify([time, model, responseId, usage]);
}

/** Files that belong together, oldest first: joined by what their headers name, or by a call with the same id and time. */
function groupLineages(files: readonly ReadFile[]): ReadFile[][] {
  const groups = new Map<string, Set<ReadFile>>();
  for (const read of files) {
    const { id, parentSession, branchedFrom } = read.file.header!.entry;
    const names = [id as string, ...read.calls.map(nameById)];
    const parent = parentSession ?? branchedFrom;
    if (typeof parent === "string") names.push(parent.replace(/^.*_(.*)\.jsonl$/, "$1"));
    const joined = new Set([read]);
    for (const name of names) for (const member of groups.get(name) ?? []) joined.add(member);
    for (const [name, group] of groups) if ([...group].some((member) => joined.has(member))) groups.set(name, joined);
    for (const name of names) groups.set(name, joined);
  }
  const timeOf = ({ file }: ReadFile) => Date.parse(file.header!.entry.timestamp as string);
  return [...new Set(groups.values())].map((group) => [...group].sort((left, right) => timeOf(left) - timeOf(right)));
}

function keyOf(key: GroupKey, call: PlainCall, owner: ReadFile): string | null {
  const time = new Date(call.time!);
  switch (key) {
    case "project":
      return owner.file.header!.entry.cwd as string;
    case "session":
      return owner.file.header!.entry.id as string;
    case "hour":
      return `${time.toISOString().slice(0, 13)}:00`;
    case "day":
      return time.toISOString().slice(0, 10);
    case "month":
      return time.toISOString().slice(0, 7);
    case "week":
      while (time.getUTCDay() !== 1) time.setUTCDate(time.getUTCDate() - 1);
      return time.toISOString().slice(0, 10);
    default:
      return call[key];
  }
}

function sum(calls: readonly PlainCall[]): Truth["total"] {
  const add = (key: keyof Usage) => calls.reduce((total, { usage }) => total + usage[key], 0);
  return {
    calls: calls.length,
    input: add("input"),
    output: add("output"),
    cacheRead: add("cacheRead"),
    cacheWrite: add("cacheWrite"),
    totalTokens: add("totalTokens"),
    costMicros: Math.round(add("costTotal") * 1e6),
  };
}

function hashFolder(folder: string): string {
  const hash = createHash("sha256");
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
    if (path.endsWith(".json") || path.endsWith(".jsonl")) hash.update(path).update(readFileSync(join(folder, path)));
  }
  return hash.digest("hex");
}
