import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseIsoTime } from "../../src/format/time.js";
import { readHexId, readPlainTime } from "../../src/read/plain-bytes.js";

const quoted = (text: string): Buffer => Buffer.from(`"${text}"`, "latin1");

test("readHexId reads 8 lower-case hex digits between quotes, and nothing else", () => {
  const read = (text: string): number => readHexId(quoted(text), 0, quoted(text).length);
  assert.deepEqual(["00000000", "0000000a", "1a2b3c4d", "ffffffff"].map(read), [0, 10, 0x1a2b3c4d, 0xffffffff]);
  for (const text of ["", "1a2b3c4", "1a2b3c4d5", "1A2B3C4D", "1a2b3c4g", "1a2b-c4d", "1a2b\u00e9c4d"])
    assert.equal(read(text), -1, text);
});

test("readPlainTime reads pi's own form as parseIsoTime does, and leaves every other form to it", () => {
  const time = fc
    .date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true })
    .map((date) => date.toISOString());
  const mutated = fc.tuple(time, fc.nat(23), fc.constantFrom(..."0123456789:-TZ. +")).map(([text, at, character]) => {
    return text.slice(0, at) + character + text.slice(at + 1);
  });
  fc.assert(
    fc.property(fc.oneof(time, mutated, fc.string({ maxLength: 26 })), (text) => {
      const bytes = quoted(text);
      const read = readPlainTime(bytes, 0, bytes.length);
      if (!Number.isNaN(read)) assert.equal(read, parseIsoTime(text));
    }),
    { numRuns: 2000 },
  );
  for (const text of ["2026-01-02T03:04:05.678Z", "2024-02-29T23:59:59.999Z", "1999-12-31T00:00:00.000Z"]) {
    assert.equal(readPlainTime(quoted(text), 0, 26), Date.parse(text));
  }
  for (const text of [
    "2025-02-29T00:00:00.000Z",
    "2026-13-01T00:00:00.000Z",
    "2026-01-02T24:00:00.000Z",
    "2026-01-02T03:04:60.000Z",
  ]) {
    assert.ok(Number.isNaN(readPlainTime(quoted(text), 0, 26)), text);
  }
});
