import assert from "node:assert/strict";
import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { readEntryAt } from "../../src/read/read-entry-at.js";
import { header, jsonl, user } from "../helpers/entries.js";
import { makeStore } from "../helpers/stores.js";

/** Reads what stands in a file of these bytes from an offset on. */
function readAt(context: TestContext, bytes: Buffer | string, byteOffset: number, byteLength: number) {
  const path = join(makeStore(context, { "a.jsonl": bytes }), "a.jsonl");
  const fd = openSync(path, "r");
  try {
    return readEntryAt(fd, path, { line: 7, byteOffset, byteLength });
  } finally {
    closeSync(fd);
  }
}

test("readEntryAt reads the entry of a place, as written", (context) => {
  const line = user("1", null, "é🐸");
  const start = jsonl(header()).length;
  const length = Buffer.byteLength(JSON.stringify(line));
  assert.deepEqual(readAt(context, jsonl(header(), line), start, length), { entry: line });
  assert.deepEqual(readAt(context, `xx${JSON.stringify(line)}yy`, 2, length), { entry: line });
});

test("readEntryAt reads entries longer than a chunk whole", (context) => {
  const line = user("1", null, "x".repeat(2_000_000));
  const bytes = jsonl(line);
  const { entry, truncated } = readAt(context, bytes, 0, bytes.length - 1);
  assert.ok(JSON.stringify(entry) === JSON.stringify(line));
  assert.equal(truncated, undefined);
});

test("readEntryAt fails where no entry stands, and names the place", (context) => {
  const cases: [string, number, number][] = [
    ["", 0, 10],
    ['{"type":"a"}', 0, 11],
    ['{"type":"a"}x', 0, 13],
    ['{"type":5} ', 0, 10],
    ["[1,2,3]", 0, 7],
    ['"type"', 0, 6],
    ['{"type":"a"}', 50, 12],
  ];
  for (const [bytes, byteOffset, byteLength] of cases) {
    assert.throws(
      () => readAt(context, bytes, byteOffset, byteLength),
      (error: Error) => {
        const { name, code, line, byteOffset: at, path, message } = error as unknown as Record<string, string>;
        assert.deepEqual([name, code, line, at], ["SessionFormatError", "CHANGED_WHILE_READING", 7, byteOffset]);
        assert.equal(message, `Cannot read an entry of "${path}": line 7 is no longer what it was`);
        return true;
      },
      bytes,
    );
  }
});
