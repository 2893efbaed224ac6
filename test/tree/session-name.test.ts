import assert from "node:assert/strict";
import { test } from "node:test";
import { readSessionName } from "../../src/tree/session-name.js";

test("readSessionName trims, and turns line breaks into a space", () => {
  assert.equal(readSessionName("  plain "), "plain");
  assert.equal(readSessionName("one\ntwo\r\nthree\rfour"), "one two three four");
  assert.equal(readSessionName("\n\n one\n\ntwo \r\n"), "one two");
});

test("readSessionName finds no name in blanks and in what is no string", () => {
  for (const value of ["", " \t\n", undefined, null, 7, true, ["a"], { name: "a" }]) {
    assert.equal(readSessionName(value), null, JSON.stringify(value));
  }
});
