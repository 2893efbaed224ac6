import type { MessageContent } from "../format/block.js";
import {
  type BranchSummaryEntry,
  type CompactionEntry,
  type CustomMessageEntry,
  isBranchSummaryEntry,
  isCompactionEntry,
  isCustomMessageEntry,
  isMessageEntry,
  type SessionEntry,
} from "../format/entry.js";
import { isJsonObject, type JsonObject } from "../format/json.js";
import type { Message } from "../format/message.js";
import { parseIsoTime } from "../format/time.js";

/**
 * The messages that one entry of the selection gives to the context, before any edit; none for entries that only hold state.
 * A message is the entry's own object where nothing had to be filled in. Made messages have the entry's time, and no `timestamp` when that is invalid.
 */
export function entryMessages(entry: SessionEntry): Message[] {
  if (isMessageEntry(entry)) return [fillContent(entry.message)];
  if (isCompactionEntry(entry)) return compactionMessages(entry);
  if (isBranchSummaryEntry(entry)) return branchSummaryMessages(entry);
  return isCustomMessageEntry(entry) ? [customMessage(entry)] : [];
}

/** A message with other content. Only user, assistant, tool-result and custom messages take it; any other comes back as it is. */
export function replaceContent(message: Message, content: unknown): Message {
  switch (message.role) {
    case "user":
    case "custom":
      return fillContent({ ...message, content });
    case "assistant":
    case "toolResult":
      return fillContent({
        ...message,
        content: typeof content === "string" ? [{ type: "text", text: content }] : content,
      });
    default:
      return message;
  }
}

/** Old files hold messages whose content is null or missing; whoever reads a context gets empty content instead. */
function fillContent(message: Message): Message {
  const { role, content } = message as JsonObject;
  if (content !== null && content !== undefined) return message;
  switch (role) {
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

function compactionMessages(entry: CompactionEntry): Message[] {
  const messages: Message[] = [];
  const systemMessage: unknown = entry.systemMessage;
  if (isJsonObject(systemMessage)) messages.push(fillContent(systemMessage));
  const summary: unknown = entry.summary;
  if (typeof summary === "string") {
    messages.push({ role: "compactionSummary", summary, tokensBefore: entry.tokensBefore, ...timeOf(entry) });
  }
  return messages.concat(retainedMessages(entry));
}

function retainedMessages({ retainedTail }: CompactionEntry): Message[] {
  return Array.isArray(retainedTail) ? retainedTail.filter(isJsonObject).map(fillContent) : [];
}

function branchSummaryMessages(entry: BranchSummaryEntry): Message[] {
  const summary: unknown = entry.summary;
  if (typeof summary !== "string" || summary === "") return [];
  return [{ role: "branchSummary", summary, fromId: entry.fromId, ...timeOf(entry) }];
}

function customMessage(entry: CustomMessageEntry): Message {
  const { customType, display, details } = entry;
  const content: MessageContent = entry.content ?? [];
  return { role: "custom", customType, content, display, details, ...timeOf(entry) };
}

function timeOf(entry: SessionEntry): { timestamp?: number } {
  const timestamp = parseIsoTime(entry.timestamp);
  return timestamp === undefined ? {} : { timestamp };
}
