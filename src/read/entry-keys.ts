import { COST_KEYS, ENTRY_KEYS, LINK_KEYS, MESSAGE_KEYS, PLAIN_TYPES, USAGE_KEYS } from "./kernel/layout.js";

/** The members of an entry, or a header, that are no payload: first those that a tree is made of; then what tells of calls; then the rest. */
export const entryKeys = checkCount(ENTRY_KEYS, [
  "type",
  "id",
  "parentId",
  "timestamp",
  "message",
  "targetId",
  "label",
  "name",
  "firstKeptEntryId",
  "firstKeptEntryIndex",
  "version",
  "cwd",
  "parentSession",
  "branchedFrom",
  "provider",
  "modelId",
  "model",
  "thinkingLevel",
  "kind",
  "usage",
  "customType",
  "fromId",
]);
export const LINK_COUNT = LINK_KEYS;
export const CALL_COUNT = 20;

/** The members of a message that are no payload: first the one that a tree shows; then what tells of calls; last the content, which is payload. */
export const messageKeys = checkCount(MESSAGE_KEYS, [
  "role",
  "timestamp",
  "provider",
  "model",
  "responseModel",
  "responseId",
  "usage",
  "toolName",
  "toolCallId",
  "customType",
  "content",
]);

/** The members of usage that count, and of the cost in it. */
export const usageKeys = checkCount(USAGE_KEYS, ["input", "output", "cacheRead", "cacheWrite", "totalTokens", "cost"]);
export const costKeys = checkCount(COST_KEYS, ["input", "output", "cacheRead", "cacheWrite", "total"]);

/** The types of entries that tell of calls nothing beyond their usage, and of model changes. */
export const plainTypes = checkCount(PLAIN_TYPES, [
  "message",
  "model_change",
  "thinking_level_change",
  "label",
  "custom",
  "custom_message",
  "context_edit",
  "active_tools_change",
  "compaction",
  "branch_summary",
]);

/** The kernel knows the keys by their places. */
function checkCount(count: number, keys: string[]): readonly string[] {
  if (keys.length !== count) throw new Error(`Cannot lay out ${keys.length} keys: the kernel has ${count}`);
  return keys;
}
