import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NO_FILE } from "../../src/report/file-lineage.js";
import { orderOldestFirst } from "../../src/report/oldest-first.js";

/** The order of files of these header times, in which each names the number of its parent. */
const order = (times: (number | null)[], parents: number[]): number[] => {
  const files = times.map((created, file) => ({
    path: `/s/${String(file).padStart(8, "0")}`,
    id: "",
    parent: null,
    created,
  }));
  return [...orderOldestFirst(files, Int32Array.from(parents))];
};

test("orderOldestFirst goes by header time, invalid ones last, then by path", () => {
  assert.deepEqual(order([3, null, 1, null, 1], [NO_FILE, NO_FILE, NO_FILE, NO_FILE, NO_FILE]), [2, 4, 0, 1, 3]);
});

test("orderOldestFirst puts a parent before its forks, whatever their times, and moves nothing else", () => {
  // 0 is a fork of 1, which is a fork of 2; 3 has nothing to do with them, 4 is a fork of 3.
  assert.deepEqual(order([1, 2, 5, 4, 9], [1, 2, NO_FILE, NO_FILE, 3]), [3, 2, 1, 0, 4]);
});

test("orderOldestFirst begins with the earliest of files that are the parents of each other", () => {
  assert.deepEqual(order([3, 2, 4, 7], [2, 0, 1, NO_FILE]), [3, 1, 2, 0]);
});

test("orderOldestFirst agrees with a search for the next file, step by step", () => {
  const file = () => fc.record({ time: fc.option(fc.nat(5)), parent: fc.integer({ min: -4, max: 9 }) });
  fc.assert(
    fc.property(fc.array(file(), { maxLength: 10 }), (files) => {
      const parents = files.map(({ parent }, file) =>
        parent < 0 || parent >= files.length || parent === file ? NO_FILE : parent,
      );
      const times = files.map(({ time }) => time);
      const left = [...files.keys()].sort((a, b) => (times[a] ?? 9) - (times[b] ?? 9) || a - b);
      const expected: number[] = [];
      while (left.length > 0) {
        const next = left.findIndex((file) => !left.includes(parents[file]!));
        expected.push(...left.splice(Math.max(0, next), 1));
      }
      assert.deepEqual(order(times, parents), expected);
    }),
    { numRuns: 500 },
  );
});

test("orderOldestFirst follows a chain of 100,000 files that come youngest first", () => {
  const count = 100_000;
  const files = Array.from({ length: count }, (_, file) => file);
  const chain = order(
    files,
    files.map((file) => (file === count - 1 ? NO_FILE : file + 1)),
  );
  assert.deepEqual(chain, files.toReversed());
});
