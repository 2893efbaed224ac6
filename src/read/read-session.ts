import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { type EntryRecord, type HeaderRecord, isHeaderRecord } from "../format/entry-record.js";
import type { SessionHeader } from "../format/header.js";
import type { Problem } from "../format/problem.js";
import { migrateStream } from "../migrate/migrate-stream.js";
import type { ReadCounts } from "./entry-parser.js";
import { entryStream } from "./entry-stream.js";
import { MAX_LINE_BYTES } from "./limits.js";
import { lineStream } from "./line-stream.js";
import { readRangeSync } from "./read-chunks.js";

export interface ReadSessionOptions {
  /** Longer lines are read as a token stream: strings over 64 KiB in them are cut to previews. Default 16 MiB. */
  maxLineBytes?: number;
  /** Takes each problem as it is found, instead of `problems`. */
  onProblem?: (problem: Problem) => void;
  signal?: AbortSignal;
}

/** A session being read: iterate it once for its entries; the rest fills up meanwhile. */
export class SessionReading implements AsyncIterable<EntryRecord> {
  /** The session's header, there from the first entry on. */
  header: SessionHeader | undefined;
  /** Damage and oddities found so far, in file order; empty when `onProblem` takes them. */
  readonly problems: Problem[] = [];
  /** What was seen; all zero until the end is reached. */
  counts: ReadCounts = { bytes: 0, lines: 0, blank: 0, entries: 0, damaged: 0 };
  readonly #path: string;
  readonly #options: ReadSessionOptions;

  constructor(path: string, options: ReadSessionOptions) {
    this.#path = path;
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EntryRecord, void, void> {
    const { maxLineBytes = MAX_LINE_BYTES, onProblem, signal } = this.#options;
    const handle = await open(this.#path);
    const batches: AsyncIterable<(HeaderRecord | EntryRecord)[]> = pipeline(
      handle.createReadStream({ highWaterMark: 256 * 1024, signal }),
      lineStream({ maxLineBytes }),
      entryStream({
        path: this.#path,
        onProblem: onProblem ?? ((problem) => this.problems.push(problem)),
        onCounts: (counts) => {
          this.counts = counts;
        },
        reread: (byteOffset, byteLength) => readRangeSync(handle.fd, byteOffset, byteLength),
      }),
      migrateStream(),
      () => {}, // The iteration throws what the pipeline fails with.
    );
    for await (const batch of batches) {
      for (const record of batch) {
        if (isHeaderRecord(record)) this.header = record.entry;
        else yield record;
      }
    }
  }
}

/**
 * Reads one session of any version, entry by entry in file order, each as version 3 would have it: the assembled pipeline of `lineStream`,
 * `entryStream` and `migrateStream`. Iterate the result; it carries `header`, `problems` and `counts`.
 *
 * Damage never stops it: whole entries on damaged lines are recovered, and the lines reported. It throws a `SessionFormatError` for a file that is no
 * session, and the system's error for one that can't be read. Memory: a few chunks and one line.
 *
 * @example
 * import { readSession } from "pi-sessions";
 *
 * const session = readSession("fixtures/traits/torn-tail.jsonl");
 * for await (const { entry, line } of session) console.log(line, entry.type, entry.id);
 * console.log(session.problems, session.counts);
 */
export function readSession(path: string, options: ReadSessionOptions = {}): SessionReading {
  return new SessionReading(path, options);
}
