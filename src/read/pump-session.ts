import type { FileHandle } from "node:fs/promises";
import type { BareEntry } from "../format/bare-entry.js";
import type { SessionEntry } from "../format/entry.js";
import type { TruncatedString } from "../format/entry-record.js";
import { CURRENT_SESSION_VERSION, type SessionHeader } from "../format/header.js";
import type { Problem } from "../format/problem.js";
import { Migration } from "../migrate/migration.js";
import { EntryParser, type EntrySink } from "./entry-parser.js";
import { scanner } from "./json-scanner.js";
import type { LeanWants } from "./lean-entry.js";
import { LineSplitter } from "./line-splitter.js";
import { notASession } from "./not-a-session.js";
import type { PlainRun, PlainTally } from "./plain-tally.js";
import { readChunks, readChunksSync, readRangeSync } from "./read-chunks.js";

export interface PumpOptions {
  /** Entries without their payload: see `readLeanEntry`. Default: whole entries. */
  lean?: LeanWants;
  /** Also report the oddities of single entries. Default false. */
  oddities?: boolean;
  maxLineBytes: number;
  /** Goes on in a session of version 3 or above whose header is known, at the beginning of a line. Default: at the beginning of the file. */
  at?: { header: SessionHeader; line: number; byteOffset: number };
}

/**
 * `readSession` without its streams, for whatever reads whole stores or can't wait: the bytes of a file are pushed in, and each entry goes to the
 * sink as version 3 would have it. It lends one buffer instead of making an object a line, and gives the same entries and problems.
 */
export class SessionPump implements EntrySink {
  readonly parser: EntryParser;
  readonly #sink: EntrySink;
  readonly #splitter: LineSplitter;
  readonly #path: string;
  #migration: Migration | undefined;

  constructor(fd: number, path: string, sink: EntrySink, { maxLineBytes, at, ...options }: PumpOptions) {
    this.#path = path;
    this.#sink = sink;
    if (sink.problem) this.problem = (problem) => sink.problem!(problem);
    this.parser = new EntryParser(this, {
      ...options,
      ...(at && { header: at.header }),
      reread: (byteOffset, byteLength) => readRangeSync(fd, byteOffset, byteLength),
    });
    this.#splitter = new LineSplitter(this.parser, maxLineBytes, at);
    if (at) this.#begin(at.header);
  }

  header(header: SessionHeader, line: number, byteOffset: number, byteLength: number): void {
    this.#begin(header);
    this.#sink.header(header, line, byteOffset, byteLength);
  }

  entry(
    entry: SessionEntry,
    line: number,
    byteOffset: number,
    byteLength: number,
    ordinal: number,
    truncated: TruncatedString[] | undefined,
  ): void {
    const migrated = this.#migration!.migrate(entry, ordinal);
    if (this.parser.lacksIds && !this.#migration!.canLinkBare) this.parser.takesBare = false;
    this.#sink.entry(migrated, line, byteOffset, byteLength, ordinal, truncated);
  }

  bare(entry: BareEntry, line: number, byteOffset: number, byteLength: number, ordinal: number): void {
    if (this.parser.lacksIds) this.#migration!.linkBare(entry, ordinal);
    this.#sink.bare!(entry, line, byteOffset, byteLength, ordinal);
  }

  get tally(): PlainTally | undefined {
    return this.#sink.tally;
  }

  get tallyWants(): number {
    return this.#sink.tallyWants ?? 0;
  }

  prepareRun(ordinal: number): void {
    this.#migration!.prepareRun(this.#sink.tally!, ordinal);
  }

  tallied(run: PlainRun, ordinal: number): void {
    this.#migration!.linkRun(run.lines, ordinal);
    this.#sink.tallied!(run, ordinal);
  }

  /** Left out where nobody wants to know. */
  readonly problem?: (problem: Problem) => void;

  /** Takes the file's next bytes. Throws a `SessionFormatError` as soon as they tell that it is no session. */
  push(chunk: Buffer): void {
    this.#splitter.push(chunk);
    this.#throwIfRejected();
  }

  /** Ends the file. Throws a `SessionFormatError` when it held no session. */
  end(): void {
    this.#splitter.end();
    this.parser.end();
    this.#throwIfRejected();
  }

  #begin(header: SessionHeader): void {
    this.#migration = new Migration(header);
    const { fromVersion } = this.#migration;
    // From version 2 to 3 only roles changed, which are not told where calls are wanted.
    const canBeBare = fromVersion >= CURRENT_SESSION_VERSION || this.parser.lean !== "links";
    this.parser.takesBare = this.#sink.bare !== undefined && canBeBare;
    this.parser.lacksIds = fromVersion < 2;
  }

  #throwIfRejected(): void {
    const error = notASession(this.parser, this.#path);
    if (error) throw error;
  }
}

export interface PumpSessionOptions {
  signal?: AbortSignal | undefined;
  /** Told of the length of each chunk once it went through. */
  onBytes?: ((bytes: number) => void) | undefined;
  /** Asked after each chunk: once it says yes, the rest of the file is left unread. */
  isEnough?: () => boolean;
  /** How much is read at once. */
  chunkBytes?: number;
}

/** Pumps an open file to its end. */
export async function pumpSession(
  pump: SessionPump,
  handle: FileHandle,
  options: PumpSessionOptions = {},
): Promise<void> {
  const { signal, onBytes, isEnough, chunkBytes } = options;
  for await (const chunk of readChunks(handle, chunkBytes === undefined ? {} : { chunkBytes })) {
    signal?.throwIfAborted();
    pump.push(scanner.inReadBuffer(chunk));
    onBytes?.(chunk.length);
    if (isEnough?.()) return;
  }
  pump.end();
}

export interface PumpSyncOptions {
  /** Which bytes of the file to read; default all. They must begin and end with a line. */
  start?: number;
  end?: number;
  /** Where the file is read into; see `readChunksSync`. */
  buffer?: Buffer;
  onBytes?: ((bytes: number) => void) | undefined;
  isEnough?: () => boolean;
}

/** As `pumpSession`, for callers that can't wait. */
export function pumpSessionSync(pump: SessionPump, fd: number, options: PumpSyncOptions = {}): void {
  const { onBytes, isEnough, ...range } = options;
  for (const chunk of readChunksSync(fd, range)) {
    pump.push(chunk);
    onBytes?.(chunk.length);
    if (isEnough?.()) return;
  }
  pump.end();
}
