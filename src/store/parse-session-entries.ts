import { isEntry, type SessionEntry } from "../format/entry.js";
import type { SessionHeader } from "../format/header.js";
import { recoverEntries } from "../read/recover-entries.js";

/**
 * The header and the entries in the text of a session, in order, as they are written. What is no entry is left out; whole entries are recovered from
 * damaged lines. For text that is at hand anyway: files are better read with `readSession`.
 */
export function parseSessionEntries(content: string): (SessionHeader | SessionEntry)[] {
  return content.split("\n").flatMap(parseLine);
}

function parseLine(line: string): (SessionHeader | SessionEntry)[] {
  try {
    const value: unknown = JSON.parse(line.replace(/^\uFEFF/, ""));
    return isEntry(value) ? [value] : [];
  } catch {
    return recoverEntries(Buffer.from(line)).map(({ entry }) => entry);
  }
}
