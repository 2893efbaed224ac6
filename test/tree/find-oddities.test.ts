import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { findTreeOddities } from "../../src/tree/find-oddities.js";
import { SessionIndex } from "../../src/tree/session-index.js";
import { entry, type Line, user } from "../helpers/entries.js";
import { indexEntries } from "../helpers/index-entries.js";

/** Line and code of each oddity; the first entry stands on line 2. */
const found = (...entries: Line[]): [number, string][] =>
  [...findTreeOddities(indexEntries(entries))].map(({ line, code }) => [line, code]);

test("findTreeOddities finds nothing in a sound tree", () => {
  assert.deepEqual(found(), []);
  assert.deepEqual(
    found(
      user("a", null, "x"),
      user("b", "a", "y"),
      user("c", "a", "z"),
      user("d", null, "a second root"),
      entry("label", "e", "d", { targetId: "b", label: "x" }),
      entry("context_edit", "f", "e", { targetId: "a", replacement: null }),
      entry("compaction", "7", "f", { firstKeptEntryId: "c" }),
      entry("compaction", "8", "7", { firstKeptEntryId: "8" }),
      entry("compaction", "9", "8"),
    ),
    [],
  );
});

test("findTreeOddities tells severity, line, offset and the ids concerned", () => {
  const index = indexEntries([user("a", null, "x"), user("b", "gone", "y")]);
  assert.deepEqual(
    [...findTreeOddities(index)],
    [
      {
        line: 3,
        byteOffset: 200,
        severity: "oddity",
        code: "missing-parent",
        message: 'the parent "gone" does not exist: the entry is read as a root',
      },
    ],
  );
});

test("findTreeOddities finds each entry whose id stands earlier, too", () => {
  assert.deepEqual(found(user("a", null, "x"), user("a", null, "x"), user("b", "a", "y"), user("a", "b", "z")), [
    [3, "duplicate-id"],
    [5, "duplicate-id"],
  ]);
});

test("findTreeOddities finds missing parents, but none that comes later", () => {
  assert.deepEqual(found(user("a", "b", "x"), user("b", null, "y"), user("c", "x", "z"), user("d", "x", "z")), [
    [4, "missing-parent"],
    [5, "missing-parent"],
  ]);
});

test("findTreeOddities finds entries that name themselves, and says how each is read", () => {
  const index = indexEntries([user("a", "a", "x"), user("b", "a", "y"), user("b", "b", "z")]);
  assert.deepEqual(
    [...findTreeOddities(index)].map(({ line, code, message }) => [line, code, message]),
    [
      [2, "self-parent", 'the entry names itself, "a", as its parent: it is read as a root'],
      [4, "duplicate-id", 'the id "b" stands on an earlier entry, too'],
      [
        4,
        "self-parent",
        'the entry names itself, "b", as its parent: it is read as a child of the other entry with that id',
      ],
    ],
  );
});

test("findTreeOddities finds a cycle once, at the entry that became its root", () => {
  assert.deepEqual(found(user("d", "c", "w"), user("a", "c", "x"), user("b", "a", "y"), user("c", "b", "z")), [
    [3, "parent-cycle"],
  ]);
});

test("findTreeOddities finds labels, edits and compactions that refer to no entry", () => {
  assert.deepEqual(
    found(
      user("a", null, "x"),
      entry("label", "b", "a", { targetId: "gone", label: "x" }),
      entry("label", "c", "b", { targetId: "gone" }),
      entry("compaction", "d", "c", { firstKeptEntryId: "gone" }),
      entry("context_edit", "e", "d", { targetId: "__proto__", replacement: null }),
      entry("label", "f", "e", { targetId: "7", label: "comes later" }),
      user("7", "f", "y"),
      entry("custom", "8", "7", { targetId: "gone", firstKeptEntryId: "gone" }),
    ),
    [
      [3, "missing-label-target"],
      [4, "missing-label-target"],
      [5, "missing-first-kept"],
      [6, "missing-edit-target"],
    ],
  );
});

test("findTreeOddities keeps its messages short, however long the ids are", () => {
  const long = "x".repeat(100_000);
  const index = indexEntries([user(long, long, "x"), user(long, `${long}y`, "x")]);
  for (const { message } of findTreeOddities(index)) assert.ok(message.length < 250, message);
});

test("findTreeOddities can be asked between entries, and stays in file order", () => {
  const fewIds = fc.constantFrom("a", "b", "c", "d", "e");
  const anyEntry = fc
    .record({
      type: fc.constantFrom("message", "label", "context_edit", "compaction"),
      id: fewIds,
      parentId: fc.option(fewIds),
      targetId: fewIds,
      firstKeptEntryId: fewIds,
    })
    .map((line): Line => line);
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 10 }), (entries) => {
      const index = new SessionIndex();
      for (const one of entries) {
        indexEntries([one], index);
        [...findTreeOddities(index)];
      }
      const problems = [...findTreeOddities(index)];
      assert.deepEqual(problems, [...findTreeOddities(indexEntries(entries))]);
      const lines = problems.map(({ line }) => line);
      assert.deepEqual(
        lines,
        lines.toSorted((a, b) => a - b),
      );
      const ids = new Set(entries.map(({ id }) => id));
      const expectedMissing = entries.filter(({ parentId }) => parentId !== null && !ids.has(parentId)).length;
      assert.equal(problems.filter(({ code }) => code === "missing-parent").length, expectedMissing);
    }),
    { numRuns: 200 },
  );
});
