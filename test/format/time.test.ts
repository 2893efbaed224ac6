import assert from "node:assert/strict";
import { test } from "node:test";
import { formatIsoTime, parseIsoTime, readMessageTime } from "../../src/format/time.js";

const right: [string, number][] = [
  ["1970-01-01T00:00:00Z", 0],
  ["2026-01-02T03:04:05.678Z", 1767323045678],
  ["2026-01-02T03:04Z", 1767323040000],
  ["2026-01-02T03:04:05+02:00", 1767315845000],
  ["2026-01-02T03:04:05-0330", 1767335645000],
  ["2026-01-02T03:04:05+05", 1767305045000],
  ["2026-01-02T03:04:05.6789123Z", 1767323045678],
  ["2026-01-02T03:04:05,5Z", 1767323045500],
  ["2024-02-29T00:00:00Z", 1709164800000],
  ["0001-01-01T00:00:00Z", -62135596800000],
  ["9999-12-31T23:59:59.999Z", 253402300799999],
];

for (const [text, time] of right) test(`parseIsoTime reads ${text}`, () => assert.equal(parseIsoTime(text), time));

const wrong: unknown[] = [
  "2026-01-02",
  "2026-01-02T03:04:05",
  "2026-01-02 03:04:05Z",
  "2026-02-30T00:00:00Z",
  "2025-02-29T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-01-02T24:00:00Z",
  "2026-01-02T03:60:00Z",
  "2026-01-02T03:04:60Z",
  "2026-01-02T03:04:05+24:00",
  "+020026-01-02T03:04:05Z",
  " 2026-01-02T03:04:05Z",
  "2026-01-02T03:04:05Z\n",
  "yesterday",
  "",
  1767323045678,
  null,
  undefined,
];

for (const value of wrong) {
  test(`parseIsoTime reads ${JSON.stringify(value)} as no time`, () => assert.equal(parseIsoTime(value), undefined));
}

test("readMessageTime takes numbers from 0 to the year 9999", () => {
  assert.deepEqual([0, 1767323045678, 253402300799999].map(readMessageTime), [0, 1767323045678, 253402300799999]);
  for (const value of [-1, 253402300800000, Number.NaN, Number.POSITIVE_INFINITY, "1767323045678", null, undefined]) {
    assert.equal(readMessageTime(value), undefined);
  }
});

test("formatIsoTime writes UTC with milliseconds", () => {
  assert.equal(formatIsoTime(1767323045678), "2026-01-02T03:04:05.678Z");
});
