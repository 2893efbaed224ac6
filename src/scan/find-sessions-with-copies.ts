import { createHash } from "node:crypto";
import { resolve } from "node:path";
import type { ExportedFile } from "../export/export-target.js";
import { CopyFinder } from "./copy-finder.js";
import { findSessionFiles, type SessionFile } from "./find-session-files.js";
import { byPath } from "./list-sessions.js";
import type { ReadRows } from "./read-session-rows.js";
import { batchFiles, type RowScan } from "./row-scan.js";
import type { SkippedFile, StoreOptions } from "./store-options.js";
import type { FoundSession } from "./tasks/fingerprints-task.js";

/** A session file whose rows may be wanted. */
export interface SessionToExport extends ExportedFile {
  /** What its calls are known by. */
  found: FoundSession;
}

export interface SessionsWithCopies {
  /** By path; those of wanted projects. */
  sessions: SessionToExport[];
  /** The sessions of other projects, which may hold copies, too. */
  others: FoundSession[];
  /** By absolute path, for files that hold copies: which of their calls are, by their number in the file. */
  copies: ReadonlyMap<string, Uint32Array>;
  skipped: SkippedFile[];
}

const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_FILES = 64;

/**
 * Finds all sessions of the stores, and tells their calls from copies. Files that are known, by absolute path, and have not changed since, are not opened.
 * Memory: the list of files, 30 bytes a call to tell copies.
 */
export async function findSessionsWithCopies(
  options: StoreOptions,
  scan: RowScan,
  known: ReadonlyMap<string, FoundSession> = new Map(),
): Promise<SessionsWithCopies> {
  const { files, skipped } = await findSessionFiles(options);
  const found: FoundSession[] = [];
  const unread: SessionFile[] = [];
  for (const file of files) {
    const same = known.get(resolve(file.path));
    if (same?.sizeBytes === file.sizeBytes && same.mtimeMs === file.mtimeMs) found.push(same);
    else unread.push(file);
  }
  const { projects } = options;
  for (const part of await scan.run("fingerprints", { projects }, batchFiles(unread, BATCH_BYTES, BATCH_FILES))) {
    skipped.push(...part.skipped);
    found.push(...part.result);
  }
  found.sort(byPath);

  const finder = new CopyFinder();
  finder.add(found);
  const copies = finder.findCopies();
  const sessions = found
    .filter(({ isWanted }) => isWanted)
    .map((session) => {
      const { path, sizeBytes, mtimeMs } = session;
      return { path, sizeBytes, mtimeMs, state: stateOf(copies.get(path)), found: session };
    });
  return { sessions, others: found.filter(({ isWanted }) => !isWanted), copies, skipped };
}

function stateOf(copies: Uint32Array | undefined): string {
  return copies ? createHash("sha256").update(copies).digest("base64url").slice(0, 22) : "";
}

/** The sessions whose rows a target holds in the end: those that stay as they were, and those that were read, with what there was to say of them. */
export function heldSessions(
  sessions: readonly SessionToExport[],
  stays: (session: SessionToExport) => boolean,
  read: ReadonlyMap<string, ReadRows>,
): SessionToExport[] {
  return sessions.flatMap((session) => {
    const rows = read.get(session.path);
    if (rows) return [{ ...session, found: { ...session.found, rows } }];
    return stays(session) ? [session] : [];
  });
}

/** Whether the rows of a file would be those that were exported. */
export function isExported(file: ExportedFile, exported: ExportedFile | undefined): boolean {
  return file.sizeBytes === exported?.sizeBytes && file.mtimeMs === exported.mtimeMs && file.state === exported.state;
}
