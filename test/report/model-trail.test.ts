import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SessionEntry } from "../../src/format/entry.js";
import { readModel, readText } from "../../src/format/model.js";
import { type Links, ModelTrail } from "../../src/report/model-trail.js";
import { assistant, entry, type Line, toolResult, user } from "../helpers/entries.js";

/** Entries by number: whose parent is which, by number too. */
function linksOf(parents: readonly number[]): Links & { asked: number } {
  return {
    asked: 0,
    parentOf(number) {
      this.asked++;
      return parents[number]!;
    },
    numberOf: () => -1,
    branchCount: 0,
  };
}

function trailOf(entries: readonly Line[]): ModelTrail {
  const trail = new ModelTrail();
  for (const [number, entry] of entries.entries()) trail.add(entry as unknown as SessionEntry, number);
  return trail;
}

const change = (provider: unknown, modelId: unknown): Line => entry("model_change", "1", null, { provider, modelId });

/** Each entry is the child of the one before. */
const chain = (length: number): number[] => Array.from({ length }, (_, number) => number - 1);

test("ModelTrail gives the model of the nearest answer or change on a path", () => {
  const trail = trailOf([
    user("1", null, "x"),
    change("p", "changed"),
    toolResult("2", null, "x"),
    assistant("3", null, "x", { provider: "q", model: "asked", responseModel: "answered" }),
    toolResult("4", null, "x"),
    toolResult("5", null, "x"),
  ]);
  // Entry 5 hangs below entry 2.
  const links = linksOf([-1, 0, 1, 2, 3, 2]);
  const models = [0, 1, 2, 3, 4, 5].map((number) => trail.modelAt(number, links));
  const [none, changed, answered] = [
    { provider: null, model: null },
    { provider: "p", model: "changed" },
    { provider: "q", model: "answered" },
  ];
  assert.deepEqual(models, [none, changed, changed, answered, answered, changed]);
  assert.deepEqual(trail.modelAt(-1, links), none);
});

test("ModelTrail passes over what names no model, but not over a change to none", () => {
  const first = assistant("1", null, "x", { provider: "p", model: "m" });
  const cases: [Line, string | null][] = [
    [assistant("2", null, "x", { model: undefined }), "m"],
    [assistant("2", null, "x", { model: "" }), "m"],
    [assistant("2", null, "x", { model: 7, responseModel: null }), "m"],
    [assistant("2", null, "x", { provider: undefined, model: "n" }), "n"],
    [assistant("2", null, "x", { model: { id: "n" }, responseModel: "n" }), "n"],
    [{ type: "message", message: { role: "user", model: "n" } }, "m"],
    [{ type: "message", message: "assistant" }, "m"],
    [{ type: "custom", provider: "q", modelId: "n", model: "n" }, "m"],
    [{ type: "usage", provider: "q", model: "n" }, "m"],
    [change("q", undefined), "m"],
    [change(undefined, "n"), "m"],
    [change("", "n"), "n"],
    [change("q", ""), null],
    [change("", ""), null],
  ];
  for (const [second, model] of cases) {
    const trail = trailOf([first, second, user("3", null, "x")]);
    assert.equal(trail.modelAt(2, linksOf(chain(3))).model, model, JSON.stringify(second));
    // As the first of its trail, too.
    const alone = trailOf([second, first]);
    assert.equal(alone.modelAt(0, linksOf([1, -1])).model, model, JSON.stringify(second));
  }
});

test("ModelTrail ignores entries that are not in the tree", () => {
  const trail = new ModelTrail();
  trail.add(change("p", "m") as unknown as SessionEntry, -1);
  trail.add(user("1", null, "x") as unknown as SessionEntry, 0);
  assert.equal(trail.modelAt(0, linksOf([-1])).model, null);
});

test("ModelTrail walks over each entry once, however often it is asked, with or without a model above", () => {
  const count = 50_000;
  const plain = user("1", null, "x") as unknown as SessionEntry;
  for (const first of [plain, change("p", "m") as unknown as SessionEntry]) {
    const trail = new ModelTrail();
    trail.add(first, 0);
    for (let number = 1; number < count; number++) trail.add(plain, number);
    const links = linksOf(chain(count));
    const found = new Set<string | null>();
    for (let number = 0; number < count; number++) found.add(trail.modelAt(number, links).model);
    for (let number = count - 1; number >= 0; number--) found.add(trail.modelAt(number, links).model);
    assert.deepEqual([...found], [first === plain ? null : "m"]);
    assert.ok(links.asked <= 3 * count, `${links.asked} steps`);
  }
});

test("ModelTrail.append goes on with what another trail remembers, as if all had been one", () => {
  const line = fc.oneof(
    { weight: 3, arbitrary: fc.constant(user("1", null, "x")) },
    fc
      .tuple(fc.constantFrom("p", "q", ""), fc.constantFrom("m", "n", ""))
      .map(([provider, id]) => change(provider, id)),
    fc.constantFrom("m", "n", undefined).map((model) => assistant("1", null, "x", { provider: "p", model })),
  );
  const parts = fc.array(fc.array(line, { maxLength: 5 }), { maxLength: 4 });
  fc.assert(
    fc.property(parts, fc.array(fc.nat(), { minLength: 20, maxLength: 20 }), (parts, drawn) => {
      const joined = new ModelTrail();
      let first = 0;
      for (const lines of parts) {
        joined.append(structuredClone(trailOf(lines).part(lines.length)), first);
        first += lines.length;
      }
      const whole = trailOf(parts.flat());
      const parents = Array.from({ length: first }, (_, number) => (drawn[number]! % (number + 1)) - 1);
      for (let number = first - 1; number >= 0; number--) {
        const links = linksOf(parents);
        assert.deepEqual(joined.modelAt(number, links), whole.modelAt(number, links), `entry ${number}`);
      }
    }),
    { numRuns: 500 },
  );
});

test("readModel prefers the model that answered, and readText takes nothing but text", () => {
  assert.deepEqual(readModel({ provider: "p", model: "asked", responseModel: "answered" }), {
    provider: "p",
    model: "answered",
  });
  assert.deepEqual(readModel({ provider: "", model: "asked", responseModel: "" }), { provider: null, model: "asked" });
  assert.deepEqual(readModel({}), { provider: null, model: null });
  for (const value of [undefined, null, "", 0, 1, true, [], ["m"], {}]) assert.equal(readText(value), null);
  assert.equal(readText(" "), " ");
});
