import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../../src/format/entry.js";
import type { SessionHeader } from "../../src/format/header.js";
import { findEntryOddities, findHeaderOddities } from "../../src/read/find-entry-oddities.js";
import { assistant, entry, header, type Line, toolResult, usage, user } from "../helpers/entries.js";

const ofHeader = (line: Line): string[] =>
  findHeaderOddities(line as unknown as SessionHeader).map(({ code, message }) => `${code}: ${message}`);

const ofEntry = (line: Line, version = 3): string[] =>
  findEntryOddities(line as unknown as SessionEntry, version).map(({ code, message }) => `${code}: ${message}`);

const invalidTime = (value: string): string => `invalid-timestamp: the timestamp ${value} is read as absent`;

test("findHeaderOddities finds nothing in the headers of versions 1 to 3", () => {
  for (const version of [undefined, 1, 2, 3]) assert.deepEqual(ofHeader(header({ version })), []);
  assert.deepEqual(ofHeader({ type: "session", id: "" }), []);
});

test("findHeaderOddities names a version that is newer, or that is no whole number of 1 or more", () => {
  const future = "future-version: version 4 is newer than 3: it is read as that, and never rewritten";
  assert.deepEqual(ofHeader(header({ version: 4 })), [future]);
  const invalid: [unknown, string][] = [
    [0, "0"],
    [-1, "-1"],
    [2.5, "2.5"],
    ["3", '"3"'],
    [null, "null"],
    [[3], "an array"],
    [{}, "an object"],
    [Number.POSITIVE_INFINITY, "Infinity"],
  ];
  for (const [version, shown] of invalid) {
    assert.deepEqual(ofHeader(header({ version })), [`invalid-version: the version ${shown} is read as 1`]);
  }
});

test("findHeaderOddities names a time that can't be read, but not a missing one", () => {
  assert.deepEqual(ofHeader(header({ timestamp: undefined })), []);
  assert.deepEqual(ofHeader(header({ timestamp: null })), [invalidTime("null")]);
  assert.deepEqual(ofHeader(header({ timestamp: "2026-01-02" })), [invalidTime('"2026-01-02"')]);
});

test("findEntryOddities finds nothing in sound entries, nor in usage that is merely incomplete", () => {
  const sound = [
    user("1", null, "x"),
    assistant("2", "1", "x", { usage: usage(1, 2, 3) }),
    assistant("3", "2", "x", { usage: {} }),
    assistant("4", "3", "x", { usage: { input: 1, cost: 0.5, reasoning: -1, note: "x" } }),
    toolResult("5", "4", "x"),
    entry("weather", "6", "5", { usage: 7, message: { timestamp: "x" } }),
    entry("custom", "7", "6", { usage: { input: -1 } }),
    { ...user("8", "7", "x"), usage: 5, timestamp: undefined },
    entry("message", "9", "8", { message: { role: "user", usage: null } }),
    entry("message", "a", "9", { message: 5 }),
  ];
  for (const line of sound) assert.deepEqual(ofEntry(line), [], JSON.stringify(line));
});

test("findEntryOddities names an entry without an id from version 2 on", () => {
  const missing = 'missing-id: the "custom" entry has no id, so nothing can follow it';
  for (const id of [undefined, null, "", 5, ["1"]]) {
    const line = { ...entry("custom", "1", null), id };
    assert.deepEqual(ofEntry(line, 1), []);
    for (const version of [2, 3, 9]) assert.deepEqual(ofEntry(line, version), [missing]);
  }
});

test("findEntryOddities names times that can't be read", () => {
  const timed = (timestamp: unknown): Line => ({ ...user("1", null, "x"), timestamp });
  for (const timestamp of ["", "2026-01-02", "2026-01-02T03:04:05", "2026-02-30T00:00:00Z", 5, null, []]) {
    assert.match(`${ofEntry(timed(timestamp))}`, /^invalid-timestamp: /, JSON.stringify(timestamp));
  }
  const messageTimed = (timestamp: unknown): Line =>
    entry("message", "1", null, { message: { role: "user", timestamp } });
  const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
  for (const timestamp of [0, 1.5, last]) assert.deepEqual(ofEntry(messageTimed(timestamp)), []);
  for (const timestamp of [-1, last + 1, "5", null, Number.POSITIVE_INFINITY, {}]) {
    assert.match(`${ofEntry(messageTimed(timestamp))}`, /^invalid-message-time: /, String(timestamp));
  }
});

test("findEntryOddities names all that is broken in a usage, in each place where one may stand", () => {
  const broken = {
    input: -1,
    output: "5",
    cacheRead: Number.POSITIVE_INFINITY,
    totalTokens: null,
    cost: { total: "1", input: 2 },
  };
  const parts = "usage.input, usage.output, usage.cacheRead, usage.totalTokens, usage.cost.total";
  const places = [
    assistant("1", null, "x", { usage: broken }),
    toolResult("1", null, "x", { usage: broken }),
    entry("compaction", "1", null, { usage: broken }),
    entry("branch_summary", "1", null, { usage: broken }),
    entry("usage", "1", null, { usage: broken }),
  ];
  for (const line of places) {
    assert.deepEqual(ofEntry(line), [`broken-usage: no number of 0 or more: ${parts}`], line.type as string);
  }
});

test("findEntryOddities names a usage that is no object, and a cost that is no number", () => {
  const of = (value: unknown): string[] => ofEntry(assistant("1", null, "x", { usage: value }));
  assert.deepEqual(of(null), ["broken-usage: the usage null is no object"]);
  assert.deepEqual(of([1]), ["broken-usage: the usage an array is no object"]);
  assert.deepEqual(of("5"), ['broken-usage: the usage "5" is no object']);
  for (const cost of [null, "0.5", -1, [1]]) {
    assert.deepEqual(of({ cost }), ["broken-usage: no number of 0 or more: usage.cost"]);
  }
});

test("findEntryOddities names every rule that an entry breaks, and cuts long values", () => {
  const line = { ...assistant("", null, "x", { usage: 5 }), timestamp: "x".repeat(1000) };
  const codes = findEntryOddities(line as unknown as SessionEntry, 3).map(({ code }) => code);
  assert.deepEqual(codes, ["missing-id", "invalid-timestamp", "broken-usage"]);
  for (const { message } of findEntryOddities(line as unknown as SessionEntry, 3)) assert.ok(message.length < 150);
});
