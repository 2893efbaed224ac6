import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../../src/format/entry.js";
import { getLatestCompactionEntry } from "../../src/store/get-latest-compaction-entry.js";
import { entry, user } from "../helpers/entries.js";

test("getLatestCompactionEntry gives the last compaction, null without one", () => {
  const lines = [entry("compaction", "a", null), entry("compaction", "b", "a"), user("c", "b", "")];
  const entries = lines as unknown as SessionEntry[];
  assert.equal(getLatestCompactionEntry(entries), entries[1]);
  assert.equal(getLatestCompactionEntry(entries.slice(2)), null);
});
