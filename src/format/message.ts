import type { ContentBlock, MessageContent } from "./block.js";
import { isJsonObject } from "./json.js";
import type { StoredUsage } from "./usage.js";

/** Unix milliseconds on every message; absent or broken in old and damaged files. */
interface BaseMessage {
  timestamp?: number;
}

export interface UserMessage extends BaseMessage {
  role: "user";
  content: MessageContent;
}

export interface SystemMessage extends BaseMessage {
  role: "system";
  content: MessageContent;
  /** Named parts of the system prompt; null takes a part away. */
  sections?: Record<string, string | null>;
  toolsAdded?: unknown[];
  toolsRemoved?: unknown[];
}

export interface AssistantMessage extends BaseMessage {
  role: "assistant";
  content: MessageContent;
  api?: string;
  provider?: string;
  model?: string;
  /** The model that answered, where it is not the one asked for. */
  responseModel?: string;
  responseId?: string;
  thinkingLevel?: string;
  usage?: StoredUsage;
  stopReason?: string;
  errorMessage?: string;
  diagnostics?: unknown;
}

export interface ToolResultMessage extends BaseMessage {
  role: "toolResult";
  toolCallId: string;
  toolName: string;
  content: MessageContent;
  details?: unknown;
  /** Model work done inside the tool. */
  usage?: StoredUsage;
  nestedCalls?: unknown;
  isError: boolean;
}

export interface BashExecutionMessage extends BaseMessage {
  role: "bashExecution";
  command: string;
  output: string;
  exitCode?: number;
  cancelled: boolean;
  truncated: boolean;
  fullOutputPath?: string;
  excludeFromContext?: boolean;
}

/** A message of an extension. Before version 3 its role was `hookMessage`. */
export interface CustomMessage extends BaseMessage {
  role: "custom";
  customType: string;
  content: MessageContent;
  display: boolean;
  details?: unknown;
}

/** Made from a `branch_summary` entry while a context is built; never stored as a message. */
export interface BranchSummaryMessage extends BaseMessage {
  role: "branchSummary";
  summary: string;
  fromId: string;
}

/** Made from a `compaction` entry while a context is built; never stored as a message. */
export interface CompactionSummaryMessage extends BaseMessage {
  role: "compactionSummary";
  summary: string;
  tokensBefore: number;
}

/** A message of a role that this library does not know; it is kept as it is. */
export interface UnknownMessage {
  role?: unknown;
  content?: unknown;
  timestamp?: unknown;
  [key: string]: unknown;
}

export type KnownMessage =
  | UserMessage
  | SystemMessage
  | AssistantMessage
  | ToolResultMessage
  | BashExecutionMessage
  | CustomMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage;

/** A stored message, or one made while a context is built. Narrow it with the guards of this file. */
export type Message = KnownMessage | UnknownMessage;

function hasRole(message: unknown, role: string): boolean {
  return isJsonObject(message) && message.role === role;
}

export function isUserMessage(message: unknown): message is UserMessage {
  return hasRole(message, "user");
}

export function isSystemMessage(message: unknown): message is SystemMessage {
  return hasRole(message, "system");
}

export function isAssistantMessage(message: unknown): message is AssistantMessage {
  return hasRole(message, "assistant");
}

export function isToolResultMessage(message: unknown): message is ToolResultMessage {
  return hasRole(message, "toolResult");
}

export function isBashExecutionMessage(message: unknown): message is BashExecutionMessage {
  return hasRole(message, "bashExecution");
}

export function isCustomMessage(message: unknown): message is CustomMessage {
  return hasRole(message, "custom");
}

export function isBranchSummaryMessage(message: unknown): message is BranchSummaryMessage {
  return hasRole(message, "branchSummary");
}

export function isCompactionSummaryMessage(message: unknown): message is CompactionSummaryMessage {
  return hasRole(message, "compactionSummary");
}

/** The blocks of a message's content: an array as it is, a string as one text block, anything else as none. */
export function contentBlocks(content: unknown): ContentBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}
