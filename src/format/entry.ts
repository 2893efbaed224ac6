import type { MessageContent } from "./block.js";
import { isJsonObject, type JsonObject } from "./json.js";
import type { Message, SystemMessage } from "./message.js";
import type { StoredUsage } from "./usage.js";

/** What every entry carries once it is read as version 3. `id` is absent only in entries that break that rule. */
export interface EntryBase {
  id: string;
  /** The entry before this one on its branch; null for a root. */
  parentId: string | null;
  /** ISO 8601. */
  timestamp: string;
}

export interface MessageEntry extends EntryBase {
  type: "message";
  message: Message;
}

export interface ModelChangeEntry extends EntryBase {
  type: "model_change";
  provider: string;
  modelId: string;
}

export interface ThinkingLevelChangeEntry extends EntryBase {
  type: "thinking_level_change";
  thinkingLevel: string;
}

/** Stands for everything before it on its branch but what it keeps: from `firstKeptEntryId` on, or its own `retainedTail`. */
export interface CompactionEntry extends EntryBase {
  type: "compaction";
  summary: string;
  firstKeptEntryId?: string;
  /** Version 1: the number of the line that is kept first, the header being 0. */
  firstKeptEntryIndex?: number;
  retainedTail?: Message[];
  tokensBefore: number;
  details?: unknown;
  usage?: StoredUsage;
  fromHook?: boolean;
  systemMessage?: SystemMessage;
}

export interface BranchSummaryEntry extends EntryBase {
  type: "branch_summary";
  /** The leaf that was left; `"root"` when there was none. */
  fromId: string;
  summary: string;
  details?: unknown;
  usage?: StoredUsage;
  fromHook?: boolean;
}

/** Data of an extension; never sent to a model. */
export interface CustomEntry extends EntryBase {
  type: "custom";
  customType: string;
  data?: unknown;
}

/** A message of an extension, sent to the model. */
export interface CustomMessageEntry extends EntryBase {
  type: "custom_message";
  customType: string;
  content: MessageContent;
  display: boolean;
  details?: unknown;
}

/** Names another entry; an absent or empty label clears the name. */
export interface LabelEntry extends EntryBase {
  type: "label";
  targetId: string;
  label?: string;
}

/** Names the session; an empty name clears it. */
export interface SessionInfoEntry extends EntryBase {
  type: "session_info";
  name?: string;
}

/** Model work that belongs to no message, such as warming a cache. */
export interface UsageEntry extends EntryBase {
  type: "usage";
  kind: string;
  provider: string;
  model: string;
  usage: StoredUsage;
  note?: string;
}

/** Changes what another entry gives to the context; null drops its message. */
export interface ContextEditEntry extends EntryBase {
  type: "context_edit";
  targetId: string;
  replacement: null | { content: MessageContent };
}

export interface ActiveToolsChangeEntry extends EntryBase {
  type: "active_tools_change";
  activeToolNames: string[];
}

export type KnownEntry =
  | MessageEntry
  | ModelChangeEntry
  | ThinkingLevelChangeEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | LabelEntry
  | SessionInfoEntry
  | UsageEntry
  | ContextEditEntry
  | ActiveToolsChangeEntry;

/** An entry of a type that this library does not know, or without the field that makes it one: it is kept, and still links the tree. */
export interface UnknownEntry extends EntryBase {
  type: string;
  [key: string]: unknown;
}

/** Any entry of a session. Narrow it with the guards of this file, or with `isKnownEntry` before a `switch`. */
export type SessionEntry = KnownEntry | UnknownEntry;

/** Whether a parsed line is an entry at all: an object with a string `type`. Anything else on a line is damage. */
export function isEntry(value: unknown): value is SessionEntry {
  return isJsonObject(value) && typeof value.type === "string";
}

/** The id of an entry; undefined when it has none that is a non-empty string. Such an entry is no parent and no leaf. */
export function entryId(entry: SessionEntry): string | undefined {
  const id: unknown = entry.id;
  return typeof id === "string" && id !== "" ? id : undefined;
}

/** The parent that an entry names; null for a root, and for what is no non-empty string. */
export function entryParentId(entry: SessionEntry): string | null {
  const parentId: unknown = entry.parentId;
  return typeof parentId === "string" && parentId !== "" ? parentId : null;
}

export function isMessageEntry(entry: SessionEntry): entry is MessageEntry {
  return entry.type === "message" && isJsonObject((entry as JsonObject).message);
}

export function isModelChangeEntry(entry: SessionEntry): entry is ModelChangeEntry {
  return entry.type === "model_change" && typeof entry.provider === "string" && typeof entry.modelId === "string";
}

export function isThinkingLevelChangeEntry(entry: SessionEntry): entry is ThinkingLevelChangeEntry {
  return entry.type === "thinking_level_change" && typeof entry.thinkingLevel === "string";
}

export function isCompactionEntry(entry: SessionEntry): entry is CompactionEntry {
  return entry.type === "compaction";
}

export function isBranchSummaryEntry(entry: SessionEntry): entry is BranchSummaryEntry {
  return entry.type === "branch_summary";
}

export function isCustomEntry(entry: SessionEntry): entry is CustomEntry {
  return entry.type === "custom";
}

export function isCustomMessageEntry(entry: SessionEntry): entry is CustomMessageEntry {
  return entry.type === "custom_message";
}

export function isLabelEntry(entry: SessionEntry): entry is LabelEntry {
  return entry.type === "label" && typeof entry.targetId === "string";
}

export function isSessionInfoEntry(entry: SessionEntry): entry is SessionInfoEntry {
  return entry.type === "session_info";
}

export function isUsageEntry(entry: SessionEntry): entry is UsageEntry {
  return entry.type === "usage";
}

export function isContextEditEntry(entry: SessionEntry): entry is ContextEditEntry {
  return entry.type === "context_edit" && typeof entry.targetId === "string";
}

export function isActiveToolsChangeEntry(entry: SessionEntry): entry is ActiveToolsChangeEntry {
  return entry.type === "active_tools_change";
}

const knownGuards = [
  isMessageEntry,
  isModelChangeEntry,
  isThinkingLevelChangeEntry,
  isCompactionEntry,
  isBranchSummaryEntry,
  isCustomEntry,
  isCustomMessageEntry,
  isLabelEntry,
  isSessionInfoEntry,
  isUsageEntry,
  isContextEditEntry,
  isActiveToolsChangeEntry,
];

/** Whether one of the guards above recognises the entry; a `switch` over `entry.type` is exhaustive behind it. */
export function isKnownEntry(entry: SessionEntry): entry is KnownEntry {
  return knownGuards.some((guard) => guard(entry));
}
