/**
 * Random calls of a session manager as plain data, so that one sequence can be run on two classes and be shrunk when they disagree. Entries are picked
 * by a number that is taken modulo the entries that there are.
 */
import { existsSync } from "node:fs";
import fc from "fast-check";
import type { SessionEntry } from "../../src/format/entry.js";
import type { Message } from "../../src/format/message.js";
import type { SessionManager } from "../../src/store/session-manager.js";
import { START, usage } from "../helpers/entries.js";

export type Operation =
  | { call: "message"; message: Message }
  | { call: "thinking"; level: string }
  | { call: "model"; provider: string; model: string }
  | { call: "usage"; kind: string; note: string | undefined }
  | { call: "compaction"; kept: number | null; details: unknown; fromHook: boolean | undefined; usage: boolean }
  | { call: "custom"; data: unknown }
  | { call: "name"; name: string }
  | { call: "customMessage"; content: string; display: boolean; details: unknown }
  | { call: "edit"; target: number; content: string | [] | null | 7 }
  | { call: "label"; target: number; label: string | undefined }
  | { call: "branch"; target: number }
  | { call: "resetLeaf" }
  | { call: "summary"; target: number | null; details: unknown; fromHook: boolean | undefined }
  | { call: "branched"; target: number }
  | { call: "newSession"; id: string | undefined; parentSession: string | undefined }
  | { call: "reopen" }
  | { call: "fork" }
  | { call: "swap" };

const timestamp = fc.integer({ min: 0, max: 100_000 }).map((seconds) => START + seconds * 1000);
const text = fc.oneof(fc.constantFrom("", "hello", "a\nb", '"}\\', "\u2028é🐸", " x "), fc.string({ maxLength: 12 }));
const data = fc.oneof(fc.constant(undefined), fc.constantFrom(null, 0, "", { a: [1, { b: null }] }, []), fc.string());
const pick = fc.nat({ max: 1000 });
const target = fc.oneof({ weight: 9, arbitrary: pick }, { weight: 1, arbitrary: fc.constant(-1) });
const content = fc.oneof(
  text,
  fc.array(
    text.map((text) => ({ type: "text", text })),
    { maxLength: 2 },
  ),
);

const tool = fc.constantFrom("read", "write", "bash").map((name) => ({ name, description: name, parameters: {} }));
const section = fc.option(text, { nil: null });

const message: fc.Arbitrary<Message> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ role: fc.constant("user" as const), content, timestamp }) },
  {
    weight: 3,
    arbitrary: fc.record({
      role: fc.constant("assistant" as const),
      content: fc.array(text.map((text) => ({ type: "text", text }))),
      api: fc.constant("messages"),
      provider: fc.constantFrom("anthropic", "openai"),
      model: fc.constantFrom("large", "small"),
      usage: fc.constant(usage(3, 4, 0.5)),
      stopReason: fc.constant("stop"),
      timestamp,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      role: fc.constant("toolResult" as const),
      toolCallId: text,
      toolName: fc.constant("bash"),
      content: fc.constant([]),
      isError: fc.boolean(),
      timestamp,
    }),
  },
  fc.record(
    {
      role: fc.constant("system" as const),
      content: text,
      sections: fc.dictionary(fc.constantFrom("tools", "cwd", "skills"), section),
      toolsAdded: fc.array(tool, { maxLength: 2 }),
      toolsRemoved: fc.array(tool, { maxLength: 2 }),
      timestamp,
    },
    { requiredKeys: ["role", "content", "timestamp"] },
  ) as fc.Arbitrary<Message>,
  fc.record({
    role: fc.constant("bashExecution" as const),
    command: text,
    output: text,
    cancelled: fc.boolean(),
    truncated: fc.boolean(),
    timestamp,
  }),
  fc.record({ role: fc.constant("custom" as const), customType: text, content, display: fc.boolean(), timestamp }),
);

const flag = fc.option(fc.boolean(), { nil: undefined });

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ call: fc.constant("message" as const), message }) },
  fc.record({ call: fc.constant("thinking" as const), level: fc.constantFrom("off", "low", "high") }),
  fc.record({ call: fc.constant("model" as const), provider: text, model: text }),
  fc.record({ call: fc.constant("usage" as const), kind: text, note: fc.option(text, { nil: undefined }) }),
  {
    weight: 2,
    arbitrary: fc.record({
      call: fc.constant("compaction" as const),
      kept: fc.option(pick, { nil: null }),
      details: data,
      fromHook: flag,
      usage: fc.boolean(),
    }),
  },
  fc.record({ call: fc.constant("custom" as const), data }),
  fc.record({ call: fc.constant("name" as const), name: text }),
  {
    weight: 2,
    arbitrary: fc.record({
      call: fc.constant("customMessage" as const),
      content: text,
      display: fc.boolean(),
      details: data,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      call: fc.constant("edit" as const),
      target,
      content: fc.oneof(text, fc.constantFrom<[] | null | 7>([], null, 7)),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      call: fc.constant("label" as const),
      target,
      label: fc.constantFrom("one", "two", "", undefined),
    }),
  },
  { weight: 3, arbitrary: fc.record({ call: fc.constant("branch" as const), target }) },
  fc.record({ call: fc.constant("resetLeaf" as const) }),
  {
    weight: 2,
    arbitrary: fc.record({
      call: fc.constant("summary" as const),
      target: fc.option(target, { nil: null }),
      details: data,
      fromHook: flag,
    }),
  },
  { weight: 2, arbitrary: fc.record({ call: fc.constant("branched" as const), target }) },
  fc.record({
    call: fc.constant("newSession" as const),
    // Of two sessions with one id and one millisecond, the second would find its file made.
    id: fc.oneof(
      fc.constantFrom(undefined, "-bad", ""),
      fc.integer({ min: 2 ** 30 }).map((number) => `my-${number}`),
    ),
    parentSession: fc.constantFrom(undefined, "/sessions/parent.jsonl"),
  }),
  { weight: 2, arbitrary: fc.record({ call: fc.constant("reopen" as const) }) },
  fc.record({ call: fc.constant("fork" as const) }),
  fc.record({ call: fc.constant("swap" as const) }),
);

export const operations = fc.array(operation, { minLength: 1, maxLength: 30, size: "max" });

/** The id that a number picks among the entries that there are; one that no entry has for -1. */
export function pickId(manager: SessionManager, pick: number): string {
  const entries = manager.getEntries();
  return pick === -1 || entries.length === 0 ? "no such entry" : entries[pick % entries.length]!.id;
}

/** Runs an operation that needs nothing but the manager. Returns what the call returned. */
export function runOperation(manager: SessionManager, operation: Operation): unknown {
  switch (operation.call) {
    case "message":
      return manager.appendMessage(structuredClone(operation.message));
    case "thinking":
      return manager.appendThinkingLevelChange(operation.level);
    case "model":
      return manager.appendModelChange(operation.provider, operation.model);
    case "usage":
      return manager.appendUsage(operation.kind, "anthropic", "large", usage(5, 6), operation.note);
    case "compaction": {
      const kept = operation.kept === null ? null : pickId(manager, operation.kept);
      const spent = operation.usage ? usage(1, 2) : undefined;
      return manager.appendCompaction("summed up", kept, 99, operation.details, operation.fromHook, spent);
    }
    case "custom":
      return manager.appendCustomEntry("extension", operation.data);
    case "name":
      return manager.appendSessionInfo(operation.name);
    case "customMessage":
      return manager.appendCustomMessageEntry("note", operation.content, operation.display, operation.details);
    case "edit": {
      const replacement = operation.content === null ? null : { content: operation.content as string };
      return manager.appendContextEdit(pickId(manager, operation.target), replacement);
    }
    case "label":
      return manager.appendLabelChange(pickId(manager, operation.target), operation.label);
    case "branch":
      return manager.branch(pickId(manager, operation.target));
    case "resetLeaf":
      return manager.resetLeaf();
    case "summary": {
      const target = operation.target === null ? null : pickId(manager, operation.target);
      return manager.branchWithSummary(target, "left behind", operation.details, operation.fromHook);
    }
    case "branched":
      return manager.createBranchedSession(pickId(manager, operation.target));
    case "newSession": {
      const { id, parentSession } = operation;
      return manager.newSession({ ...(id !== undefined && { id }), ...(parentSession && { parentSession }) });
    }
    default:
      throw new Error(`${operation.call} needs more than the manager`);
  }
}

/** Whether a manager has a file that is there. */
export function hasFile(manager: SessionManager): boolean {
  const file = manager.getSessionFile();
  return file !== undefined && existsSync(file);
}

export function hasAnswer(entries: readonly SessionEntry[]): boolean {
  return entries.some((entry) => entry.type === "message" && (entry.message as Message).role === "assistant");
}
