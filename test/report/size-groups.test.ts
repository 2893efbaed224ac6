import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../../src/format/entry.js";
import { SizeGroups } from "../../src/report/size-groups.js";
import { entry, type Line, toolResult, user } from "../helpers/entries.js";

const add = (sizes: SizeGroups, line: Line, path: string, place: number, bytes: number): void =>
  sizes.add(line as unknown as SessionEntry, path, place, bytes);

test("SizeGroups keeps groups apart by all of a key, and puts most bytes first, ties by key", () => {
  const sizes = new SizeGroups(0);
  add(sizes, user("1", null, "x"), "a", 2, 10);
  add(sizes, toolResult("2", null, "x", { toolName: "b" }), "a", 3, 10);
  add(sizes, toolResult("3", null, "x", { toolName: "a" }), "a", 4, 10);
  add(sizes, entry("custom", "4", null, { customType: "user" }), "a", 5, 25);
  add(sizes, user("5", null, "x"), "a", 6, 10);
  assert.deepEqual(sizes.groups(), [
    { key: { type: "custom", customType: "user" }, entries: 1, bytes: 25 },
    { key: { type: "message", role: "user" }, entries: 2, bytes: 20 },
    { key: { type: "message", role: "toolResult", tool: "a" }, entries: 1, bytes: 10 },
    { key: { type: "message", role: "toolResult", tool: "b" }, entries: 1, bytes: 10 },
  ]);
  assert.deepEqual(sizes.largest(), []);
});

test("SizeGroups gives the same whether one counts all or several are merged", () => {
  const whole = new SizeGroups(5);
  const merged = new SizeGroups(5);
  for (let file = 0; file < 4; file++) {
    const part = new SizeGroups(5);
    for (let number = 0; number < 1000; number++) {
      const line = entry("custom", `${number}`, null, { customType: `t${number % 3}` });
      const bytes = (number * 7919 + file) % 1000;
      for (const sizes of [whole, part]) add(sizes, line, `${file}.jsonl`, number, bytes);
    }
    merged.merge(part.parts());
  }
  assert.deepEqual(merged.groups(), whole.groups());
  assert.deepEqual(merged.largest(), whole.largest());
  assert.deepEqual(
    whole.largest().map(({ bytes, path }) => [bytes, path]),
    [
      [999, "0.jsonl"],
      [999, "1.jsonl"],
      [999, "2.jsonl"],
      [999, "3.jsonl"],
      [998, "0.jsonl"],
    ],
  );
});
