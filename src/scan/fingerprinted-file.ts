import { resolve } from "node:path";
import { headerParent, type SessionHeader } from "../format/header.js";
import { parseIsoTime } from "../format/time.js";
import type { CallFingerprints } from "../report/call-fingerprint.js";
import type { LineageFile } from "../report/file-lineage.js";
import type { CallOwner } from "../report/group-calls.js";
import type { KeptCallsParts } from "../report/kept-calls.js";

/** A file and its calls, for the ledger that tells copies from calls. */
export interface FingerprintedFile extends LineageFile {
  fingerprints: Int32Array;
}

/** What is known of a file beside, where its calls are added up. */
export interface TotalledFile extends FingerprintedFile {
  /** False where the filters leave all its calls out, copies or not. */
  copiesCount: boolean;
  /** The calls of a file that is likely to hold copies, so that it need not be read again. */
  kept: { owner: CallOwner; calls: KeptCallsParts } | undefined;
}

/** What the ledger needs of a session that was read. */
export function fingerprintedFile(
  path: string,
  header: SessionHeader,
  fingerprints: CallFingerprints,
): FingerprintedFile {
  return {
    path: resolve(path),
    id: header.id,
    parent: headerParent(header),
    created: parseIsoTime(header.timestamp) ?? null,
    fingerprints: fingerprints.finish(),
  };
}
