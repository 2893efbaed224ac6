import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../../src/format/entry.js";
import type { Message } from "../../src/format/message.js";
import { entryMessages, replaceContent } from "../../src/tree/entry-messages.js";
import { assistant, entry, type Line, message, START, user } from "../helpers/entries.js";

const messagesOf = (line: Line): Message[] => entryMessages(line as unknown as SessionEntry);

/** What a message of a role with this content reads as. */
function read(role: string, content: unknown): unknown {
  const [only] = messagesOf(message("1", null, { role, content }));
  return (only as Line).content;
}

test("entryMessages gives a message entry's own object, whatever its role", () => {
  for (const line of [
    user("1", null, "text"),
    assistant("1", null, "text"),
    message("1", null, { role: "bashExecution", command: "ls" }),
    message("1", null, { role: "from the future", content: 7 }),
    message("1", null, { role: 7 }),
    message("1", null, { content: "no role" }),
  ]) {
    assert.equal(messagesOf(line)[0], line.message);
  }
});

test("entryMessages fills null or missing content, without changing the entry", () => {
  for (const nothing of [null, undefined]) {
    assert.deepEqual(read("user", nothing), []);
    assert.deepEqual(read("assistant", nothing), []);
    assert.deepEqual(read("toolResult", nothing), []);
    assert.equal(read("system", nothing), "");
    assert.equal(read("custom", nothing), nothing);
    assert.equal(read("unknown", nothing), nothing);
  }
  const line = user("1", null, null);
  const before = JSON.stringify(line);
  messagesOf(line);
  assert.equal(JSON.stringify(line), before);
});

test("entryMessages gives nothing for a message entry without a message object, and for state entries", () => {
  for (const broken of [undefined, null, "text", 7, []]) {
    assert.deepEqual(messagesOf(entry("message", "1", null, { message: broken })), []);
  }
  for (const type of ["model_change", "custom", "label", "session_info", "usage", "context_edit", "from_the_future"]) {
    assert.deepEqual(messagesOf(entry(type, "1", null, { content: "x", summary: "x" })), []);
  }
});

test("entryMessages of a compaction gives system message, summary and retained tail, in that order", () => {
  const systemMessage = { role: "system", content: "rules" };
  const kept = { role: "user", content: "kept" };
  const line = entry("compaction", "5", null, { summary: "s", tokensBefore: 12, systemMessage, retainedTail: [kept] });
  assert.deepEqual(messagesOf(line), [
    { role: "system", content: "rules" },
    { role: "compactionSummary", summary: "s", tokensBefore: 12, timestamp: START + 5000 },
    { role: "user", content: "kept" },
  ]);
  const bare = entry("compaction", "5", null, { summary: "", tokensBefore: 1, retainedTail: [{ role: "user" }] });
  assert.deepEqual(messagesOf(bare), [
    { role: "compactionSummary", summary: "", tokensBefore: 1, timestamp: START + 5000 },
    { role: "user", content: [] },
  ]);
});

test("entryMessages of a compaction leaves out parts of the wrong type", () => {
  for (const wrong of [null, 7, true, []]) {
    const line = entry("compaction", "5", null, { summary: wrong, systemMessage: wrong, retainedTail: wrong });
    assert.deepEqual(messagesOf(line), []);
  }
  const retainedTail = [null, "text", { role: "user", content: "a" }, [], 7];
  assert.deepEqual(messagesOf(entry("compaction", "5", null, { summary: {}, systemMessage: "rules", retainedTail })), [
    { role: "user", content: "a" },
  ]);
});

test("entryMessages of a branch summary gives its summary, and nothing when that is empty or no string", () => {
  assert.deepEqual(messagesOf(entry("branch_summary", "7", null, { fromId: "root", summary: "left" })), [
    { role: "branchSummary", summary: "left", fromId: "root", timestamp: START + 7000 },
  ]);
  for (const summary of ["", null, undefined, 7, {}]) {
    assert.deepEqual(messagesOf(entry("branch_summary", "7", null, { fromId: "root", summary })), []);
  }
});

test("entryMessages of a custom message entry gives a custom message", () => {
  const line = entry("custom_message", "9", null, {
    customType: "note",
    content: "hi",
    display: true,
    details: { a: 1 },
  });
  assert.deepEqual(messagesOf(line), [
    { role: "custom", customType: "note", content: "hi", display: true, details: { a: 1 }, timestamp: START + 9000 },
  ]);
  const [empty] = messagesOf(entry("custom_message", "9", null, { customType: "note", display: false }));
  assert.deepEqual((empty as Line).content, []);
});

test("entryMessages leaves the timestamp out where the entry's time is invalid", () => {
  for (const timestamp of [undefined, null, 5, "yesterday", "2026-01-02"]) {
    const line = { ...entry("branch_summary", "7", null, { fromId: "x", summary: "left" }), timestamp };
    assert.deepEqual(messagesOf(line), [{ role: "branchSummary", summary: "left", fromId: "x" }]);
  }
});

test("replaceContent puts content into user, assistant, tool-result and custom messages only", () => {
  const replaced = (role: unknown, content: unknown): unknown => {
    const given = { role, content: "old", timestamp: 1 };
    const result = replaceContent(given, content);
    assert.deepEqual(given, { role, content: "old", timestamp: 1 });
    assert.deepEqual({ ...result, content: "old" }, given);
    return (result as Line).content;
  };
  const block = { type: "text", text: "new" };
  assert.equal(replaced("user", "new"), "new");
  assert.equal(replaced("custom", "new"), "new");
  assert.deepEqual(replaced("assistant", "new"), [block]);
  assert.deepEqual(replaced("toolResult", "new"), [block]);
  assert.deepEqual(replaced("assistant", ""), [{ type: "text", text: "" }]);
  for (const role of ["user", "custom", "assistant", "toolResult"]) assert.deepEqual(replaced(role, [block]), [block]);
  for (const role of ["user", "assistant", "toolResult"]) assert.deepEqual(replaced(role, null), []);
  for (const role of ["system", "bashExecution", "compactionSummary", "branchSummary", "later", 7, undefined]) {
    assert.equal(replaced(role, "new"), "old");
  }
});

test("replaceContent and entryMessages keep a key __proto__ as the key that it is", () => {
  const hostile = JSON.parse('{"role":"user","__proto__":{"polluted":1},"content":null}') as Message;
  const replaced = replaceContent(hostile, "new");
  assert.equal(JSON.stringify(replaced), '{"role":"user","__proto__":{"polluted":1},"content":"new"}');
  assert.equal((replaced as Line).polluted, undefined);
  const [filled] = messagesOf(entry("message", "1", null, { message: hostile }));
  assert.equal(JSON.stringify(filled), '{"role":"user","__proto__":{"polluted":1},"content":[]}');
});
