import assert from "node:assert/strict";
import { test } from "node:test";
import { isShallowObject, isWholeObject } from "../../src/read/whole-object.js";

const nested = (levels: number): Buffer => Buffer.from(`{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`);

test("isShallowObject takes whole objects of ordinary depth, and isWholeObject those of any depth", () => {
  for (const levels of [0, 1, 63, 64, 65, 10_000, 100_000]) {
    const bytes = levels === 0 ? Buffer.from('{"a":1}') : nested(levels);
    assert.equal(isShallowObject(bytes, 0, bytes.length), true, `${levels} levels`);
  }
  const deep = nested(1_000_000);
  assert.deepEqual([isShallowObject(deep, 0, deep.length), isWholeObject(deep, 0, deep.length)], [false, true]);
  const flat = Buffer.from('{"a":[[1]]}');
  assert.equal(isShallowObject(flat, 0, flat.length), true, "the depth of the line before is forgotten");
});

test("isWholeObject refuses what is broken, and what is no object", () => {
  for (const text of ["[1]", "1", '{"a":[[[}', '{"a":1}}', '{"a":1', ""]) {
    const bytes = Buffer.from(text);
    assert.deepEqual([isWholeObject(bytes, 0, bytes.length), isShallowObject(bytes, 0, bytes.length)], [false, false]);
  }
});
