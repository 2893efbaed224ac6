import { contentText } from "../format/block.js";
import { isJsonObject } from "../format/json.js";
import { isSystemMessage, type Message, type SystemMessage } from "../format/message.js";

/**
 * One system message that says what all of them say, in order: their texts joined by blank lines, their sections patched by name (null takes one
 * away), and the tools that are left once all were added and removed. Undefined when there is none. `timestamp` in Unix milliseconds.
 */
export function replaySystemMessages(messages: readonly Message[], timestamp: number): SystemMessage | undefined {
  const all = messages.filter(isSystemMessage);
  if (all.length === 0) return undefined;
  const sections = new Map<string, string>();
  const tools = new Map<unknown, unknown>();
  for (const message of all) {
    patchSections(sections, message.sections);
    for (const tool of listOf(message.toolsRemoved)) tools.delete(toolName(tool));
    for (const tool of listOf(message.toolsAdded)) tools.set(toolName(tool), tool);
  }
  return {
    role: "system",
    content: all
      .map(({ content }) => contentText(content, "\n"))
      .filter((text) => text !== "")
      .join("\n\n"),
    ...(sections.size > 0 && { sections: Object.fromEntries(sections) }),
    ...(tools.size > 0 && { toolsAdded: [...tools.values()] }),
    timestamp,
  };
}

function patchSections(sections: Map<string, string>, patch: unknown): void {
  if (!isJsonObject(patch)) return;
  for (const [name, text] of Object.entries(patch)) {
    if (text === null) sections.delete(name);
    else if (typeof text === "string") sections.set(name, text);
  }
}

function listOf(tools: unknown): unknown[] {
  return Array.isArray(tools) ? tools : [];
}

function toolName(tool: unknown): unknown {
  return isJsonObject(tool) ? tool.name : undefined;
}
