import { entryId, entryParentId, isMessageEntry, isModelChangeEntry, type SessionEntry } from "../format/entry.js";
import { isJsonObject, type JsonObject } from "../format/json.js";
import { readModel, readText } from "../format/model.js";
import { parseIsoTime } from "../format/time.js";
import { entryUsage } from "../format/usage.js";
import { callTime } from "../report/session-calls.js";
import type { CellText } from "./cell-text.js";

/** A tool call of an assistant's message, as its row tells it. */
export interface ToolCallFacts {
  /** Its place in the message's content. */
  contentIndex: number;
  id: string | null;
  name: string | null;
  arguments: string | null;
}

/** A message, as its row tells it. */
export interface MessageFacts {
  /** Its own time, else the entry's, in Unix milliseconds. */
  time: number | undefined;
  text: string | null;
  thinking: string | null;
  provider: string | null;
  model: string | null;
  stopReason: string | null;
  errorMessage: string | null;
  toolName: string | null;
  isError: boolean | null;
  toolCalls: ToolCallFacts[];
}

/** An entry, as its rows tell it, its texts cut. Nothing else of the entry is kept. */
export interface EntryFacts {
  line: number;
  byteLength: number;
  id: string | undefined;
  parentId: string | null;
  type: string;
  role: string | null;
  /** The entry's time in Unix milliseconds. */
  time: number | undefined;
  /** Of an entry of the type message. */
  message: MessageFacts | undefined;
  /** What it tells of calls and models, if anything: the entry without the rest. */
  call: SessionEntry | undefined;
}

/** Reads the facts of an entry. */
export function readEntryFacts(entry: SessionEntry, line: number, byteLength: number, text: CellText): EntryFacts {
  const message = isMessageEntry(entry) ? (entry.message as JsonObject) : undefined;
  return {
    line,
    byteLength,
    id: entryId(entry),
    parentId: entryParentId(entry),
    type: entry.type,
    role: typeof message?.role === "string" ? message.role : null,
    time: parseIsoTime(entry.timestamp),
    message: entry.type === "message" ? readMessageFacts(entry, message ?? {}, text) : undefined,
    call: tellsOfCalls(entry, message) ? withoutContent(entry, message) : undefined,
  };
}

function readMessageFacts(entry: SessionEntry, message: JsonObject, text: CellText): MessageFacts {
  const { role, stopReason, errorMessage, toolName, isError } = message;
  const isAssistant = role === "assistant";
  const model = isAssistant ? readModel(message) : undefined;
  return {
    time: callTime(entry),
    text: text.message(message),
    thinking: text.thinking(message),
    provider: model?.provider ?? null,
    model: model?.model ?? null,
    stopReason: readText(stopReason),
    errorMessage: text.string(errorMessage),
    toolName: readText(toolName),
    isError: typeof isError === "boolean" ? isError : null,
    toolCalls: isAssistant ? readToolCalls(message, text) : [],
  };
}

function readToolCalls({ content }: JsonObject, text: CellText): ToolCallFacts[] {
  const calls: ToolCallFacts[] = [];
  if (!Array.isArray(content)) return calls;
  for (const [contentIndex, block] of content.entries()) {
    if (!isToolCall(block)) continue;
    const { id, name, arguments: args } = block;
    calls.push({ contentIndex, id: readText(id), name: readText(name), arguments: text.json(args) });
  }
  return calls;
}

/** Whether a block of content is a tool call, be it one without a name. */
export function isToolCall(block: unknown): block is JsonObject {
  return isJsonObject(block) && block.type === "toolCall";
}

function tellsOfCalls(entry: SessionEntry, message: JsonObject | undefined): boolean {
  return message?.role === "assistant" || isModelChangeEntry(entry) || entryUsage(entry) !== undefined;
}

function withoutContent(entry: SessionEntry, message: JsonObject | undefined): SessionEntry {
  const { type, id, parentId, timestamp } = entry;
  if (!message) {
    const { provider, modelId, model, kind, usage } = entry as JsonObject;
    return { type, id, parentId, timestamp, provider, modelId, model, kind, usage };
  }
  const { role, timestamp: time, provider, model, responseModel, responseId, toolName, usage } = message;
  const call = { role, timestamp: time, provider, model, responseModel, responseId, toolName, usage };
  return { type, id, parentId, timestamp, message: call };
}
