import { closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import type { SessionHeader } from "../format/header.js";
import { copySession } from "./copy-session.js";
import { findHeaderSync } from "./read-header-sync.js";
import { writeFileAtomically } from "./write-file-atomically.js";

/**
 * Copies all entries of a session into a new file behind a header of its own: bytes as they are, or migrated from an old version. The source is not
 * changed, the copy is there whole or not at all.
 *
 * @throws Error (`Cannot fork: …`) for a source that is missing, empty or no session.
 */
export function forkSession(source: string, target: string, header: SessionHeader): void {
  if (!findHeaderSync(source)) throw new Error(`Cannot fork: source session file is empty or invalid: ${source}`);
  mkdirSync(dirname(target), { recursive: true });
  refuseExisting(target);
  const from = openSync(source, "r");
  try {
    writeFileAtomically(target, (writer) => {
      copySession(from, source, writer, { header: () => header, keepOthers: false });
    });
  } finally {
    closeSync(from);
  }
}

/** A new session never takes the place of another file. Its name has its id and the millisecond in it, so that none comes in between. */
export function refuseExisting(path: string): void {
  if (!existsSync(path)) return;
  throw Object.assign(new Error(`EEXIST: file already exists, "${path}"`), { code: "EEXIST", path });
}
