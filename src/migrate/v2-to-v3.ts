import { isMessageEntry, type SessionEntry } from "../format/entry.js";

/** Messages of extensions had the role `hookMessage` before version 3; the entry's message is changed in place. */
export function migrateV2ToV3(entry: SessionEntry): void {
  if (isMessageEntry(entry) && entry.message.role === "hookMessage") entry.message.role = "custom";
}
