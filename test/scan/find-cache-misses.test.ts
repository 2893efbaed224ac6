import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { type CacheMissesOptions, findCacheMisses } from "../../src/scan/find-cache-misses.js";
import { assistant, at, header, jsonl, type Line, user } from "../helpers/entries.js";
import { fixture } from "../helpers/files.js";
import { makeStore } from "../helpers/stores.js";

/** A turn, at so many seconds (its id, in hexadecimal) after the start: plain tokens at 4 dollars for a million, read ones at 0.5, written ones at 5. */
const turn = (id: string, parentId: string | null, tokens: [number, number, number], more: Line = {}): Line => {
  const [input, cacheRead, cacheWrite] = tokens;
  const cost = { input: input * 4e-6, output: 0, cacheRead: cacheRead * 0.5e-6, cacheWrite: cacheWrite * 5e-6 };
  return assistant(id, parentId, "x", { provider: "p", model: "m", usage: { ...tokensOf(tokens), cost }, ...more });
};

const tokensOf = ([input, cacheRead, cacheWrite]: [number, number, number]): Line => ({ input, cacheRead, cacheWrite });

/** The misses in short: session, entry, tokens, reason. */
async function shortMisses(options: CacheMissesOptions) {
  const { misses } = await findCacheMisses(options);
  return misses.map(({ id, entryId, missedTokens, reason }) => [id, entryId, missedTokens, reason]);
}

test("findCacheMisses tells where, when and why which model paid again, and sums up", async (context) => {
  const store = makeStore(context, {
    "a.jsonl": jsonl(
      header({ id: "a" }),
      turn("1", null, [0, 0, 20_000]),
      turn("2", "1", [0, 0, 20_000]),
      turn("3", "2", [0, 10_000, 11_000]),
      turn("fff", "3", [21_000, 0, 0], { model: "n" }),
    ),
  });
  const { misses, total, skipped, damagedLines } = await findCacheMisses({ stores: [store] });
  const place = { path: join(store, "a.jsonl"), id: "a" };
  // 20,000 × (5 − 0.5) = 90,000 millionths, and 10,000 × (5 − 0.5) = 45,000. Of n, nothing is known of caching.
  assert.deepEqual(misses, [
    {
      ...place,
      entryId: "2",
      timestamp: at(2),
      model: "p/m",
      missedTokens: 20_000,
      missedCost: 0.09,
      reason: "unknown",
    },
    {
      ...place,
      entryId: "3",
      timestamp: at(3),
      model: "p/m",
      missedTokens: 10_000,
      missedCost: 0.045,
      reason: "unknown",
    },
  ]);
  assert.deepEqual(total, { missedTokens: 30_000, missedCost: 0.135, count: 2 });
  assert.deepEqual([skipped, damagedLines], [[], 0]);
});

test("findCacheMisses leaves out models that never used a cache in all of the stores, whatever the filters", async (context) => {
  const plain = [turn("1", null, [9000, 0, 0]), turn("2", "1", [9000, 0, 0])];
  const local = { provider: "local", model: "m" };
  const neverCached = [turn("3", null, [9000, 0, 0], local), turn("4", "3", [9000, 0, 0], local)];
  const files = {
    "a.jsonl": jsonl(header({ id: "a", cwd: "/a" }), ...plain, ...neverCached),
    "b.jsonl": jsonl(header({ id: "b", cwd: "/b" }), turn("5", null, [9000, 1, 0])),
  };
  const found = [["a", "2", 9000, "unknown"]];
  const store = makeStore(context, files);
  assert.deepEqual(await shortMisses({ stores: [store] }), found);
  assert.deepEqual(await shortMisses({ stores: [store], projects: ["/a"], until: Date.parse(at(4)) }), found);
  assert.deepEqual(await shortMisses({ stores: [store], exclude: ["b.jsonl"] }), []);
  assert.deepEqual(await shortMisses({ stores: [makeStore(context, { "a.jsonl": files["a.jsonl"] })] }), []);
});

test("findCacheMisses counts a copied call once, in the oldest file that holds it, whatever the filters", async (context) => {
  const shared = [turn("1", null, [0, 0, 9000]), turn("2", "1", [0, 0, 9500])];
  const fork = (id: string, cwd: string, ...own: Line[]): Buffer =>
    jsonl(header({ id, cwd, timestamp: at(50), parentSession: "/old/a.jsonl" }), ...shared, ...own);
  const store = makeStore(context, {
    "0.jsonl": fork("0", "/fork", turn("3", "2", [0, 0, 9800])),
    "1.jsonl": fork("1", "/fork", turn("4", "1", [0, 0, 9700])),
    "a.jsonl": jsonl(header({ id: "a", cwd: "/a" }), ...shared),
  });
  const own = [
    ["0", "3", 9500, "unknown"],
    ["1", "4", 9000, "branch"],
  ];
  assert.deepEqual(await shortMisses({ stores: [store] }), [...own, ["a", "2", 9000, "unknown"]]);
  assert.deepEqual(await shortMisses({ stores: [store], projects: ["/fork"] }), own);
});

test("findCacheMisses filters choose calls, not what came before them", async (context) => {
  const store = makeStore(context, {
    "a.jsonl": jsonl(
      header({ id: "a" }),
      turn("1", null, [0, 0, 9000]),
      turn("2", "1", [0, 0, 9100]),
      turn("3", "2", [0, 0, 9200], { provider: "q", model: "other" }),
      turn("4", "3", [0, 0, 9300]),
    ),
  });
  const entries = async (options: CacheMissesOptions) =>
    (await shortMisses({ stores: [store], ...options })).map(([, entryId]) => entryId);
  const second = (number: number): number => Date.parse(at(number));
  assert.deepEqual(await entries({}), ["4", "3", "2"]);
  assert.deepEqual(await entries({ models: ["other"] }), ["3"]);
  assert.deepEqual(await entries({ models: ["p/*"] }), ["4", "2"]);
  assert.deepEqual(await entries({ providers: ["q"] }), ["3"]);
  assert.deepEqual(await entries({ since: second(3), until: second(3) }), ["3"]);
  assert.deepEqual(await entries({ since: second(5) }), []);
});

test("findCacheMisses puts the dearest first, then the largest, then by path and line", async (context) => {
  const free = (id: string, parentId: string | null, written: number): Line =>
    turn(id, parentId, [0, 0, written], { usage: tokensOf([0, 0, written]) });
  const store = makeStore(context, {
    "b.jsonl": jsonl(header({ id: "b" }), free("1", null, 9000), free("2", "1", 9000), free("3", "2", 9000)),
    "a.jsonl": jsonl(header({ id: "a" }), free("4", null, 9000), free("5", "4", 9000), free("6", "5", 3000)),
    "c.jsonl": jsonl(header({ id: "c" }), turn("7", null, [0, 0, 2000]), turn("8", "7", [0, 0, 2000])),
  });
  assert.deepEqual(
    (await shortMisses({ stores: [store] })).map(([id, entryId]) => `${id}${entryId}`),
    ["c8", "a5", "b2", "b3", "a6"],
  );
});

test("findCacheMisses takes how long a cache lives, and refuses what is no such time", async (context) => {
  const store = makeStore(context, {
    "a.jsonl": jsonl(header({ id: "a" }), turn("0", null, [0, 0, 9000]), turn("78", "0", [0, 0, 9000])), // Two minutes.
  });
  const reasons = async (minutes?: number) =>
    (await shortMisses({ stores: [store], ...(minutes !== undefined && { cacheTtlMinutes: minutes }) })).map(
      ([, , , reason]) => reason,
    );
  assert.deepEqual(await reasons(), ["unknown"]);
  assert.deepEqual(await reasons(2), ["unknown"]);
  assert.deepEqual(await reasons(1.5), ["idle"]);
  for (const minutes of [0, -1, Number.NaN]) await assert.rejects(reasons(minutes), RangeError);
});

test("findCacheMisses reads sessions whose ids stand twice or whose parents stand behind", async (context) => {
  const store = makeStore(context, {
    "twice.jsonl": jsonl(
      header({ id: "twice" }),
      turn("1", null, [0, 0, 9000]),
      turn("2", "1", [0, 0, 9000]),
      turn("1", null, [0, 0, 9000]),
      turn("2", "1", [0, 0, 9000]),
      turn("3", "2", [0, 0, 8000]),
    ),
    "behind.jsonl": jsonl(header({ id: "behind" }), turn("5", "4", [0, 0, 7000]), turn("4", null, [0, 0, 7000])),
  });
  assert.deepEqual(await shortMisses({ stores: [store] }), [
    ["twice", "2", 9000, "unknown"],
    ["twice", "3", 8000, "unknown"],
    ["behind", "5", 7000, "branch"],
  ]);
});

test("findCacheMisses gives the same from worker threads", async (context) => {
  const text = "x".repeat(600_000);
  const file = (id: string): Buffer =>
    jsonl(
      header({ id }),
      user(`${id}0`, null, text),
      turn(`${id}1`, `${id}0`, [0, 0, 9000]),
      user(`${id}2`, `${id}1`, text),
      turn(`${id}3`, `${id}2`, [0, 0, 9000]),
    );
  const store = makeStore(context, Object.fromEntries([..."abcdef"].map((id) => [`${id}.jsonl`, file(id)])));
  const { misses, total } = await findCacheMisses({ stores: [store], jobs: 2 });
  assert.deepEqual(
    misses.map(({ entryId }) => entryId),
    ["a3", "b3", "c3", "d3", "e3", "f3"],
  );
  assert.equal(total.missedTokens, 54_000);
});

test("findCacheMisses finds the one miss of fixtures/store: a fork went on with another model", async () => {
  const { misses, total, damagedLines, skipped } = await findCacheMisses({ stores: [fixture("store")] });
  // The prompt before had 11,458 tokens, this one 11,400, at 0.25 dollars for a million, and 0.025 from the cache. The copy in the fork's fork is no other.
  assert.equal(total.count, 1);
  assert.ok(Math.abs(total.missedCost - 11_400 * 0.225e-6) < 1e-12);
  const [{ id, timestamp, model, missedTokens, reason }] = misses as [(typeof misses)[0]];
  assert.deepEqual(
    [id, timestamp, model, missedTokens, reason],
    ["019bc0a2-2b32-7773-9302-f6cf6f457251", "2026-01-15T07:51:09.039Z", "openai/gpt-5-mini", 11_400, "model"],
  );
  assert.deepEqual([damagedLines, skipped.length], [3, 1]);
});

test("findCacheMisses refuses a missing store, and stops at its signal", async (context) => {
  const store = makeStore(context, { "a.jsonl": jsonl(header()) });
  await assert.rejects(findCacheMisses({ stores: [join(store, "none")] }), { code: "NO_SUCH_STORE" });
  const reason = new Error("enough");
  await assert.rejects(findCacheMisses({ stores: [store], signal: AbortSignal.abort(reason) }), reason);
});
