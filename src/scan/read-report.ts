import type { SessionEntry } from "../format/entry.js";
import type { EntryPosition } from "../format/entry-record.js";
import type { SessionHeader } from "../format/header.js";
import type { EntrySink } from "../read/entry-parser.js";
import type { LeanWants } from "../read/lean-entry.js";
import { pumpSession, SessionPump } from "../read/pump-session.js";
import type { Call } from "../report/call.js";
import { SessionCalls } from "../report/session-calls.js";
import { type Session, SessionSummary } from "../report/session-summary.js";
import { SessionIndex } from "../tree/session-index.js";
import type { OpenFile } from "./scan-files.js";

/** The limit on lines when whole stores are read: longer ones are read as a token stream. */
export const STORE_MAX_LINE_BYTES = 1024 * 1024;

const withContent: LeanWants = { content: true };
const withoutContent: LeanWants = { content: false };

/** What lists and totals need to know of one session. */
export interface SessionReport {
  session: Session;
  /** In file order, each once. */
  calls: Call[];
  index: SessionIndex;
}

/**
 * Reads one session for a list or a total. Gives undefined, without reading on, when `isWanted` refuses the header.
 * Memory: the tree index and the calls of this one session, a chunk and a line.
 */
export async function readReport(
  { handle, path, sizeBytes, mtimeMs, signal, onBytes }: OpenFile,
  isWanted: (header: SessionHeader) => boolean,
): Promise<SessionReport | undefined> {
  const sink = new ReportSink(isWanted);
  const pump = new SessionPump(handle.fd, path, sink, {
    lean: withContent,
    maxLineBytes: STORE_MAX_LINE_BYTES,
  });
  sink.pump = pump;
  await pumpSession(pump, handle, { signal, onBytes, isEnough: () => sink.isRefused });
  if (sink.isRefused) return undefined;
  const calls = sink.calls.finish(sink.index);
  const facts = { path, sizeBytes, mtimeMs, damagedLines: pump.parser.counts.damaged };
  return { session: sink.summary!.finish(sink.index, calls, facts), calls, index: sink.index };
}

class ReportSink implements EntrySink {
  readonly index = new SessionIndex();
  readonly calls = new SessionCalls();
  summary: SessionSummary | undefined;
  pump: SessionPump | undefined;
  isRefused = false;
  readonly #isWanted: (header: SessionHeader) => boolean;
  readonly #position: EntryPosition = { line: 0, byteOffset: 0, byteLength: 0 };

  constructor(isWanted: (header: SessionHeader) => boolean) {
    this.#isWanted = isWanted;
  }

  header(header: SessionHeader): void {
    this.isRefused = !this.#isWanted(header);
    this.index.header = header;
    this.summary = new SessionSummary(header);
  }

  entry(entry: SessionEntry, line: number, byteOffset: number, byteLength: number): void {
    if (this.isRefused) return;
    this.summary!.add(entry);
    if (!this.summary!.wantsContent) this.pump!.parser.lean = withoutContent;
    this.#position.line = line;
    this.#position.byteOffset = byteOffset;
    this.#position.byteLength = byteLength;
    this.calls.add(entry, this.index.add(entry, this.#position));
  }
}
