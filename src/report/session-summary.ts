import type { BareEntry } from "../format/bare-entry.js";
import { contentText } from "../format/block.js";
import { isMessageEntry, isSessionInfoEntry, type SessionEntry } from "../format/entry.js";
import { headerCwd, headerParent, headerVersion, type SessionHeader } from "../format/header.js";
import type { UnknownMessage } from "../format/message.js";
import { formatIsoTime, parseIsoTime, readMessageTime } from "../format/time.js";
import type { Usage } from "../format/usage.js";
import type { PlainRun } from "../read/plain-tally.js";
import { readSessionName } from "../tree/session-name.js";

/** One session, as a list shows it. */
export interface Session {
  path: string;
  id: string;
  cwd: string | null;
  name: string | null;
  /** The file that this one was forked from, as its header says. */
  parentSession: string | null;
  version: number;
  /** ISO 8601, UTC; null when the header's time can't be read. */
  created: string | null;
  /** The latest time of a user or assistant message, else the header's, else the file's. ISO 8601, UTC. */
  modified: string;
  messageCount: number;
  entryCount: number;
  sizeBytes: number;
  /** The first user message that has text: 1,000 code points at most, then "…". */
  firstMessage: string | null;
  /** The models of the calls, in order of first use. */
  models: string[];
  /** Leaves of the tree. */
  branches: number;
  /** Each call in this file once, those copied from another file among them. */
  usage: Usage;
  damagedLines: number;
}

const FIRST_MESSAGE_CODE_POINTS = 1000;

/** What a summary is told of its session at the end. */
export interface SessionFacts
  extends Pick<Session, "path" | "sizeBytes" | "damagedLines" | "branches" | "models" | "usage"> {
  /** When the file was changed last, in Unix milliseconds. */
  mtimeMs: number;
}

/** What a summary knows of one part of a file, for another thread to go on with. */
export interface SummaryPart {
  entryCount: number;
  messageCount: number;
  lastActivity: number;
  firstMessage: string | null;
  /** Undefined when the part does not say. */
  name: string | null | undefined;
}

/** Adds up what a list shows of a session, entry by entry. Memory: a few fields and the first message. */
export class SessionSummary {
  readonly #header: SessionHeader;
  #entryCount = 0;
  #name: string | null | undefined;
  #messageCount = 0;
  #lastActivity = Number.NEGATIVE_INFINITY;
  #firstMessage: string | null = null;

  constructor(header: SessionHeader) {
    this.#header = header;
  }

  /** Whether message contents are still needed: until the first user message with text. */
  get wantsContent(): boolean {
    return this.#firstMessage === null;
  }

  /** As `add`, of a bare entry. */
  addBare({ type, role, messageTime, time }: BareEntry): void {
    this.#entryCount++;
    if (type !== "message") return;
    this.#messageCount++;
    if (role === "user" || role === "assistant") this.#noteActivity(Number.isNaN(messageTime) ? time : messageTime);
  }

  add(entry: SessionEntry): void {
    this.#entryCount++;
    if (entry.type !== "message") {
      if (isSessionInfoEntry(entry)) this.#name = readSessionName(entry.name);
      return;
    }
    this.#messageCount++;
    if (!isMessageEntry(entry)) return;
    const { role, timestamp, content } = entry.message as UnknownMessage;
    if (role !== "user" && role !== "assistant") return;
    const time = readMessageTime(timestamp) ?? parseIsoTime(entry.timestamp);
    if (time !== undefined) this.#noteActivity(time);
    if (role === "user") this.#firstMessage ??= cutText(contentText(content, " "));
  }

  #noteActivity(time: number): void {
    if (time > this.#lastActivity) this.#lastActivity = time;
  }

  /** Takes entries that were added up elsewhere: none of them tells a name or a first message. */
  addRun({ lines, messages, lastActivity }: Pick<PlainRun, "lines" | "messages" | "lastActivity">): void {
    this.#entryCount += lines;
    this.#messageCount += messages;
    this.#noteActivity(lastActivity);
  }

  part(): SummaryPart {
    return {
      entryCount: this.#entryCount,
      messageCount: this.#messageCount,
      lastActivity: this.#lastActivity,
      firstMessage: this.#firstMessage,
      name: this.#name,
    };
  }

  /** Goes on with the next part of the file. */
  take({ entryCount, messageCount, lastActivity, firstMessage, name }: SummaryPart): void {
    this.#entryCount += entryCount;
    this.#messageCount += messageCount;
    this.#lastActivity = Math.max(this.#lastActivity, lastActivity);
    this.#firstMessage ??= firstMessage;
    if (name !== undefined) this.#name = name;
  }

  finish({ path, sizeBytes, mtimeMs, branches, models, usage, damagedLines }: SessionFacts): Session {
    const header = this.#header;
    const created = parseIsoTime(header.timestamp);
    const modified = Number.isFinite(this.#lastActivity) ? this.#lastActivity : (created ?? mtimeMs);
    return {
      path,
      id: header.id,
      cwd: headerCwd(header),
      name: this.#name ?? null,
      parentSession: headerParent(header),
      version: headerVersion(header),
      created: created === undefined ? null : formatIsoTime(created),
      modified: formatIsoTime(modified),
      messageCount: this.#messageCount,
      entryCount: this.#entryCount,
      sizeBytes,
      firstMessage: this.#firstMessage,
      models,
      branches,
      usage,
      damagedLines,
    };
  }
}

/** The text, or its first 1,000 code points and "…"; null for the empty text. */
function cutText(text: string): string | null {
  if (text === "") return null;
  if (text.length <= FIRST_MESSAGE_CODE_POINTS) return text;
  // A code point takes two units at most, so the front alone tells.
  const codePoints = Array.from(text.slice(0, 2 * FIRST_MESSAGE_CODE_POINTS + 2));
  if (codePoints.length <= FIRST_MESSAGE_CODE_POINTS) return text;
  return `${codePoints.slice(0, FIRST_MESSAGE_CODE_POINTS).join("")}…`;
}
