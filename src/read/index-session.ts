import { type FileHandle, open } from "node:fs/promises";
import type { BareEntry } from "../format/bare-entry.js";
import type { SessionEntry } from "../format/entry.js";
import type { EntryPosition } from "../format/entry-record.js";
import type { SessionHeader } from "../format/header.js";
import type { Problem } from "../format/problem.js";
import { SessionIndex } from "../tree/session-index.js";
import type { EntrySink } from "./entry-parser.js";
import { MAX_LINE_BYTES } from "./limits.js";
import { type PumpOptions, pumpSession, pumpSessionSync, SessionPump } from "./pump-session.js";

/** Feeds an index with the entries of a file. */
export class IndexSink implements EntrySink {
  readonly index = new SessionIndex();
  readonly #onProblem: ((problem: Problem) => void) | undefined;
  /** Lent to the index with each entry. */
  readonly #position: EntryPosition = { line: 0, byteOffset: 0, byteLength: 0 };

  constructor(onProblem?: (problem: Problem) => void) {
    this.#onProblem = onProblem;
  }

  header(header: SessionHeader): void {
    this.index.header = header;
  }

  entry(entry: SessionEntry, line: number, byteOffset: number, byteLength: number): void {
    this.#position.line = line;
    this.#position.byteOffset = byteOffset;
    this.#position.byteLength = byteLength;
    this.index.add(entry, this.#position);
  }

  bare(entry: BareEntry, line: number, byteOffset: number, byteLength: number): void {
    this.#position.line = line;
    this.#position.byteOffset = byteOffset;
    this.#position.byteLength = byteLength;
    this.index.addBare(entry, this.#position);
  }

  problem(problem: Problem): void {
    this.#onProblem?.(problem);
  }
}

const links: PumpOptions = { lean: "links", maxLineBytes: MAX_LINE_BYTES };

export interface IndexSessionOptions {
  /** Told of each damaged line. */
  onProblem?: (problem: Problem) => void;
  signal?: AbortSignal;
}

/**
 * Reads a session once and returns its tree index: ids, links and positions, no payload. Entries are as version 3 would have them.
 * Memory: the index (below 100 bytes an entry, beside ids that are not 8 hex digits), one chunk and one line.
 *
 * @throws SessionFormatError for a file that is no session, and the system's error for one that can't be read.
 */
export async function indexSession(path: string, options: IndexSessionOptions = {}): Promise<SessionIndex> {
  const handle = await open(path);
  try {
    return await indexOpenSession(handle, path, options);
  } finally {
    await handle.close();
  }
}

/** As `indexSession`, over a file that is open already. */
export async function indexOpenSession(
  handle: FileHandle,
  path: string,
  { onProblem, signal }: IndexSessionOptions = {},
): Promise<SessionIndex> {
  const sink = new IndexSink(onProblem);
  await pumpSession(new SessionPump(handle.fd, path, sink, links), handle, { signal });
  return sink.index;
}

/** As `indexSession`, for callers that can't wait, over a file that is open already. */
export function indexOpenSessionSync(fd: number, path: string, onProblem?: (problem: Problem) => void): SessionIndex {
  const sink = new IndexSink(onProblem);
  pumpSessionSync(new SessionPump(fd, path, sink, links), fd);
  return sink.index;
}
