import { entryId, entryParentId, isMessageEntry, type SessionEntry } from "../format/entry.js";
import type { TruncatedString } from "../format/entry-record.js";
import type { SessionHeader } from "../format/header.js";
import { isJsonObject, type JsonObject } from "../format/json.js";
import { contentBlocks } from "../format/message.js";
import { parseIsoTime } from "../format/time.js";
import { entryUsage } from "../format/usage.js";
import { ModelTrail } from "../report/model-trail.js";
import { SessionSummary } from "../report/session-summary.js";
import { NO_NODE } from "../tree/forest.js";
import type { LinkTally } from "../tree/link-tally.js";
import { SessionIndex } from "../tree/session-index.js";
import { isToolCall } from "./entry-facts.js";
import { ToolResults } from "./tool-results.js";

/** Positions mean nothing to a survey. */
const nowhere = { line: 0, byteOffset: 0, byteLength: 0 };

/**
 * What the rows of a session need to know of the whole of it, gathered from its entries in file order: its tree, what a list shows of it, and which result
 * belongs to which tool call. A `LinkTally` will do for its links, as long as they are such that it is exact.
 * Memory: the links, 5 bytes more an entry (9 where models are asked for), and 45 to 70 a tool call.
 */
export class SessionSurvey {
  readonly header: SessionHeader;
  readonly links: LinkTally | SessionIndex;
  readonly summary: SessionSummary;
  readonly toolResults = new ToolResults();
  /** Which entries set a model; undefined where nobody asks. */
  readonly trail: ModelTrail | undefined;
  /** For entries with usage that are not in the tree, in turn: the number of the entry before each, -1 without one. */
  readonly parentsOutside: number[] = [];
  /** Whether an id stands twice. */
  hasDuplicates = false;
  /** Whether a parent stands behind its child. */
  hasForwardLinks = false;
  /** By number: how many entries are before it on its path. */
  depths = new Int32Array(0);
  /** By number: 1 for an entry on the path to the current leaf. */
  isOnCurrentBranch = new Uint8Array(0);

  constructor(header: SessionHeader, links: LinkTally | SessionIndex, { asksForModels = false } = {}) {
    this.header = header;
    this.links = links;
    this.summary = new SessionSummary(header);
    this.trail = asksForModels ? new ModelTrail() : undefined;
  }

  /** Whether the links could be followed so far; else the survey is of no use. */
  get isExact(): boolean {
    return this.links instanceof SessionIndex || this.links.isExact;
  }

  add(entry: SessionEntry, truncated?: readonly TruncatedString[]): void {
    const { links } = this;
    this.summary.add(entry);
    const id = entryId(entry);
    const parentId = entryParentId(entry);
    if (id === undefined && entryUsage(entry)) {
      this.parentsOutside.push(parentId === null ? NO_NODE : links.numberOf(parentId));
    }
    const isIndex = links instanceof SessionIndex;
    const number = isIndex ? links.add(entry, nowhere) : links.add(id, parentId);
    if (isIndex && number !== NO_NODE && links.isDuplicate(number)) this.hasDuplicates = true;
    this.trail?.add(entry, number);
    if (!isMessageEntry(entry)) return;
    const message = entry.message as JsonObject;
    if (message.role === "assistant") {
      const { content } = message;
      if (Array.isArray(content))
        for (const block of content) if (isToolCall(block)) this.toolResults.addCall(block.id);
    } else if (message.role === "toolResult") {
      const { toolCallId, isError } = message;
      this.toolResults.addResult(toolCallId, {
        number,
        time: parseIsoTime(entry.timestamp),
        isError: typeof isError === "boolean" ? isError : null,
        bytes: textBytes(message.content, truncated),
      });
    }
  }

  /** To be called when all entries were added. */
  finish(): void {
    const { links } = this;
    this.depths = new Int32Array(links.size).fill(-1);
    for (let number = 0; number < links.size; number++) this.#setDepth(number);
    this.isOnCurrentBranch = new Uint8Array(links.size);
    for (let number = links.size - 1; number >= 0; number = links.parentOf(number)) this.isOnCurrentBranch[number] = 1;
  }

  /** Each entry is walked over twice, however the tree is shaped. */
  #setDepth(start: number): void {
    const { depths, links } = this;
    let steps = 0;
    let end = start;
    while (end !== NO_NODE && depths[end] === -1) {
      steps++;
      const parent = links.parentOf(end);
      if (parent > end) this.hasForwardLinks = true;
      end = parent;
    }
    let depth = (end === NO_NODE ? -1 : depths[end]!) + steps;
    for (let number = start; number !== end; number = links.parentOf(number)) depths[number] = depth--;
  }
}

/** The UTF-8 bytes of the text in a message's content, where strings were cut those of the whole. */
function textBytes(content: unknown, truncated: readonly TruncatedString[] = []): number {
  const cut = new Map(truncated.map(({ path, bytes }) => [path, bytes]));
  let sum = cut.get("message.content") ?? (typeof content === "string" ? Buffer.byteLength(content) : 0);
  if (typeof content === "string") return sum;
  for (const [at, block] of contentBlocks(content).entries()) {
    if (!isJsonObject(block) || block.type !== "text" || typeof block.text !== "string") continue;
    sum += cut.get(`message.content[${at}].text`) ?? Buffer.byteLength(block.text);
  }
  return sum;
}
