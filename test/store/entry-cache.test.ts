import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../../src/format/entry.js";
import { EntryCache } from "../../src/store/entry-cache.js";
import { user } from "../helpers/entries.js";

const entryOf = (number: number): SessionEntry => user(String(number), null, "") as unknown as SessionEntry;

test("EntryCache holds what was used last, within its bytes", () => {
  const cache = new EntryCache(100);
  const entries = [0, 1, 2, 3].map(entryOf);
  for (const number of [0, 1, 2]) cache.add(number, entries[number]!, 33);
  assert.equal(cache.get(0), entries[0]);
  cache.add(3, entries[3]!, 33);
  assert.deepEqual(
    [0, 1, 2, 3].map((number) => cache.get(number) !== undefined),
    [true, false, true, true],
  );
});

test("EntryCache frees as many entries as it takes", () => {
  const cache = new EntryCache(100);
  for (let number = 0; number < 10; number++) cache.add(number, entryOf(number), 10);
  cache.add(10, entryOf(10), 55);
  assert.deepEqual(Array.from({ length: 11 }, (_, number) => (cache.get(number) ? 1 : 0)).join(""), "00000011111");
});

test("EntryCache holds an entry that is too large alone, until the next comes", () => {
  const cache = new EntryCache(100);
  cache.add(0, entryOf(0), 10);
  cache.add(1, entryOf(1), 1000);
  assert.equal(cache.get(0), undefined);
  assert.ok(cache.get(1));
  cache.add(2, entryOf(2), 10);
  assert.equal(cache.get(1), undefined);
  assert.ok(cache.get(2));
});

test("EntryCache.clear frees all", () => {
  const cache = new EntryCache(100);
  cache.add(0, entryOf(0), 100);
  cache.clear();
  assert.equal(cache.get(0), undefined);
  cache.add(1, entryOf(1), 50);
  cache.add(2, entryOf(2), 50);
  assert.ok(cache.get(1) && cache.get(2));
});
