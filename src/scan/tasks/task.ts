import type { SessionHeader } from "../../format/header.js";
import type { CallFilterOptions } from "../../report/call-filter.js";
import type { SessionFile } from "../find-session-files.js";
import type { OpenSession } from "../open-session.js";
import type { SessionRange } from "../scan-session.js";

/** A task on its way through a batch of files. What it keeps of a session that fails midway must not be seen in its result. */
export interface Task<Result> {
  scan(session: OpenSession): void;
  /** What there is to know of one range of a session, for `join`; undefined when the file must be scanned whole. */
  scanPart?(session: OpenSession, range: SessionRange): unknown;
  /** Scans a session by what `scanPart` made of its ranges, in file order; false when the file must be scanned whole. */
  join?(file: SessionFile, header: SessionHeader, parts: readonly unknown[]): boolean;
  /** What came of the batch; it can be posted to another thread. */
  finish(): Result;
}

/** The filters that choose sessions or calls. */
export interface FilterOptions extends CallFilterOptions {
  projects?: readonly string[] | undefined;
}
