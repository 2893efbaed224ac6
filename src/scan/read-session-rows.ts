import { resolve } from "node:path";
import { ExportError } from "../errors.js";
import type { CellText } from "../export/cell-text.js";
import { type EntryFacts, readEntryFacts } from "../export/entry-facts.js";
import type { Redactor } from "../export/redactor.js";
import type { RowBatch } from "../export/row-batch.js";
import { RowBatcher } from "../export/row-batcher.js";
import { SessionRows } from "../export/session-rows.js";
import { SessionSurvey } from "../export/session-survey.js";
import type { TableName } from "../export/tables.js";
import type { SessionEntry } from "../format/entry.js";
import type { SessionHeader } from "../format/header.js";
import type { EntrySink } from "../read/entry-parser.js";
import { STORE_MAX_LINE_BYTES } from "../read/limits.js";
import { pumpSessionSync, SessionPump } from "../read/pump-session.js";
import { readEntryAt } from "../read/read-entry-at.js";
import { type CallFilterOptions, filtersModels } from "../report/call-filter.js";
import { LinkTally } from "../tree/link-tally.js";
import { SessionIndex } from "../tree/session-index.js";
import type { OpenSession } from "./open-session.js";

export interface SessionRowsRequest {
  host: string;
  tables: readonly TableName[];
  text: CellText;
  /** Left out where credentials stay. */
  redactor?: Redactor | undefined;
  /** Whether strings of long lines are wanted whole. */
  isTextWhole: boolean;
  filters: CallFilterOptions;
  isProjectWanted: (header: SessionHeader) => boolean;
  copies: ArrayLike<number>;
}

/** What there is to say of a session whose rows were read. */
export interface ReadRows {
  damagedLines: number;
  /** Entries with strings that are longer than V8 can hold: their cells hold the beginning. */
  cutEntries: number;
}

/** What rows tell of the entries is kept from the first reading of a file of at most this size; a larger one is read twice. */
const KEPT_BYTES = 4 * 1024 * 1024;

/**
 * Hands on the rows of one session, batch by batch; undefined for one of a project that is not wanted. The file is read up to the size that it was found with, and
 * twice when it is large: first for what the rows need to know of the whole. Memory: see `SessionSurvey`; a chunk, a line and a batch; entries of 4 MiB.
 *
 * @throws SessionFormatError for a file that is no session, and the system's error for one that can't be read, both before any row was handed on.
 */
export function readSessionRows(
  file: OpenSession,
  request: SessionRowsRequest,
  take: (batch: RowBatch) => void,
): ReadRows | undefined {
  const path = resolve(file.path);
  const reader = new FactsReader(file, request);
  const surveyed =
    surveySession(file, request, reader, new LinkTally()) ?? surveySession(file, request, reader, new SessionIndex())!;
  if (surveyed === "refused") return undefined;
  const { survey, kept, damagedLines } = surveyed;
  survey.finish();

  const batcher = new RowBatcher(path, request.tables, take, request.redactor);
  const { host, filters, text, copies } = request;
  const rows = new SessionRows(survey, batcher, { path, host, text, filters, copies });
  try {
    if (kept) for (const facts of kept) rows.add(facts);
    else {
      readEntries({ ...file, onBytes: () => {} }, () => false, {
        header() {},
        entry: (...entry) => rows.add(reader.read(...entry)),
      });
    }
    rows.finish({ sizeBytes: file.sizeBytes, mtimeMs: file.mtimeMs, damagedLines });
    batcher.finish();
  } catch (cause) {
    if (cause instanceof ExportError) throw cause;
    // Not the error of a file that can be passed over: rows of it were handed on.
    throw new Error(`Cannot export "${path}": ${(cause as Error).message}`, { cause });
  }
  return { damagedLines, cutEntries: reader.cutEntries };
}

interface SurveyedSession {
  survey: SessionSurvey;
  /** The entries; undefined when they are too many to be kept. */
  kept: EntryFacts[] | undefined;
  damagedLines: number;
}

/** Reads a session for what its rows need to know of the whole; undefined when its links were not such that `links` could follow them. */
function surveySession(
  file: OpenSession,
  request: SessionRowsRequest,
  reader: FactsReader,
  links: LinkTally | SessionIndex,
): SurveyedSession | "refused" | undefined {
  const kept: EntryFacts[] | undefined = file.sizeBytes <= KEPT_BYTES ? [] : undefined;
  const asksForModels = filtersModels(request.filters);
  let survey: SessionSurvey | undefined;
  let isRefused = false;
  reader.cutEntries = 0;
  const isOver = (): boolean => isRefused || survey?.isExact === false;
  const damagedLines = readEntries(file, isOver, {
    header(header) {
      isRefused = !request.isProjectWanted(header);
      survey = new SessionSurvey(header, links, { asksForModels });
    },
    entry(entry, line, byteOffset, byteLength, ordinal, truncated) {
      if (isOver()) return;
      survey!.add(entry, truncated);
      kept?.push(reader.read(entry, line, byteOffset, byteLength, ordinal, truncated));
    },
  });
  if (isRefused) return "refused";
  return survey!.isExact ? { survey: survey!, kept, damagedLines } : undefined;
}

/** Reads the facts of a file's entries, those of long lines from the file once more where whole texts are wanted. */
class FactsReader {
  /** Entries that even so could not be held whole. */
  cutEntries = 0;
  readonly #file: OpenSession;
  readonly #request: SessionRowsRequest;

  constructor(file: OpenSession, request: SessionRowsRequest) {
    this.#file = file;
    this.#request = request;
  }

  read(...[entry, line, byteOffset, byteLength, _, truncated]: Parameters<EntrySink["entry"]>): EntryFacts {
    const { text, isTextWhole } = this.#request;
    let whole = entry;
    if (truncated && isTextWhole) {
      const read = readEntryAt(this.#file.fd, this.#file.path, { line, byteOffset, byteLength });
      if (read.truncated) this.cutEntries++;
      whole = withWholeText(entry, read.entry);
    }
    return readEntryFacts(whole, line, byteLength, text);
  }
}

/** Reads all entries of a file; returns how many lines are damaged. */
function readEntries(file: OpenSession, isEnough: () => boolean, sink: EntrySink): number {
  const { fd, path, buffer, onBytes, sizeBytes } = file;
  const pump = new SessionPump(fd, path, sink, { maxLineBytes: STORE_MAX_LINE_BYTES });
  pumpSessionSync(pump, fd, { buffer, onBytes, isEnough, end: sizeBytes });
  return pump.parser.counts.damaged;
}

/** An entry of a long line, with the message that its line really holds; links stay as migration made them. */
function withWholeText(entry: SessionEntry, whole: SessionEntry): SessionEntry {
  if (!("message" in whole)) return entry;
  return { ...entry, message: whole.message } as SessionEntry;
}
