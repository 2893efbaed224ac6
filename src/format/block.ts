import { isJsonObject } from "./json.js";

export interface TextBlock {
  type: "text";
  text: string;
  textSignature?: string;
}

export interface ThinkingBlock {
  type: "thinking";
  thinking: string;
  thinkingSignature?: string;
  redacted?: boolean;
}

export interface ToolCallBlock {
  type: "toolCall";
  id: string;
  name: string;
  arguments: unknown;
  thoughtSignature?: string;
  namespace?: string;
}

export interface ImageBlock {
  type: "image";
  /** The picture, base64. */
  data: string;
  mimeType: string;
}

/** A block of a type that this library does not know; it is kept as it is. */
export interface UnknownBlock {
  type?: unknown;
  [key: string]: unknown;
}

export type ContentBlock = TextBlock | ThinkingBlock | ToolCallBlock | ImageBlock | UnknownBlock;

/** What a message says: plain text or blocks; old files also hold null, or nothing at all. */
export type MessageContent = string | ContentBlock[];

export function isTextBlock(block: unknown): block is TextBlock {
  return isJsonObject(block) && block.type === "text" && typeof block.text === "string";
}

export function isThinkingBlock(block: unknown): block is ThinkingBlock {
  return isJsonObject(block) && block.type === "thinking" && typeof block.thinking === "string";
}

export function isToolCallBlock(block: unknown): block is ToolCallBlock {
  return isJsonObject(block) && block.type === "toolCall" && typeof block.name === "string";
}

export function isImageBlock(block: unknown): block is ImageBlock {
  return isJsonObject(block) && block.type === "image" && typeof block.data === "string";
}

/** The text of a message's content: the string itself, or its text blocks joined by `separator`; "" without any. */
export function contentText(content: unknown, separator: string): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter(isTextBlock)
    .map((block) => block.text)
    .join(separator);
}
