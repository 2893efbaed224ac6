import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { emptyUsage } from "../../src/format/usage.js";
import { type LineageSession, lineage } from "../../src/scan/lineage.js";
import type { StoreOptions } from "../../src/scan/store-options.js";
import { assertAgrees } from "../helpers/assert-agrees.js";
import { assistant, at, entry, header, jsonl, type Line, usage, user } from "../helpers/entries.js";
import { fixture, scratchFolder } from "../helpers/files.js";
import { forkedStore } from "../helpers/forked-stores.js";
import { totalsPlainly } from "../helpers/plain-reader.js";
import { makeStore, writeFiles } from "../helpers/stores.js";

/** A call at so many seconds after the start, which is its id, too. */
const call = (id: string, cost: number, more: Line = {}): Line =>
  assistant(id, null, "x", { usage: usage(10, 1, cost), ...more });

/** What one call of `call` comes to. */
const one = (costTotal: number) => ({ ...emptyUsage(), input: 10, output: 1, totalTokens: 11, costTotal, calls: 1 });

/** Sessions in short: id, parent's id, missing parent, own cost and copied cost. */
async function shortLineage(options: StoreOptions) {
  const { sessions } = await lineage(options);
  return sessions.map(({ id, parentId, missingParent, own, copied }) => [
    id,
    parentId,
    missingParent,
    own.costTotal,
    copied.costTotal,
  ]);
}

// By hand

test("lineage tells what each fork added, and what it copied", async (context) => {
  const first = [user("1", null, "Plant the beans"), call("2", 1), call("3", 2)];
  const store = makeStore(context, {
    "a.jsonl": jsonl(header({ id: "a", timestamp: at(0) }), ...first, call("4", 4)),
    "b.jsonl": jsonl(
      header({ id: "b", timestamp: at(10), parentSession: "/elsewhere/a.jsonl" }),
      ...first,
      call("5", 8),
    ),
  });
  const { sessions, skipped, damagedLines } = await lineage({ stores: [store] });
  const twice = { ...emptyUsage(), input: 20, output: 2, totalTokens: 22, costTotal: 3, calls: 2 };
  const right: LineageSession[] = [
    {
      ...{ id: "a", path: join(store, "a.jsonl"), parentId: null, parentPath: null, missingParent: null },
      ...{ created: at(0), title: "Plant the beans" },
      own: { ...emptyUsage(), input: 30, output: 3, totalTokens: 33, costTotal: 7, calls: 3 },
      copied: emptyUsage(),
    },
    {
      ...{
        id: "b",
        path: join(store, "b.jsonl"),
        parentId: "a",
        parentPath: join(store, "a.jsonl"),
        missingParent: null,
      },
      ...{ created: at(10), title: "Plant the beans", own: one(8), copied: twice },
    },
  ];
  assert.deepEqual({ sessions, skipped, damagedLines }, { sessions: right, skipped: [], damagedLines: 0 });
});

test("lineage gives parents before their forks, whatever their times say, else the earliest first", async (context) => {
  const store = makeStore(context, {
    "late-parent.jsonl": jsonl(header({ id: "p", timestamp: at(90) }), call("1", 1)),
    "early-fork.jsonl": jsonl(header({ id: "f", timestamp: at(10), parentSession: "p" }), call("1", 1)),
    "fork-of-fork.jsonl": jsonl(header({ id: "g", timestamp: at(20), parentSession: "f" }), call("1", 1), call("2", 2)),
    "alone.jsonl": jsonl(header({ id: "x", timestamp: at(50) }), call("3", 4)),
    "timeless.jsonl": jsonl(header({ id: "y", timestamp: "soon" })),
  });
  assert.deepEqual(await shortLineage({ stores: [store] }), [
    ["x", null, null, 4, 0],
    ["p", null, null, 1, 0],
    ["f", "p", null, 0, 1],
    ["g", "f", null, 2, 1],
    ["y", null, null, 0, 0],
  ]);
});

test("lineage names parents that are gone; of their forks the oldest owns what they share", async (context) => {
  const gone = "C:\\Users\\ada\\sessions\\gone.jsonl";
  const store = makeStore(context, {
    "a.jsonl": jsonl(header({ id: "a", timestamp: at(1), parentSession: gone }), call("1", 1), call("2", 2)),
    "b.jsonl": jsonl(header({ id: "b", timestamp: at(2), parentSession: gone }), call("1", 1), call("3", 4)),
  });
  assert.deepEqual(await shortLineage({ stores: [store] }), [
    ["a", null, gone, 3, 0],
    ["b", null, gone, 4, 1],
  ]);
});

test("lineage knows copies whose link is gone, but not where they came from", async (context) => {
  const store = makeStore(context, {
    "a.jsonl": jsonl(header({ id: "a", timestamp: at(1) }), call("1", 1)),
    "b.jsonl": jsonl(header({ id: "b", timestamp: at(2) }), call("1", 1), call("2", 2)),
  });
  assert.deepEqual(await shortLineage({ stores: [store] }), [
    ["a", null, null, 1, 0],
    ["b", null, null, 2, 1],
  ]);
});

test("lineage gives the oldest of sessions that name each other no parent, and puts them last", async (context) => {
  const store = makeStore(context, {
    "a.jsonl": jsonl(header({ id: "a", timestamp: at(3), parentSession: "c" })),
    "b.jsonl": jsonl(header({ id: "b", timestamp: at(1), parentSession: "a" })),
    "c.jsonl": jsonl(header({ id: "c", timestamp: at(2), parentSession: "b" })),
    "self.jsonl": jsonl(header({ id: "s", timestamp: at(9), parentSession: "s" })),
  });
  assert.deepEqual(
    (await shortLineage({ stores: [store] })).map(([id, parentId, missing]) => [id, parentId, missing]),
    [
      ["s", null, null],
      ["b", null, null],
      ["c", "b", null],
      ["a", "c", null],
    ],
  );
});

test("lineage sums exactly, beside absurd numbers too", async (context) => {
  const small = Array.from({ length: 1000 }, (_, number) => call((number + 16).toString(16), 1e-6));
  const copied = [call("1", 1e15), ...small];
  const store = makeStore(context, {
    "a.jsonl": jsonl(header({ id: "a", timestamp: at(1) }), ...copied),
    "b.jsonl": jsonl(header({ id: "b", timestamp: at(2), parentSession: "a" }), ...copied, call("2", 3e-6)),
  });
  const [, fork] = (await lineage({ stores: [store] })).sessions;
  assert.deepEqual(fork!.own, one(3e-6));
  assert.equal(fork!.copied.costTotal, 1e15);
});

test("lineage filters choose the sessions given, not what is a fork or a copy", async (context) => {
  const shared = call("1", 1);
  const store = makeStore(context, {
    "a.jsonl": jsonl(header({ id: "a", cwd: "/pond", timestamp: at(1) }), shared),
    "b.jsonl": jsonl(
      header({ id: "b", cwd: "/lake", timestamp: at(2), parentSession: "a" }),
      shared,
      call("20", 2, { model: "other" }),
    ),
  });
  const fork = ["b", "a", null, 2, 1];
  const stores = [store];
  assert.deepEqual(await shortLineage({ stores, projects: ["/lake"] }), [fork]);
  assert.deepEqual(await shortLineage({ stores, models: ["other"] }), [fork]);
  assert.deepEqual(await shortLineage({ stores, since: Date.parse(at(32)) }), [fork]);
  assert.deepEqual(await shortLineage({ stores, until: Date.parse(at(31)) }), [["a", null, null, 1, 0]]);
  assert.deepEqual(await shortLineage({ stores, projects: ["/sea"] }), []);
});

test("lineage gives titles: the name, else the first message, cut behind 100 code points", async (context) => {
  const long = "🌱".repeat(101);
  const store = makeStore(context, {
    "1.jsonl": jsonl(
      header({ id: "1", timestamp: at(1) }),
      user("1", null, "hello"),
      entry("session_info", "2", "1", { name: "Beans" }),
    ),
    "2.jsonl": jsonl(header({ id: "2", timestamp: at(2) }), user("1", null, long)),
    "3.jsonl": jsonl(header({ id: "3", timestamp: at(3) }), user("1", null, long.slice(2))),
    "4.jsonl": jsonl(header({ id: "4", timestamp: at(4) })),
  });
  const { sessions } = await lineage({ stores: [store] });
  const cut = "🌱".repeat(100);
  assert.deepEqual(
    sessions.map(({ title }) => title),
    ["Beans", `${cut}…`, cut, null],
  );
});

test("lineage names what was passed over, and counts damaged lines of the sessions given", async (context) => {
  const damaged = (id: string) => Buffer.concat([jsonl(header({ id, cwd: `/${id}` })), Buffer.from("{{{\n")]);
  const files = { "a.jsonl": damaged("a"), "b.jsonl": damaged("b"), "notes.jsonl": "{}\n" };
  const store = makeStore(context, files);
  const { skipped, damagedLines } = await lineage({ stores: [store], projects: ["/a"] });
  assert.deepEqual(
    skipped.map(({ path }) => path),
    [join(store, "notes.jsonl")],
  );
  assert.equal(damagedLines, 1);
});

test("lineage refuses a missing store, and stops at its signal", async (context) => {
  const store = makeStore(context, { "a.jsonl": jsonl(header()) });
  await assert.rejects(lineage({ stores: [join(store, "none")] }), { code: "NO_SUCH_STORE" });
  const reason = new Error("enough");
  await assert.rejects(lineage({ stores: [store], signal: AbortSignal.abort(reason) }), reason);
});

// Against the fixtures, and against the plain reader

test("lineage gives the forks of fixtures/store, and adds up to its totals", async () => {
  const store = fixture("store");
  const expected = JSON.parse(readFileSync(fixture("store.expect.json"), "utf8"));
  const { sessions, damagedLines } = await lineage({ stores: [store] });
  assert.equal(sessions.length, expected.sessions.length);
  assert.equal(damagedLines, 3);
  for (const { path, own, copied } of sessions) {
    const { usage } = expected.sessions.find((session: { path: string }) => session.path === relative(store, path));
    assertAgrees(own.costTotal + copied.costTotal, usage.costTotal, `cost of ${path}`);
    assert.equal(own.calls + copied.calls, usage.calls, `calls of ${path}`);
  }
  const forks = sessions.filter(({ parentId }) => parentId !== null);
  assert.deepEqual(
    forks.map(({ id, parentId, own, copied }) => [id.slice(0, 8), parentId!.slice(0, 8), own.calls, copied.calls]),
    [
      ["019bb17d", "019bb17b", 1, 0],
      ["019bc0a2", "019bbdbe", 1, 2],
      ["019bcd90", "019bc0a2", 1, 3],
    ],
  );
  const cost = sessions.reduce((sum, { own }) => sum + own.costTotal, 0);
  assertAgrees(cost, expected.totals.total.costTotal, "what all added");
});

test("lineage agrees with the plain reader on stores that were forked, cloned, moved and lost", async (context) => {
  let number = 0;
  const root = scratchFolder(context);
  await fc.assert(
    fc.asyncProperty(forkedStore(), async (files) => {
      const store = join(root, String((number += 1)));
      const placed = files.map(({ path, file }) => ({ path: join(store, path), file }));
      mkdirSync(store);
      writeFiles(store, Object.fromEntries(files.map(({ path, file }) => [path, file.bytes])));
      const right = totalsPlainly(placed).sessions;
      const { sessions } = await lineage({ stores: [store] });
      assert.equal(sessions.length, right.length);
      const before = new Set<string>();
      for (const { path, id, parentId, parentPath, own, copied } of sessions) {
        const expected = right.find((share) => share.path === path)!;
        assertAgrees({ id, own, copied }, { id: expected.id, own: expected.own, copied: expected.copied }, path);
        // The oldest of files that name each other has none.
        if (parentId !== null) assert.equal(parentId, expected.parentId);
        if (parentPath !== null) assert.ok(before.has(parentPath), "the parent came before");
        before.add(path);
      }
    }),
    { numRuns: 100 },
  );
});
