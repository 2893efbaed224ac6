import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../../src/format/entry.js";
import { entryUsage, readUsage } from "../../src/format/usage.js";
import { assistant, entry, toolResult, user } from "../helpers/entries.js";

const cases: [string, Record<string, unknown>, number[]][] = [
  [
    "whole",
    { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 10, cost: { total: 0.5 } },
    [1, 2, 3, 4, 10, 0.5],
  ],
  ["empty", {}, [0, 0, 0, 0, 0, 0]],
  ["without totals", { input: 1, output: 2, cost: { input: 0.25, output: 0.5 } }, [1, 2, 0, 0, 3, 0.75]],
  [
    "with a total beside its parts",
    { input: 1, output: 2, totalTokens: 99, cost: { input: 1, total: 7 } },
    [1, 2, 0, 0, 99, 7],
  ],
  [
    "with null, text and negative numbers",
    {
      input: null,
      output: "5",
      cacheRead: -1,
      cacheWrite: 2,
      totalTokens: -3,
      cost: { input: 1, output: -1, total: "x" },
    },
    [0, 0, 0, 2, 2, 1],
  ],
  [
    "with infinite numbers",
    {
      input: Number.POSITIVE_INFINITY,
      output: 1,
      totalTokens: Number.POSITIVE_INFINITY,
      cost: { total: Number.NEGATIVE_INFINITY, input: 2 },
    },
    [0, 1, 0, 0, 1, 2],
  ],
  ["with huge finite numbers", { input: 1e300, output: 0, cost: { total: 1e200 } }, [1e300, 0, 0, 0, 1e300, 1e200]],
  ["with a cost that is a number", { input: 1, cost: 0.125 }, [1, 0, 0, 0, 1, 0.125]],
  ["with a cost that is a broken number", { input: 1, cost: -0.125 }, [1, 0, 0, 0, 1, 0]],
  ["with a cost that is a list", { input: 1, cost: [5] }, [1, 0, 0, 0, 1, 0]],
  [
    "with reasoning and cacheWrite1h, which are parts already",
    { input: 1, output: 9, reasoning: 5, cacheWrite: 4, cacheWrite1h: 4 },
    [1, 9, 0, 4, 14, 0],
  ],
];

for (const [name, stored, [input, output, cacheRead, cacheWrite, totalTokens, costTotal]] of cases) {
  test(`readUsage reads usage ${name}`, () => {
    assert.deepEqual(readUsage(stored), { input, output, cacheRead, cacheWrite, totalTokens, costTotal, calls: 1 });
  });
}

test("entryUsage finds usage in the five places and nowhere else", () => {
  const usage = { input: 1 };
  const sourceOf = (line: object): string | undefined => entryUsage(line as SessionEntry)?.source;
  assert.equal(sourceOf(assistant("1", null, "", { usage })), "assistant");
  assert.equal(sourceOf(toolResult("1", null, "", { usage })), "tool");
  assert.equal(sourceOf(entry("compaction", "1", null, { usage })), "compaction");
  assert.equal(sourceOf(entry("branch_summary", "1", null, { usage })), "branch_summary");
  assert.equal(sourceOf(entry("usage", "1", null, { kind: "cache_warm", usage })), "usage:cache_warm");
  assert.equal(sourceOf(entry("usage", "1", null, { usage })), "usage:");
  assert.equal(sourceOf(user("1", null, "")), undefined);
  assert.equal(sourceOf({ ...user("1", null, ""), usage }), undefined);
  assert.equal(sourceOf({ ...assistant("1", null, "", { usage: null }), usage }), undefined);
  assert.equal(sourceOf(entry("custom", "1", null, { usage, data: { usage } })), undefined);
  assert.equal(sourceOf(toolResult("1", null, "", { details: { usage } })), undefined);
  for (const broken of [null, 5, "usage", [usage]])
    assert.equal(sourceOf(assistant("1", null, "", { usage: broken })), undefined);
});
