import { randomBytes, randomUUID } from "node:crypto";

const SESSION_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;

const SHORT_ID_TRIES = 100;

/** Throws an `Error` for a session id that could not be part of a file name: see the rule in its message. */
export function assertValidSessionId(id: string): void {
  // A RegExp would take what is no string for the text that it can be turned into.
  if (typeof id === "string" && SESSION_ID.test(id)) return;
  throw new Error(
    "Session id must be non-empty, contain only alphanumeric characters, '-', '_', and '.', and start and end with an alphanumeric character",
  );
}

/** A new session id: a UUID of version 7, whose text sorts by the millisecond that it was made in. */
export function newSessionId(now: number = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** A new entry id that is not taken: 8 hex digits, or a whole UUID should all that are drawn be taken. */
export function newEntryId(isTaken: (id: string) => boolean): string {
  for (let tries = 0; tries < SHORT_ID_TRIES; tries++) {
    const id = randomBytes(4).toString("hex");
    if (!isTaken(id)) return id;
  }
  return randomUUID();
}
