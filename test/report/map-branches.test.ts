import assert from "node:assert/strict";
import { test } from "node:test";
import { mapBranches, SHARED_BRANCH } from "../../src/report/map-branches.js";
import { entry, type Line } from "../helpers/entries.js";
import { indexEntries } from "../helpers/index-entries.js";

/** The branch of each entry, in file order. */
function branchesOf(...links: [string, string | null][]): (string | null)[] {
  const index = indexEntries(links.map(([id, parentId]) => entry("custom", id, parentId)));
  const branchOf = mapBranches(index);
  return links.map((_, number) => branchOf(number));
}

test("mapBranches puts a chain on the branch of its leaf", () => {
  assert.deepEqual(branchesOf(["a", null], ["b", "a"], ["c", "b"]), ["c", "c", "c"]);
});

test("mapBranches calls shared what several leaves come from", () => {
  assert.deepEqual(branchesOf(["a", null], ["b", "a"], ["c", "b"], ["d", "b"], ["e", "d"]), [
    SHARED_BRANCH,
    SHARED_BRANCH,
    "c",
    "e",
    "e",
  ]);
  assert.deepEqual(branchesOf(["a", null], ["b", "a"], ["c", "a"], ["d", "a"]), [SHARED_BRANCH, "b", "c", "d"]);
});

test("mapBranches tells the trees of several roots apart", () => {
  assert.deepEqual(branchesOf(["a", null], ["b", null], ["c", "a"], ["d", "gone"]), ["c", "b", "c", "d"]);
});

test("mapBranches ends in cycles, and tells entries with one id apart", () => {
  assert.deepEqual(branchesOf(["a", "b"], ["b", "a"], ["c", "a"]), [SHARED_BRANCH, "b", "c"]);
  assert.deepEqual(branchesOf(["a", null], ["a", null], ["b", "a"]), ["a", "b", "b"]);
});

test("mapBranches gives null for an entry outside the tree", () => {
  assert.equal(mapBranches(indexEntries([]))(-1), null);
});

test("mapBranches takes linear time where 100,000 branches leave a chain of 100,000", () => {
  const count = 100_000;
  const lines: Line[] = [];
  for (let number = 0; number < count; number++) {
    lines.push(entry("custom", `c${number}`, number === 0 ? null : `c${number - 1}`));
    lines.push(entry("custom", `b${number}`, `c${number}`));
  }
  const branchOf = mapBranches(indexEntries(lines));
  assert.equal(branchOf(0), SHARED_BRANCH);
  assert.equal(branchOf(2 * count - 4), SHARED_BRANCH);
  assert.equal(branchOf(2 * count - 2), `b${count - 1}`);
  assert.equal(branchOf(1), "b0");
});
