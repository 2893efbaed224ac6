import { isEntry, type SessionEntry } from "../format/entry.js";
import { CURRENT_SESSION_VERSION, isSessionHeader, type SessionHeader } from "../format/header.js";
import { isJsonObject } from "../format/json.js";
import { migrateHeader } from "./migrate-header.js";
import { Migration } from "./migration.js";

/**
 * Brings the lines of one session, as an array with its header, to version 3 in place: items that change may be changed themselves or be replaced.
 * Returns whether there was anything to migrate: false from version 3 on. Without a header the entries are taken for version 1.
 * Further headers stay as they are, and so does what stands before the first.
 *
 * @example
 * import { migrateSessionEntries } from "pi-sessions";
 *
 * const entries = [
 *   { type: "session", id: "a", timestamp: "2026-01-02T03:04:05.000Z", cwd: "/home/u" },
 *   { type: "message", timestamp: "2026-01-02T03:04:06.000Z", message: { role: "user", content: "Hello" } },
 * ];
 * migrateSessionEntries(entries);
 * console.log(entries[0].version, entries[1].parentId); // 3 null
 */
export function migrateSessionEntries(entries: (SessionHeader | SessionEntry)[]): boolean {
  const start = entries.findIndex(isSessionHeader);
  const header = entries[start] as SessionHeader | undefined;
  const migration = new Migration(header ?? { type: "session", id: "" });
  if (migration.fromVersion >= CURRENT_SESSION_VERSION) return false;
  if (header) entries[start] = migrateHeader(header);
  let ordinal = 0;
  for (let index = Math.max(start, 0); index < entries.length; index++) {
    const item = entries[index]!;
    if (!isJsonObject(item)) continue;
    if (isEntry(item) && !isSessionHeader(item)) entries[index] = migration.migrate(item, ordinal);
    ordinal++;
  }
  return entries.length > 0;
}
