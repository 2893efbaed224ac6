import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DisjointSets } from "../../src/report/disjoint-sets.js";

test("DisjointSets tells what was joined, directly or by way of others", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(11), fc.nat(11)), { maxLength: 14 }), (joins) => {
      const sets = new DisjointSets();
      let labels = Array.from({ length: 12 }, (_, number) => number);
      for (const _ of labels) sets.add();
      for (const [one, other] of joins) {
        sets.join(one, other);
        const [from, to] = [labels[one], labels[other]!];
        labels = labels.map((label) => (label === from ? to : label));
      }
      for (const one of labels.keys()) {
        for (const other of labels.keys()) {
          assert.equal(sets.find(one) === sets.find(other), labels[one] === labels[other]);
        }
      }
    }),
  );
});

test("DisjointSets follows a chain of a million joins", () => {
  const sets = new DisjointSets();
  for (let number = 0; number < 1_000_000; number++) sets.add();
  for (let number = 999_999; number > 0; number--) sets.join(number, number - 1);
  for (let number = 0; number < 1_000_000; number++) assert.equal(sets.find(number), sets.find(0));
});
