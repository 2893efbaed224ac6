import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../../src/format/entry.js";
import { type Call, modelName } from "../../src/report/call.js";
import { SessionCalls } from "../../src/report/session-calls.js";
import type { SessionIndex } from "../../src/tree/session-index.js";
import { assistant, at, entry, type Line, START, toolResult, usage, user } from "../helpers/entries.js";
import { indexEntries } from "../helpers/index-entries.js";

const asEntry = (line: Line): SessionEntry => line as unknown as SessionEntry;

interface HandedOn {
  call: Call;
  entry: SessionEntry;
}

interface Found {
  /** In the order in which they were handed on: before the end of the file, and after. */
  early: HandedOn[];
  late: HandedOn[];
  models: string[];
}

/** The calls of a session of these lines. */
function findCalls(lines: readonly Line[], { mayRepeat = true } = {}): Found {
  const found: Found = { early: [], late: [], models: [] };
  let handedOn = found.early;
  const calls = new SessionCalls(mayRepeat, (call, entry) => handedOn.push({ call, entry }));
  const index = addLines(calls, lines);
  handedOn = found.late;
  calls.finish(index);
  found.models = calls.models();
  return found;
}

/** Gives the lines to the calls, with their numbers; returns an index of them. */
function addLines(calls: SessionCalls, lines: readonly Line[]): SessionIndex {
  const index = indexEntries([]);
  for (const line of lines) {
    const before = index.size;
    indexEntries([line], index);
    calls.add(asEntry(line), index.size > before ? before : -1);
  }
  return index;
}

/** What is told of calls, in file order. */
function tell({ early, late }: Found): unknown[] {
  return [...early, ...late]
    .sort((a, b) => a.call.ordinal - b.call.ordinal)
    .map(({ call }) => [call.source, modelName(call), call.usage.input]);
}

test("SessionCalls hands on calls that name their model at once, and those of tools and summaries at the end", () => {
  const lines = [
    user("1", null, "x"),
    toolResult("2", "1", "x", { usage: usage(1) }),
    assistant("3", "2", "x", { usage: usage(2) }),
    entry("compaction", "4", "3", { usage: usage(3) }),
    entry("usage", "5", "4", { kind: "cache_warm", provider: "q", model: "warm", usage: usage(4) }),
    entry("branch_summary", "6", "5", { usage: usage(5) }),
  ];
  const found = findCalls(lines);
  assert.deepEqual(
    found.early.map(({ call }) => [call.ordinal, call.number, call.source]),
    [
      [1, 2, "assistant"],
      [3, 4, "usage:cache_warm"],
    ],
  );
  assert.deepEqual(
    found.late.map(({ call }) => [call.ordinal, call.number, call.source]),
    [
      [0, 1, "tool"],
      [2, 3, "compaction"],
      [4, 5, "branch_summary"],
    ],
  );
  for (const { call, entry } of [...found.early, ...found.late]) assert.equal(entry, lines[call.number]);
  assert.deepEqual(tell(found), [
    ["tool", null, 1],
    ["assistant", "anthropic/claude-sonnet-4-5", 2],
    ["compaction", "anthropic/claude-sonnet-4-5", 3],
    ["usage:cache_warm", "q/warm", 4],
    ["branch_summary", "anthropic/claude-sonnet-4-5", 5],
  ]);
});

test("SessionCalls tells a call's time, tool and usage", () => {
  const callAt = (id: string, timestamp: unknown, messageTime: unknown): Line =>
    entry("message", id, null, {
      message: { role: "assistant", timestamp: messageTime, usage: usage(1, 2, 0.5) },
      timestamp,
    });
  const { early, late } = findCalls([
    callAt("1", at(7), START + 500),
    callAt("2", at(7), "no time"),
    callAt("3", "no time", -1),
    toolResult("4", null, "x", { toolName: "scout", usage: { input: 5, cost: 0.25 } }),
    toolResult("5", null, "x", { toolName: "", usage: {} }),
    entry("compaction", "6", null, { usage: usage(1), toolName: "t", message: { toolName: "t", timestamp: 5 } }),
  ]);
  assert.deepEqual(
    [...early, ...late].map(({ call: { time, tool } }) => [time === undefined ? null : time - START, tool]),
    [
      [500, null],
      [7000, null],
      [null, null],
      [4000, "scout"],
      [5000, null],
      [6000, null],
    ],
  );
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, costTotal: 0, calls: 1 };
  assert.deepEqual(early[0]!.call.usage, { ...none, input: 1, output: 2, totalTokens: 3, costTotal: 0.5 });
  assert.deepEqual(late[0]!.call.usage, { ...none, input: 5, totalTokens: 5, costTotal: 0.25 });
});

test("SessionCalls takes a call outside the tree to be behind the entry that it names", () => {
  const call = (parentId: unknown, input: number): Line => ({ type: "compaction", parentId, usage: usage(input) });
  const found = findCalls([
    assistant("1", null, "x", { model: "first", usage: undefined }),
    call("1", 1),
    call("3", 2),
    call(null, 3),
    call("missing", 4),
    call(["1"], 5),
    assistant("3", "1", "x", { model: "third", usage: undefined }),
  ]);
  assert.deepEqual(tell(found), [
    ["compaction", "anthropic/first", 1],
    ["compaction", "anthropic/third", 2],
    ["compaction", null, 3],
    ["compaction", null, 4],
    ["compaction", null, 5],
  ]);
  assert.ok(found.late.every(({ call }) => call.number === -1));
});

test("SessionCalls counts lines of one id and time once, the first of them, where ids may repeat", () => {
  const first = assistant("1", null, "x", { usage: usage(1) });
  const lines = [
    first,
    assistant("1", null, "x", { usage: usage(2) }),
    { ...assistant("1", null, "x", { usage: usage(3) }), timestamp: at(9) },
    // The same time in another spelling.
    { ...assistant("1", null, "x", { usage: usage(4) }), timestamp: at(9).replace("Z", "+00:00") },
    // Without a time or an id nothing tells that they are one.
    { ...assistant("1", null, "x", { usage: usage(5) }), timestamp: "no time" },
    { ...assistant("1", null, "x", { usage: usage(6) }), timestamp: "no time" },
    { ...assistant("", null, "x", { usage: usage(7) }), timestamp: at(9) },
    { ...assistant("", null, "x", { usage: usage(8) }), timestamp: at(9) },
    toolResult("1", null, "x", { usage: usage(9) }),
  ];
  const inputs = (mayRepeat: boolean) =>
    [...findCalls(lines, { mayRepeat }).early, ...findCalls(lines, { mayRepeat }).late].map(
      ({ call }) => call.usage.input,
    );
  assert.deepEqual(inputs(true), [1, 3, 5, 6, 7, 8]);
  assert.deepEqual(inputs(false), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("SessionCalls lists models in the order of their first calls in the file", () => {
  const { models } = findCalls([
    entry("model_change", "1", null, { provider: "p", modelId: "changed" }),
    toolResult("2", "1", "x", { usage: usage(1) }),
    assistant("3", "2", "x", { model: "no-usage", usage: undefined }),
    assistant("4", "1", "x", { model: "b", usage: usage(1) }),
    toolResult("5", "3", "x", { usage: usage(1) }),
    assistant("6", "5", "x", { model: "a", usage: usage(1) }),
    assistant("7", "6", "x", { model: "b", usage: usage(1) }),
    assistant("8", "7", "x", { provider: "only", model: undefined, usage: usage(1) }),
    toolResult("9", null, "x", { usage: usage(1) }),
  ]);
  assert.deepEqual(models, ["p/changed", "anthropic/b", "anthropic/no-usage", "anthropic/a"]);
});

test("SessionCalls.take goes on with the parts of a file as if they were one", () => {
  const lines = [
    toolResult("1", null, "x", { usage: usage(1) }),
    entry("model_change", "2", "1", { provider: "p", modelId: "changed" }),
    { type: "compaction", parentId: "2", usage: usage(2) },
    toolResult("3", "2", "x", { usage: usage(3) }),
    assistant("4", "3", "x", { model: "b", usage: usage(4) }),
    { type: "compaction", parentId: "4", usage: usage(5) },
    toolResult("5", "2", "x", { usage: usage(6) }),
    assistant("6", "5", "x", { model: "a", usage: usage(7) }),
    toolResult("7", "4", "x", { usage: usage(8) }),
    assistant("8", "7", "x", { model: "b", usage: usage(9) }),
  ];
  const whole = findCalls(lines, { mayRepeat: false });
  for (let first = 0; first <= lines.length; first++) {
    for (let second = first; second <= lines.length; second++) {
      const found: Found = { early: [], late: [], models: [] };
      const joined = new SessionCalls(false, (call, entry) => found.late.push({ call, entry }));
      let [ordinals, numbers] = [0, 0];
      for (const slice of [lines.slice(0, first), lines.slice(first, second), lines.slice(second)]) {
        const part = new SessionCalls(false, (call, entry) => {
          const place = { ordinal: call.ordinal + ordinals, number: call.number + numbers };
          found.early.push({ call: { ...call, ...place }, entry });
        });
        const { size } = addLines(part, slice);
        const taken = structuredClone(part.part(size));
        joined.take(taken, numbers);
        ordinals += taken.count;
        numbers += size;
      }
      joined.finish(indexEntries(lines));
      found.models = joined.models();
      assert.deepEqual(found, whole, `cut before ${first} and ${second}`);
    }
  }
});
