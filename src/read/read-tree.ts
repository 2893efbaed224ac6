import { contentText, isToolCallBlock } from "../format/block.js";
import { entryId, isMessageEntry, type SessionEntry } from "../format/entry.js";
import type { JsonObject } from "../format/json.js";
import type { SessionIndex } from "../tree/session-index.js";
import { indexSession } from "./index-session.js";
import { STORE_MAX_LINE_BYTES } from "./limits.js";
import { readSession } from "./read-session.js";

/** One entry of a tree, for a drawing of it. */
export interface TreeNode {
  id: string;
  /** null for a root. */
  parentId: string | null;
  childIds: string[];
  type: string;
  /** As written; absent when it is no string. */
  timestamp?: string;
  role?: string;
  /** The first 100 characters of what the entry says, on one line. */
  preview?: string;
  label?: string;
}

const PREVIEW_CODE_POINTS = 100;

/** A session's tree: the index, and the nodes in file order, which are read while they are iterated. */
export interface SessionTree {
  index: SessionIndex;
  nodes: AsyncIterable<TreeNode>;
}

/**
 * Reads the tree of a session: one pass to index it, and a second one, while the nodes are iterated, for their previews. Entries without an id are
 * left out; of entries with one id, each is a node. Memory: the index and one batch of entries.
 *
 * @throws SessionFormatError for a file that is no session, and the system's error for one that can't be read.
 */
export async function readTree(path: string, options: { signal?: AbortSignal } = {}): Promise<SessionTree> {
  const index = await indexSession(path, options);
  return { index, nodes: readNodes(path, index, options) };
}

async function* readNodes(
  path: string,
  index: SessionIndex,
  options: { signal?: AbortSignal },
): AsyncGenerator<TreeNode, void, void> {
  let number = 0;
  for await (const { entry } of readSession(path, {
    ...options,
    maxLineBytes: STORE_MAX_LINE_BYTES,
    onProblem: () => {},
  })) {
    if (entryId(entry) === undefined) continue;
    if (number === index.size) return; // The file has grown since it was indexed.
    yield makeNode(entry, index, number++);
  }
}

function makeNode(entry: SessionEntry, index: SessionIndex, number: number): TreeNode {
  const { id, parentId, type, role } = index.entryAt(number);
  const timestamp: unknown = entry.timestamp;
  const preview = previewOf(entry);
  const label = index.label(id);
  return {
    id,
    parentId,
    childIds: index.childNumbers(number).map((child) => index.entryAt(child).id),
    type,
    ...(typeof timestamp === "string" && { timestamp }),
    ...(role !== undefined && { role }),
    ...(preview !== "" && { preview }),
    ...(label !== undefined && { label }),
  };
}

/** What an entry says, cut to one short line; "" for one that says nothing. */
function previewOf(entry: SessionEntry): string {
  let line = "";
  for (const [word] of textOf(entry).matchAll(/\S+/gu)) {
    line += line === "" ? word : ` ${word}`;
    if (line.length > 2 * PREVIEW_CODE_POINTS) break; // A code point takes two units at most.
  }
  const codePoints = Array.from(line.slice(0, 2 * PREVIEW_CODE_POINTS + 2));
  return codePoints.length > PREVIEW_CODE_POINTS ? `${codePoints.slice(0, PREVIEW_CODE_POINTS).join("")}…` : line;
}

function textOf(entry: SessionEntry): string {
  const fields = (isMessageEntry(entry) ? entry.message : entry) as JsonObject;
  const text = contentText(fields.content, " ");
  if (text !== "") return text;
  for (const key of ["summary", "name", "label", "command", "modelId", "thinkingLevel"]) {
    if (typeof fields[key] === "string") return fields[key];
  }
  return toolCalls(fields.content);
}

/** The names of the tools that a message calls. */
function toolCalls(content: unknown): string {
  if (!Array.isArray(content)) return "";
  return content
    .filter(isToolCallBlock)
    .map(({ name }) => name)
    .join(", ");
}
