import assert from "node:assert/strict";
import { test } from "node:test";
import { Column } from "../../src/tree/column.js";

const fill = (column: Column<Float64Array>, count: number): void => {
  for (let entry = 0; entry < count; entry++) {
    if (entry === column.capacity) column.grow();
    column.set(entry, entry * 3);
  }
};

test("Column keeps every number while it grows over several pages", () => {
  const column = new Column(Float64Array);
  fill(column, 100_000);
  for (let entry = 0; entry < 100_000; entry++) assert.equal(column.get(entry), entry * 3);
});

test("Column leaves at most half of a small one and a page of a large one unused", () => {
  for (const count of [1, 32, 33, 1000, 16_384, 16_385, 50_000]) {
    const column = new Column(Float64Array);
    fill(column, count);
    assert.ok(column.capacity - count <= Math.max(31, Math.min(count, 16_384)), `${column.capacity} for ${count}`);
  }
});

test("Column holds what its typed array can hold: offsets beyond 32 bits, NaN, negative numbers", () => {
  const wide = new Column(Float64Array);
  wide.set(0, 2 ** 40 + 1);
  wide.set(1, Number.NaN);
  assert.equal(wide.get(0), 2 ** 40 + 1);
  assert.ok(Number.isNaN(wide.get(1)));
  const narrow = new Column(Int32Array);
  narrow.set(31, -1);
  assert.equal(narrow.get(31), -1);
  assert.equal(narrow.get(30), 0);
});

test("Column.slice gives the first numbers in a buffer of their own, across pages", () => {
  const column = new Column(Float64Array);
  fill(column, 40_000);
  for (const size of [0, 1, 16_384, 16_385, 40_000]) {
    const numbers = column.slice(size);
    assert.equal(numbers.length, size);
    assert.equal(numbers.buffer.byteLength, 8 * size);
    for (const [entry, number] of numbers.entries()) assert.equal(number, entry * 3);
  }
});
