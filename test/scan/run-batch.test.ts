import assert from "node:assert/strict";
import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { SessionHeader } from "../../src/format/header.js";
import { CallGroups, type GroupKey } from "../../src/report/group-calls.js";
import { UsageSum } from "../../src/report/sum-usage.js";
import { ZoneClock } from "../../src/report/zone-clock.js";
import type { SessionFile } from "../../src/scan/find-session-files.js";
import { type BatchResult, canJoin, joinParts, readBuffer, runBatch, runPart } from "../../src/scan/run-batch.js";
import type { TaskName, TaskOptions } from "../../src/scan/tasks.js";
import { damagedFile } from "../helpers/arbitraries.js";
import { assertAgrees } from "../helpers/assert-agrees.js";
import { assistant, header, jsonl, START, toolResult, usage, user } from "../helpers/entries.js";
import { scratchFolder } from "../helpers/files.js";
import { readPlainly } from "../helpers/plain-reader.js";
import { chooseCuts, hexSessionFile, rangesOf } from "../helpers/session-ranges.js";
import { canCountOpenFiles, countOpenFiles, makeStore } from "../helpers/stores.js";

const shared = { buffer: readBuffer(), onBytes: () => {} };

const fileAt = (path: string): SessionFile => {
  const { size, mtimeMs } = statSync(path);
  return { path, sizeBytes: size, mtimeMs };
};

/** What a task makes of a file in ranges, each sent to another thread and back. */
function runInParts<Name extends TaskName>(
  name: Name,
  options: TaskOptions<Name>,
  file: SessionFile,
  header: SessionHeader,
  cuts: readonly number[],
): BatchResult<Name> | undefined {
  const parts = rangesOf(header, cuts).map((range) => structuredClone(runPart(name, options, file, range, shared)));
  return joinParts(name, options, file, header, parts);
}

/** Sums as a report gives them: how much of each was lost to rounding depends on the order of adding. */
function addUp(by: readonly GroupKey[], { result, ...rest }: BatchResult<"totals">) {
  const groups = new CallGroups(by, new ZoneClock("UTC"));
  groups.merge(result.groups);
  const total = new UsageSum();
  total.merge(result.total);
  // Calls are kept of files that are read whole alone.
  const fingerprinted = result.fingerprinted.map(({ kept: _, ...file }) => file);
  return { ...rest, ...result, fingerprinted, groups: groups.groups("key"), total: total.total() };
}

test("joinParts makes of the ranges of a file what runBatch makes of it whole", (context) => {
  const path = join(scratchFolder(context), "session.jsonl");
  const file = fc.oneof(
    { weight: 3, arbitrary: hexSessionFile() },
    { weight: 1, arbitrary: hexSessionFile({ hostile: true }) },
    { weight: 1, arbitrary: damagedFile({ versions: [2, 3], maxEntries: 5 }) },
  );
  const keys: GroupKey[] = ["session", "model", "provider", "day", "source", "tool"];
  const filters = fc.record(
    {
      projects: fc.constantFrom(["/home/ada"], ["/elsewhere"]),
      models: fc.constantFrom(["gpt*"], ["anthropic/*"], ["*5*", "other"]),
      providers: fc.constantFrom(["openai"], ["*o*"]),
      since: fc.constant(Date.parse("2026-02-05T00:00:00Z")),
      until: fc.constant(Date.parse("2026-02-08T00:00:00Z")),
    },
    { requiredKeys: [] },
  );
  const totalsOptions = fc.record({
    by: fc.uniqueArray(fc.constantFrom(...keys), { maxLength: 3 }),
    fingerprints: fc.boolean(),
  });
  let joined = 0;
  fc.assert(
    fc.property(
      file,
      fc.array(fc.nat(40), { minLength: 1, maxLength: 4 }),
      filters,
      totalsOptions,
      (bytes, chosen, filters, more) => {
        const plain = readPlainly(bytes);
        const cuts = chooseCuts(bytes, chosen);
        if (!plain.isSession || plain.version < 2 || cuts.length === 0) return;
        writeFileSync(path, bytes);
        const file = fileAt(path);
        const header = plain.header!.entry as SessionHeader;

        const listed = runInParts("list", filters, file, header, cuts);
        const options = { ...filters, ...more, timeZone: "UTC" };
        const added = runInParts("totals", options, file, header, cuts);
        // A session that is not wanted need not be joined.
        if (listed) assertAgrees(listed, runBatch("list", filters, [file], shared), "list");
        if (!added) return;
        joined++;
        assert.ok(listed);
        const whole = addUp(more.by, runBatch("totals", options, [file], shared));
        const sums = addUp(more.by, added);
        assert.deepEqual(sums.fingerprinted, whole.fingerprinted);
        const { fingerprinted: _, ...right } = whole;
        assertAgrees(sums, right, "totals");
      },
    ),
    { numRuns: 200 },
  );
  assert.ok(joined > 50, `${joined} joined`);
});

test("joinParts gives each call the fingerprint that it has in the whole file", (context) => {
  const call = (id: string, parentId: string | null) =>
    assistant(id, parentId, "x", { usage: usage(Number(id), 1, 1) });
  const tool = (id: string, parentId: string | null) =>
    toolResult(id, parentId, "x", { usage: usage(Number(id), 1, 1) });
  const bytes = jsonl(
    header(),
    tool("00000001", null),
    call("00000002", "00000001"),
    tool("00000003", "00000002"),
    user("00000004", "00000003", "x"),
    tool("00000005", "00000004"),
    tool("00000006", "00000005"),
    user("00000007", "00000006", "x"),
    call("00000008", "00000003"),
  );
  const file = fileAt(join(makeStore(context, { "a.jsonl": bytes }), "a.jsonl"));
  const options = { by: [], timeZone: "UTC", fingerprints: true };
  const { fingerprinted } = runBatch("totals", options, [file], shared).result;
  const words = fingerprinted[0]!.fingerprints;
  assert.equal(words.length, 6 * 4);
  assert.equal(new Set(words).size, words.length);
  // Ranges that begin or end with calls that wait for their model, and ranges without any call.
  const starts = chooseCuts(bytes, [...Array(9).keys()]);
  for (const cuts of [...starts.map((cut) => [cut]), starts, [starts[3]!, starts[4]!]]) {
    const { result } = runInParts("totals", options, file, header() as SessionHeader, cuts)!;
    assert.deepEqual(result.fingerprinted, fingerprinted, `cuts at ${cuts}`);
  }
});

test("joinParts joins nothing where a range has to be read with the others", (context) => {
  const store = makeStore(context, {
    "a.jsonl": jsonl(header(), user("00000001", null, "x"), user("00000002", "00000001", "x")),
    "branches.jsonl": jsonl(header(), user("00000001", "00000002", "x"), user("00000002", null, "x")),
  });
  const options = { by: [], timeZone: "UTC", fingerprints: false };
  const run = (name: string, by: GroupKey[]) => {
    const file = fileAt(join(store, name));
    const cut = jsonl(header()).length;
    return runInParts("totals", { ...options, by }, file, header() as SessionHeader, [cut]);
  };
  assert.ok(run("a.jsonl", ["model"]));
  assert.equal(run("a.jsonl", ["branch"]), undefined);
  assert.equal(run("branches.jsonl", ["model"]), undefined);
  rmSync(join(store, "a.jsonl"));
  const gone = { path: join(store, "a.jsonl"), sizeBytes: 1, mtimeMs: 0 };
  const range = { header: header() as SessionHeader, start: 0, end: 10 };
  assert.equal(runPart("totals", options, gone, range, shared), undefined);
});

test("canJoin tells which tasks can share out one file", () => {
  const totals = { by: [], timeZone: "UTC", fingerprints: false };
  assert.ok(canJoin("list", {}));
  assert.ok(canJoin("totals", totals));
  assert.ok(!canJoin("copies", { by: [], timeZone: "UTC", copies: new Map(), shares: false }));
  assert.ok(!canJoin("sizes", { limit: 1 }));
  assert.ok(!canJoin("headers", {}));
});

test("runBatch names files that are no sessions or can't be read, goes on, and closes all", (context) => {
  const store = makeStore(context, {
    "a.jsonl": jsonl(header({ id: "a" }), user("00000001", null, "x")),
    "b.jsonl": "no session\n",
    "c.jsonl": "",
    "e.jsonl": jsonl(header({ id: "e" })),
  });
  const files = ["a", "b", "c", "e"].map((name) => fileAt(join(store, `${name}.jsonl`)));
  const gone = { path: join(store, "d.jsonl"), sizeBytes: 10, mtimeMs: 0 };
  const folder = { path: store, sizeBytes: 10, mtimeMs: 0 };
  let bytes = 0;
  const onBytes = (count: number): void => {
    bytes += count;
  };
  const { result, skipped } = runBatch("list", {}, [gone, folder, ...files], { ...shared, onBytes });
  assert.deepEqual(
    result.map(({ id }) => id),
    ["a", "e"],
  );
  assert.deepEqual(
    skipped.map(({ path, reason }) => [path, /directory/i.test(reason) ? "a folder" : reason]),
    [
      [gone.path, "no such file"],
      [folder.path, "a folder"],
      [files[1]!.path, "there is no session header"],
      [files[2]!.path, "the file is empty"],
    ],
  );
  assert.equal(
    bytes,
    files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  );
  if (canCountOpenFiles) assert.equal(countOpenFiles(store), 0);
});

test("runBatch throws what is no failure of a file", (context) => {
  const store = makeStore(context, { "a.jsonl": jsonl(header(), user("1", null, "x")) });
  const file = fileAt(join(store, "a.jsonl"));
  const failure = new TypeError("not my day");
  const onBytes = (): void => {
    throw failure;
  };
  const range = { header: header() as SessionHeader, start: 0, end: Number.POSITIVE_INFINITY };
  assert.throws(() => runBatch("list", {}, [file], { ...shared, onBytes }), failure);
  assert.throws(() => runPart("list", {}, file, range, { ...shared, onBytes }), failure);
  assert.throws(
    () => runBatch("totals", { by: [], timeZone: "Nowhere/Town", fingerprints: false }, [file], shared),
    RangeError,
  );
  if (canCountOpenFiles) assert.equal(countOpenFiles(store), 0);
});

test("runPart does not open what lies outside its range, and takes a file that grew", (context) => {
  const lines = [
    header(),
    user("00000001", null, "x"),
    assistant("00000002", "00000001", "y", { usage: usage(1, 1, 1) }),
  ];
  const bytes = jsonl(...lines);
  const path = join(makeStore(context, { "a.jsonl": bytes }), "a.jsonl");
  const file = fileAt(path);
  const cut = jsonl(...lines.slice(0, 2)).length;
  const calls: number[] = [];
  const onBytes = (count: number): number => calls.push(count);
  runPart("list", {}, file, { header: header() as SessionHeader, start: 0, end: cut }, { ...shared, onBytes });
  assert.deepEqual(calls, [cut]);

  writeFileSync(
    path,
    Buffer.concat([bytes, jsonl(assistant("00000003", "00000002", "z", { timestamp: START, usage: usage(2, 2, 2) }))]),
  );
  const { result } = runInParts("list", {}, file, header() as SessionHeader, [cut])!;
  assert.deepEqual([result[0]!.entryCount, result[0]!.usage.costTotal, result[0]!.sizeBytes], [3, 3, bytes.length]);
});
