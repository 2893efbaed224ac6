import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../../src/format/entry.js";
import type { SessionHeader } from "../../src/format/header.js";
import { migrateIndexedEntry } from "../../src/read/migrate-indexed-entry.js";
import type { SessionIndex } from "../../src/tree/session-index.js";
import { at, entry, header, type Line, user } from "../helpers/entries.js";
import { indexEntries } from "../helpers/index-entries.js";

/** What becomes of the entry of a number, read as `written` from a file whose index holds `migrated`. */
function migrate(version: number, migrated: Line[], number: number, written: Line): SessionEntry {
  const index: SessionIndex = indexEntries(migrated);
  index.header = header({ version }) as unknown as SessionHeader;
  return migrateIndexedEntry(written as unknown as SessionEntry, index.entryAt(number), index);
}

test("migrateIndexedEntry gives an entry of version 1 the id and the parent that the index knows", () => {
  const migrated = [user("a", null, "x"), user("b", "a", "y")];
  const written = { type: "message", timestamp: at(2), message: { role: "user", content: "y" }, __proto: 1 };
  assert.deepEqual(migrate(1, migrated, 1, { ...written }), { ...written, id: "b", parentId: "a" });
  assert.deepEqual(Object.keys(migrate(1, migrated, 0, { ...written })).slice(0, 4), [
    "type",
    "id",
    "parentId",
    "timestamp",
  ]);
});

test("migrateIndexedEntry keeps links that a line of version 1 has of its own, even to a missing parent", () => {
  const own = user("b", "gone", "y");
  assert.deepEqual(migrate(1, [user("a", null, "x"), own], 1, { ...own }), own);
});

test("migrateIndexedEntry names the entry that a compaction of version 1 keeps from", () => {
  const compaction = entry("compaction", "b", "a", { summary: "s" });
  const { id: _, parentId: __, ...bare } = compaction;
  const kept = { ...compaction, firstKeptEntryId: "a" };
  assert.deepEqual(migrate(1, [user("a", null, "x"), kept], 1, { ...bare, firstKeptEntryIndex: 1 }), kept);
  assert.deepEqual(migrate(1, [user("a", null, "x"), compaction], 1, { ...bare, firstKeptEntryIndex: 9 }), compaction);
  assert.deepEqual(migrate(1, [user("a", null, "x"), compaction], 1, { ...bare }), compaction);
});

test("migrateIndexedEntry makes custom messages of the hook messages of versions 1 and 2, and changes nothing from 3 on", () => {
  const hook = entry("message", "a", null, { message: { role: "hookMessage", content: "x" } });
  const custom = entry("message", "a", null, { message: { role: "custom", content: "x" } });
  for (const [version, right] of [
    [1, custom],
    [2, custom],
    [3, hook],
    [4, hook],
  ] as const) {
    assert.deepEqual(migrate(version, [custom], 0, structuredClone(hook)), right, `version ${version}`);
  }
  assert.deepEqual(migrate(2, [user("a", null, "x")], 0, { type: "message", id: "a" }), { type: "message", id: "a" });
});
