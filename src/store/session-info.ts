import { closeSync, openSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { contentText } from "../format/block.js";
import { isMessageEntry, isSessionInfoEntry, type SessionEntry } from "../format/entry.js";
import { headerCwd, headerParent, type SessionHeader } from "../format/header.js";
import { isAssistantMessage, isUserMessage, type Message, type UnknownMessage } from "../format/message.js";
import { parseIsoTime, readMessageTime } from "../format/time.js";
import type { EntrySink } from "../read/entry-parser.js";
import { MAX_LINE_BYTES, STORE_MAX_LINE_BYTES } from "../read/limits.js";
import { pumpSession, pumpSessionSync, SessionPump } from "../read/pump-session.js";
import { readSessionName } from "../tree/session-name.js";

/** One session, as pi's own lists show it. */
export interface SessionInfo {
  path: string;
  id: string;
  /** Empty when the header names none. */
  cwd: string;
  name?: string | undefined;
  parentSessionPath?: string | undefined;
  /** An invalid date when the header's time can't be read. */
  created: Date;
  /** The latest time of a user or assistant message, else the header's, else the file's. */
  modified: Date;
  messageCount: number;
  /** The first user message that has text, whole; `"(no messages)"` without one. */
  firstMessage: string;
  /** The text of all user and assistant messages, joined by spaces. Read from the file, as it then is, when it is first asked for. */
  readonly allMessagesText: string;
}

/**
 * Reads what a list shows of a session, in one pass. Memory: one chunk, one line and the first message.
 *
 * @throws SessionFormatError for a file that is no session, the system's error for one that can't be read, the reason of `signal` when it aborts.
 */
export async function readSessionInfo(path: string, signal: AbortSignal | undefined): Promise<SessionInfo> {
  const handle = await open(path);
  try {
    return await readOpenSessionInfo(handle, path, signal);
  } finally {
    await handle.close();
  }
}

async function readOpenSessionInfo(
  handle: FileHandle,
  path: string,
  signal: AbortSignal | undefined,
): Promise<SessionInfo> {
  const sink = new SessionInfoSink();
  const pump = new SessionPump(handle.fd, path, sink, { lean: { content: true }, maxLineBytes: STORE_MAX_LINE_BYTES });
  sink.onFirstMessage = () => {
    pump.parser.lean = {};
  };
  await pumpSession(pump, handle, { signal });
  const { mtime } = await handle.stat();
  return sink.finish(path, mtime);
}

class SessionInfoSink implements EntrySink {
  /** Told when message contents are not needed any more. */
  onFirstMessage = (): void => {};
  #header: SessionHeader | undefined;
  #name: string | null = null;
  #messageCount = 0;
  #firstMessage = "";
  #lastActivity = 0;

  header(header: SessionHeader): void {
    this.#header = header;
  }

  entry(entry: SessionEntry): void {
    if (isSessionInfoEntry(entry)) this.#name = readSessionName(entry.name);
    if (entry.type !== "message") return;
    this.#messageCount++;
    if (!isMessageEntry(entry) || !isTalk(entry.message)) return;
    const time = readMessageTime(entry.message.timestamp) ?? parseIsoTime(entry.timestamp) ?? 0;
    this.#lastActivity = Math.max(this.#lastActivity, time);
    if (this.#firstMessage !== "" || !isUserMessage(entry.message)) return;
    this.#firstMessage = contentText(entry.message.content, " ");
    if (this.#firstMessage !== "") this.onFirstMessage();
  }

  finish(path: string, mtime: Date): SessionInfo {
    const header = this.#header!;
    const created = parseIsoTime(header.timestamp);
    const info = {
      path,
      id: header.id,
      cwd: headerCwd(header) ?? "",
      name: this.#name ?? undefined,
      parentSessionPath: headerParent(header) ?? undefined,
      created: new Date(created ?? Number.NaN),
      modified:
        this.#lastActivity > 0 ? new Date(this.#lastActivity) : created === undefined ? mtime : new Date(created),
      messageCount: this.#messageCount,
      firstMessage: this.#firstMessage || "(no messages)",
    };
    let text: string | undefined;
    return Object.defineProperty(info, "allMessagesText", {
      enumerable: true,
      get: () => (text ??= readAllText(path)),
    }) as SessionInfo;
  }
}

/** The text of all user and assistant messages of a file; empty when it can't be read any more. */
function readAllText(path: string): string {
  const texts: string[] = [];
  const sink: EntrySink = {
    header() {},
    entry(entry) {
      if (!isMessageEntry(entry) || !isTalk(entry.message)) return;
      const text = contentText((entry.message as UnknownMessage).content, " ");
      if (text !== "") texts.push(text);
    },
  };
  let fd: number | undefined;
  try {
    fd = openSync(path, "r");
    pumpSessionSync(new SessionPump(fd, path, sink, { lean: { content: true }, maxLineBytes: MAX_LINE_BYTES }), fd);
  } catch {
    // A list outlives its files, and nobody expects a property to throw: what is gone has no text.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
  return texts.join(" ");
}

function isTalk(message: Message): boolean {
  return isUserMessage(message) || isAssistantMessage(message);
}
