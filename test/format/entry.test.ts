import assert from "node:assert/strict";
import { test } from "node:test";
import * as block from "../../src/format/block.js";
import * as entries from "../../src/format/entry.js";
import {
  headerCwd,
  headerParent,
  headerVersion,
  isSessionHeader,
  type SessionHeader,
} from "../../src/format/header.js";
import * as messages from "../../src/format/message.js";
import { entry, header, user } from "../helpers/entries.js";

const guards: Record<string, unknown> = { ...entries, ...messages };

/** For each guard of an entry type, one entry that it knows. */
const known: Record<string, object> = {
  isMessageEntry: user("1", null, "hi"),
  isModelChangeEntry: entry("model_change", "1", null, { provider: "p", modelId: "m" }),
  isThinkingLevelChangeEntry: entry("thinking_level_change", "1", null, { thinkingLevel: "high" }),
  isCompactionEntry: entry("compaction", "1", null, { summary: "s", tokensBefore: 1 }),
  isBranchSummaryEntry: entry("branch_summary", "1", null, { summary: "s", fromId: "root" }),
  isCustomEntry: entry("custom", "1", null, { customType: "x" }),
  isCustomMessageEntry: entry("custom_message", "1", null, { customType: "x", content: "c", display: true }),
  isLabelEntry: entry("label", "1", null, { targetId: "2" }),
  isSessionInfoEntry: entry("session_info", "1", null, { name: "n" }),
  isUsageEntry: entry("usage", "1", null, { kind: "cache_warm", usage: {} }),
  isContextEditEntry: entry("context_edit", "1", null, { targetId: "2", replacement: null }),
  isActiveToolsChangeEntry: entry("active_tools_change", "1", null, { activeToolNames: [] }),
};

test("each entry guard knows its own type and no other", () => {
  for (const [name, line] of Object.entries(known)) {
    assert.ok(entries.isKnownEntry(line as entries.SessionEntry), name);
    for (const other of Object.keys(known)) {
      const guard = guards[other] as (entry: object) => boolean;
      assert.equal(guard(line), other === name, `${other} on ${name}`);
    }
  }
});

test("isKnownEntry refuses unknown types, and known ones without what makes them one", () => {
  const unknown = [
    entry("from_tomorrow", "1", null),
    entry("__proto__", "1", null),
    entry("message", "1", null),
    entry("message", "1", null, { message: "text" }),
    entry("message", "1", null, { message: [] }),
    entry("label", "1", null),
    entry("label", "1", null, { targetId: 5 }),
    entry("model_change", "1", null, { provider: "p" }),
  ];
  for (const line of unknown) assert.equal(entries.isKnownEntry(line as unknown as entries.SessionEntry), false);
});

test("isEntry takes objects with a string type only", () => {
  assert.ok(entries.isEntry({ type: "x" }));
  for (const value of [null, 1, "x", [], {}, { type: 1 }, { type: null }, [{ type: "x" }]])
    assert.equal(entries.isEntry(value), false);
});

test("entryId and entryParentId take non-empty strings only", () => {
  const read = (id: unknown, parentId: unknown): unknown[] => {
    const line = { type: "x", id, parentId } as entries.SessionEntry;
    return [entries.entryId(line), entries.entryParentId(line)];
  };
  assert.deepEqual(read("1", "0"), ["1", "0"]);
  assert.deepEqual(read("", ""), [undefined, null]);
  assert.deepEqual(read(1, 2), [undefined, null]);
  assert.deepEqual(read(undefined, undefined), [undefined, null]);
});

test("each message guard knows its own role and no other", () => {
  const roles: Record<string, string> = {
    isUserMessage: "user",
    isSystemMessage: "system",
    isAssistantMessage: "assistant",
    isToolResultMessage: "toolResult",
    isBashExecutionMessage: "bashExecution",
    isCustomMessage: "custom",
    isBranchSummaryMessage: "branchSummary",
    isCompactionSummaryMessage: "compactionSummary",
  };
  for (const [name, role] of Object.entries(roles)) {
    for (const other of Object.keys(roles)) {
      const guard = guards[other] as (message: unknown) => boolean;
      assert.equal(guard({ role }), other === name);
      for (const broken of [null, [role], role, {}]) assert.equal(guard(broken), false);
    }
  }
});

test("each block guard knows its own type, with the field that makes it one", () => {
  assert.ok(block.isTextBlock({ type: "text", text: "" }));
  assert.ok(block.isThinkingBlock({ type: "thinking", thinking: "" }));
  assert.ok(block.isToolCallBlock({ type: "toolCall", name: "bash" }));
  assert.ok(block.isImageBlock({ type: "image", data: "" }));
  for (const guard of [block.isTextBlock, block.isThinkingBlock, block.isToolCallBlock, block.isImageBlock]) {
    for (const broken of [null, "text", {}, { type: "text" }, { type: "text", text: 5 }, { type: "video" }])
      assert.equal(guard(broken), false);
  }
});

test("contentText joins text blocks and passes over all else", () => {
  const blocks = [
    { type: "text", text: "a" },
    { type: "image", data: "x" },
    null,
    { type: "text", text: "b" },
    { type: "text" },
  ];
  assert.equal(block.contentText(blocks, " "), "a b");
  assert.equal(block.contentText("plain", " "), "plain");
  for (const nothing of [null, undefined, 5, {}, []]) assert.equal(block.contentText(nothing, " "), "");
});

test("a header's version, parent and cwd are read by the format's rules", () => {
  const read = (more: object): SessionHeader => header(more as Record<string, unknown>) as unknown as SessionHeader;
  assert.ok(isSessionHeader(header()));
  for (const other of [{ type: "session" }, { type: "session", id: 5 }, { type: "title", id: "x" }, null, []])
    assert.equal(isSessionHeader(other), false);
  const versions = [1, 2, 3, 4, undefined, 0, -1, 2.5, "3", null].map((version) => headerVersion(read({ version })));
  assert.deepEqual(versions, [1, 2, 3, 4, 1, 1, 1, 1, 1, 1]);
  assert.equal(headerParent(read({ parentSession: "/a", branchedFrom: "/b" })), "/a");
  assert.equal(headerParent(read({ parentSession: "", branchedFrom: "/b" })), "/b");
  assert.equal(headerParent(read({ parentSession: 5 })), null);
  assert.deepEqual([headerCwd(read({})), headerCwd(read({ cwd: ["/"] }))], ["/home/u/proj", null]);
});
