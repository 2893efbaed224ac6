import assert from "node:assert/strict";
import { test } from "node:test";
import { KeyTable } from "../../src/read/key-table.js";

const keys = ["id", "type", "parentId", "timestamp", "a", "firstKeptEntryIndexOfTheBranchIt"];
const table = new KeyTable(keys);

function find(key: string): number {
  const bytes = Buffer.from(`{"${key}":0}`);
  return table.find(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 2, bytes.length - 4);
}

test("KeyTable.find tells each key from all that differ in one byte or in length", () => {
  keys.forEach((key, number) => {
    assert.equal(find(key), number, key);
    assert.equal(find(`${key}x`), -1);
    assert.equal(find(key.slice(0, -1)), -1);
    assert.equal(find(key.slice(1)), -1);
    for (let at = 0; at < key.length; at++) {
      for (const other of ["_", "\0", "é", String.fromCharCode(key.charCodeAt(at) ^ 1)]) {
        const near = key.slice(0, at) + other + key.slice(at + 1);
        assert.equal(find(near), keys.indexOf(near), near);
      }
    }
  });
  assert.equal(find(""), -1);
});

test("KeyTable.find reads escapes, and takes an escaped backslash for a backslash", () => {
  assert.equal(find("\\u0069d"), 0);
  assert.equal(find("typ\\u0065"), 1);
  assert.equal(find("\\u0061"), 4);
  assert.equal(find("\\\\u0069d"), -1);
  assert.equal(find("typ\\\\u0065"), -1);
  assert.equal(find("\\u00e9"), -1);
});

test("KeyTable finds keys whose cells collide", () => {
  // 31 keys of one length, some of which must share a first and a last letter.
  const crowd = Array.from({ length: 31 }, (_, number) => `k${number.toString(2).padStart(5, "0")}e`);
  const crowded = new KeyTable(crowd);
  crowd.forEach((key, number) => {
    const bytes = Buffer.from(`"${key}":0}`);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    assert.equal(crowded.find(bytes, view, 1, 1 + key.length), number);
  });
});
