import { closeSync, constants, mkdirSync, openSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { SessionFormatError } from "../errors.js";
import type { MessageContent } from "../format/block.js";
import {
  type BranchSummaryEntry,
  type CompactionEntry,
  type ContextEditEntry,
  type CustomEntry,
  type CustomMessageEntry,
  isEntry,
  type LabelEntry,
  type MessageEntry,
  type ModelChangeEntry,
  type SessionEntry,
  type SessionInfoEntry,
  type ThinkingLevelChangeEntry,
  type UsageEntry,
} from "../format/entry.js";
import { headerCwd, isSessionHeader, type SessionHeader } from "../format/header.js";
import type { Message, SystemMessage } from "../format/message.js";
import type { StoredUsage } from "../format/usage.js";
import { migrateSessionEntries } from "../migrate/migrate-session-entries.js";
import { defaultSessionsRoot } from "../scan/default-store.js";
import type { SessionProjection } from "../tree/project-branch.js";
import {
  findSettings,
  projectNodes,
  rememberReads,
  type SessionContext,
  selectContext,
  selectNodes,
} from "../tree/select-context.js";
import type { IndexedEntry, SessionIndex } from "../tree/session-index.js";
import { readSessionName } from "../tree/session-name.js";
import { appendLine } from "./append-line.js";
import { planBranchedSession, readBranchedSession, writeBranchedSession } from "./branched-session.js";
import { FileStore, type FileStoreOptions } from "./file-store.js";
import { findRecentSession, findSessionById, isOfCwd } from "./find-sessions.js";
import { forkSession, refuseExisting } from "./fork-session.js";
import { listFolder, listProjects, type SessionListProgress } from "./list-session-infos.js";
import { MemoryStore } from "./memory-store.js";
import { assertValidSessionId, newSessionId } from "./new-ids.js";
import { replaySystemMessages } from "./replay-system-messages.js";
import type { SessionInfo } from "./session-info.js";
import { defaultSessionDir, expandPath, isSamePath, resolvePath, sessionFileName } from "./session-paths.js";
import {
  type BuildEntry,
  type EntryReader,
  isConversation,
  isConversationNode,
  newHeader,
  nextLinks,
  type SessionStore,
} from "./session-store.js";
import { buildSessionTree, type SessionTreeNode } from "./session-tree.js";
import { writeFileAtomically } from "./write-file-atomically.js";

export interface NewSessionOptions {
  /** The session's id; default a new UUID. See `assertValidSessionId`. */
  id?: string | undefined;
  /** The path of the session that this one goes on from, for its header. */
  parentSession?: string | undefined;
}

/** What pi's own class has no word for: how the file is kept. */
export type SessionManagerOptions = FileStoreOptions;

/** What a part of a program may do that is only to look. */
export type ReadonlySessionManager = Pick<
  SessionManager,
  | "getCwd"
  | "getSessionDir"
  | "getSessionId"
  | "getSessionFile"
  | "getLeafId"
  | "getLeafEntry"
  | "getEntry"
  | "getLabel"
  | "getBranch"
  | "buildContextEntries"
  | "buildSessionProjection"
  | "getHeader"
  | "getEntries"
  | "getTree"
  | "getSessionName"
>;

/**
 * One session being changed, method for method the class that pi exports. A session is a tree that only grows: each append makes a child of the current
 * leaf and becomes the leaf; branching moves the leaf.
 *
 * It works on an index of the file: opening reads the file once and keeps no payload, and entries are read where they stand when they are asked for,
 * those used last being held. Memory: the index (below 100 bytes an entry), the held entries, and what a method returns. An append is one write of
 * one whole line: it survives the end of the process once it has returned, and changes nothing when it throws.
 *
 * @example
 * import { mkdtempSync } from "node:fs";
 * import { SessionManager } from "pi-sessions";
 *
 * const session = SessionManager.create(process.cwd(), mkdtempSync("/tmp/sessions-"));
 * session.appendMessage({ role: "user", content: "Hello", timestamp: Date.now() });
 * const again = SessionManager.open(session.getSessionFile());
 * console.log(again.buildSessionContext().messages[0].content); // Hello
 */
export class SessionManager {
  #cwd: string;
  readonly #sessionDir: string;
  #sessionFile: string | undefined;
  readonly #isPersisted: boolean;
  readonly #options: FileStoreOptions;
  /** In memory as long as there is no file. */
  #store: SessionStore;

  private constructor(
    cwd: string,
    sessionDir: string,
    isPersisted: boolean,
    newSession: NewSessionOptions = {},
    options: SessionManagerOptions = {},
  ) {
    this.#cwd = resolvePath(cwd);
    this.#sessionDir = expandPath(sessionDir);
    this.#isPersisted = isPersisted;
    this.#options = options;
    if (isPersisted && this.#sessionDir !== "") mkdirSync(this.#sessionDir, { recursive: true });
    this.#store = this.#startSession(newSession);
  }

  /** A new session of a working directory, in `sessionDir` or the project's own folder. Its file is made at the first user or assistant message. */
  static create(
    cwd: string,
    sessionDir?: string,
    options: NewSessionOptions & SessionManagerOptions = {},
  ): SessionManager {
    return new SessionManager(cwd, sessionDir || defaultSessionDir(cwd), true, options, options);
  }

  /**
   * Opens a session file, of any version, without changing it. A file that is not there yet is made when there is something to put into it; an empty one
   * becomes a session. `sessionDir` is where further sessions go (default: the file's folder); the working directory is `cwdOverride`, else the
   * header's, else the process's.
   *
   * @throws SessionFormatError for a file that is no session, the system's error for one that can't be read.
   */
  static open(
    path: string,
    sessionDir?: string,
    cwdOverride?: string,
    options?: SessionManagerOptions,
  ): SessionManager {
    const file = resolvePath(path);
    const cwd = cwdOverride ?? process.cwd();
    const manager = new SessionManager(cwd, sessionDir || dirname(file), true, {}, options);
    manager.setSessionFile(file);
    if (cwdOverride === undefined) manager.#cwd = resolvePath(headerCwd(manager.#store.header) ?? cwd);
    return manager;
  }

  /** Opens the session of a folder that was changed last (in a custom folder, among those of `cwd`), or makes a new one. */
  static continueRecent(cwd: string, sessionDir?: string, options?: SessionManagerOptions): SessionManager {
    const { folder, onlyCwd } = searchedFolder(cwd, sessionDir);
    const manager = new SessionManager(cwd, folder, true, {}, options);
    const recent = findRecentSession(folder, onlyCwd);
    if (recent !== undefined) manager.setSessionFile(recent);
    return manager;
  }

  /** A session without a file; `entries` may bring what is held elsewhere, with a header or without. */
  static inMemory(
    cwd: string = process.cwd(),
    options?: NewSessionOptions,
    entries: readonly (SessionHeader | SessionEntry)[] = [],
  ): SessionManager {
    const manager = new SessionManager(cwd, "", false, options);
    if (entries.length > 0) manager.#takeEntries(entries);
    return manager;
  }

  /**
   * Copies a whole session into a new one of another working directory, and opens that. The source is not changed.
   *
   * @throws Error (`Cannot fork: …`) for a source that is missing, empty or no session.
   */
  static forkFrom(
    sourcePath: string,
    targetCwd: string,
    sessionDir?: string,
    options: NewSessionOptions & SessionManagerOptions = {},
  ): SessionManager {
    const source = resolvePath(sourcePath);
    const cwd = resolvePath(targetCwd);
    const folder = expandPath(sessionDir || defaultSessionDir(cwd));
    if (options.id !== undefined) assertValidSessionId(options.id);
    const id = options.id ?? newSessionId();
    const timestamp = new Date().toISOString();
    const file = join(folder, sessionFileName(timestamp, id));
    forkSession(source, file, newHeader(id, timestamp, cwd, source));
    const manager = new SessionManager(cwd, folder, true, {}, options);
    manager.setSessionFile(file);
    return manager;
  }

  /** The path of the session with exactly this id, in the project's folder or a custom one; undefined without one. Reads headers only. */
  static findById(cwd: string, id: string, sessionDir?: string): string | undefined {
    const { folder, onlyCwd } = searchedFolder(cwd, sessionDir);
    return findSessionById(folder, id, onlyCwd);
  }

  /** The sessions of a working directory, newest first; in a custom folder, those whose header names it. Throws the reason of `signal` when it aborts. */
  static async list(
    cwd: string,
    sessionDir?: string,
    onProgress?: SessionListProgress,
    signal?: AbortSignal,
  ): Promise<SessionInfo[]> {
    const { folder, onlyCwd } = searchedFolder(cwd, sessionDir);
    const isWanted = (info: SessionInfo): boolean => onlyCwd === undefined || isOfCwd(info.cwd, onlyCwd);
    const onFiltered: SessionListProgress | undefined =
      onProgress && ((loaded, total, partial) => onProgress(loaded, total, partial?.filter(isWanted)));
    return (await listFolder(folder, onFiltered, signal)).filter(isWanted);
  }

  /** The sessions of all projects, or of one custom folder, newest first. Throws the reason of `signal` when it aborts. */
  static listAll(onProgress?: SessionListProgress, signal?: AbortSignal): Promise<SessionInfo[]>;
  static listAll(sessionDir?: string, onProgress?: SessionListProgress, signal?: AbortSignal): Promise<SessionInfo[]>;
  static async listAll(...args: (string | SessionListProgress | AbortSignal | undefined)[]): Promise<SessionInfo[]> {
    const folder = args.find((arg) => typeof arg === "string");
    const onProgress = args.find((arg) => typeof arg === "function");
    const signal = args.find((arg) => arg instanceof AbortSignal);
    return folder
      ? await listFolder(expandPath(folder), onProgress, signal)
      : await listProjects(expandPath(defaultSessionsRoot()), onProgress, signal);
  }

  /** Starts over with a new session. Returns the path that its file will have. */
  newSession(options: NewSessionOptions = {}): string | undefined {
    this.#store = this.#startSession(options);
    return this.#sessionFile;
  }

  /**
   * Goes over to another session file: see `open`. A manager in memory takes the entries in, and writes nothing. When it throws, the manager stays with
   * the session that it had.
   */
  setSessionFile(sessionFile: string): void {
    const path = resolvePath(sessionFile);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) this.newSession();
    else if (stats.size === 0) this.#startEmptyFile(path);
    else this.#openFile(path);
    this.#sessionFile = path;
  }

  /** Takes in the entries that other processes have appended to the file. The leaf stays. Returns how many came. */
  refresh(): number {
    return this.#store instanceof FileStore ? this.#store.refresh() : 0;
  }

  isPersisted(): boolean {
    return this.#isPersisted;
  }

  getCwd(): string {
    return this.#cwd;
  }

  getSessionDir(): string {
    return this.#sessionDir;
  }

  usesDefaultSessionDir(): boolean {
    return isSamePath(this.#sessionDir, defaultSessionDir(this.#cwd));
  }

  getSessionId(): string {
    return this.#store.header.id;
  }

  /** The path of the session's file, be it there yet or not; undefined in memory. */
  getSessionFile(): string | undefined {
    return this.#sessionFile;
  }

  getHeader(): SessionHeader | null {
    return this.#store.header;
  }

  /** The name that the session has by its last `session_info`; undefined when that clears it. */
  getSessionName(): string | undefined {
    return this.#store.index.name ?? undefined;
  }

  /** Appends a message; returns the entry's id. Summaries have methods of their own. */
  appendMessage(message: Message): string {
    return this.#append<MessageEntry>((links) => ({ type: "message", ...links, message })).id;
  }

  /** Returns the entry's id. */
  appendThinkingLevelChange(thinkingLevel: string): string {
    return this.#append<ThinkingLevelChangeEntry>((links) => ({
      type: "thinking_level_change",
      ...links,
      thinkingLevel,
    })).id;
  }

  /** Returns the entry's id. */
  appendModelChange(provider: string, modelId: string): string {
    return this.#append<ModelChangeEntry>((links) => ({ type: "model_change", ...links, provider, modelId })).id;
  }

  /** Appends the usage of model work that is part of no message; returns the entry. */
  appendUsage(kind: string, provider: string, model: string, usage: StoredUsage, note?: string): UsageEntry {
    return this.#append<UsageEntry>((links) => ({
      type: "usage",
      ...links,
      kind,
      provider,
      model,
      usage,
      ...(note && { note }),
    }));
  }

  /**
   * Appends a compaction that keeps from `firstKeptEntryId` on (null: nothing); returns the entry's id. Where the context has system messages, their
   * replay is stored with it.
   */
  appendCompaction<T = unknown>(
    summary: string,
    firstKeptEntryId: string | null,
    tokensBefore: number,
    details?: T,
    fromHook?: boolean,
    usage?: StoredUsage,
  ): string {
    const systemMessages = this.#systemMessages();
    return this.#append((links) => {
      const systemMessage: SystemMessage | undefined = replaySystemMessages(
        systemMessages,
        Date.parse(links.timestamp),
      );
      return {
        type: "compaction",
        ...links,
        summary,
        firstKeptEntryId: firstKeptEntryId ?? links.id,
        tokensBefore,
        details,
        usage,
        fromHook,
        ...(systemMessage && { systemMessage }),
      } as CompactionEntry;
    }).id;
  }

  /** Appends data of an extension, which no model sees; returns the entry's id. */
  appendCustomEntry(customType: string, data?: unknown): string {
    return this.#append<CustomEntry>((links) => ({ type: "custom", customType, data, ...links })).id;
  }

  /** Names the session (line breaks become spaces; an empty name clears it); returns the entry's id. */
  appendSessionInfo(name: string): string {
    return this.#append<SessionInfoEntry>((links) => ({
      type: "session_info",
      ...links,
      name: readSessionName(name) ?? "",
    })).id;
  }

  /** Appends a message of an extension, which the model sees; returns the entry's id. */
  appendCustomMessageEntry<T = unknown>(
    customType: string,
    content: MessageContent,
    display: boolean,
    details?: T,
  ): string {
    return this.#append<CustomMessageEntry>((links) => ({
      type: "custom_message",
      customType,
      content,
      display,
      details,
      ...links,
    })).id;
  }

  /**
   * Changes what an entry of the current branch gives to the context: null drops it, else its content is replaced. Returns the new entry's id.
   *
   * @throws Error for a target that is not on the branch or gives no content that could be edited.
   */
  appendContextEdit(targetId: string, replacement: ContextEditEntry["replacement"]): string {
    const given: unknown = replacement === null ? [] : replacement?.content;
    if (typeof given !== "string" && !Array.isArray(given)) {
      throw new Error("Context edit replacement must be null or contain string/array content");
    }
    const target = this.#requireEntry(targetId);
    if (!this.#branch(this.#store.index).some(({ number }) => number === target.number)) {
      throw new Error(`Entry ${targetId} is not on the active branch`);
    }
    const role = target.type === "message" ? target.role : undefined;
    const takesBlocks = role === "assistant" || role === "toolResult";
    if (target.type !== "custom_message" && role !== "user" && !takesBlocks) {
      throw new Error(`Entry ${targetId} does not contribute editable model content`);
    }
    const stored: ContextEditEntry["replacement"] =
      takesBlocks && typeof given === "string" ? { content: [{ type: "text", text: given }] } : replacement;
    return this.#append<ContextEditEntry>((links) => ({
      type: "context_edit",
      ...links,
      targetId,
      replacement: stored,
    })).id;
  }

  /** Labels an entry; undefined or an empty label clears it. Returns the new entry's id. Throws an `Error` for an unknown entry. */
  appendLabelChange(targetId: string, label: string | undefined): string {
    this.#requireEntry(targetId);
    return this.#append((links) => ({ type: "label", ...links, targetId, label }) as LabelEntry).id;
  }

  getLeafId(): string | null {
    return this.#store.leafId;
  }

  getLeafEntry(): SessionEntry | undefined {
    const { leafId } = this.#store;
    return leafId === null ? undefined : this.getEntry(leafId);
  }

  /** The entry with an id; the last, when there are several. */
  getEntry(id: string): SessionEntry | undefined {
    return this.#store.view(({ read }, index) => {
      const number = index.numberOf(id);
      return number === -1 ? undefined : read(number);
    });
  }

  /** The direct children of an entry, in file order; also of an id that no entry has, but some name as their parent. */
  getChildren(parentId: string): SessionEntry[] {
    return this.#store.view(({ read }, index) => {
      const parent = index.numberOf(parentId);
      if (parent !== -1) return index.childNumbers(parent).map(read);
      return [...index.missingParents()].filter(([, missing]) => missing === parentId).map(([child]) => read(child));
    });
  }

  getLabel(id: string): string | undefined {
    return this.#store.index.label(id);
  }

  /** The entries from the root to an entry (default the leaf); none for an unknown one. */
  getBranch(fromId?: string): SessionEntry[] {
    return this.#store.view(({ read }, index) => this.#branch(index, fromId).map(({ number }) => read(number)));
  }

  /** All entries in file order. Reads and returns the whole session: `readSession` takes it entry by entry. */
  getEntries(): SessionEntry[] {
    return this.#store.entries();
  }

  getEntryCount(): number {
    return this.#store.entryCount;
  }

  /** The whole tree as its roots; entries whose parent is missing are roots, too. Reads and returns the whole session. */
  getTree(): SessionTreeNode[] {
    return this.#store.view(buildSessionTree);
  }

  /** The entries that the context of the leaf is made of, state entries included: the last compaction first, then what it keeps, then the rest. */
  buildContextEntries(): SessionEntry[] {
    return this.#store.view((reader, index) => {
      const read = readNodesOnce(reader);
      return selectNodes(this.#branch(index), read).map(read);
    });
  }

  /** What the model would be sent from the leaf. Reads only the entries that this takes. */
  buildSessionContext(): SessionContext {
    return this.#store.view(({ read }, index) => {
      const { messages, thinkingLevel, model } = selectContext(this.#branch(index), ({ number }) => read(number));
      return { messages, thinkingLevel, model };
    });
  }

  /** The context of the leaf, with the messages of each entry that it is made of beside that entry. */
  buildSessionProjection(): SessionProjection {
    return this.#store.view((reader, index) => {
      const read = readNodesOnce(reader);
      const branch = this.#branch(index);
      const entries = projectNodes(selectNodes(branch, read), read).map(({ node, messages }) => ({
        sourceEntry: read(node),
        messages,
      }));
      return { entries, messages: entries.flatMap(({ messages }) => messages), ...findSettings(branch, read) };
    });
  }

  /** Moves the leaf to an entry: the next append makes a branch there. Throws an `Error` for an unknown entry. */
  branch(branchFromId: string): void {
    this.#store.leafId = this.#requireEntry(branchFromId).id;
  }

  /** Moves the leaf before all entries: the next append makes a new root. */
  resetLeaf(): void {
    this.#store.leafId = null;
  }

  /**
   * Moves the leaf to an entry (null: before all), and appends there a summary of the branch that is left. Returns the summary's id. Throws an `Error`
   * for an unknown entry.
   */
  branchWithSummary(
    branchFromId: string | null,
    summary: string,
    details?: unknown,
    fromHook?: boolean,
    usage?: StoredUsage,
  ): string {
    if (branchFromId !== null) this.#requireEntry(branchFromId);
    const left = this.#store.leafId;
    this.#store.leafId = branchFromId;
    try {
      const rest = { fromId: left ?? "root", summary, details, usage, fromHook };
      return this.#append((links) => ({ type: "branch_summary", ...links, ...rest }) as BranchSummaryEntry).id;
    } catch (error) {
      this.#store.leafId = left;
      throw error;
    }
  }

  /**
   * Makes a session of its own of the path to an entry, and goes over to it: see `planBranchedSession`. Returns the path of its file, which is there
   * once the session has a user or assistant message; undefined in memory. Throws an `Error` for an unknown entry.
   */
  createBranchedSession(leafId: string): string | undefined {
    const timestamp = new Date().toISOString();
    const id = newSessionId();
    const file = this.#isPersisted ? join(this.#sessionDir, sessionFileName(timestamp, id)) : undefined;
    const header = newHeader(id, timestamp, this.#cwd, this.#isPersisted ? this.#sessionFile : undefined);
    this.#store = this.#store.view((reader, index) => {
      const branch = index.path(leafId);
      if (branch.length === 0) throw new Error(`Entry ${leafId} not found`);
      const session = planBranchedSession(header, branch, index);
      if (file === undefined || !branch.some(isConversationNode)) {
        return new MemoryStore(header, readBranchedSession(session, reader));
      }
      refuseExisting(file);
      writeFileAtomically(file, (writer) => writeBranchedSession(session, reader, writer));
      return new FileStore(file, this.#options);
    });
    if (file !== undefined) this.#sessionFile = file;
    return file;
  }

  #startSession({ id = newSessionId(), parentSession }: NewSessionOptions): MemoryStore {
    assertValidSessionId(id);
    const timestamp = new Date().toISOString();
    if (this.#isPersisted) this.#sessionFile = join(this.#sessionDir, sessionFileName(timestamp, id));
    return new MemoryStore(newHeader(id, timestamp, this.#cwd, parentSession));
  }

  #takeEntries(given: readonly (SessionHeader | SessionEntry)[]): void {
    const all = [...given];
    const header = all.find(isSessionHeader);
    if (header) migrateSessionEntries(all);
    const entries = all.filter((line): line is SessionEntry => isEntry(line) && !isSessionHeader(line));
    this.#store = new MemoryStore(all.find(isSessionHeader) ?? this.#store.header, entries);
  }

  #openFile(path: string): void {
    let store: FileStore;
    try {
      store = new FileStore(path, this.#options);
    } catch (cause) {
      if (!(cause instanceof SessionFormatError)) throw cause;
      const { reason, line, byteOffset } = cause;
      const spot = { path, reason, cause, ...(line && { line }), ...(byteOffset && { byteOffset }) };
      throw new SessionFormatError("NOT_A_SESSION", `Session file is not a valid pi session: ${path}`, spot);
    }
    this.#store = this.#isPersisted ? store : new MemoryStore(store.header, store.entries());
  }

  #startEmptyFile(path: string): void {
    if (!this.#isPersisted) {
      this.newSession();
      return;
    }
    const header = newHeader(newSessionId(), new Date().toISOString(), this.#cwd, undefined);
    const fd = openSync(path, constants.O_RDWR | constants.O_APPEND);
    try {
      appendLine(fd, Buffer.from(`${JSON.stringify(header)}\n`), this.#options.durable ?? false);
    } finally {
      closeSync(fd);
    }
    this.#openFile(path);
  }

  #append<E extends SessionEntry>(build: BuildEntry<E>): E {
    const store = this.#store;
    if (!this.#isPersisted || store instanceof FileStore) return store.append(build);
    const entry = build(nextLinks(store));
    if (!isConversation(entry)) return store.append(() => entry);
    this.#store = FileStore.create(this.#sessionFile!, store.header, [...store.entries(), entry], this.#options);
    return entry;
  }

  /** The path to an entry, root first; default to the leaf. */
  #branch(index: SessionIndex, fromId: string | null = this.#store.leafId): IndexedEntry[] {
    return fromId === null ? [] : index.path(fromId);
  }

  /** The system messages of the context. Reads nothing else of it. */
  #systemMessages(): Message[] {
    return this.#store.view((reader, index) => {
      const read = readNodesOnce(reader);
      const selection = selectNodes(this.#branch(index), read).filter(
        ({ type, role }) => role === "system" || type === "compaction" || type === "context_edit",
      );
      return projectNodes(selection, read).flatMap(({ messages }) => messages);
    });
  }

  #requireEntry(id: string): IndexedEntry {
    const entry = this.#store.index.get(id);
    if (!entry) throw new Error(`Entry ${id} not found`);
    return entry;
  }
}

function readNodesOnce({ read }: EntryReader): (node: IndexedEntry) => SessionEntry {
  return rememberReads(({ number }) => read(number));
}

/** The folder to search for sessions of a working directory. In one that is not the project's own, only those whose header names it are meant. */
function searchedFolder(cwd: string, sessionDir: string | undefined): { folder: string; onlyCwd: string | undefined } {
  const own = defaultSessionDir(cwd);
  const folder = sessionDir ? expandPath(sessionDir) : own;
  return { folder, onlyCwd: isSamePath(folder, own) ? undefined : resolvePath(cwd) };
}
