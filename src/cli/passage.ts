import { isImageBlock, isTextBlock, isThinkingBlock, isToolCallBlock } from "../format/block.js";
import { isMessageEntry, type SessionEntry } from "../format/entry.js";
import { isJsonObject, type JsonObject } from "../format/json.js";
import { contentBlocks } from "../format/message.js";
import { formatBytes, formatCount } from "./format-number.js";
import { jsonPieces } from "./write-json.js";

/** A piece of a passage. `code` is of a tool or a shell, under its name; a `note` is a word of ours. */
export type PassagePart =
  | { kind: "text" | "thinking" | "note"; text: string }
  | { kind: "code"; title: string; text: string };

/** What one entry says in a conversation. Nothing in it is made harmless yet. */
export interface Passage {
  /** Who speaks, or what happened. */
  heading: string;
  /** None for what the heading alone tells. */
  parts: PassagePart[];
}

export interface PassageOptions {
  /** Include what tools are called with, and what they give back. */
  tools: boolean;
  thinking: boolean;
}

/** How an entry reads in a conversation; undefined when it says nothing there. */
export function passageOf(entry: SessionEntry, options: PassageOptions): Passage | undefined {
  if (isMessageEntry(entry)) return messagePassage(entry.message as JsonObject, options);
  const { type, summary, content, customType, display, provider, modelId, thinkingLevel, label, name } =
    entry as JsonObject;
  switch (type) {
    case "compaction":
      return { heading: "compaction", parts: textParts(summary) };
    case "branch_summary":
      return { heading: "summary of a branch", parts: textParts(summary) };
    case "custom_message":
      return display === false ? undefined : spoken(titled("custom", customType), contentParts(content, options));
    case "model_change":
      return { heading: titled("model", `${provider}/${modelId}`), parts: [] };
    case "thinking_level_change":
      return { heading: titled("thinking", thinkingLevel), parts: [] };
    case "label":
      return typeof label === "string" && label !== "" ? { heading: titled("label", label), parts: [] } : undefined;
    case "session_info":
      return typeof name === "string" && name !== "" ? { heading: titled("name", name), parts: [] } : undefined;
    default:
      return undefined;
  }
}

function messagePassage(message: JsonObject, options: PassageOptions): Passage | undefined {
  const { role, content } = message;
  switch (role) {
    case "assistant":
      return spoken(titled("assistant", message.model), [...contentParts(content, options), ...failureParts(message)]);
    case "toolResult":
      return options.tools
        ? {
            heading: titled(message.isError === true ? "failed tool" : "tool", message.toolName),
            parts: resultParts(content),
          }
        : undefined;
    case "bashExecution":
      return spoken("user", bashParts(message, options));
    case "system":
      return spoken("system", systemParts(content));
    case "custom":
      return message.display === false
        ? undefined
        : spoken(titled("custom", message.customType), contentParts(content, options));
    default:
      return spoken(typeof role === "string" ? role : "message", contentParts(content, options));
  }
}

function titled(what: string, detail: unknown): string {
  return typeof detail === "string" && detail !== "" ? `${what} · ${detail}` : what;
}

/** A passage that is one only if something is said. */
function spoken(heading: string, parts: PassagePart[]): Passage | undefined {
  return parts.length > 0 ? { heading, parts } : undefined;
}

function textParts(text: unknown): PassagePart[] {
  return typeof text === "string" && text.trim() !== "" ? [{ kind: "text", text }] : [];
}

function contentParts(content: unknown, { tools, thinking }: PassageOptions): PassagePart[] {
  const parts: PassagePart[] = [];
  for (const block of contentBlocks(content)) {
    if (isTextBlock(block)) parts.push(...textParts(block.text));
    else if (isThinkingBlock(block)) {
      if (thinking && block.thinking !== "") parts.push({ kind: "thinking", text: block.thinking });
    } else if (isToolCallBlock(block)) {
      if (tools) parts.push({ kind: "code", title: block.name, text: argumentText(block.arguments) });
    } else if (isImageBlock(block)) parts.push(imageNote(block.data, block.mimeType));
  }
  return parts;
}

function resultParts(content: unknown): PassagePart[] {
  const parts = contentParts(content, { tools: true, thinking: true });
  return parts.map((part) => (part.kind === "text" ? { kind: "code", title: "", text: part.text } : part));
}

/** A system prompt is long and no one's words: its length will do. */
function systemParts(content: unknown): PassagePart[] {
  let length = 0;
  for (const block of contentBlocks(content)) if (isTextBlock(block)) length += block.text.length;
  return length > 0 ? [{ kind: "note", text: `${formatCount(length)} characters` }] : [];
}

function bashParts({ command, output }: JsonObject, { tools }: PassageOptions): PassagePart[] {
  if (typeof command !== "string") return [];
  const text = tools && typeof output === "string" ? `$ ${command}\n${output}` : `$ ${command}`;
  return [{ kind: "code", title: "", text }];
}

function failureParts({ stopReason, errorMessage }: JsonObject): PassagePart[] {
  if (stopReason !== "error" && stopReason !== "aborted") return [];
  const why = typeof errorMessage === "string" && errorMessage !== "" ? `: ${errorMessage}` : "";
  return [{ kind: "note", text: `${stopReason}${why}` }];
}

function imageNote(data: string, mimeType: unknown): PassagePart {
  // Base64: four characters for three bytes.
  const size = formatBytes(Math.floor((data.length * 3) / 4));
  return { kind: "note", text: typeof mimeType === "string" ? `${mimeType}, ${size}` : `image, ${size}` };
}

/** The arguments of a call, a line or more each: strings as they are, all else as JSON. */
function argumentText(value: unknown): string {
  if (!isJsonObject(value)) return value === undefined ? "" : plainText(value);
  return Object.entries(value)
    .map(([name, argument]) => `${name}: ${plainText(argument)}`)
    .join("\n");
}

function plainText(value: unknown): string {
  return typeof value === "string" ? value : [...jsonPieces(value)].join("");
}
