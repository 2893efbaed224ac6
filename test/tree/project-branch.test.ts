import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../../src/format/entry.js";
import { projectBranch, selectBranchEntries } from "../../src/tree/project-branch.js";
import { assistant, entry, type Line, message, START, user } from "../helpers/entries.js";

const branch = [
  user("1", null, "gone"),
  message("2", "1", { role: "system", content: "old rules" }),
  user("3", "2", "kept"),
  entry("thinking_level_change", "4", "3", { thinkingLevel: "high" }),
  message("5", "4", { role: "system", content: "old rules" }),
  entry("compaction", "6", "5", { summary: "s", firstKeptEntryId: "2", tokensBefore: 3 }),
  assistant("7", "6", "after"),
  entry("context_edit", "8", "7", { targetId: "7", replacement: null }),
];

const asEntries = (lines: Line[]): SessionEntry[] => lines as unknown as SessionEntry[];

test("selectBranchEntries gives the entries of the selection, state entries and edits included", () => {
  const [, , kept, level, , compaction, after, edit] = branch;
  assert.deepEqual(selectBranchEntries(asEntries(branch)), [compaction, kept, level, after, edit]);
  assert.deepEqual(selectBranchEntries(asEntries(branch.slice(0, 5))), branch.slice(0, 5));
  assert.deepEqual(selectBranchEntries([]), []);
});

test("projectBranch gives each selected entry with its messages, and all of them in order", () => {
  const { entries, messages, thinkingLevel, model } = projectBranch(asEntries(branch));
  const [, , kept, level, , compaction, after, edit] = branch;
  const summary = { role: "compactionSummary", summary: "s", tokensBefore: 3, timestamp: START + 6000 };
  assert.deepEqual(entries, [
    { sourceEntry: compaction, messages: [summary] },
    { sourceEntry: kept, messages: [kept!.message] },
    { sourceEntry: level, messages: [] },
    { sourceEntry: after, messages: [] },
    { sourceEntry: edit, messages: [] },
  ]);
  assert.equal(entries[1]!.sourceEntry, kept);
  assert.deepEqual(messages, [summary, kept!.message]);
  assert.equal(thinkingLevel, "high");
  assert.deepEqual(model, { provider: "anthropic", modelId: "claude-sonnet-4-5" });
});

test("projectBranch takes a role that is no string for none", () => {
  const odd = entry("message", "1", null, { message: { role: ["assistant"], provider: "p", model: "m" } });
  const { messages, model } = projectBranch(asEntries([odd]));
  assert.deepEqual([messages, model], [[odd.message], null]);
});
