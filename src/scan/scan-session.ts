import { BareEntry } from "../format/bare-entry.js";
import { entryId, entryParentId, type SessionEntry } from "../format/entry.js";
import type { SessionHeader } from "../format/header.js";
import type { EntrySink } from "../read/entry-parser.js";
import { WANTS_FINGERPRINTS, WANTS_NUMBERS, WANTS_RECORDS } from "../read/kernel/layout.js";
import { STORE_MAX_LINE_BYTES } from "../read/limits.js";
import { fillTallied } from "../read/plain-entry.js";
import { type PlainRun, PlainTally } from "../read/plain-tally.js";
import { pumpSessionSync, SessionPump } from "../read/pump-session.js";
import { type CallFingerprints, callIdentity } from "../report/call-fingerprint.js";
import type { KeptCalls } from "../report/kept-calls.js";
import type { Links } from "../report/model-trail.js";
import { type OnCall, SessionCalls, type SessionCallsPart } from "../report/session-calls.js";
import { type Session, SessionSummary, type SummaryPart } from "../report/session-summary.js";
import { type UsageParts, UsageSum } from "../report/sum-usage.js";
import { LinkList, type LinkListPart, tallyLinks } from "../tree/link-list.js";
import { LinkTally } from "../tree/link-tally.js";
import { SessionIndex } from "../tree/session-index.js";
import type { SessionFile } from "./find-session-files.js";
import type { OpenSession } from "./open-session.js";

/** What becomes of the calls of a session. */
export interface CallTaker {
  /** Takes each call; left out where only what they come to is wanted, most lines are read several times sooner. */
  onCall?: OnCall | undefined;
  /** Where the fingerprints of the calls are put. */
  fingerprints?: CallFingerprints | undefined;
  /** Where the calls are kept. */
  kept?: KeptCalls | undefined;
}

/** What is to be made of a session that is scanned. */
export interface SessionScan {
  /**
   * Called with the header; returns what takes the calls, or undefined to leave the session unread. It may be called more than once for the same
   * session: what the ones before took is void then.
   */
  begin(header: SessionHeader): CallTaker | undefined;
  /** Takes every entry in file order; `number` is its number in the tree, -1 for one that is not in it. */
  onEntry?(entry: SessionEntry, number: number): void;
  /** Whether what a list shows is wanted, so that texts must be looked at. */
  wantsSession: boolean;
  /** Whether the whole tree is wanted, not only what a list needs of it. */
  wantsIndex: boolean;
  /** Asked now and then: once it says yes, the rest of the file is left unread, and what is returned is of no use. */
  isEnough?(): boolean;
}

export interface ScannedSession extends JoinedSession {
  /** The links of its tree, lent until the next session is scanned. */
  links: Links;
  /** There when `wantsIndex` was set. */
  index: SessionIndex | undefined;
}

/** What becomes of a session, whichever way it was read. */
export interface JoinedSession {
  header: SessionHeader;
  damagedLines: number;
  /** What all its calls came to. */
  usage: UsageParts;
  /** There when `wantsSession` was set. */
  session: Session | undefined;
}

/**
 * Reads one session for a list or a total: hands its calls on one by one, and returns what they come to; undefined for one that is not wanted.
 * Files that pi wrote, unless they are very long, are added up by a `PlainTally`; those that it can't follow are read once more with a `LinkTally`, which
 * will do as long as all links point back, else with a `SessionIndex`.
 * Memory: at most 20 bytes an entry for a tally, 80 for an index; the calls that wait for the end; a chunk and a line.
 *
 * @throws SessionFormatError for a file that is no session, and the system's error for one that can't be read.
 */
export function scanSession(file: OpenSession, scan: SessionScan): ScannedSession | undefined {
  for (const links of linksFor(file, scan)) {
    const sink = new ScanSink(scan, links);
    sink.read(file);
    if (sink.isRefused) return undefined;
    if (!sink.isExact) continue;
    const index = links instanceof SessionIndex ? links : undefined;
    return { ...sink.finish(file), links, index };
  }
  throw new Error("A session index takes any links"); // It is the last one.
}

/** Files above that have more entries than a plain tally takes, or nearly as many. */
const MAX_PLAIN_BYTES = 64 * 1024 * 1024;

/** Whatever may follow the links of a session, from the cheapest on. */
function* linksFor({ sizeBytes }: SessionFile, { wantsIndex, onEntry }: SessionScan): Generator<WholeLinks> {
  if (!wantsIndex && !onEntry && sizeBytes <= MAX_PLAIN_BYTES) yield takePlainTally();
  if (!wantsIndex) yield new LinkTally();
  yield new SessionIndex();
}

let plainTally: PlainTally | undefined;

/** The tally of this thread, without entries. */
function takePlainTally(): PlainTally {
  plainTally ??= new PlainTally();
  plainTally.clear();
  return plainTally;
}

/** Some lines of a session file, from the beginning of one to the end of another. */
export interface SessionRange {
  header: SessionHeader;
  start: number;
  end: number;
}

/** What is known of a session by one range of it, for another thread to join with the others. */
export interface SessionPart {
  summary: SummaryPart;
  links: LinkListPart;
  calls: SessionCallsPart;
  usage: UsageParts;
  damagedLines: number;
}

/**
 * As `scanSession`, of one range of a file of version 2 or above. Calls whose model stands before the range are not handed on: `joinSessionParts` does
 * that. Undefined for links that can't be joined, and for too many such calls; then the file must be scanned whole. Memory: 13 bytes an entry of the range.
 */
export function scanSessionPart(file: OpenSession, range: SessionRange, taker: CallTaker): SessionPart | undefined {
  const links = new LinkList();
  const sink = new ScanSink({ begin: () => taker, wantsSession: true, wantsIndex: false }, links);
  sink.read(file, range);
  return sink.isExact ? sink.part(links) : undefined;
}

/** Joins the parts of a session, in file order; undefined when its links are not such that a tally could follow them. */
export function joinSessionParts(
  file: SessionFile,
  header: SessionHeader,
  parts: readonly SessionPart[],
  taker: CallTaker,
): JoinedSession | undefined {
  const links = new LinkTally();
  const sink = new ScanSink({ begin: () => taker, wantsSession: true, wantsIndex: false }, links);
  sink.header(header);
  for (const part of parts) sink.take(part, links);
  return links.isExact ? sink.finish(file) : undefined;
}

/** So many calls of a part may wait for the model that another part tells; they take some 600 bytes each. */
const MAX_OPEN_CALLS = 10_000;

/** Positions mean nothing to a scan. */
const nowhere = { line: 0, byteOffset: 0, byteLength: 0 };

/** The line that a range is said to begin with: any but the first, where alone a byte order mark may stand. */
const SOME_LINE = 2;

/** What follows the links of a whole session. */
type WholeLinks = PlainTally | LinkTally | SessionIndex;

class ScanSink implements EntrySink {
  /** Whether the header was not wanted. */
  isRefused = false;
  readonly #scan: SessionScan;
  readonly #links: WholeLinks | LinkList;
  readonly tally: PlainTally | undefined;
  tallyWants = 0;
  readonly #usage = new UsageSum();
  #header: SessionHeader | undefined;
  #summary: SessionSummary | undefined;
  #calls: SessionCalls | undefined;
  #taker: CallTaker | undefined;
  #pump: SessionPump | undefined;
  #damagedLines = 0;

  constructor(scan: SessionScan, links: WholeLinks | LinkList) {
    this.#scan = scan;
    this.#links = links;
    this.tally = links instanceof PlainTally ? links : undefined;
    // Whoever wants to see each entry wants more than that.
    if (!scan.onEntry) this.bare = (entry) => this.#takeBare(entry);
  }

  /** Whether the links were such that they could be followed, and few calls must wait for those of other parts. */
  get isExact(): boolean {
    const links = this.#links;
    if (links instanceof SessionIndex) return true;
    return links.isExact && !(links instanceof LinkList && this.#calls!.openCount > MAX_OPEN_CALLS);
  }

  read({ fd, path, buffer, onBytes }: OpenSession, range?: SessionRange): void {
    const at = range && range.start > 0 && { header: range.header, line: SOME_LINE, byteOffset: range.start };
    this.#pump = new SessionPump(fd, path, this, {
      lean: this.#scan.wantsSession ? "texts" : "calls",
      maxLineBytes: STORE_MAX_LINE_BYTES,
      ...(at && { at }),
    });
    if (at) this.header(at.header);
    pumpSessionSync(this.#pump, fd, {
      ...(range && { start: range.start, end: range.end }),
      buffer,
      onBytes,
      isEnough: () => this.isRefused || this.#pump!.parser.isStopped,
    });
    this.#damagedLines += this.#pump.parser.counts.damaged;
  }

  header(header: SessionHeader): void {
    const taker = this.#scan.begin(header);
    this.isRefused = taker === undefined;
    this.#taker = taker;
    this.#header = header;
    if (this.#scan.wantsSession) this.#summary = new SessionSummary(header);
    const { tally } = this;
    const links = this.#links;
    const options = {
      mayRepeat: links instanceof SessionIndex,
      links: tally ?? (links instanceof LinkTally ? links : undefined),
      tally,
    };
    this.#calls = new SessionCalls(options, (call, entry) => {
      this.#usage.add(call.usage);
      taker?.fingerprints?.add(call, callIdentity(entry));
      taker?.kept?.add(call);
      taker?.onCall?.(call, entry);
    });
    this.tallyWants =
      (taker?.onCall ? WANTS_RECORDS : 0) |
      (taker?.fingerprints ? WANTS_FINGERPRINTS : 0) |
      (taker?.kept ? WANTS_NUMBERS : 0);
  }

  /** Takes what plain lines come to that the tally took. */
  tallied(run: PlainRun): void {
    if (this.isRefused) return;
    this.#summary?.addRun(run);
    this.#usage.merge(run.usage);
    const first = this.#calls!.skip(run);
    const { onCall, fingerprints, kept } = this.#taker!;
    fingerprints?.take(run.fingerprints, first, run.calls);
    kept?.addRun(run, first, this.tally!.models.models);
    if (onCall) this.#handOnTallied(run.calls, first, onCall);
    if (this.#scan.isEnough?.() === true) this.#pump!.parser.isStopped = true;
  }

  #handOnTallied(count: number, first: number, onCall: OnCall): void {
    const entry = (this.#tallied ??= new BareEntry());
    for (let call = 0; call < count; call++) {
      const number = fillTallied(entry, call);
      onCall(this.#calls!.skippedCall(entry, first + call, number), entry);
    }
  }

  /** The entry of a call that was tallied, lent. */
  #tallied: BareEntry | undefined;

  /** Takes a message that is written plainly. */
  readonly bare?: (entry: BareEntry) => void;

  #takeBare(entry: BareEntry): void {
    if (this.isRefused) return;
    this.#summary?.addBare(entry);
    const links = this.#links;
    const number =
      links instanceof SessionIndex
        ? links.addBare(entry, nowhere)
        : links.addBits(entry.idBits, entry.hasParent, entry.parentIdBits);
    if (this.#stopsWithout(number)) return;
    this.#calls!.addBare(entry, number);
    if (entry.model !== null && namesModel(entry)) this.tally?.knowModel(entry);
    if (!this.isExact || this.#scan.isEnough?.() === true) this.#pump!.parser.isStopped = true;
  }

  entry(entry: SessionEntry): void {
    if (this.isRefused) return;
    this.#summary?.add(entry);
    if (this.#summary?.wantsContent === false) this.#pump!.parser.lean = "calls";
    const links = this.#links;
    const number =
      links instanceof SessionIndex ? links.add(entry, nowhere) : links.add(entryId(entry), entryParentId(entry));
    if (this.#stopsWithout(number)) return;
    this.#calls!.add(entry, number, number < 0 ? this.#parentOf(entry) : undefined);
    this.#scan.onEntry?.(entry, number);
    if (!this.isExact || this.#scan.isEnough?.() === true) this.#pump!.parser.isStopped = true;
  }

  /** Stops the reading where a tally could not give an entry its number: what it would go on to say is of no use. */
  #stopsWithout(number: number): boolean {
    if (number >= 0 || this.isExact) return false;
    this.#pump!.parser.isStopped = true;
    return true;
  }

  /** The number of the nearest entry before one without id that is its parent; -1 where that is not known. */
  #parentOf(entry: SessionEntry): number {
    const parentId = entryParentId(entry);
    return parentId === null || this.#links instanceof LinkList ? -1 : this.#links.numberOf(parentId);
  }

  /** What is known so far, of one part of the file. */
  part(links: LinkList): SessionPart {
    return {
      summary: this.#summary!.part(),
      links: links.part(),
      calls: this.#calls!.part(links.size),
      usage: this.#usage.parts(),
      damagedLines: this.#damagedLines,
    };
  }

  /** Goes on with the next part of the file. */
  take(part: SessionPart, links: LinkTally): void {
    this.#summary!.take(part.summary);
    this.#calls!.take(part.calls, links.size);
    tallyLinks(links, part.links);
    this.#usage.merge(part.usage);
    this.#damagedLines += part.damagedLines;
  }

  finish({ path, sizeBytes, mtimeMs }: SessionFile): JoinedSession {
    const damagedLines = this.#damagedLines;
    const links = this.#links as WholeLinks;
    this.#calls!.finish(links);
    const session = this.#summary?.finish({
      path,
      sizeBytes,
      mtimeMs,
      damagedLines,
      branches: links.branchCount,
      models: this.#calls!.models(),
      usage: this.#usage.total(),
    });
    return { header: this.#header!, damagedLines, usage: this.#usage.parts(), session };
  }
}

/** Whether a bare entry names a model itself. */
function namesModel({ type, role, usage }: BareEntry): boolean {
  return type === "model_change" || (usage !== undefined && role === "assistant");
}
