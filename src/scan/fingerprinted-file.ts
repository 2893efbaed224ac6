import { resolve } from "node:path";
import type { CallFingerprints } from "../report/call-fingerprint.js";
import type { LineageFile } from "../report/file-lineage.js";
import type { Session } from "../report/session-summary.js";

/** A file and its calls, for the ledger that tells copies from calls. */
export interface FingerprintedFile extends LineageFile {
  fingerprints: Int32Array;
}

/** What the ledger needs of a session that was read. */
export function fingerprintedFile(session: Session, fingerprints: CallFingerprints): FingerprintedFile {
  const { path, id, parentSession, created } = session;
  return {
    path: resolve(path),
    id,
    parent: parentSession,
    created: created === null ? null : Date.parse(created),
    fingerprints: fingerprints.finish(),
  };
}
