import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyUsage } from "../../src/format/usage.js";
import type { Call } from "../../src/report/call.js";
import { CallGroups, GROUP_KEYS, type GroupKey, type UsageGroup } from "../../src/report/group-calls.js";
import { ZoneClock } from "../../src/report/zone-clock.js";
import { callOf } from "../helpers/calls.js";

const owner = { sessionId: "s", cwd: "/home/u" };

/** Groups of calls that all stand in one session, on no branch. */
function groupsOf(by: GroupKey[], ...calls: Partial<Call>[]): CallGroups {
  const groups = new CallGroups(by, new ZoneClock("Asia/Kolkata"));
  for (const call of calls) groups.add({ call: callOf(call), owner, branch: null });
  return groups;
}

const keysOf = (groups: UsageGroup[]): UsageGroup["key"][] => groups.map(({ key }) => key);

test("CallGroups tells every key of a call", () => {
  const call = callOf({
    time: Date.parse("2026-03-31T20:00:00Z"),
    source: "tool",
    tool: "bash",
    provider: "p",
    model: "m",
  });
  const right: Record<GroupKey, string> = {
    project: "/home/u",
    session: "s",
    branch: "leaf",
    model: "p/m",
    provider: "p",
    day: "2026-04-01",
    week: "2026-03-30",
    month: "2026-04",
    hour: "2026-04-01T01:00",
    source: "tool",
    tool: "bash",
  };
  const groups = new CallGroups(GROUP_KEYS, new ZoneClock("Asia/Kolkata"));
  groups.add({ call, owner, branch: "leaf" });
  assert.deepEqual(keysOf(groups.groups()), [right]);
});

test("CallGroups gives null for what a call does not tell", () => {
  const groups = new CallGroups(GROUP_KEYS, new ZoneClock("UTC"));
  groups.add({ call: callOf({ model: "alone" }), owner: { sessionId: "", cwd: null }, branch: null });
  const [group] = groups.groups();
  const { session, source, model, ...rest } = group!.key;
  assert.deepEqual([session, source, model], ["", "assistant", "alone"]);
  assert.deepEqual(new Set(Object.values(rest)), new Set([null]));
});

test("CallGroups names keys once, in the order asked for, and puts the session before a branch", () => {
  assert.deepEqual(groupsOf(["day", "model", "day"]).by, ["day", "model"]);
  assert.deepEqual(groupsOf(["branch"]).by, ["session", "branch"]);
  assert.deepEqual(groupsOf(["branch", "session"]).by, ["session", "branch"]);
  assert.deepEqual(groupsOf(["model", "session", "branch"]).by, ["model", "session", "branch"]);
  assert.deepEqual(keysOf(groupsOf(["tool", "model"], { tool: "t", model: "m" }).groups()).map(Object.keys), [
    ["tool", "model"],
  ]);
});

test("CallGroups adds up the calls of each key", () => {
  const usage = (input: number, costTotal: number) => ({
    ...emptyUsage(),
    input,
    totalTokens: input,
    costTotal,
    calls: 1,
  });
  const groups = groupsOf(
    ["model"],
    { model: "a", usage: usage(1, 0.5) },
    { model: "b", usage: usage(10, 4) },
    { model: "a", usage: usage(100, 0.25) },
  );
  assert.deepEqual(groups.groups(), [
    { key: { model: "b" }, ...emptyUsage(), input: 10, totalTokens: 10, costTotal: 4, calls: 1 },
    { key: { model: "a" }, ...emptyUsage(), input: 101, totalTokens: 101, costTotal: 0.75, calls: 2 },
  ]);
});

test("CallGroups tells apart whatever keys a file brings", () => {
  const names = ["__proto__", "constructor", "null", "", "a,b", '"', "a\u0000b", "\ud83d", "\ud83c", "1"];
  const calls = [...names, null].map((provider) => ({ provider }));
  const groups = groupsOf(["provider"], ...calls, ...calls).groups("key");
  assert.deepEqual(
    groups.map(({ key, calls }) => [key.provider, calls]),
    [...names.toSorted(), null].map((name) => [name, 2]),
  );
  const pairs = groupsOf(["provider", "tool"], { provider: "a", tool: "b,c" }, { provider: "a,b", tool: "c" });
  assert.equal(pairs.groups().length, 2);
});

test("CallGroups orders by cost, or by time where that is first, or as asked; ties by key, null last", () => {
  const spent = (costTotal: number, totalTokens: number) => ({ ...emptyUsage(), costTotal, totalTokens, calls: 1 });
  const day = (number: number) => number * 86_400_000;
  const groups = groupsOf(
    ["model", "day"],
    { model: "a", time: day(2), usage: spent(1, 30) },
    { model: "b", time: day(1), usage: spent(5, 10) },
    { model: "b", time: day(1), usage: spent(5, 10) },
    { model: "b", time: day(0), usage: spent(3, 20) },
    { model: null, time: undefined, usage: spent(3, 20) },
  );
  const names = (list: UsageGroup[]) => list.map(({ key }) => `${key.model} ${key.day?.slice(-2)}`);
  assert.deepEqual(names(groups.groups()), ["b 02", "b 01", "null undefined", "a 03"]);
  assert.deepEqual(names(groups.groups("cost", "asc")), ["a 03", "b 01", "null undefined", "b 02"]);
  assert.deepEqual(names(groups.groups("tokens")), ["a 03", "b 01", "b 02", "null undefined"]);
  assert.deepEqual(names(groups.groups("calls")), ["b 02", "a 03", "b 01", "null undefined"]);
  assert.deepEqual(names(groups.groups("key")), ["a 03", "b 01", "b 02", "null undefined"]);

  const byDay = groupsOf(["day"], { time: day(2), usage: spent(1, 1) }, { time: day(1), usage: spent(2, 1) }, {});
  const days = (list: UsageGroup[]) => list.map(({ key }) => key.day);
  assert.deepEqual(days(byDay.groups()), ["1970-01-02", "1970-01-03", null]);
  assert.deepEqual(days(byDay.groups("cost")), ["1970-01-02", "1970-01-03", null]);
  assert.deepEqual(days(byDay.groups("key", "asc")), ["1970-01-02", "1970-01-03", null]);
});
