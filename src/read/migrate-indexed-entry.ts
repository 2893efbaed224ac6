import type { SessionEntry } from "../format/entry.js";
import { CURRENT_SESSION_VERSION, headerVersion } from "../format/header.js";
import { hasOwnLinks, linkEntry, nameFirstKept } from "../migrate/v1-to-v2.js";
import { migrateV2ToV3 } from "../migrate/v2-to-v3.js";
import type { IndexedEntry, SessionIndex } from "../tree/session-index.js";

/** An entry read by offset, as version 3: what migration would make of it in file order, with the ids that the index remembers. */
export function migrateIndexedEntry(entry: SessionEntry, node: IndexedEntry, index: SessionIndex): SessionEntry {
  const version = headerVersion(index.header!);
  if (version >= CURRENT_SESSION_VERSION) return entry;
  let migrated = entry;
  if (version < 2) {
    const linked = hasOwnLinks(entry) ? entry : linkEntry(entry, node.id, node.parentId);
    migrated = nameFirstKept(linked, () => index.firstKept(node.number));
  }
  migrateV2ToV3(migrated);
  return migrated;
}
