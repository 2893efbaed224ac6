/** The context of a leaf by the plain reader: the rules in the order in which the format gives them. */
import type { JsonObject } from "../../src/format/json.js";
import { isObject } from "./plain-file.js";
import { timePlainly } from "./plain-time.js";
import { type PlainNode, pathPlainly, treePlainly } from "./plain-tree.js";

export interface PlainContext {
  messages: JsonObject[];
  /** `entryIds[i]` is the entry that gave `messages[i]`. */
  entryIds: string[];
  thinkingLevel: string;
  model: { provider: string; modelId: string } | null;
}

/**
 * The context of `leafId` (of several entries with that id the last), by default of the last entry with an id. `entries` are read as version 3.
 */
export function contextPlainly(entries: readonly JsonObject[], leafId?: string): PlainContext {
  const nodes = treePlainly(entries);
  const leaf = nodes.findLast((node) => leafId === undefined || node.id === leafId);
  if (leaf === undefined && leafId !== undefined) throw new Error(`Entry "${leafId}" not found`);
  const path = leaf === undefined ? [] : pathPlainly(leaf);
  const selection = select(path);
  const edits = lastEdits(selection);

  const messages: JsonObject[] = [];
  const entryIds: string[] = [];
  for (const node of selection) {
    const edit = edits.get(node.id);
    if (edit === null) continue;
    for (const message of messagesOf(node.entry)) {
      messages.push(fillContent(edit === undefined ? message : replaceContent(node.entry, message, edit.content)));
      entryIds.push(node.id);
    }
  }
  return { messages, entryIds, thinkingLevel: lastThinkingLevel(path), model: lastModel(path) };
}

function lastThinkingLevel(path: PlainNode[]): string {
  const last = path.findLast(
    ({ entry }) => entry.type === "thinking_level_change" && typeof entry.thinkingLevel === "string",
  );
  return last === undefined ? "off" : (last.entry.thinkingLevel as string);
}

function lastModel(path: PlainNode[]): PlainContext["model"] {
  for (const { entry } of path.toReversed()) {
    const message =
      isObject(entry.message) && entry.type === "message" && entry.message.role === "assistant" ? entry.message : {};
    const [provider, modelId] =
      entry.type === "model_change" ? [entry.provider, entry.modelId] : [message.provider, message.model];
    if (typeof provider === "string" && typeof modelId === "string") return { provider, modelId };
  }
  return null;
}

/** The entries that give messages: all of the path, or the compaction that counts, what it keeps, and what follows it. */
function select(path: PlainNode[]): PlainNode[] {
  const at = path.findLastIndex(({ entry }) => entry.type === "compaction");
  const compaction = path[at];
  if (compaction === undefined) return path;
  let kept: PlainNode[] = [];
  if (!Array.isArray(compaction.entry.retainedTail)) {
    const first = path.slice(0, at).findIndex((node) => node.id === compaction.entry.firstKeptEntryId);
    if (first !== -1) kept = path.slice(first, at);
  }
  return [
    compaction,
    ...kept.filter((node) => !isSystem(node.entry) && node.entry.type !== "compaction"),
    ...path.slice(at + 1),
  ];
}

const isSystem = (entry: JsonObject): boolean =>
  entry.type === "message" && isObject(entry.message) && entry.message.role === "system";

/** By target, the last edit that says something. */
function lastEdits(selection: PlainNode[]): Map<unknown, null | { content: unknown }> {
  const edits = new Map<unknown, null | { content: unknown }>();
  for (const { entry } of selection) {
    const { type, targetId, replacement } = entry;
    if (type !== "context_edit") continue;
    if (replacement === null) edits.set(targetId, null);
    else if (isObject(replacement) && Object.hasOwn(replacement, "content"))
      edits.set(targetId, { content: replacement.content });
  }
  return edits;
}

/** The messages of an entry; where a time is invalid, `timestamp` is null. */
function messagesOf(entry: JsonObject): JsonObject[] {
  const timestamp = timePlainly(entry.timestamp);
  switch (entry.type) {
    case "message":
      return isObject(entry.message) ? [entry.message] : [];
    case "compaction": {
      const { systemMessage, summary, tokensBefore, retainedTail } = entry;
      return [
        ...(isObject(systemMessage) ? [systemMessage] : []),
        ...(typeof summary === "string" ? [{ role: "compactionSummary", summary, tokensBefore, timestamp }] : []),
        ...(Array.isArray(retainedTail) ? retainedTail.filter(isObject) : []),
      ];
    }
    case "branch_summary": {
      const { summary, fromId } = entry;
      return typeof summary === "string" && summary !== ""
        ? [{ role: "branchSummary", summary, fromId, timestamp }]
        : [];
    }
    case "custom_message": {
      const { customType, content, display, details } = entry;
      return [{ role: "custom", customType, content, display, details, timestamp }];
    }
    default:
      return [];
  }
}

/** Only messages that an entry holds or is can be given other content; those that a compaction brings along can't. */
function replaceContent(entry: JsonObject, message: JsonObject, content: unknown): JsonObject {
  const { role } = message;
  if (entry.type === "compaction") return message;
  if (role === "user" || role === "custom") return { ...message, content };
  if (role !== "assistant" && role !== "toolResult") return message;
  return { ...message, content: typeof content === "string" ? [{ type: "text", text: content }] : content };
}

function fillContent(message: JsonObject): JsonObject {
  if (message.content !== null && message.content !== undefined) return message;
  switch (message.role) {
    case "user":
    case "assistant":
    case "toolResult":
      return { ...message, content: [] };
    case "system":
      return { ...message, content: "" };
    default:
      return message;
  }
}

/** What a message says in one word of a test: its summary, its string, or the text of its first text block; else null. */
export function firstText(message: JsonObject): string | null {
  if (typeof message.summary === "string") return message.summary;
  if (typeof message.content === "string") return message.content;
  if (!Array.isArray(message.content)) return null;
  const block: unknown = message.content.find((block: unknown) => isObject(block) && block.type === "text");
  return isObject(block) && typeof block.text === "string" ? block.text : null;
}
