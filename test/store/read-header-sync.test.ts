import assert from "node:assert/strict";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { findHeaderSync, readHeaderSync } from "../../src/store/read-header-sync.js";
import { header, jsonl, user } from "../helpers/entries.js";
import { scratchFolder } from "../helpers/files.js";

function writeFile(context: TestContext, content: string | Buffer): string {
  const file = join(scratchFolder(context), "session.jsonl");
  writeFileSync(file, content);
  return file;
}

test("findHeaderSync finds headers of any length, with and without a newline, behind other records", (context) => {
  for (const bytes of [10, 4_000, 4_096, 5_000, 300_000, 1_000_000]) {
    const expected = header({ padding: "x".repeat(bytes) });
    assert.deepEqual(findHeaderSync(writeFile(context, jsonl(expected, user("a", null, "")))), expected);
    assert.deepEqual(findHeaderSync(writeFile(context, jsonl(expected).subarray(0, -1))), expected);
    const record = { type: "lock", padding: "x".repeat(bytes) };
    assert.deepEqual(findHeaderSync(writeFile(context, jsonl(record, expected))), expected);
  }
});

test("findHeaderSync passes over what is no session or can't be read", (context) => {
  for (const content of ["", "\n\n", "no session", jsonl(user("a", null, "")), "x".repeat(300_000)]) {
    assert.equal(findHeaderSync(writeFile(context, content)), undefined);
  }
  assert.equal(findHeaderSync("/no/such/file"), undefined);
  assert.equal(findHeaderSync(scratchFolder(context)), undefined);
});

test("readHeaderSync says why a file is no session", (context) => {
  const file = writeFile(context, jsonl(user("a", null, "")));
  const fd = openSync(file, "r");
  assert.throws(() => readHeaderSync(fd, file), { code: "NOT_A_SESSION", path: file });
  closeSync(fd);
});
