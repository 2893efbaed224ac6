import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { drawTree } from "../../src/cli/draw-tree.js";
import { SessionIndex } from "../../src/tree/session-index.js";

/** An index of entries named by their numbers, from the number of each one's parent; -1 for a root. */
function indexOf(parents: number[]): SessionIndex {
  const index = new SessionIndex();
  for (const [number, parent] of parents.entries()) {
    const parentId = parent < 0 ? null : String(parent);
    index.add(
      { type: "custom", customType: "x", id: String(number), parentId, timestamp: "2026-01-01T00:00:00Z" },
      { line: number + 2, byteOffset: 0, byteLength: 1 },
    );
  }
  return index;
}

function drawing(parents: number[]): string[] {
  return Array.from(drawTree(indexOf(parents)), ({ number, lead }) => `${lead}${number}`);
}

test("drawTree goes straight down where nothing forks", () => {
  assert.deepEqual(drawing([-1, 0, 1, 2]), ["0", "1", "2", "3"]);
  assert.deepEqual(drawing([]), []);
});

test("drawTree hangs side branches on the way to the current leaf", () => {
  // 0 - 1 - 2 - 3, 1 - 4 - 5, and the current leaf 6 behind 1.
  assert.deepEqual(drawing([-1, 0, 1, 2, 1, 4, 1]), ["0", "1", "├─ 2", "│  3", "├─ 4", "│  5", "6"]);
});

test("drawTree goes on with the largest subtree away from the current leaf", () => {
  // Behind 1: 2 alone, and 3 with 4 and 5; the leaf 6 is another child of the root.
  assert.deepEqual(drawing([-1, 0, 1, 1, 3, 4, 0]), ["0", "├─ 1", "│  ├─ 2", "│  3", "│  4", "│  5", "6"]);
});

test("drawTree draws one tree after the other", () => {
  const lines = [...drawTree(indexOf([-1, -1, 0, 1]))];
  assert.deepEqual(
    lines.map(({ number, isRoot }) => [number, isRoot]),
    [
      [0, true],
      [2, false],
      [1, true],
      [3, false],
    ],
  );
});

test("drawTree draws each entry once, behind its parent, and never wide", () => {
  const tree = fc
    .array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { minLength: 1, maxLength: 200 })
    .map((draws) => draws.map((draw, number) => Math.floor(draw * (number + 1)) - 1));
  fc.assert(
    fc.property(tree, (parents) => {
      const seen = new Set<number>();
      for (const { number, lead } of drawTree(indexOf(parents))) {
        assert.ok(parents[number] === -1 || seen.has(parents[number]!));
        assert.ok(lead.length <= 3 * (Math.log2(parents.length) + 1));
        seen.add(number);
      }
      assert.equal(seen.size, parents.length);
    }),
    { numRuns: 300 },
  );
});

test("drawTree takes long chains and a fork at every entry", () => {
  const length = 100_000;
  const chain = Array.from({ length }, (_, number) => number - 1);
  const comb = Array.from({ length }, (_, number) => (number % 2 === 0 ? number - 2 : number - 1)).fill(-1, 0, 1);
  for (const parents of [chain, comb]) {
    let lines = 0;
    let width = 0;
    for (const { lead } of drawTree(indexOf(parents))) {
      lines++;
      width = Math.max(width, lead.length);
    }
    assert.equal(lines, length);
    assert.ok(width <= 6);
  }
});
