import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../../src/format/entry.js";
import type { SessionHeader } from "../../src/format/header.js";
import { emptyUsage } from "../../src/format/usage.js";
import { type Session, SessionSummary } from "../../src/report/session-summary.js";
import { assistant, at, entry, header, type Line, START, toolResult, user } from "../helpers/entries.js";

const facts = {
  path: "a.jsonl",
  sizeBytes: 100,
  mtimeMs: START + 999_000,
  branches: 2,
  models: ["p/m"],
  usage: { ...emptyUsage(), calls: 3 },
  damagedLines: 4,
};

/** What a list shows of a session of these lines. */
function summarize(head: Line, ...lines: Line[]): Session {
  const summary = new SessionSummary(head as unknown as SessionHeader);
  for (const line of lines) summary.add(line as unknown as SessionEntry);
  return summary.finish(facts);
}

const firstMessage = (...lines: Line[]): string | null => summarize(header(), ...lines).firstMessage;

test("SessionSummary puts together header, entries, and what it is told", () => {
  const lines = [
    user("1", null, "hello"),
    assistant("2", "1", "hi"),
    toolResult("9", "2", "late"),
    entry("session_info", "4", "9", { name: "pond" }),
  ];
  const parentSession = "/old/a.jsonl";
  const { mtimeMs: _, ...told } = facts;
  assert.deepEqual(summarize(header({ version: 2, parentSession }), ...lines), {
    ...told,
    id: "01a00000-0000-7000-8000-000000000001",
    cwd: "/home/u/proj",
    name: "pond",
    parentSession,
    version: 2,
    created: at(0),
    modified: at(2),
    messageCount: 3,
    entryCount: 4,
    firstMessage: "hello",
  });
});

test("SessionSummary gives null for what a header says in another type", () => {
  const strange = { type: "session", id: "", cwd: 5, parentSession: {}, version: "3", timestamp: 7 };
  const { id, cwd, name, parentSession, version, created, modified, firstMessage } = summarize(strange);
  assert.deepEqual([id, cwd, name, parentSession, version, created], ["", null, null, null, 1, null]);
  assert.deepEqual([modified, firstMessage], [at(999), null]);
});

test("SessionSummary reads branchedFrom where there is no parentSession, in any version", () => {
  for (const version of [1, 3]) {
    assert.equal(summarize(header({ version, branchedFrom: "/b" })).parentSession, "/b");
    assert.equal(summarize(header({ version, branchedFrom: "/b", parentSession: "/p" })).parentSession, "/p");
    assert.equal(summarize(header({ version, branchedFrom: "/b", parentSession: "" })).parentSession, "/b");
  }
});

test("SessionSummary takes the latest time of user and assistant messages for modified, whatever their order", () => {
  const modified = (...lines: Line[]): string => summarize(header(), ...lines).modified;
  assert.equal(modified(user("9", null, "x"), user("5", null, "x")), at(9));
  assert.equal(modified(user("5", null, "x"), toolResult("9", null, "x"), entry("custom", "8", null)), at(5));
  assert.equal(modified({ ...user("5", null, "x"), timestamp: at(50) }), at(5));
  const untimed = { role: "assistant", timestamp: "soon" };
  assert.equal(modified(entry("message", "7", null, { message: untimed })), at(7));
  assert.equal(modified({ ...entry("message", "7", null, { message: untimed }), timestamp: "then" }), at(0));
  assert.equal(
    modified(entry("message", "7", null, { message: { role: "user", timestamp: 0 } })),
    "1970-01-01T00:00:00.000Z",
  );
});

test("SessionSummary takes the last name, and none when that one clears it or is no string", () => {
  const name = (...names: unknown[]): string | null =>
    summarize(header(), ...names.map((name, number) => entry("session_info", `${number}`, null, { name }))).name;
  assert.equal(name(), null);
  assert.equal(name("a", "b"), "b");
  assert.equal(name("a", " b\r\nc\t"), "b c");
  for (const last of ["", " \n", undefined, null, 5, ["b"]]) assert.equal(name("a", last), null);
});

test("SessionSummary takes the first user message that has text", () => {
  const text = (text: unknown): Line => ({ type: "text", text });
  assert.equal(firstMessage(assistant("1", null, "a"), user("2", null, "b"), user("3", null, "c")), "b");
  assert.equal(
    firstMessage(user("1", null, ""), user("2", null, []), user("3", null, null), user("4", null, "b")),
    "b",
  );
  assert.equal(firstMessage(user("1", null, [text("a "), { type: "image" }, text("b"), text(5)])), "a  b");
  assert.equal(firstMessage(user("1", null, [text("")]), user("2", null, "b")), "b");
  assert.equal(firstMessage(user("1", null, " ")), " ");
  assert.equal(firstMessage(entry("message", "1", null, { message: "x" }), entry("custom", "2", null)), null);
});

test("SessionSummary cuts the first message at 1,000 code points", () => {
  for (const character of ["x", "é", "🐸", "\ud83d"]) {
    assert.equal(firstMessage(user("1", null, character.repeat(1000))), character.repeat(1000));
    assert.equal(firstMessage(user("1", null, character.repeat(1001))), `${character.repeat(1000)}…`);
    assert.equal(firstMessage(user("1", null, character.repeat(9999))), `${character.repeat(1000)}…`);
  }
});

test("SessionSummary wants no more content once there is a first message", () => {
  const summary = new SessionSummary(header() as unknown as SessionHeader);
  const wants = [user("1", null, ""), assistant("2", null, "x"), user("3", null, "x")].map((line) => {
    summary.add(line as unknown as SessionEntry);
    return summary.wantsContent;
  });
  assert.deepEqual(wants, [true, true, false]);
});

test("SessionSummary counts entries and messages of any kind", () => {
  const { entryCount, messageCount } = summarize(
    header(),
    user("1", null, "x"),
    entry("message", "2", null, { message: null }),
    { type: "message" },
    { type: "custom" },
    entry("weather", "3", null),
  );
  assert.deepEqual([entryCount, messageCount], [5, 3]);
});
