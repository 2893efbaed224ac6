import { closeSync, openSync } from "node:fs";
import type { SessionHeader } from "../format/header.js";
import { MAX_LINE_BYTES } from "../read/limits.js";
import { SessionPump } from "../read/pump-session.js";
import { CHUNK_BYTES, readRangeSync } from "../read/read-chunks.js";

/** Most headers lie within so many bytes; the pieces that are read behind them grow. */
const FIRST_PIECE_BYTES = 4096;

/** Reads the header of an open session, and no more of it than that takes. Throws a `SessionFormatError` when it is none. */
export function readHeaderSync(fd: number, path: string): SessionHeader {
  let found: SessionHeader | undefined;
  const sink = {
    header(header: SessionHeader): void {
      found = header;
    },
    entry(): void {},
  };
  const pump = new SessionPump(fd, path, sink, { maxLineBytes: MAX_LINE_BYTES });
  let pieceBytes = FIRST_PIECE_BYTES;
  for (let at = 0; !found; at += pieceBytes, pieceBytes = Math.min(pieceBytes * 2, CHUNK_BYTES)) {
    const piece = readRangeSync(fd, at, pieceBytes);
    pump.push(piece);
    if (piece.length < pieceBytes) pump.end();
  }
  return found;
}

/** The header of a file; undefined for one that can't be read or is no session. */
export function findHeaderSync(path: string): SessionHeader | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, "r");
    return readHeaderSync(fd, path);
  } catch {
    return undefined; // Whoever looks for a session among many files passes over those that are none.
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
