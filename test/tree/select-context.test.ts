import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEntry } from "../../src/format/entry.js";
import { type PathNode, type SelectedContext, selectContext } from "../../src/tree/select-context.js";
import { assistant, entry, type Line, message, toolResult, user } from "../helpers/entries.js";

/** The context of a path of lines, and the ids of the entries that were read for it, in order. */
function select(...path: Line[]): SelectedContext & { reads: string[] } {
  const reads: string[] = [];
  const nodes = path.map((line): PathNode & { line: Line } => {
    const role = (line.message as Line | undefined)?.role;
    return {
      id: line.id as string,
      type: line.type as string,
      role: typeof role === "string" ? role : undefined,
      line,
    };
  });
  const context = selectContext(nodes, (node) => {
    reads.push(node.id);
    return node.line as unknown as SessionEntry;
  });
  return { ...context, reads };
}

/** In a word each: what the messages say, and of made ones their role before it. */
function say({ messages }: SelectedContext): unknown[] {
  return messages.map((given) => {
    const { role, content, summary } = given as Line;
    if (summary !== undefined) return `${role}: ${summary}`;
    return Array.isArray(content) ? content.map((block: Line) => block.text).join("") : content;
  });
}

const system = (id: string, content: string): Line => message(id, null, { role: "system", content });
const compaction = (id: string, more: Line = {}): Line =>
  entry("compaction", id, null, { summary: `sum ${id}`, tokensBefore: 1, ...more });
const edit = (id: string, targetId: unknown, replacement?: unknown): Line =>
  entry("context_edit", id, null, { targetId, replacement });
const level = (id: string, thinkingLevel: unknown): Line => entry("thinking_level_change", id, null, { thinkingLevel });
const model = (id: string, provider: unknown, modelId: unknown): Line =>
  entry("model_change", id, null, { provider, modelId });

test("selectContext of an empty path gives nothing", () => {
  assert.deepEqual(select(), { messages: [], thinkingLevel: "off", model: null, entryIds: [], reads: [] });
});

test("selectContext gives the messages of the path in order, each with its entry's id", () => {
  const note = entry("custom_message", "4", null, { customType: "n", content: "note", display: true });
  const summary = entry("branch_summary", "5", null, { fromId: "root", summary: "left" });
  const context = select(
    system("1", "rules"),
    user("2", null, "hi"),
    assistant("3", null, "yes"),
    note,
    summary,
    toolResult("6", null, "out"),
  );
  assert.deepEqual(say(context), ["rules", "hi", "yes", "note", "branchSummary: left", "out"]);
  assert.deepEqual(context.entryIds, ["1", "2", "3", "4", "5", "6"]);
});

test("selectContext reads no entry that only holds state", () => {
  const types = ["label", "session_info", "custom", "usage", "active_tools_change", "from_the_future"];
  const states = types.map((type, index) => entry(type, `a${index}`, null));
  const context = select(user("1", null, "hi"), ...states, user("2", null, "there"));
  assert.deepEqual(say(context), ["hi", "there"]);
  assert.deepEqual(context.reads, ["1", "2"]);
});

test("selectContext takes the last thinking level that is a string, and reads no earlier change", () => {
  const context = select(level("1", "low"), level("2", "high"), level("3", 7), level("4", null));
  assert.equal(context.thinkingLevel, "high");
  assert.deepEqual(context.reads, ["4", "3", "2"]);
  assert.equal(select(user("1", null, "hi")).thinkingLevel, "off");
  assert.equal(select(level("1", {})).thinkingLevel, "off");
});

test("selectContext takes the model of the last change or answer, whichever is later", () => {
  const answer = assistant("2", null, "yes", { provider: "p", model: "m" });
  assert.deepEqual(select(model("1", "openai", "gpt"), answer).model, { provider: "p", modelId: "m" });
  assert.deepEqual(select(answer, model("3", "openai", "gpt")).model, { provider: "openai", modelId: "gpt" });
  assert.equal(select(user("1", null, "hi")).model, null);
});

test("selectContext passes over changes and answers that name no model", () => {
  const whole = model("1", "openai", "gpt");
  const broken = [
    model("2", "openai", 7),
    model("3", undefined, "gpt"),
    assistant("4", null, "a", { provider: null }),
    assistant("5", null, "b", { model: {} }),
  ];
  assert.deepEqual(select(whole, ...broken).model, { provider: "openai", modelId: "gpt" });
  assert.equal(select(...broken).model, null);
});

test("selectContext finds level and model before a compaction too, reading only the last of them", () => {
  const context = select(
    model("1", "openai", "gpt"),
    level("2", "low"),
    assistant("3", null, "old answer"),
    level("4", "high"),
    assistant("5", null, "last answer", { provider: "p", model: "m" }),
    user("6", null, "q"),
    compaction("7"),
  );
  assert.deepEqual(say(context), ["compactionSummary: sum 7"]);
  assert.equal(context.thinkingLevel, "high");
  assert.deepEqual(context.model, { provider: "p", modelId: "m" });
  assert.deepEqual(context.reads.toSorted(), ["4", "5", "7"]);
});

test("selectContext puts the last compaction first, then what it keeps, then what follows", () => {
  const context = select(
    user("1", null, "gone"),
    user("2", null, "kept"),
    assistant("3", null, "kept too"),
    compaction("4", { firstKeptEntryId: "2" }),
    user("5", null, "after"),
  );
  assert.deepEqual(say(context), ["compactionSummary: sum 4", "kept", "kept too", "after"]);
  assert.deepEqual(context.entryIds, ["4", "2", "3", "5"]);
  assert.equal(context.reads.includes("1"), false);
});

test("selectContext keeps nothing where firstKeptEntryId names no entry before the compaction", () => {
  const around = [user("1", null, "gone"), user("2", null, "after")] as const;
  for (const firstKeptEntryId of [undefined, null, "", "missing", "c", "2", 7, {}]) {
    const context = select(around[0], compaction("c", { firstKeptEntryId }), around[1]);
    assert.deepEqual(say(context), ["compactionSummary: sum c", "after"], JSON.stringify(firstKeptEntryId));
    assert.equal(context.reads.includes("1"), false);
  }
  // Its own id keeps nothing even where an earlier entry has the same.
  const twin = select(user("c", null, "gone"), compaction("c", { firstKeptEntryId: "c" }));
  assert.deepEqual(say(twin), ["compactionSummary: sum c"]);
});

test("selectContext keeps from the first entry, from the root, that has the id", () => {
  const path = [
    user("1", null, "a"),
    user("2", null, "b"),
    user("1", null, "c"),
    compaction("4", { firstKeptEntryId: "1" }),
  ];
  assert.deepEqual(say(select(...path)), ["compactionSummary: sum 4", "a", "b", "c"]);
});

test("selectContext leaves system messages out of the kept range, unread, and gives the compaction's own", () => {
  const systemMessage = { role: "system", content: "all rules" };
  const context = select(
    user("1", null, "kept"),
    system("2", "old rules"),
    assistant("3", null, "kept too"),
    compaction("4", { firstKeptEntryId: "1", systemMessage }),
    system("5", "new rules"),
  );
  assert.deepEqual(say(context), ["all rules", "compactionSummary: sum 4", "kept", "kept too", "new rules"]);
  assert.deepEqual(context.entryIds, ["4", "4", "1", "3", "5"]);
  assert.equal(context.reads.includes("2"), false);
});

test("selectContext gives no message for an older compaction within the kept range, and does not read it", () => {
  const context = select(
    user("1", null, "kept"),
    compaction("2", { firstKeptEntryId: "1", systemMessage: { role: "system", content: "old" }, retainedTail: [{}] }),
    user("3", null, "kept too"),
    compaction("4", { firstKeptEntryId: "1" }),
  );
  assert.deepEqual(say(context), ["compactionSummary: sum 4", "kept", "kept too"]);
  assert.equal(context.reads.includes("2"), false);
});

test("selectContext gives a retained tail in place of a kept range", () => {
  const tail = [
    { role: "user", content: "tail" },
    7,
    { role: "assistant", content: [{ type: "text", text: "answer" }] },
  ];
  const path = (retainedTail: unknown): Line[] => [
    user("1", null, "before"),
    compaction("2", { firstKeptEntryId: "1", retainedTail }),
    user("3", null, "after"),
  ];
  const context = select(...path(tail));
  assert.deepEqual(say(context), ["compactionSummary: sum 2", "tail", "answer", "after"]);
  assert.deepEqual(context.entryIds, ["2", "2", "2", "3"]);
  assert.equal(context.reads.includes("1"), false);
  assert.deepEqual(say(select(...path([]))), ["compactionSummary: sum 2", "after"]);
  for (const absent of [null, {}, "tail", 7]) {
    assert.deepEqual(say(select(...path(absent))), ["compactionSummary: sum 2", "before", "after"]);
  }
});

test("selectContext drops the target of a null edit, unread, and replaces content otherwise", () => {
  const context = select(
    user("1", null, "secret"),
    assistant("2", null, "noted", { provider: "p", model: "m", stopReason: "stop" }),
    toolResult("3", null, "long output"),
    edit("4", "1", null),
    edit("5", "2", { content: "edited" }),
    edit("6", "3", { content: "short" }),
    model("7", "openai", "gpt"),
  );
  assert.deepEqual(say(context), ["edited", "short"]);
  assert.deepEqual(context.entryIds, ["2", "3"]);
  const [answer] = context.messages as Line[];
  assert.deepEqual(
    [answer!.role, answer!.stopReason, answer!.content],
    ["assistant", "stop", [{ type: "text", text: "edited" }]],
  );
  assert.equal(context.reads.includes("1"), false);
});

test("selectContext lets the last edit of a target win, wherever the target stands", () => {
  const target = user("1", null, "as written");
  const outcome = (...edits: Line[]): unknown[] => say(select(target, ...edits));
  assert.deepEqual(outcome(edit("2", "1", null), edit("3", "1", { content: "back" })), ["back"]);
  assert.deepEqual(outcome(edit("2", "1", { content: "first" }), edit("3", "1", { content: "second" })), ["second"]);
  assert.deepEqual(outcome(edit("2", "1", { content: "first" }), edit("3", "1", null)), []);
  assert.deepEqual(say(select(edit("0", "1", { content: "ahead" }), target)), ["ahead"]);
});

test("selectContext ignores an edit that is neither null nor holds content, as if it were not there", () => {
  for (const replacement of [undefined, {}, "text", 7, [], true, { contents: "x" }]) {
    const broken = edit("3", "1", replacement);
    const label = JSON.stringify(replacement);
    assert.deepEqual(say(select(user("1", null, "as written"), broken)), ["as written"], label);
    assert.deepEqual(say(select(user("1", null, "as written"), edit("2", "1", null), broken)), [], label);
    assert.deepEqual(say(select(user("1", null, "x"), edit("2", "1", { content: "kept" }), broken)), ["kept"], label);
  }
  for (const targetId of [undefined, null, 7, {}]) {
    assert.deepEqual(say(select(user("1", null, "as written"), edit("2", targetId, null))), ["as written"]);
  }
});

test("selectContext counts only edits within the selection", () => {
  const early = edit("1", "2", null);
  const path = [early, user("2", null, "kept"), edit("3", "2", { content: "edited" })];
  assert.deepEqual(say(select(early, user("2", null, "kept"), compaction("4", { firstKeptEntryId: "2" }))), [
    "compactionSummary: sum 4",
    "kept",
  ]);
  const context = select(...path, compaction("4", { firstKeptEntryId: "2" }));
  assert.deepEqual(say(context), ["compactionSummary: sum 4", "edited"]);
  assert.deepEqual(context.reads.toSorted(), ["2", "3", "4"]);
});

test("selectContext puts edited content into no other than user, assistant, tool-result and custom messages", () => {
  const targets = [
    entry("custom_message", "1", null, { customType: "n", content: "old", display: true }),
    message("2", null, { role: "custom", content: "old" }),
    system("3", "old"),
    message("4", null, { role: "bashExecution", content: "old" }),
    message("5", null, { role: "from the future", content: "old" }),
    entry("branch_summary", "6", null, { fromId: "root", summary: "old" }),
  ];
  const edits = targets.map((target) => edit(`e${target.id}`, target.id, { content: "new" }));
  assert.deepEqual(say(select(...targets, ...edits)), ["new", "new", "old", "old", "old", "branchSummary: old"]);
  const drops = targets.map((target) => edit(`d${target.id}`, target.id, null));
  assert.deepEqual(say(select(...targets, ...edits, ...drops)), []);
});

test("selectContext drops all messages of a compaction for a null edit, and edits none of them", () => {
  const tail = [{ role: "user", content: "tail" }];
  const systemMessage = { role: "system", content: "rules" };
  const path = [compaction("2", { retainedTail: tail, systemMessage }), user("3", null, "after")];
  assert.deepEqual(say(select(...path, edit("4", "2", null))), ["after"]);
  assert.deepEqual(say(select(...path, edit("4", "2", { content: "new" }))), [
    "rules",
    "compactionSummary: sum 2",
    "tail",
    "after",
  ]);
  const keeping = [user("1", null, "kept"), compaction("2", { firstKeptEntryId: "1" }), edit("3", "2", null)];
  assert.deepEqual(say(select(...keeping)), ["kept"]);
});

test("selectContext takes the model of an answer that was edited away", () => {
  const context = select(assistant("1", null, "x", { provider: "p", model: "m" }), edit("2", "1", null));
  assert.deepEqual([context.messages, context.model], [[], { provider: "p", modelId: "m" }]);
});

test("selectContext reads each entry once, and none before the kept range that gives neither level nor model", () => {
  const before = Array.from({ length: 500 }, (_, index) => user(`b${index}`, null, "long gone"));
  const context = select(
    ...before,
    assistant("1", null, "gone as well"),
    user("2", null, "kept"),
    level("3", "high"),
    assistant("4", null, "kept too"),
    compaction("5", { firstKeptEntryId: "2" }),
    entry("label", "6", null, { targetId: "2", label: "x" }),
    user("7", null, "after"),
  );
  assert.deepEqual(context.reads.toSorted(), ["2", "3", "4", "5", "7"]);
});

test("selectContext changes no entry and hands out the entries' own messages", () => {
  const path = [
    user("1", null, null),
    assistant("2", null, "yes"),
    edit("3", "2", { content: "no" }),
    user("4", null, "own"),
  ];
  const before = JSON.stringify(path);
  const { messages } = select(...path);
  assert.equal(JSON.stringify(path), before);
  assert.deepEqual((messages[0] as Line).content, []);
  assert.equal(messages[2], path[3]!.message);
});

test("selectContext walks a path of a million entries", () => {
  const nodes: PathNode[] = Array.from({ length: 1_000_000 }, (_, index) => ({ id: `n${index}`, type: "label" }));
  nodes[999_000] = { id: "c", type: "compaction" };
  const read = (): SessionEntry => compaction("c", { firstKeptEntryId: "n500000" }) as unknown as SessionEntry;
  assert.deepEqual(selectContext(nodes, read).entryIds, ["c"]);
});
