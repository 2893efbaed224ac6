import assert from "node:assert/strict";
import { test } from "node:test";
import { type PassageOptions, passageOf } from "../../src/cli/passage.js";
import type { SessionEntry } from "../../src/format/entry.js";
import { assistant, entry, type Line, message, toolResult, user } from "../helpers/entries.js";

const little: PassageOptions = { tools: false, thinking: false };
const all: PassageOptions = { tools: true, thinking: true };
const read = (line: Line, options = little) => passageOf(line as SessionEntry, options);

const blocks = [
  { type: "thinking", thinking: "Hm." },
  { type: "text", text: "Let me look." },
  { type: "toolCall", id: "c1", name: "bash", arguments: { command: "ls\n-la", timeout: 5, more: { a: [1] } } },
  { type: "image", data: "AAAA".repeat(1024), mimeType: "image/png" },
  { type: "hologram", beam: 1 },
];

test("passageOf gives what was said, and thoughts and tools only when asked", () => {
  const answer = assistant("2", "1", "", { content: blocks });
  assert.deepEqual(read(answer), {
    heading: "assistant · claude-sonnet-4-5",
    parts: [
      { kind: "text", text: "Let me look." },
      { kind: "note", text: "image/png, 3.0 KiB" },
    ],
  });
  assert.deepEqual(read(answer, all)!.parts, [
    { kind: "thinking", text: "Hm." },
    { kind: "text", text: "Let me look." },
    { kind: "code", title: "bash", text: 'command: ls\n-la\ntimeout: 5\nmore: {"a":[1]}' },
    { kind: "note", text: "image/png, 3.0 KiB" },
  ]);
});

test("passageOf leaves out entries that say nothing", () => {
  const silent = [
    assistant("2", "1", "", { content: [blocks[2]] }),
    assistant("2", "1", " \n"),
    toolResult("3", "2", "output"),
    user("1", null, null),
    entry("custom", "4", "3", { customType: "x", data: 1 }),
    entry("usage", "4", "3", { kind: "cache_warm" }),
    entry("label", "4", "3", { targetId: "1" }),
    entry("custom_message", "4", "3", { customType: "x", content: "hidden", display: false }),
    entry("new_type", "4", "3", { content: "?" }),
  ];
  for (const line of silent) assert.equal(read(line), undefined, JSON.stringify(line));
});

test("passageOf knows every kind of entry that a conversation shows", () => {
  const cases: [line: Line, heading: string, ...parts: string[]][] = [
    [user("1", null, "hello"), "user", "hello"],
    [toolResult("3", "2", "out"), "tool · bash", "out"],
    [toolResult("3", "2", "out", { isError: true }), "failed tool · bash", "out"],
    [message("1", null, { role: "bashExecution", command: "ls", output: "a b" }), "user", "$ ls\na b"],
    [message("1", null, { role: "system", content: "x".repeat(1200) }), "system", "1,200 characters"],
    [message("1", null, { role: "custom", customType: "note", content: "hi", display: true }), "custom · note", "hi"],
    [message("1", null, { role: "oracle", content: "hi" }), "oracle", "hi"],
    [entry("compaction", "4", "3", { summary: "so far" }), "compaction", "so far"],
    [entry("branch_summary", "4", "3", { summary: "it failed" }), "summary of a branch", "it failed"],
    [entry("custom_message", "4", "3", { customType: "x", content: "hi", display: true }), "custom · x", "hi"],
    [entry("model_change", "4", "3", { provider: "p", modelId: "m" }), "model · p/m"],
    [entry("thinking_level_change", "4", "3", { thinkingLevel: "high" }), "thinking · high"],
    [entry("label", "4", "3", { targetId: "1", label: "start" }), "label · start"],
    [entry("session_info", "4", "3", { name: "my work" }), "name · my work"],
  ];
  for (const [line, heading, ...texts] of cases) {
    const passage = read(line, all);
    assert.deepEqual([passage?.heading, ...(passage?.parts ?? []).map(({ text }) => text)], [heading, ...texts]);
  }
});

test("passageOf tells why an answer broke off", () => {
  const parts = (more: Line) => read(assistant("2", "1", "", more))?.parts;
  assert.deepEqual(parts({ stopReason: "error", errorMessage: "overloaded" }), [
    { kind: "note", text: "error: overloaded" },
  ]);
  assert.deepEqual(parts({ stopReason: "aborted" }), [{ kind: "note", text: "aborted" }]);
  assert.equal(parts({ stopReason: "stop" }), undefined);
});

test("passageOf takes fields of any type", () => {
  const values = [null, 1, true, {}, [], [null, 1, {}], "text", [{ type: "text" }], [{ type: "toolCall", name: 1 }]];
  const keys = ["content", "summary", "label", "name", "customType", "modelId", "thinkingLevel", "command", "toolName"];
  const types = ["compaction", "branch_summary", "custom_message", "model_change", "thinking_level_change", "label"];
  for (const value of values) {
    const fields = Object.fromEntries(keys.map((key) => [key, value]));
    for (const type of [...types, "session_info"]) read(entry(type, "1", null, fields), all);
    for (const role of ["user", "assistant", "toolResult", "bashExecution", "system", "custom", value]) {
      read(message("1", null, { ...fields, role }), all);
    }
  }
});
