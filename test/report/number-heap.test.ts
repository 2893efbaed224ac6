import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { NumberHeap } from "../../src/report/number-heap.js";

test("NumberHeap gives the smallest of what is in it, like a list that is sorted before each look", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat(20)), { maxLength: 60 }), (steps) => {
      const heap = new NumberHeap();
      const list: number[] = [];
      for (const pushed of steps) {
        if (pushed === null) {
          list.sort((a, b) => a - b);
          assert.equal(heap.pop(), list.shift());
        } else {
          heap.push(pushed);
          list.push(pushed);
        }
      }
      for (const number of list.sort((a, b) => a - b)) assert.equal(heap.pop(), number);
      assert.equal(heap.pop(), undefined);
    }),
  );
});
