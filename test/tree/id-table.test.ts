import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { IdTable } from "../../src/tree/id-table.js";

test("IdTable numbers entries in order, and tells which entry had an id before", () => {
  const table = new IdTable();
  assert.equal(table.last("0000000a"), -1);
  assert.equal(table.add("0000000a"), -1);
  assert.equal(table.add("uuid-like"), -1);
  assert.equal(table.add("0000000a"), 0);
  assert.equal(table.add("uuid-like"), 1);
  assert.equal(table.add("0000000a"), 2);
  assert.equal(table.last("0000000a"), 4);
  assert.equal(table.last("uuid-like"), 3);
  assert.equal(table.last("0000000b"), -1);
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((entry) => table.idAt(entry)),
    ["0000000a", "uuid-like", "0000000a", "uuid-like", "0000000a"],
  );
});

test("IdTable tells ids apart that read as the same number, and those that look like keys of an object", () => {
  const ids = [
    ...[
      "00000000",
      "0000000",
      "000000000",
      "0",
      "ffffffff",
      "FFFFFFFF",
      "80000000",
      "7fffffff",
      "8e000000",
      "0000000g",
    ],
    ...["__proto__", "constructor", "toString", " 0000000", "-0000001", "0000000\ud800", "0000000\ufffd", "0x000000"],
  ];
  const table = new IdTable();
  for (const id of ids) assert.equal(table.add(id), -1, id);
  for (const [entry, id] of ids.entries()) {
    assert.equal(table.last(id), entry, id);
    assert.equal(table.idAt(entry), id);
  }
});

test("IdTable agrees with a Map on any ids", () => {
  const anyId = fc.oneof(
    fc.nat({ max: 40 }).map((value) => value.toString(16).padStart(8, "0")),
    fc.integer({ min: 0, max: 2 ** 32 - 1 }).map((value) => value.toString(16).padStart(8, "0")),
    fc.string({ minLength: 1, maxLength: 3 }),
    fc.uuid(),
  );
  fc.assert(
    fc.property(fc.array(anyId, { maxLength: 300 }), (ids) => {
      const table = new IdTable();
      const lastOf = new Map<string, number>();
      for (const [entry, id] of ids.entries()) {
        assert.equal(table.last(id), lastOf.get(id) ?? -1);
        assert.equal(table.add(id), lastOf.get(id) ?? -1);
        lastOf.set(id, entry);
      }
      for (const [entry, id] of ids.entries()) assert.equal(table.idAt(entry), id);
      for (const [id, last] of lastOf) assert.equal(table.last(id), last);
    }),
  );
});

test("IdTable finds each of 200,000 ids that count up, or differ in their high digits only", () => {
  for (const step of [1, 0x1000]) {
    const idOf = (entry: number): string => (entry * step).toString(16).padStart(8, "0");
    const table = new IdTable();
    for (let entry = 0; entry < 200_000; entry++) table.add(idOf(entry));
    for (let entry = 0; entry < 200_000; entry++) assert.equal(table.last(idOf(entry)), entry);
  }
});
