import { CURRENT_SESSION_VERSION, headerParent, headerVersion, type SessionHeader } from "../format/header.js";
import { replaceKey } from "./replace-key.js";

/**
 * The header as version 3 has it: `version` is 3, and version 1's `branchedFrom` is `parentSession` unless there is one already. All other keys stay.
 * Headers of version 3 and above come back as they are.
 */
export function migrateHeader(header: SessionHeader): SessionHeader {
  if (headerVersion(header) >= CURRENT_SESSION_VERSION) return header;
  const parent = headerParent(header);
  const linked =
    parent !== null && parent !== header.parentSession
      ? (replaceKey(header, "branchedFrom", "parentSession", parent) as SessionHeader)
      : header;
  const { type, version: _, ...rest } = linked;
  return { type, version: CURRENT_SESSION_VERSION, ...rest };
}
