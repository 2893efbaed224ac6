import assert from "node:assert/strict";
import { test } from "node:test";
import { Forest, NO_NODE } from "../../src/tree/forest.js";

/** A forest of nodes below these parents. */
function plant(...parents: number[]): Forest {
  const forest = new Forest();
  for (const parent of parents) forest.add(parent);
  return forest;
}

const parentsOf = (forest: Forest): number[] => Array.from({ length: forest.size }, (_, node) => forest.parentOf(node));

test("Forest keeps parents, children in order, paths and the number of leaves", () => {
  //  0 ── 1 ── 3
  //  │    └── 4
  //  └─── 5
  //  2
  const forest = plant(-1, 0, -1, 1, 1, 0);
  assert.equal(forest.size, 6);
  assert.deepEqual(forest.childrenOf(0), [1, 5]);
  assert.deepEqual(forest.childrenOf(1), [3, 4]);
  assert.deepEqual(forest.childrenOf(2), []);
  assert.deepEqual([...forest.pathTo(4)], [0, 1, 4]);
  assert.deepEqual([...forest.pathTo(2)], [2]);
  assert.equal(forest.leafCount, 4);
  assert.deepEqual(
    [0, 2, 3].map((node) => forest.isRoot(node)),
    [true, true, false],
  );
  assert.deepEqual(
    [0, 2, 3].map((node) => forest.isLeaf(node)),
    [false, true, true],
  );
});

test("Forest.adopt hangs older roots below the newest node, before its later children", () => {
  const forest = plant(-1, -1, 0, -1);
  assert.equal(forest.adopt(3, [0, 1]), NO_NODE);
  forest.add(3);
  assert.deepEqual(forest.childrenOf(3), [0, 1, 4]);
  assert.deepEqual([...forest.pathTo(2)], [3, 0, 2]);
  assert.equal(forest.leafCount, 3);
});

test("Forest.adopt cuts a cycle above the oldest node when that is the adopted root", () => {
  // 3, below 1, below 0, adopts 0 and 2.
  const forest = plant(-1, 0, -1, 1);
  assert.equal(forest.adopt(3, [0, 2]), 0);
  assert.deepEqual(parentsOf(forest), [-1, 0, 3, 1]);
  assert.deepEqual(forest.childrenOf(3), [2]);
  assert.equal(forest.leafCount, 1);
});

test("Forest.adopt cuts a cycle above an older node, which leaves its siblings in place", () => {
  // 3 adopts 0, 1, 2. Then 4, below 1, adopts 3: the cycle 1, 3, 4 is cut above 1.
  const forest = plant(-1, -1, -1, -1);
  forest.adopt(3, [0, 1, 2]);
  forest.add(1);
  assert.equal(forest.adopt(4, [3]), 1);
  assert.deepEqual(parentsOf(forest), [3, -1, 3, 4, 1]);
  assert.deepEqual(forest.childrenOf(3), [0, 2]);
  assert.deepEqual([...forest.pathTo(2)], [1, 4, 3, 2]);
  assert.equal(forest.leafCount, 2);
});

test("Forest.adopt leaves a node without children when its only child is cut off", () => {
  // 1 adopts 0. Then 2, below 0, adopts 1: the cycle 0, 2, 1 is cut above 0, and 1 is a leaf.
  const forest = plant(-1, -1);
  forest.adopt(1, [0]);
  forest.add(0);
  assert.equal(forest.adopt(2, [1]), 0);
  assert.deepEqual(parentsOf(forest), [-1, 2, 0]);
  assert.deepEqual(forest.childrenOf(1), []);
  assert.equal(forest.isLeaf(1), true);
  assert.equal(forest.leafCount, 1);
  forest.add(1);
  assert.deepEqual(forest.childrenOf(1), [3]);
});

test("Forest.adopt cuts off first and last children", () => {
  for (const [cut, left] of [
    [0, [1, 2]],
    [2, [0, 1]],
  ] as const) {
    const forest = plant(-1, -1, -1, -1);
    forest.adopt(3, [0, 1, 2]);
    forest.add(cut);
    assert.equal(forest.adopt(4, [3]), cut);
    assert.deepEqual(forest.childrenOf(3), left);
    forest.add(3);
    assert.deepEqual(forest.childrenOf(3), [...left, 5]);
  }
});

test("Forest adopts below a tree whose cycle was cut without looking for a second one", () => {
  const forest = plant(-1, 0);
  assert.equal(forest.adopt(1, [0]), 0);
  forest.add(-1);
  forest.add(1);
  assert.equal(forest.adopt(3, [2]), NO_NODE);
  assert.deepEqual(parentsOf(forest), [-1, 0, 3, 1]);
});
