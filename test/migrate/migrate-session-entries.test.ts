import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../../src/format/entry.js";
import type { SessionHeader } from "../../src/format/header.js";
import { migrateSessionEntries } from "../../src/migrate/migrate-session-entries.js";
import { MigratedIds } from "../../src/migrate/migrated-ids.js";
import { header, type Line, user } from "../helpers/entries.js";

/** Migrates the lines in place and returns the same array. */
function migrate(lines: unknown[]): { changed: boolean; lines: Line[] } {
  return { changed: migrateSessionEntries(lines as (SessionHeader | SessionEntry)[]), lines: lines as Line[] };
}

const hook = (): Line => ({ type: "message", message: { role: "hookMessage", content: "x" } });

test("migrateSessionEntries brings header and entries of version 1 to version 3", () => {
  const ids = new MigratedIds("old");
  const { changed, lines } = migrate([
    { type: "session", id: "old", cwd: "/", branchedFrom: "/parent.jsonl" },
    hook(),
    { type: "compaction", summary: "s", firstKeptEntryIndex: 1 },
  ]);
  assert.equal(changed, true);
  assert.deepEqual(lines, [
    { type: "session", version: 3, id: "old", cwd: "/", parentSession: "/parent.jsonl" },
    { type: "message", id: ids.at(1), parentId: null, message: { role: "custom", content: "x" } },
    { type: "compaction", id: ids.at(2), parentId: ids.at(1), summary: "s", firstKeptEntryId: ids.at(1) },
  ]);
});

test("migrateSessionEntries changes nothing of a version 3 session, and nothing a second time", () => {
  const lines = [header(), user("1", null, "a"), { ...hook(), id: "2", parentId: "1" }];
  const before = structuredClone(lines);
  assert.equal(migrate(lines).changed, false);
  assert.deepEqual(lines, before);
  assert.equal(migrate([]).changed, false);

  const old = [{ type: "session", id: "old" }, hook(), hook()];
  assert.equal(migrate(old).changed, true);
  const once = structuredClone(old);
  assert.equal(migrate(old).changed, false);
  assert.deepEqual(old, once);
});

test("migrateSessionEntries leaves later headers and values that are no entries, and counts the objects among them", () => {
  const ids = new MigratedIds("old");
  const { lines } = migrate([
    { type: "title", text: "before the header" },
    { type: "session", id: "old", version: 1 },
    null,
    hook(),
    { type: "session", id: "old" },
    { no: "type" },
    hook(),
  ]);
  assert.deepEqual(lines[0], { type: "title", text: "before the header" });
  assert.deepEqual(lines[4], { type: "session", id: "old" });
  assert.deepEqual([lines[3]!.id, lines[6]!.id, lines[6]!.parentId], [ids.at(1), ids.at(4), ids.at(1)]);
});

test("migrateSessionEntries takes entries without a header for version 1", () => {
  const { changed, lines } = migrate([hook(), hook(), { type: "compaction", firstKeptEntryIndex: 1 }]);
  assert.equal(changed, true);
  assert.deepEqual(
    lines.map(({ parentId }) => parentId),
    [null, lines[0]!.id, lines[1]!.id],
  );
  assert.equal(lines[2]!.firstKeptEntryId, lines[1]!.id);
});
