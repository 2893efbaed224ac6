import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { BoundedValue } from "../../src/read/bounded-value.js";

const AMPLE = 1_000_000;

/** Adds a number with the key that comes before it; a number's text does not count here. */
function addMember(value: BoundedValue, key: string, number: number, cutFrom?: number): void {
  if (value.wantsKey) value.setKey(key, key.length);
  if (value.beginScalar()) value.addScalar(number, 0, cutFrom);
  else value.drop(1);
}

function openMember(value: BoundedValue, key: string, kind: "object" | "array"): void {
  value.setKey(key, key.length);
  value.open(kind);
}

suite("BoundedValue", () => {
  test("BoundedValue is complete once its outermost container is closed", () => {
    const value = new BoundedValue(AMPLE);
    assert.equal(value.isComplete, false);
    value.open("array");
    assert.equal(value.isComplete, false);
    value.close();
    assert.equal(value.isComplete, true);
    assert.deepEqual(value.value, []);
  });

  test("BoundedValue is complete with a scalar alone", () => {
    const value = new BoundedValue(0);
    assert.equal(value.beginScalar(), true);
    value.addScalar(null, 0);
    assert.equal(value.isComplete, true);
    assert.equal(value.value, null);
  });

  test("BoundedValue names a path by names, indexes and quoted keys", () => {
    const value = new BoundedValue(AMPLE);
    value.open("object");
    openMember(value, "message", "object");
    openMember(value, "content", "array");
    value.open("object");
    for (const key of ["data", "$a_1", "a.b", "1", "", 'q"', "é"]) addMember(value, key, 0, 9);
    for (let open = 4; open > 0; open--) value.close();
    assert.deepEqual(
      value.listTruncated().map(({ path }) => path),
      // JSON objects list keys that are whole numbers first
      ['["1"]', ".data", ".$a_1", '["a.b"]', '[""]', '["q\\""]', '["é"]'].map((step) => `message.content[0]${step}`),
    );
  });

  test("BoundedValue names containers before what is in them, in order", () => {
    const value = new BoundedValue(AMPLE);
    value.open("array");
    for (const key of ["a", "b"]) {
      value.open("object");
      addMember(value, key, 0, 5);
      openMember(value, "inner", "object");
      addMember(value, key, 0, 6);
      value.close();
      value.setKey(undefined, 100);
      value.beginScalar();
      value.close();
    }
    value.close();
    assert.deepEqual(value.listTruncated(), [
      { path: "[0]", bytes: 100 },
      { path: "[0].a", bytes: 5 },
      { path: "[0].inner.a", bytes: 6 },
      { path: "[1]", bytes: 100 },
      { path: "[1].b", bytes: 5 },
      { path: "[1].inner.b", bytes: 6 },
    ]);
  });

  test("BoundedValue lists 1,000 places and sums up the others", () => {
    const value = new BoundedValue(AMPLE);
    value.open("array");
    for (let index = 0; index < 1003; index++) {
      value.beginScalar();
      value.addScalar("", 0, index);
    }
    value.close();
    const list = value.listTruncated();
    assert.equal(list.length, 1001);
    assert.deepEqual(list.slice(999), [
      { path: "[999]", bytes: 999 },
      { path: "…", bytes: 1000 + 1001 + 1002 },
    ]);
  });

  test("BoundedValue shortens an endless path", () => {
    const value = new BoundedValue(AMPLE);
    value.open("object");
    openMember(value, "k".repeat(2000), "object");
    addMember(value, "a", 1, 5);
    value.close();
    value.close();
    assert.deepEqual(value.listTruncated(), [{ path: `${"k".repeat(1000)}…`, bytes: 5 }]);
  });

  test("BoundedValue beyond its budget keeps only essential scalars and what leads to them", () => {
    const value = new BoundedValue(0);
    value.open("object");
    addMember(value, "details", 1);
    addMember(value, "id", 2);
    openMember(value, "usage", "object");
    addMember(value, "input", 3);
    addMember(value, "id", 4);
    openMember(value, "cost", "object");
    addMember(value, "total", 5);
    addMember(value, "type", 6);
    value.close();
    value.close();
    openMember(value, "details", "object");
    addMember(value, "id", 7);
    value.close();
    openMember(value, "message", "array");
    value.close();
    value.close();
    assert.deepEqual(value.value, { id: 2, usage: { input: 3, cost: { total: 5 } } });
    assert.deepEqual(value.listTruncated(), [
      { path: "", bytes: "details1".length + "details".length + 1 + "message".length },
      { path: "usage", bytes: "id4".length },
      { path: "usage.cost", bytes: "type6".length },
    ]);
  });
});
