import {
  isContextEditEntry,
  isMessageEntry,
  isModelChangeEntry,
  isThinkingLevelChangeEntry,
  type SessionEntry,
} from "../format/entry.js";
import { isJsonObject, type JsonObject } from "../format/json.js";
import type { Message } from "../format/message.js";
import { entryMessages, replaceContent } from "./entry-messages.js";

/** What the selection has to know of an entry without reading it. */
export interface PathNode {
  id: string;
  type: string;
  /** The role of a message entry, when it is a string. */
  role?: string | undefined;
}

export interface ContextSettings {
  /** `"off"` where the path never sets it. */
  thinkingLevel: string;
  /** null where the path neither names a model nor has an answer of one. */
  model: { provider: string; modelId: string } | null;
}

/** What the model would be sent. */
export interface SessionContext extends ContextSettings {
  messages: Message[];
}

export interface SelectedContext extends SessionContext {
  /** `entryIds[i]` is the entry that gave `messages[i]`. */
  entryIds: string[];
}

/** A selected entry, and what it gives to the context; no messages for entries that only hold state, and for those edited away. */
export interface ProjectedNode<N extends PathNode> {
  node: N;
  messages: Message[];
}

type ReadEntry<N> = (node: N) => SessionEntry;

/**
 * The context at the end of a path (root first). `read` gives the entry of a node, as version 3; it is called once at most for each, and only for
 * the entries that give messages, the edits among them, the compaction that counts, and as many as it takes from the leaf back to find level and model.
 * Memory: the entries read. They are not changed; messages that need no change are their own objects.
 */
export function selectContext<N extends PathNode>(path: readonly N[], read: ReadEntry<N>): SelectedContext {
  const readOnce = rememberReads(read);
  const messages: Message[] = [];
  const entryIds: string[] = [];
  for (const projected of projectNodes(selectNodes(path, readOnce), readOnce)) {
    for (const message of projected.messages) {
      messages.push(message);
      entryIds.push(projected.node.id);
    }
  }
  return { messages, ...findSettings(path, readOnce), entryIds };
}

/**
 * The part of a path that the context is made of, state entries included. That is the whole path, or from the last compaction on it: the compaction
 * first, then what it keeps of the entries before it, then those after it. Reads the compaction at most.
 */
export function selectNodes<N extends PathNode>(path: readonly N[], read: ReadEntry<N>): N[] {
  const place = path.findLastIndex((node) => node.type === "compaction");
  if (place === -1) return path.slice();
  const compaction = path[place]!;
  const start = findFirstKept(path, place, read(compaction));
  // The compaction's own system message stands for those before it.
  const kept = path.slice(start, place).filter((node) => node.role !== "system");
  return [compaction, ...kept, ...path.slice(place + 1)];
}

/** The place on the path of the first entry that a compaction keeps; the compaction's own place when it keeps none. */
function findFirstKept<N extends PathNode>(path: readonly N[], place: number, compaction: SessionEntry): number {
  const { firstKeptEntryId, retainedTail } = compaction as JsonObject;
  if (Array.isArray(retainedTail) || firstKeptEntryId === path[place]!.id) return place;
  const start = path.findIndex((node) => node.id === firstKeptEntryId);
  return start === -1 ? place : Math.min(start, place);
}

/** What each node of a selection gives to the context, in order. Reads the edits among them, then the entries that give messages. */
export function projectNodes<N extends PathNode>(selection: readonly N[], read: ReadEntry<N>): ProjectedNode<N>[] {
  const edits = collectEdits(selection, read);
  return selection.map((node, place) => {
    const edit = edits.get(node.id);
    // An older compaction within the kept range adds nothing: only the one that the selection begins with does.
    const isSpent = node.type === "compaction" && place > 0;
    if (edit === null || isSpent || !messageTypes.has(node.type)) return { node, messages: [] };
    const messages = entryMessages(read(node));
    if (edit === undefined || !editableTypes.has(node.type)) return { node, messages };
    return { node, messages: messages.map((message) => replaceContent(message, edit.content)) };
  });
}

const messageTypes = new Set(["message", "custom_message", "compaction", "branch_summary"]);
const editableTypes = new Set(["message", "custom_message"]);

/** By target, the last edit: null to drop what the target gives, or the content that it gets. */
function collectEdits<N extends PathNode>(selection: readonly N[], read: ReadEntry<N>): Map<string, JsonObject | null> {
  const edits = new Map<string, JsonObject | null>();
  for (const node of selection) {
    if (node.type !== "context_edit") continue;
    const entry = read(node);
    if (!isContextEditEntry(entry)) continue;
    const replacement: unknown = entry.replacement;
    const isContent = isJsonObject(replacement) && Object.hasOwn(replacement, "content");
    if (replacement === null || isContent) edits.set(entry.targetId, replacement);
  }
  return edits;
}

/** The thinking level and the model that hold at the end of a path. What was compacted or edited away counts as well. */
export function findSettings<N extends PathNode>(path: readonly N[], read: ReadEntry<N>): ContextSettings {
  const thinkingLevel = findFromLeaf(path, setsLevel, (node) => levelOf(read(node)));
  const model = findFromLeaf(path, tellsModel, (node) => modelOf(read(node)));
  return { thinkingLevel: thinkingLevel ?? "off", model: model ?? null };
}

/** What the last node that has an answer says; only nodes that may have one are asked. */
function findFromLeaf<N extends PathNode, T>(
  path: readonly N[],
  mayAnswer: (node: N) => boolean,
  ask: (node: N) => T | undefined,
): T | undefined {
  for (let place = path.length - 1; place >= 0; place--) {
    const node = path[place]!;
    const answer = mayAnswer(node) ? ask(node) : undefined;
    if (answer !== undefined) return answer;
  }
  return undefined;
}

function setsLevel(node: PathNode): boolean {
  return node.type === "thinking_level_change";
}

function tellsModel(node: PathNode): boolean {
  return node.type === "model_change" || (node.type === "message" && node.role === "assistant");
}

function levelOf(entry: SessionEntry): string | undefined {
  return isThinkingLevelChangeEntry(entry) ? entry.thinkingLevel : undefined;
}

function modelOf(entry: SessionEntry): { provider: string; modelId: string } | undefined {
  if (isModelChangeEntry(entry)) return { provider: entry.provider, modelId: entry.modelId };
  if (!isMessageEntry(entry)) return undefined;
  const { provider, model } = entry.message as JsonObject;
  return typeof provider === "string" && typeof model === "string" ? { provider, modelId: model } : undefined;
}

/** Reads each node once at most. Memory: all that was read. */
export function rememberReads<N extends PathNode>(read: ReadEntry<N>): ReadEntry<N> {
  const known = new Map<N, SessionEntry>();
  return (node) => {
    const entry = known.get(node) ?? read(node);
    known.set(node, entry);
    return entry;
  };
}
