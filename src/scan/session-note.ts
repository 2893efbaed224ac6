import { createHash } from "node:crypto";
import { endianness } from "node:os";
import type { FoundSession } from "./tasks/fingerprints-task.js";

/** Changes with what a note says, and with what the fingerprints of calls are made of. */
const VERSION = 1;

const DIGEST_LENGTH = 43;

/**
 * What was found in a session file, as a line of printable ASCII that the target of an export keeps, so that the next export need not open the file to tell copies: a digest, then the
 * rest as JSON. Memory: 22 bytes a call.
 *
 * Empty for a session whose id or parent `redact` would change: its file is read each time.
 */
export function writeNote({ fingerprints, ...facts }: FoundSession, redact?: (text: string) => string): string {
  const { id, parent } = facts;
  if (redact && (redact(id) !== id || (parent !== null && redact(parent) !== parent))) return "";
  const { buffer, byteOffset, byteLength } = fingerprints;
  const calls = Buffer.from(buffer, byteOffset, byteLength).toString("base64");
  const content = JSON.stringify({ ...facts, calls }).replace(/[^ -~]/g, escapeUnit);
  return digestOf(content) + content;
}

/** What the notes of a target say, by path. Those that are damaged, or that another release or another kind of machine wrote, say nothing: their files are read again. */
export async function readNotes(
  read: (take: (note: string) => void) => Promise<void>,
): Promise<Map<string, FoundSession>> {
  const sessions = new Map<string, FoundSession>();
  await read((note) => {
    const session = readNote(note);
    if (session) sessions.set(session.path, session);
  });
  return sessions;
}

function readNote(note: string): FoundSession | undefined {
  const content = note.slice(DIGEST_LENGTH);
  if (note.slice(0, DIGEST_LENGTH) !== digestOf(content)) return undefined;
  const { calls, ...facts } = JSON.parse(content) as Omit<FoundSession, "fingerprints"> & { calls: string };
  // Small buffers of Node.js lie anywhere in a larger one; words need a place of their own.
  const { buffer } = Uint8Array.from(Buffer.from(calls, "base64"));
  return { ...facts, fingerprints: new Int32Array(buffer) };
}

function digestOf(content: string): string {
  return createHash("sha256").update(`${VERSION} ${endianness()} `).update(content).digest("base64url");
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
