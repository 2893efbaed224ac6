import { closeSync, constants, fstatSync, fsyncSync, openSync, rmSync, type Stats, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { SessionFormatError } from "../errors.js";
import { entryId, type SessionEntry } from "../format/entry.js";
import { CURRENT_SESSION_VERSION, headerVersion, type SessionHeader } from "../format/header.js";
import { migrateHeader } from "../migrate/migrate-header.js";
import { migrateV2ToV3 } from "../migrate/v2-to-v3.js";
import { MAX_LINE_BYTES } from "../read/limits.js";
import { migrateIndexedEntry } from "../read/migrate-indexed-entry.js";
import { type PumpOptions, SessionPump } from "../read/pump-session.js";
import { CHUNK_BYTES, readChunksSync, readRangeSync } from "../read/read-chunks.js";
import { readEntryAt } from "../read/read-entry-at.js";
import { syncFolder } from "../sync-folder.js";
import type { SessionIndex } from "../tree/session-index.js";
import { appendLine } from "./append-line.js";
import { EntryCache } from "./entry-cache.js";
import type { FileWriter } from "./file-writer.js";
import { migrateFile } from "./migrate-file.js";
import { SessionFileSink } from "./session-file-sink.js";
import { type BuildEntry, type EntryReader, nextLinks, type SessionStore } from "./session-store.js";

export interface FileStoreOptions {
  /** Waits with each append until it is on the disk. Default false: an append survives the end of the process, but not of the machine. */
  durable?: boolean | undefined;
  /** How many bytes of lines are held as entries once they were read or appended. Default 32 MiB. */
  cacheBytes?: number | undefined;
}

const CACHE_BYTES = 32 * 1024 * 1024;

/** How often an entry is written again that could not be found in the file; more than once takes a file that is being replaced all the time. */
const APPEND_TRIES = 5;

const NEWLINE = 0x0a;

const links: PumpOptions = { lean: "links", maxLineBytes: MAX_LINE_BYTES };

/**
 * A session in its file: the index of it, and the entries that were used last. No file stays open between two calls, since nobody closes a session
 * manager; whether the file is still the one that was indexed is looked at each time that it is opened.
 *
 *     |header|entry|entry|entry|entry|torn…      what others append behind `#end` is taken in
 *     0                        #end              by `refresh`, and by the next append of one's own
 */
export class FileStore implements SessionStore {
  leafId: string | null = null;
  readonly #path: string;
  readonly #durable: boolean;
  readonly #cache: EntryCache;
  #sink = new SessionFileSink();
  #header: SessionHeader | undefined;
  /** The file that was indexed. */
  #file: Stats | undefined;
  /** How much of it was indexed, in bytes and lines. */
  #end = 0;
  #lines = 0;
  /** Whether what was indexed ends without a newline. */
  #isUnterminated = false;

  /** Opens a session of any version, and changes nothing. Throws a `SessionFormatError` for a file that is none, the system's error for one that can't be read. */
  constructor(path: string, { durable = false, cacheBytes = CACHE_BYTES }: FileStoreOptions = {}) {
    this.#path = path;
    this.#durable = durable;
    this.#cache = new EntryCache(cacheBytes);
    this.#load();
    this.leafId = this.index.leafId;
  }

  /** Makes the file of a session, exclusively: when there is one already, or it can't be written whole, that is thrown and no file is left behind. */
  static create(
    path: string,
    header: SessionHeader,
    entries: readonly SessionEntry[],
    options: FileStoreOptions = {},
  ): FileStore {
    const bytes = Buffer.from([header, ...entries].map((line) => `${JSON.stringify(line)}\n`).join(""));
    const fd = openSync(path, "ax");
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
      if (options.durable) fsyncSync(fd);
    } catch (error) {
      rmSync(path, { force: true });
      throw error;
    } finally {
      closeSync(fd);
    }
    if (options.durable) syncFolder(dirname(path));
    const store = new FileStore(path, options);
    let number = 0;
    for (const entry of entries) if (entryId(entry) !== undefined) store.#keep(number++, entry);
    return store;
  }

  get index(): SessionIndex {
    return this.#sink.index;
  }

  get header(): SessionHeader {
    return (this.#header ??= migrateHeader(this.index.header!));
  }

  get entryCount(): number {
    return this.index.size + this.#sink.strays.length;
  }

  view<T>(use: (reader: EntryReader, index: SessionIndex) => T): T {
    return this.#whileCurrent((file) => {
      const read = (number: number): SessionEntry => this.#read(file, number);
      const write = (number: number, writer: FileWriter): void => {
        const { byteOffset, byteLength } = this.index.entryAt(number);
        if (this.#isOld) writer.writeLine(read(number));
        else writer.copyLine(file.fd, byteOffset, byteLength);
      };
      return use({ read, write }, this.index);
    });
  }

  entries(): SessionEntry[] {
    return this.#whileCurrent((file) => {
      const entries: SessionEntry[] = [];
      const { strays } = this.#sink;
      let stray = 0;
      for (let number = 0; number <= this.index.size; number++) {
        for (; strays[stray]?.before === number; stray++) {
          const { entry } = readEntryAt(file.fd, this.#path, strays[stray]!);
          if (this.#isOld) migrateV2ToV3(entry);
          entries.push(entry);
        }
        if (number < this.index.size) entries.push(this.#read(file, number));
      }
      return entries;
    });
  }

  append<E extends SessionEntry>(build: BuildEntry<E>): E {
    if (this.#isOld) this.#migrate();
    for (let tries = 1; ; tries++) {
      const entry = this.#tryAppend(build);
      const number = this.index.numberOf(entry.id);
      if (number !== -1) {
        this.leafId = entry.id;
        return entry;
      }
      if (tries === APPEND_TRIES) throw this.#changed("what was appended is not in it");
    }
  }

  /** Takes in what others have appended since. The leaf stays. Returns how many entries came. */
  refresh(): number {
    const before = this.entryCount;
    const fd = openSync(this.#path, "r");
    try {
      const file = fstatSync(fd);
      if (this.#isCurrent(file)) this.#takeIn(fd, file);
      else this.#load();
    } finally {
      closeSync(fd);
    }
    return this.entryCount - before;
  }

  get #isOld(): boolean {
    return headerVersion(this.index.header!) < CURRENT_SESSION_VERSION;
  }

  /** Someone else may have migrated the file meanwhile; then it is only read again. */
  #migrate(): void {
    this.refresh();
    if (this.#isOld) migrateFile(this.#path);
    this.#load();
  }

  /** Indexes the whole file anew. The leaf stays, unless the file does not have it any more: then it is the last entry. */
  #load(): void {
    const sink = new SessionFileSink();
    const fd = openSync(this.#path, "r");
    try {
      const pump = new SessionPump(fd, this.#path, sink, links);
      let end = 0;
      let last: number | undefined = NEWLINE;
      for (const chunk of readChunksSync(fd)) {
        pump.push(chunk);
        end += chunk.length;
        last = chunk.at(-1);
      }
      pump.end();
      this.#file = fstatSync(fd);
      this.#end = end;
      this.#lines = pump.parser.counts.lines;
      this.#isUnterminated = last !== NEWLINE;
    } finally {
      closeSync(fd);
    }
    this.#sink = sink;
    this.#header = undefined;
    this.#cache.clear();
    if (this.leafId !== null && sink.index.numberOf(this.leafId) === -1) this.leafId = sink.index.leafId;
  }

  /** Indexes the whole lines that were appended to the file. */
  #takeIn(fd: number, { size }: Stats): void {
    if (size === this.#end) return;
    // The ids of old versions hang on what came before; and a last line that has grown is in the index as it was.
    if (this.#isOld || (this.#isUnterminated && readRangeSync(fd, this.#end, 1)[0] !== NEWLINE)) {
      this.#load();
      return;
    }
    if (this.#isUnterminated) this.#end++;
    this.#isUnterminated = false;
    const at = { header: this.index.header!, line: this.#lines + 1, byteOffset: this.#end };
    const pump = new SessionPump(fd, this.#path, this.#sink, { ...links, at });
    let end = this.#end;
    for (let from = this.#end; from < size; ) {
      const chunk = readRangeSync(fd, from, Math.min(CHUNK_BYTES, size - from));
      if (chunk.length === 0) break;
      pump.push(chunk);
      const newline = chunk.lastIndexOf(NEWLINE);
      if (newline !== -1) end = from + newline + 1;
      from += chunk.length;
    }
    // A line without its newline may still be being written: it is taken in when it is whole.
    this.#end = end;
    this.#lines += pump.parser.counts.lines;
  }

  #isCurrent({ dev, ino, size }: Stats): boolean {
    return this.#file !== undefined && dev === this.#file.dev && ino === this.#file.ino && size >= this.#end;
  }

  /** Writes an entry once, and takes in what the file then holds: the entry, unless another file has taken its place. */
  #tryAppend<E extends SessionEntry>(build: BuildEntry<E>): E {
    const fd = openSync(this.#path, constants.O_RDWR | constants.O_APPEND);
    try {
      const before = fstatSync(fd);
      if (!this.#isCurrent(before)) this.#load();
      const entry = build(nextLinks(this));
      const text = JSON.stringify(entry);
      const isClean = this.#endsLine(fd, before);
      const line = Buffer.from(isClean ? `${text}\n` : `\n${text}\n`);
      appendLine(fd, line, this.#durable);

      const after = statSync(this.#path);
      if (after.ino !== before.ino || !this.#isCurrent(after)) {
        this.#load();
      } else if (isClean && before.size === this.#end && after.size === before.size + line.length) {
        // Nobody else wrote: the file has grown by this line alone, from where it was indexed.
        this.index.add(entry, { line: ++this.#lines, byteOffset: this.#end, byteLength: line.length - 1 });
        this.#end = after.size;
      } else {
        this.#takeIn(fd, after);
      }
      this.#keep(this.index.numberOf(entry.id), entry);
      return entry;
    } finally {
      closeSync(fd);
    }
  }

  #endsLine(fd: number, { size }: Stats): boolean {
    if (size === this.#end) return !this.#isUnterminated;
    return readRangeSync(fd, size - 1, 1)[0] === NEWLINE;
  }

  /** Holds an entry of one's own, so that a look-up gives the very object; -1 for one that is not in the file after all. */
  #keep(number: number, entry: SessionEntry): void {
    if (number !== -1) this.#cache.add(number, entry, this.index.entryAt(number).byteLength);
  }

  #read(file: LazyFile, number: number): SessionEntry {
    const held = this.#cache.get(number);
    if (held) return held;
    const node = this.index.entryAt(number);
    const read = readEntryAt(file.fd, this.#path, node);
    const entry = migrateIndexedEntry(read.entry, node, this.index);
    if (entry.id !== node.id) throw this.#changed(`line ${node.line} holds another entry`);
    this.#cache.add(number, entry, node.byteLength);
    return entry;
  }

  /** Runs what reads the file; once more, over a new index, when the file turns out to be another one than was indexed. */
  #whileCurrent<T>(use: (file: LazyFile) => T): T {
    for (let isFirst = true; ; isFirst = false) {
      const file = new LazyFile(this.#path, (stats) => {
        if (!this.#isCurrent(stats)) throw this.#changed("it is another file");
      });
      try {
        return use(file);
      } catch (error) {
        const isStale = error instanceof SessionFormatError && error.code === "CHANGED_WHILE_READING";
        if (!isStale || !isFirst) throw error;
        this.#load();
      } finally {
        file.close();
      }
    }
  }

  #changed(reason: string): SessionFormatError {
    const message = `Cannot use the session "${this.#path}" as it was: ${reason}`;
    return new SessionFormatError("CHANGED_WHILE_READING", message, { path: this.#path, reason });
  }
}

/** A file that is opened when it is first read from. */
class LazyFile {
  readonly #path: string;
  readonly #check: (stats: Stats) => void;
  #fd: number | undefined;

  constructor(path: string, check: (stats: Stats) => void) {
    this.#path = path;
    this.#check = check;
  }

  get fd(): number {
    if (this.#fd === undefined) {
      this.#fd = openSync(this.#path, "r");
      this.#check(fstatSync(this.#fd));
    }
    return this.#fd;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }
}
