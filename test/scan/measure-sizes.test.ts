import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { test } from "node:test";
import { measureSession, measureSizes } from "../../src/scan/measure-sizes.js";
import { assistant, entry, header, jsonl, type Line, toolResult, user } from "../helpers/entries.js";
import { makeStore, numbered } from "../helpers/stores.js";

const lengthOf = (line: Line): number => Buffer.byteLength(JSON.stringify(line));

const hello = user("1", null, "é");
const answer = assistant("2", "1", "x".repeat(1000));
const bash = toolResult("3", "2", "y".repeat(300));
const read = toolResult("4", "3", "z".repeat(300), { toolName: "read" });
const note = entry("custom", "5", "4", { customType: "note", data: "d" });
const hook = entry("message", "6", "5", { message: { role: "custom", customType: "hook", content: "h" } });
const plain = { type: "custom" };

test("measureSizes counts entries and bytes by type, custom type, role and tool, most bytes first", async (context) => {
  const store = makeStore(context, {
    "a.jsonl": jsonl(header(), hello, answer, bash, read, note, hook, bash, plain),
    "b.jsonl": jsonl(header(), hello, note),
    "none.jsonl": "x\n",
  });
  const { groups, skipped } = await measureSizes({ stores: [store] });
  const right = [
    { key: { type: "message", role: "assistant" }, entries: 1, bytes: lengthOf(answer) },
    { key: { type: "message", role: "toolResult", tool: "bash" }, entries: 2, bytes: 2 * lengthOf(bash) },
    { key: { type: "message", role: "toolResult", tool: "read" }, entries: 1, bytes: lengthOf(read) },
    { key: { type: "message", role: "user" }, entries: 2, bytes: 2 * lengthOf(hello) },
    { key: { type: "custom", customType: "note" }, entries: 2, bytes: 2 * lengthOf(note) },
    { key: { type: "message", customType: "hook", role: "custom" }, entries: 1, bytes: lengthOf(hook) },
    { key: { type: "custom" }, entries: 1, bytes: lengthOf(plain) },
  ];
  assert.deepEqual(
    groups,
    right.toSorted((a, b) => b.bytes - a.bytes),
  );
  assert.deepEqual(skipped, [{ path: join(store, "none.jsonl"), reason: "there is no session header" }]);
});

test("measureSizes names the largest entries, and of equal ones those earlier in the store", async (context) => {
  const store = makeStore(context, {
    "b.jsonl": jsonl(header(), answer, hello),
    "a.jsonl": Buffer.concat([jsonl(header(), hello), Buffer.from("broken\n\n"), jsonl(answer, answer, plain)]),
  });
  const largest = [
    ["a.jsonl", "2", 5, lengthOf(answer)],
    ["a.jsonl", "2", 6, lengthOf(answer)],
    ["b.jsonl", "2", 2, lengthOf(answer)],
    ["a.jsonl", "1", 2, lengthOf(hello)],
    ["b.jsonl", "1", 3, lengthOf(hello)],
    ["a.jsonl", null, 7, lengthOf(plain)],
  ];
  const of = async (limit?: number) =>
    (await measureSizes({ stores: [store], ...(limit !== undefined && { limit }) })).largest.map(
      ({ path, entryId, line, bytes }) => [relative(store, path), entryId, line, bytes],
    );
  assert.deepEqual(await of(), largest);
  for (const limit of [0, 1, 3, 6, 100]) assert.deepEqual(await of(limit), largest.slice(0, limit), `limit ${limit}`);
});

test("measureSizes names twenty entries by default, of however many", async (context) => {
  const lines = Array.from({ length: 1000 }, (_, number) => user(`${number}`, null, "x".repeat((number * 37) % 1000)));
  const store = makeStore(context, numbered([jsonl(header(), ...lines), jsonl(header(), ...lines)]));
  const { largest } = await measureSizes({ stores: [store] });
  const sizes = [...lines, ...lines].map(lengthOf).sort((a, b) => b - a);
  assert.deepEqual(
    largest.map(({ bytes }) => bytes),
    sizes.slice(0, 20),
  );
});

test("measureSizes counts an entry's own bytes, wherever in its line they are", async (context) => {
  const text = JSON.stringify(hello);
  const store = makeStore(context, {
    "a.jsonl": `\ufeff${JSON.stringify(header())}\r\n  ${text}  \r\n${text}torn${text}`,
  });
  const { groups } = await measureSizes({ stores: [store] });
  assert.deepEqual(groups, [{ key: { type: "message", role: "user" }, entries: 3, bytes: 3 * lengthOf(hello) }]);
});

test("measureSizes counts lines too long to be read whole", async (context) => {
  const long = toolResult("1", null, "x".repeat(3_000_000));
  const store = makeStore(context, { "a.jsonl": jsonl(header(), long) });
  const { groups, largest } = await measureSizes({ stores: [store] });
  const bytes = lengthOf(long);
  assert.deepEqual(groups, [{ key: { type: "message", role: "toolResult", tool: "bash" }, entries: 1, bytes }]);
  assert.deepEqual(largest, [{ path: join(store, "a.jsonl"), entryId: "1", line: 2, bytes }]);
});

test("measureSizes takes keys of any type for what they are", async (context) => {
  const strange = [
    { ...entry("custom", "1", null), customType: 5 },
    entry("message", "2", "1", { message: { role: ["user"], toolName: "bash" } }),
    entry("message", "3", "2", { message: null }),
    entry("message", "4", "3", { message: { role: "toolResult", toolName: {} } }),
    entry("__proto__", "5", "4", { role: "user", toolName: "bash" }),
    { type: "custom", id: "" },
    { type: "custom", id: 7 },
  ];
  const store = makeStore(context, { "a.jsonl": jsonl(header(), ...strange) });
  const { groups, largest } = await measureSizes({ stores: [store] });
  assert.deepEqual(
    new Map(groups.map(({ key, entries }) => [JSON.stringify(key), entries])),
    new Map([
      ['{"type":"custom"}', 3],
      ['{"type":"message"}', 2],
      ['{"type":"message","role":"toolResult"}', 1],
      ['{"type":"__proto__"}', 1],
    ]),
  );
  assert.deepEqual(
    largest.filter(({ line }) => line > 6).map(({ entryId }) => entryId),
    [null, null],
  );
});

test("measureSizes counts the sessions that the filters choose", async (context) => {
  const store = makeStore(context, {
    "a.jsonl": jsonl(header(), hello),
    "b.jsonl": jsonl(header({ cwd: "/other" }), answer),
  });
  const { groups } = await measureSizes({ stores: [store], projects: ["/other"] });
  assert.deepEqual(
    groups.map(({ key }) => key.role),
    ["assistant"],
  );
  assert.deepEqual((await measureSizes({ stores: [store], models: ["none"] })).groups, []);
});

test("measureSession counts one session", async (context) => {
  const store = makeStore(context, { "a.jsonl": jsonl(header(), hello, answer), "none.jsonl": "x\n" });
  const { groups, largest } = await measureSession(join(store, "a.jsonl"), { limit: 1 });
  assert.deepEqual(
    groups.map(({ bytes }) => bytes),
    [lengthOf(answer), lengthOf(hello)],
  );
  assert.deepEqual(
    largest.map(({ entryId }) => entryId),
    ["2"],
  );
  await assert.rejects(async () => measureSession(join(store, "none.jsonl")), { code: "NOT_A_SESSION" });
  await assert.rejects(async () => measureSession(join(store, "gone.jsonl")), { code: "ENOENT" });
});
