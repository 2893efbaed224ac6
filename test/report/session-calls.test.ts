import assert from "node:assert/strict";
import { test } from "node:test";
import { BareEntry } from "../../src/format/bare-entry.js";
import type { SessionEntry } from "../../src/format/entry.js";
import type { Call } from "../../src/report/call.js";
import { SessionCalls } from "../../src/report/session-calls.js";
import { SessionIndex } from "../../src/tree/session-index.js";
import { assistant, at, entry, type Line, START, toolResult, usage, user } from "../helpers/entries.js";
import { positionOf } from "../helpers/index-entries.js";

interface Found {
  /** In file order. */
  calls: Call[];
  models: string[];
}

/** The calls among entries, read one after the other. */
function findCalls(lines: Line[], mayRepeat = true): Found {
  const calls: Call[] = [];
  const finder = new SessionCalls({ mayRepeat }, (call) => calls.push(call));
  finder.finish(addLines(finder, lines));
  return { calls: calls.sort((a, b) => a.ordinal - b.ordinal), models: finder.models() };
}

/** Gives lines to a finder; returns an index of them. */
function addLines(finder: SessionCalls, lines: readonly Line[]): SessionIndex {
  const index = new SessionIndex();
  for (const line of lines) {
    const entry = line as unknown as SessionEntry;
    finder.add(entry, index.add(entry, positionOf(index.size)));
  }
  return index;
}

const paid = { usage: usage(1, 2, 0.5) };

test("SessionCalls tells all of a call", () => {
  const { calls } = findCalls([
    user("1", null, "x"),
    assistant("2", "1", "x", paid),
    toolResult("3", "2", "x", { toolName: "scout", ...paid }),
    { ...entry("usage", "4", "3", { kind: "cache_warm", model: "m", ...paid }), timestamp: at(100) },
  ]);
  const spent = { input: 1, output: 2, cacheRead: 0, cacheWrite: 0, totalTokens: 3, costTotal: 0.5, calls: 1 };
  const model = { provider: "anthropic", model: "claude-sonnet-4-5" };
  assert.deepEqual(calls, [
    { ordinal: 0, number: 1, time: START + 2000, source: "assistant", tool: null, usage: spent, ...model },
    { ordinal: 1, number: 2, time: START + 3000, source: "tool", tool: "scout", usage: spent, ...model },
    {
      ordinal: 2,
      number: 3,
      time: START + 100_000,
      source: "usage:cache_warm",
      tool: null,
      usage: spent,
      provider: null,
      model: "m",
    },
  ]);
});

test("SessionCalls gives the models in order of first use, whenever they became known", () => {
  const { models } = findCalls([
    entry("model_change", "1", null, { provider: "p", modelId: "summarizer" }),
    entry("compaction", "2", "1", paid),
    assistant("3", "2", "x", { ...paid, provider: "q", model: "b" }),
    toolResult("4", "2", "x", paid),
    assistant("5", "4", "x", { ...paid, provider: undefined, model: "a" }),
    assistant("6", "5", "x", { ...paid, provider: "q", model: "b" }),
    assistant("7", "6", "x", { usage: undefined, model: "unpaid" }),
  ]);
  assert.deepEqual(models, ["p/summarizer", "q/b", "a"]);
});

test("SessionCalls takes lines with one id and one time for one call, the first", () => {
  const call = assistant("1", null, "x", paid);
  const later = { ...call, message: { ...(call.message as Line), usage: usage(9, 9, 9) } };
  const ofTimes = (...lines: Line[]): number[] => findCalls(lines).calls.map(({ usage: { input } }) => input);
  assert.deepEqual(ofTimes(call, later), [1]);
  assert.deepEqual(ofTimes(call, { ...later, timestamp: "2026-01-02T04:04:06.000+01:00" }), [1]);
  assert.deepEqual(ofTimes(call, { ...later, timestamp: at(2) }), [1, 9]);
  assert.deepEqual(ofTimes(call, { ...later, id: "2" }), [1, 9]);
  for (const timestamp of [undefined, "yesterday"])
    assert.deepEqual(ofTimes({ ...call, timestamp }, { ...later, timestamp }), [1, 9]);
  for (const id of [undefined, ""]) assert.deepEqual(ofTimes({ ...call, id }, { ...later, id }), [1, 9]);
});

test("SessionCalls takes each line for a call where no id can stand twice", () => {
  const call = assistant("1", null, "x", paid);
  assert.equal(findCalls([call, call], false).calls.length, 2);
});

test("SessionCalls finds the model of usage without an id by the parent that it names", () => {
  const change = (id: string, modelId: string): Line => entry("model_change", id, null, { provider: "p", modelId });
  const modelOf = (compaction: Line): string | null =>
    findCalls([change("1", "a"), change("2", "b"), { type: "compaction", ...paid, ...compaction }]).calls[0]!.model;
  assert.equal(modelOf({ parentId: "1" }), "a");
  assert.equal(modelOf({ id: 5, parentId: "2" }), "b");
  for (const parentId of [undefined, null, "", "gone", 5, { id: "1" }]) assert.equal(modelOf({ parentId }), null);
});

test("SessionCalls passes over answers that name no model, and stops at a change to none", () => {
  const modelOf = (...lines: Line[]): string | null =>
    findCalls([
      entry("model_change", "1", null, { provider: "p", modelId: "a" }),
      ...lines,
      entry("compaction", "3", lines.length === 0 ? "1" : "2", paid),
    ]).calls.at(-1)!.model;
  assert.equal(modelOf(), "a");
  assert.equal(modelOf(assistant("2", "1", "x", { provider: "q", model: "", usage: undefined })), "a");
  assert.equal(modelOf(entry("model_change", "2", "1", { provider: "q", modelId: 5 })), "a");
  assert.equal(modelOf(entry("model_change", "2", "1", { provider: "", modelId: "" })), null);
});

test("SessionCalls takes linear time where 100,000 tools ran on a model set at the root", () => {
  const count = 100_000;
  const lines = [assistant("root", null, "x")];
  for (let number = 0; number < count; number++) {
    lines.push(toolResult(`t${number}`, number === 0 ? "root" : `t${number - 1}`, "x", paid));
  }
  const { calls } = findCalls(lines);
  assert.equal(calls.length, count + 1);
  assert.ok(calls.every(({ model }) => model === "claude-sonnet-4-5"));
});

test("SessionCalls hands on calls that name their model at once, and the others with their entries at the end", () => {
  const lines = [
    toolResult("1", null, "x", paid),
    assistant("2", "1", "x", paid),
    entry("compaction", "3", "2", paid),
    { type: "compaction", parentId: "4", ...paid },
    entry("usage", "4", "3", { provider: "q", model: "warm", ...paid }),
  ];
  const handedOn: [number, unknown][] = [];
  const finder = new SessionCalls({ mayRepeat: true }, ({ ordinal }, entry) => handedOn.push([ordinal, entry]));
  const index = addLines(finder, lines);
  assert.deepEqual(handedOn.splice(0), [
    [1, lines[1]],
    [4, lines[4]],
  ]);
  finder.finish(index);
  assert.deepEqual(handedOn, [
    [0, lines[0]],
    [2, lines[2]],
    [3, lines[3]],
  ]);
});

test("SessionCalls.take goes on with the parts of a file as if they were one", () => {
  const lines = [
    toolResult("1", null, "x", paid),
    entry("model_change", "2", "1", { provider: "p", modelId: "changed" }),
    { type: "compaction", parentId: "2", ...paid },
    toolResult("3", "2", "x", paid),
    assistant("4", "3", "x", { model: "b", ...paid }),
    { type: "compaction", parentId: "4", ...paid },
    toolResult("5", "2", "x", paid),
    assistant("6", "5", "x", { model: "a", ...paid }),
    toolResult("7", "4", "x", paid),
    assistant("8", "7", "x", { model: "b", ...paid }),
  ];
  const whole = findCalls(lines, false);
  for (let first = 0; first <= lines.length; first++) {
    for (let second = first; second <= lines.length; second++) {
      const calls: Call[] = [];
      const joined = new SessionCalls({ mayRepeat: false }, (call) => calls.push(call));
      let [ordinals, numbers] = [0, 0];
      for (const slice of [lines.slice(0, first), lines.slice(first, second), lines.slice(second)]) {
        const finder = new SessionCalls({ mayRepeat: false }, (call) => {
          calls.push({ ...call, ordinal: call.ordinal + ordinals, number: call.number + numbers });
        });
        const { size } = addLines(finder, slice);
        const part = structuredClone(finder.part(size));
        joined.take(part, numbers);
        ordinals += part.count;
        numbers += size;
      }
      joined.finish(addLines(new SessionCalls({ mayRepeat: false }, () => {}), lines));
      const found = { calls: calls.sort((a, b) => a.ordinal - b.ordinal), models: joined.models() };
      assert.deepEqual(found, whole, `cut before ${first} and ${second}`);
    }
  }
});

test("SessionCalls hands on the calls of tools in a part of a file whose entries follow one another, and keeps the others", () => {
  const id = (number: number): string => number.toString(16).padStart(8, "0");
  const models: (string | null)[] = [];
  const finder = new SessionCalls({ mayRepeat: false }, ({ source, model }) => {
    if (source === "tool") models.push(model);
  });
  addLines(finder, [
    toolResult(id(2), id(1), "before any model of this part", paid),
    assistant(id(3), id(2), "x", { model: "a", ...paid }),
    toolResult(id(4), id(3), "x", paid),
    toolResult(id(5), id(4), "x", paid),
    toolResult(id(6), id(3), "on another branch", paid),
    toolResult(id(7), null, "a root", paid),
  ]);
  assert.deepEqual(models, ["a", "a", null]);
  assert.deepEqual(
    finder.part(6).open.map(({ entry }) => entry.id),
    [id(2), id(6)],
  );
});

test("SessionCalls.part tells of more entries than those that set a model", () => {
  const finder = new SessionCalls({ mayRepeat: false }, () => {});
  const bare = new BareEntry();
  bare.type = "message";
  bare.role = "toolResult";
  for (let number = 0; number < 40_000; number++) finder.addBare(bare, number);
  assert.equal(finder.part(40_000).trail.codes.length, 40_000);
});
