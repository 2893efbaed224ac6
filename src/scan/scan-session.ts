import { entryId, entryParentId, type SessionEntry } from "../format/entry.js";
import type { SessionHeader } from "../format/header.js";
import type { EntrySink } from "../read/entry-parser.js";
import type { LeanWants } from "../read/lean-entry.js";
import { pumpSessionSync, SessionPump } from "../read/pump-session.js";
import type { Call } from "../report/call.js";
import { SessionCalls } from "../report/session-calls.js";
import { type Session, SessionSummary } from "../report/session-summary.js";
import { UsageSum } from "../report/sum-usage.js";
import { LinkTally } from "../tree/link-tally.js";
import { SessionIndex } from "../tree/session-index.js";
import type { OpenSession } from "./open-session.js";

/** The limit on lines when whole stores are read: longer ones are read as a token stream. */
export const STORE_MAX_LINE_BYTES = 1024 * 1024;

/** Takes the calls of one session; `entry` is the lean entry that a call stands in. */
export type OnCall = (call: Call, entry: SessionEntry) => void;

/** What is to be made of a session that is scanned. */
export interface SessionScan {
  /**
   * Called with the header; returns what takes the calls, or undefined to leave the session unread. It may be called a second time for the same
   * session: what the first one took is void then.
   */
  begin(header: SessionHeader): OnCall | undefined;
  /** Whether the whole tree is wanted, not only what a list needs of it. */
  wantsIndex: boolean;
}

export interface ScannedSession {
  session: Session;
  /** There when `wantsIndex` was set. */
  index: SessionIndex | undefined;
}

/**
 * Reads one session for a list or a total: hands its calls on one by one, and returns what a list shows of it; undefined for one that is not wanted.
 * Files whose links all point back, as nearly all do, need only a `LinkTally`; others are read once more with a `SessionIndex`.
 * Memory: at most 20 bytes an entry for the former, 80 for the latter; the calls that wait for the end; a chunk and a line.
 *
 * @throws SessionFormatError for a file that is no session, and the system's error for one that can't be read.
 */
export function scanSession(file: OpenSession, scan: SessionScan): ScannedSession | undefined {
  if (!scan.wantsIndex) {
    const sink = new ScanSink(scan, new LinkTally());
    sink.read(file);
    if (sink.isRefused) return undefined;
    if (sink.isExact) return { session: sink.finish(file), index: undefined };
  }
  const index = new SessionIndex();
  const sink = new ScanSink(scan, index);
  sink.read(file);
  return sink.isRefused ? undefined : { session: sink.finish(file), index };
}

const withContent: LeanWants = { content: true };
const withoutContent: LeanWants = { content: false };

/** Positions mean nothing to a scan. */
const nowhere = { line: 0, byteOffset: 0, byteLength: 0 };

class ScanSink implements EntrySink {
  /** Whether the header was not wanted. */
  isRefused = false;
  readonly #scan: SessionScan;
  readonly #links: LinkTally | SessionIndex;
  readonly #usage = new UsageSum();
  #summary: SessionSummary | undefined;
  #calls: SessionCalls | undefined;
  #pump: SessionPump | undefined;

  constructor(scan: SessionScan, links: LinkTally | SessionIndex) {
    this.#scan = scan;
    this.#links = links;
  }

  /** Whether the links were such that the tally could follow them. */
  get isExact(): boolean {
    return !(this.#links instanceof LinkTally) || this.#links.isExact;
  }

  read({ fd, path, buffer, onBytes }: OpenSession): void {
    this.#pump = new SessionPump(fd, path, this, { lean: withContent, maxLineBytes: STORE_MAX_LINE_BYTES });
    pumpSessionSync(this.#pump, fd, { buffer, onBytes, isEnough: () => this.isRefused || !this.isExact });
  }

  header(header: SessionHeader): void {
    const onCall = this.#scan.begin(header);
    this.isRefused = onCall === undefined;
    this.#summary = new SessionSummary(header);
    this.#calls = new SessionCalls(this.#links, this.#links instanceof SessionIndex, (call, entry) => {
      this.#usage.add(call.usage);
      onCall?.(call, entry);
    });
  }

  entry(entry: SessionEntry): void {
    if (this.isRefused) return;
    const summary = this.#summary!;
    summary.add(entry);
    if (!summary.wantsContent) this.#pump!.parser.lean = withoutContent;
    const links = this.#links;
    const number =
      links instanceof LinkTally ? links.add(entryId(entry), entryParentId(entry)) : links.add(entry, nowhere);
    this.#calls!.add(entry, number);
  }

  finish({ path, sizeBytes, mtimeMs }: OpenSession): Session {
    this.#calls!.finish();
    return this.#summary!.finish({
      path,
      sizeBytes,
      mtimeMs,
      damagedLines: this.#pump!.parser.counts.damaged,
      branches: this.#links.branchCount,
      models: this.#calls!.models(),
      usage: this.#usage.total(),
    });
  }
}
