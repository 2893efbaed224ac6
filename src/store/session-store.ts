import { isMessageEntry, type SessionEntry } from "../format/entry.js";
import { CURRENT_SESSION_VERSION, type SessionHeader } from "../format/header.js";
import { isAssistantMessage, isUserMessage } from "../format/message.js";
import type { IndexedEntry, SessionIndex } from "../tree/session-index.js";
import type { FileWriter } from "./file-writer.js";
import { newEntryId } from "./new-ids.js";

/** What every new entry is given: an id of its own, the leaf as its parent, and the time. */
export interface EntryLinks {
  id: string;
  parentId: string | null;
  timestamp: string;
}

/** Makes a new entry, its keys in the order in which they are to be written. */
export type BuildEntry<E extends SessionEntry> = (links: EntryLinks) => E;

/** Gives entries by their number in the index, as version 3 has them. */
export interface EntryReader {
  read(number: number): SessionEntry;
  /** Writes an entry as a line: byte for byte, where it stands in a file as version 3 has it. */
  write(number: number, writer: FileWriter): void;
}

/** One session being changed, wherever its entries are held: its tree, its current leaf, and its entries when they are asked for. */
export interface SessionStore {
  /** As version 3 has it. */
  readonly header: SessionHeader;
  readonly index: SessionIndex;
  /** The entry that the next one is appended to; null before any. */
  leafId: string | null;
  /** Reads entries: `use` is handed the index as it then is, and may be run a second time when the entries turn out to have moved. */
  view<T>(use: (reader: EntryReader, index: SessionIndex) => T): T;
  /** All entries in file order, also those without an id, which are not in the index. */
  entries(): SessionEntry[];
  /** How many entries there are, those without an id included. */
  readonly entryCount: number;
  /** Appends an entry, which becomes the leaf. When that throws, nothing has changed. */
  append<E extends SessionEntry>(build: BuildEntry<E>): E;
}

/** What the next entry of a session is given. */
export function nextLinks({ index, leafId }: SessionStore): EntryLinks {
  return {
    id: newEntryId((id) => index.numberOf(id) !== -1),
    parentId: leafId,
    timestamp: new Date().toISOString(),
  };
}

export function newHeader(
  id: string,
  timestamp: string,
  cwd: string,
  parentSession: string | undefined,
): SessionHeader {
  return {
    type: "session",
    version: CURRENT_SESSION_VERSION,
    id,
    timestamp,
    cwd,
    ...(parentSession !== undefined && { parentSession }),
  };
}

/** Whether an entry makes a session worth a file: a message of the user or of a model. */
export function isConversation(entry: SessionEntry): boolean {
  return isMessageEntry(entry) && (isUserMessage(entry.message) || isAssistantMessage(entry.message));
}

/** The same of an entry that was not read. */
export function isConversationNode({ type, role }: IndexedEntry): boolean {
  return type === "message" && (role === "user" || role === "assistant");
}
