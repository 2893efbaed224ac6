import assert from "node:assert/strict";
import { test } from "node:test";
import { assertValidSessionId, newEntryId, newSessionId } from "../../src/store/new-ids.js";

test("newSessionId makes UUIDs of version 7 that begin with their millisecond", () => {
  const id = newSessionId(0x0123456789ab);
  assert.match(id, /^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(newSessionId(5), newSessionId(5));
  assert.ok(newSessionId(1_700_000_000_000) < newSessionId(1_700_000_000_001));
});

test("newEntryId makes 8 hex digits, and draws again while they are taken", () => {
  assert.match(
    newEntryId(() => false),
    /^[0-9a-f]{8}$/,
  );
  const asked: string[] = [];
  const id = newEntryId((id) => asked.push(id) < 4);
  assert.equal(asked.length, 4);
  assert.equal(id, asked[3]);
});

test("newEntryId gives a whole UUID when all that it draws is taken", () => {
  assert.match(
    newEntryId(() => true),
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

test("assertValidSessionId takes what can be part of a file name, and nothing else", () => {
  for (const id of ["a", "7", "my-id", "a.b_c-d", "A1", "0".repeat(200)]) assertValidSessionId(id);
  for (const id of ["", "-a", "a-", ".a", "a.", "_", "a b", "a/b", "a\n", "é", "..", `a${"-".repeat(100_000)}`]) {
    assert.throws(() => assertValidSessionId(id), /^Error: Session id must be non-empty, contain only alphanumeric/);
  }
});
