import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SessionEntry } from "../../src/format/entry.js";
import type { SessionHeader } from "../../src/format/header.js";
import { MigratedIds } from "../../src/migrate/migrated-ids.js";
import { Migration } from "../../src/migrate/migration.js";
import { at, header, type Line, user } from "../helpers/entries.js";

const v1Header = { type: "session", id: "old", timestamp: at(0), cwd: "/home/u/proj" } as const;
const ids = new MigratedIds("old");

const say = (text: string): Line => ({
  type: "message",
  timestamp: at(1),
  message: { role: "user", content: text, timestamp: 1 },
});

const compact = (more: Line): Line => ({
  type: "compaction",
  timestamp: at(2),
  summary: "s",
  ...more,
  tokensBefore: 9,
});

/** Migrates the lines after a header as a file of them would be: every line counts, only entries with a type other than a header's are handed in. */
function migrateAll(head: SessionHeader, lines: Line[]): Line[] {
  const migration = new Migration(head);
  const migrated: Line[] = [];
  lines.forEach((line, index) => {
    if (line.type === undefined || line.type === "session") return;
    migrated.push(migration.migrate(structuredClone(line) as unknown as SessionEntry, index + 1) as unknown as Line);
  });
  return migrated;
}

const migrateV1 = (...lines: Line[]): Line[] => migrateAll(v1Header, lines);

/** What the last of the lines, a compaction, keeps first. */
const keptBy = (...lines: Line[]): unknown => migrateV1(...lines).at(-1)!.firstKeptEntryId;

test("Migration of version 1 chains each entry to the one before it, with the id of its ordinal", () => {
  const [one, two, three] = migrateV1(say("a"), say("b"), say("c"));
  assert.deepEqual([one!.id, one!.parentId], [ids.at(1), null]);
  assert.deepEqual([two!.id, two!.parentId], [ids.at(2), ids.at(1)]);
  assert.deepEqual([three!.id, three!.parentId], [ids.at(3), ids.at(2)]);
  assert.deepEqual(three!.message, { role: "user", content: "c", timestamp: 1 });
});

test("Migration writes keys in the order of version 3 when it adds ids", () => {
  const [plain] = migrateV1(say("a"));
  assert.deepEqual(Object.keys(plain!), ["type", "id", "parentId", "timestamp", "message"]);
  const [late] = migrateV1({ message: {}, extra: 1, timestamp: at(1), type: "message" });
  assert.deepEqual(Object.keys(late!), ["type", "id", "parentId", "timestamp", "message", "extra"]);
  const [timeless] = migrateV1({ type: "custom", customType: "x" });
  assert.deepEqual(Object.keys(timeless!), ["type", "id", "parentId", "customType"]);
  const kept = migrateV1(say("a"), compact({ firstKeptEntryIndex: 1 })).at(-1)!;
  assert.deepEqual(Object.keys(kept), [
    "type",
    "id",
    "parentId",
    "timestamp",
    "summary",
    "firstKeptEntryId",
    "tokensBefore",
  ]);
});

test("Migration keeps an id and parentId that a version 1 entry has, and chains the next one to it", () => {
  const [one, own, next] = migrateV1(say("a"), user("000000aa", null, "own"), say("b"));
  assert.deepEqual([own!.id, own!.parentId], ["000000aa", null]);
  assert.deepEqual([next!.id, next!.parentId], [ids.at(3), "000000aa"]);
  const [, linked] = migrateV1(say("a"), user("x", "gone", "own"));
  assert.deepEqual([linked!.id, linked!.parentId], ["x", "gone"]);
  assert.equal(one!.parentId, null);
});

test("Migration replaces links of a version 1 entry that are not whole", () => {
  for (const broken of [
    { id: "x" },
    { parentId: null },
    { id: "", parentId: null },
    { id: 7, parentId: null },
    { id: null, parentId: "x" },
    { id: "x", parentId: 5 },
    { id: "x", parentId: {} },
  ]) {
    const [, entry] = migrateV1(say("a"), { ...say("b"), ...broken });
    assert.deepEqual([entry!.id, entry!.parentId], [ids.at(2), ids.at(1)], JSON.stringify(broken));
  }
});

test("Migration steps over ids that the file has already", () => {
  const [, , entry, next] = migrateV1(user(ids.at(3), null, "x"), user("zz", null, "y"), say("a"), say("b"));
  assert.equal(entry!.id, ids.at(2 ** 31));
  assert.deepEqual([next!.id, next!.parentId], [ids.at(4), ids.at(2 ** 31)]);

  const lines = [
    user(ids.at(3), null, "takes the third's id"),
    user(ids.at(2 ** 31), null, "and the first spare one"),
    say("a"),
    compact({ firstKeptEntryIndex: 3 }),
  ];
  const [, , third, compaction] = migrateV1(...lines);
  assert.equal(third!.id, ids.at(2 ** 31 + 1));
  assert.equal(compaction!.firstKeptEntryId, ids.at(2 ** 31 + 1));
});

test("Migration turns firstKeptEntryIndex into the id of the entry with that ordinal", () => {
  assert.equal(keptBy(say("a"), say("b"), compact({ firstKeptEntryIndex: 2 })), ids.at(2));
  assert.equal(keptBy(say("a"), say("b"), compact({ firstKeptEntryIndex: 1 })), ids.at(1));
  assert.equal(keptBy(user("own", null, "a"), say("b"), compact({ firstKeptEntryIndex: 1 })), "own");
  const [first, , again] = migrateV1(compact({}), say("b"), compact({ firstKeptEntryIndex: 1 }));
  assert.equal(again!.firstKeptEntryId, first!.id);
});

test("Migration counts later headers and objects without a type, which firstKeptEntryIndex cannot name", () => {
  const lines = [say("a"), header(), {}, say("d"), header(), say("f")];
  const kept = (index: number): unknown => keptBy(...lines, compact({ firstKeptEntryIndex: index }));
  assert.deepEqual([1, 2, 3, 4, 5, 6].map(kept), [ids.at(1), undefined, undefined, ids.at(4), undefined, ids.at(6)]);
  const [entry] = migrateV1(header(), say("b"));
  assert.deepEqual([entry!.id, entry!.parentId], [ids.at(2), null]);
});

test("Migration reads firstKeptEntryIndex 0 as the first entry, whatever its ordinal", () => {
  assert.equal(keptBy(say("a"), say("b"), compact({ firstKeptEntryIndex: 0 })), ids.at(1));
  assert.equal(keptBy(header(), say("b"), compact({ firstKeptEntryIndex: 0 })), ids.at(2));
  assert.equal(keptBy(user("own", null, "a"), compact({ firstKeptEntryIndex: -0 })), "own");
  const [only] = migrateV1(compact({ firstKeptEntryIndex: 0 }));
  assert.equal(Object.hasOwn(only!, "firstKeptEntryId"), false);
});

test("Migration keeps nothing for a firstKeptEntryIndex that names no entry before the compaction", () => {
  for (const index of [-1, 1.5, 3, 4, 1e300, "1", null, [1], { n: 1 }, true]) {
    const compaction = migrateV1(say("a"), say("b"), compact({ firstKeptEntryIndex: index })).at(-1)!;
    assert.equal(Object.hasOwn(compaction, "firstKeptEntryId"), false, JSON.stringify(index));
    assert.equal(Object.hasOwn(compaction, "firstKeptEntryIndex"), false, JSON.stringify(index));
  }
});

test("Migration prefers a firstKeptEntryId to the index beside it, and drops the index", () => {
  const [, compaction] = migrateV1(say("a"), compact({ firstKeptEntryId: "mine", firstKeptEntryIndex: 1 }));
  assert.equal(compaction!.firstKeptEntryId, "mine");
  assert.equal(Object.hasOwn(compaction!, "firstKeptEntryIndex"), false);
  assert.equal(keptBy(say("a"), compact({ firstKeptEntryId: 7, firstKeptEntryIndex: 1 })), ids.at(1));
  assert.equal(keptBy(say("a"), compact({ firstKeptEntryId: "mine" })), "mine");
  const [, other] = migrateV1(say("a"), { type: "custom", firstKeptEntryIndex: 1 });
  assert.equal(other!.firstKeptEntryIndex, 1);
});

test("Migration keeps a key __proto__ as the key that it is", () => {
  const hostile = JSON.parse('{"type":"compaction","__proto__":{"polluted":1},"firstKeptEntryIndex":0}') as Line;
  const migrated = new Migration(v1Header).migrate(hostile as unknown as SessionEntry, 1) as unknown as Line;
  assert.equal(
    JSON.stringify(migrated),
    `{"type":"compaction","id":"${ids.at(1)}","parentId":null,"__proto__":{"polluted":1}}`,
  );
  assert.equal(migrated.polluted, undefined);
});

test("Migration of version 2 renames the role hookMessage and leaves ids alone", () => {
  const hook = {
    type: "message",
    id: "a",
    parentId: null,
    message: { role: "hookMessage", customType: "c", content: "x" },
  };
  const v2 = header({ version: 2 }) as SessionHeader;
  const [entry] = migrateAll(v2, [hook]);
  assert.equal(JSON.stringify(entry), JSON.stringify(hook).replace("hookMessage", "custom"));
  const [bare, odd] = migrateAll(v2, [
    { type: "message", message: { role: "hookMessage" } },
    { type: "hookMessage", message: "hookMessage" },
  ]);
  assert.deepEqual(bare, { type: "message", message: { role: "custom" } });
  assert.deepEqual(odd, { type: "hookMessage", message: "hookMessage" });
  assert.equal((migrateV1(hook)[0]!.message as Line).role, "custom");
  assert.equal(migrateAll(v2, [compact({ firstKeptEntryIndex: 1 })])[0]!.firstKeptEntryIndex, 1);
});

test("Migration leaves entries of version 3 and above as they are, the same objects", () => {
  for (const version of [3, 4, 99]) {
    const migration = new Migration(header({ version }) as SessionHeader);
    const entry = {
      type: "message",
      message: { role: "hookMessage" },
      firstKeptEntryIndex: 3,
    } as unknown as SessionEntry;
    const before = JSON.stringify(entry);
    assert.equal(migration.fromVersion, version);
    assert.equal(migration.migrate(entry, 1), entry);
    assert.equal(JSON.stringify(entry), before);
  }
});

test("Migration reads a version that is no whole number of 1 or more as 1", () => {
  for (const version of [undefined, null, 0, -2, 1.5, "3", {}, Number.POSITIVE_INFINITY]) {
    const migration = new Migration({ ...v1Header, version } as unknown as SessionHeader);
    assert.equal(migration.fromVersion, 1);
    assert.equal(migration.migrate(say("a") as unknown as SessionEntry, 1).id, ids.at(1));
  }
});

test("Migration gives every entry its own id, each the same at every read, whatever ids the file brings", () => {
  const ordinal = fc.integer({ min: 1, max: 40 });
  const line = fc.oneof(
    fc.constant<Line>(say("x")),
    fc.constant<Line>({}),
    ordinal.map((number) => user(ids.at(number), null, "takes a made id")),
    fc.nat(3).map((number) => user(ids.at(2 ** 31 + number), null, "takes a spare id")),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
      const migrated = migrateV1(...lines);
      assert.deepEqual(migrateV1(...lines), migrated);
      // A made id may only meet an id of the file's own that comes later, which nobody could have known.
      const seen = new Set<unknown>();
      migrated.forEach((entry, index) => {
        const own = (entry.message as Line).content !== "x";
        if (!own) assert.equal(seen.has(entry.id), false);
        if (!own) assert.equal(entry.parentId, migrated[index - 1]?.id ?? null);
        seen.add(entry.id);
      });
      // What a prefix of the file gives, the whole file gives too.
      const half = lines.slice(0, lines.length / 2);
      assert.deepEqual(migrateV1(...half), migrated.slice(0, migrateV1(...half).length));
    }),
    { numRuns: 300 },
  );
});
