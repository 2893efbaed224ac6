import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SessionEntry } from "../../src/format/entry.js";
import {
  buildContextEntries,
  buildSessionContext,
  buildSessionProjection,
} from "../../src/tree/build-session-context.js";
import { assistant, at, entry, header, type Line, user } from "../helpers/entries.js";
import { contextPlainly } from "../helpers/plain-context.js";

const asEntries = (lines: unknown[]): SessionEntry[] => lines as SessionEntry[];

/** The ids of the entries that a leaf's context is made of. */
function idsOf(lines: unknown[], leafId?: string | null, byId?: Map<string, Line>): string[] {
  const entries = buildContextEntries(asEntries(lines), leafId, byId as Map<string, SessionEntry> | undefined);
  return entries.map(({ id }) => id);
}

const tree = [
  user("1", null, "root"),
  assistant("2", "1", "one branch"),
  user("3", "1", "the other"),
  user("4", "3", "leaf"),
];

test("buildContextEntries follows the leaf to its root; other branches do not count", () => {
  assert.deepEqual(idsOf(tree, "4"), ["1", "3", "4"]);
  assert.deepEqual(idsOf(tree, "2"), ["1", "2"]);
  assert.deepEqual(idsOf(tree, "1"), ["1"]);
});

test("buildContextEntries falls back to the last entry for a missing or unknown leaf, and gives nothing for null", () => {
  for (const leafId of [undefined, "unknown", ""]) assert.deepEqual(idsOf(tree, leafId), ["1", "3", "4"]);
  assert.deepEqual(idsOf(tree, null), []);
  assert.deepEqual(idsOf([]), []);
  assert.deepEqual(idsOf([], "1"), []);
});

test("buildContextEntries passes over headers, entries without an id and values that are no entries", () => {
  const odd = [header(), ...tree, { type: "custom" }, { id: "x", parentId: null }, null, "text", header()];
  assert.deepEqual(idsOf(odd), ["1", "3", "4"]);
  assert.deepEqual(idsOf([header()]), []);
});

test("buildContextEntries links to the nearest entry of an id before the child, else the nearest after", () => {
  const [first, second, child] = [user("a", null, "1"), user("a", null, "2"), user("b", "a", "3")];
  const texts = (lines: Line[], leafId?: string): unknown[] =>
    buildSessionContext(asEntries(lines), leafId).messages.map((given) => (given as Line).content);
  assert.deepEqual(texts([first, second, child]), ["2", "3"]);
  assert.deepEqual(texts([first, child, second], "b"), ["1", "3"]);
  assert.deepEqual(texts([child, first, second], "b"), ["1", "3"]);
  assert.deepEqual(texts([first, child, second], "a"), ["2"]);
});

test("buildContextEntries takes an orphan for a root and ends on cycles and self-parents", () => {
  assert.deepEqual(idsOf([user("1", "gone", "a"), user("2", "1", "b")]), ["1", "2"]);
  assert.deepEqual(idsOf([user("1", "1", "a"), user("2", "1", "b")]), ["1", "2"]);
  const cycle = [user("1", "3", "a"), user("2", "1", "b"), user("3", "2", "c"), user("4", "2", "d")];
  assert.deepEqual(idsOf(cycle, "3"), ["1", "2", "3"]);
  assert.deepEqual(idsOf(cycle, "4"), ["1", "2", "4"]);
  assert.deepEqual(idsOf(cycle, "1"), ["1"]);
});

test("buildContextEntries finds links through byId that the entries do not hold", () => {
  const byId = new Map(tree.map((line) => [line.id as string, line]));
  assert.deepEqual(idsOf(tree, "4", byId), ["1", "3", "4"]);
  assert.deepEqual(idsOf([tree[3]], "4", byId), ["1", "3", "4"]);
  assert.deepEqual(idsOf([tree[3]], undefined, byId), ["1", "3", "4"]);
  assert.deepEqual(idsOf([], "2", byId), ["1", "2"]);
  assert.deepEqual(idsOf([], undefined, byId), []);
});

test("buildSessionContext gives messages, level and model and nothing else", () => {
  const level = entry("thinking_level_change", "0", null, { thinkingLevel: "high" });
  assert.deepEqual(buildSessionContext(asEntries([level, ...tree]), "2"), {
    messages: [tree[0]!.message, tree[1]!.message],
    thinkingLevel: "off",
    model: { provider: "anthropic", modelId: "claude-sonnet-4-5" },
  });
  assert.deepEqual(buildSessionContext(asEntries(tree), null), { messages: [], thinkingLevel: "off", model: null });
});

test("buildSessionProjection gives the same context, entry by entry", () => {
  const { entries, ...context } = buildSessionProjection(asEntries(tree), "2");
  assert.deepEqual(context, buildSessionContext(asEntries(tree), "2"));
  assert.deepEqual(entries, [
    { sourceEntry: tree[0], messages: [tree[0]!.message] },
    { sourceEntry: tree[1], messages: [tree[1]!.message] },
  ]);
});

test("buildSessionContext survives a chain of 100,000 entries", () => {
  const chain = Array.from({ length: 100_000 }, (_, index) =>
    user(`n${index}`, index === 0 ? null : `n${index - 1}`, "x"),
  );
  assert.equal(buildSessionContext(asEntries(chain)).messages.length, 100_000);
});

// Few ids, so that duplicates, cycles, missing parents and edits that hit are common.
const id = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
const broken = fc.constantFrom<unknown>(null, undefined, 7, {}, [], true, "", "text");
const mostly = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 6, arbitrary: usual }, broken);
const content = fc.constantFrom<unknown>("words", [{ type: "text", text: "block" }], null, undefined, 7);

const anyMessage = fc.record(
  {
    role: mostly(fc.constantFrom("user", "assistant", "toolResult", "system", "custom", "bashExecution", "later")),
    content,
    provider: mostly(fc.constantFrom("p", "q")),
    model: mostly(fc.constantFrom("m", "n")),
  },
  { requiredKeys: [] },
);

const payload: Record<string, fc.Arbitrary<Line>> = {
  message: fc.record({ message: mostly(anyMessage) }),
  model_change: fc.record({ provider: mostly(fc.constant("p")), modelId: mostly(fc.constant("m")) }),
  thinking_level_change: fc.record({ thinkingLevel: mostly(fc.constantFrom("low", "high")) }),
  compaction: fc.record(
    {
      summary: mostly(fc.constant("s")),
      firstKeptEntryId: mostly(id),
      tokensBefore: fc.constant(1),
      systemMessage: mostly(anyMessage),
      retainedTail: mostly(fc.array(mostly(anyMessage), { maxLength: 2 })),
    },
    { requiredKeys: ["summary", "firstKeptEntryId"] },
  ),
  branch_summary: fc.record({ fromId: id, summary: mostly(fc.constant("left")) }),
  custom_message: fc.record({ customType: fc.constant("n"), content: fc.constant("note"), display: fc.boolean() }),
  context_edit: fc.record({
    targetId: mostly(id),
    replacement: mostly(fc.oneof(fc.constant(null), fc.record({ content }))),
  }),
  label: fc.constant({}),
};

const anyEntry: fc.Arbitrary<Line> = fc
  .constantFrom("message", "message", "message", "context_edit", ...Object.keys(payload))
  .chain((type) =>
    fc
      .tuple(mostly(id), fc.oneof(id, id, fc.constant(null), broken), mostly(fc.constant(at(5))), payload[type]!)
      .map(([own, parentId, timestamp, more]): Line => ({ type, id: own, parentId, timestamp, ...more })),
  )
  // A compaction that keeps from its own id, while an earlier entry has that id too, has a test of its own.
  .filter(({ firstKeptEntryId, id }) => firstKeptEntryId === undefined || firstKeptEntryId !== id);

test("buildSessionContext agrees with the plain reader on broken sessions of every kind", () => {
  fc.assert(
    fc.property(fc.array(anyEntry, { maxLength: 14 }), (lines) => {
      const before = JSON.stringify(lines);
      const context = buildSessionContext(asEntries(lines));
      const plain = contextPlainly(lines);
      // A made message whose time is invalid has no timestamp; the plain reader says null.
      const expected = plain.messages.map((given) => {
        if (given.timestamp !== null) return given;
        const { timestamp: _, ...rest } = given;
        return rest;
      });
      assert.equal(JSON.stringify(context.messages), JSON.stringify(expected));
      assert.deepEqual([context.thinkingLevel, context.model], [plain.thinkingLevel, plain.model]);
      assert.equal(JSON.stringify(lines), before);
    }),
    { numRuns: 500 },
  );
});
