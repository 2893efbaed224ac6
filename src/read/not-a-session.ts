import { SessionFormatError } from "../errors.js";
import type { EntryParser } from "./entry-parser.js";

/** The error for a file that its parser rejected; null while it may be a session. */
export function notASession({ rejection }: EntryParser, path?: string): SessionFormatError | null {
  if (!rejection) return null;
  const name = path === undefined ? "the stream" : `"${path}"`;
  const message = `Cannot read ${name} as a session: ${rejection.reason}`;
  return new SessionFormatError("NOT_A_SESSION", message, path === undefined ? rejection : { ...rejection, path });
}
