import { open } from "node:fs/promises";
import type { Problem } from "../format/problem.js";
import { findTreeOddities } from "../tree/find-oddities.js";
import { IndexSink } from "./index-session.js";
import { MAX_LINE_BYTES } from "./limits.js";
import { type PumpSyncOptions, pumpSession, pumpSessionSync, SessionPump } from "./pump-session.js";

/** A session being checked: its bytes go through the pump, then the findings are known. */
class SessionCheck {
  readonly pump: SessionPump;
  readonly #problems: Problem[] = [];
  readonly #sink = new IndexSink((problem) => this.#problems.push(problem));

  constructor(fd: number, path: string, maxLineBytes: number) {
    this.pump = new SessionPump(fd, path, this.#sink, { lean: {}, oddities: true, maxLineBytes });
  }

  finish(): Problem[] {
    return [...this.#problems, ...findTreeOddities(this.#sink.index)].sort((a, b) => a.byteOffset - b.byteOffset);
  }
}

/**
 * Finds all that is wrong with one session: damage (bytes that are no whole entry) and oddities (entries that break a rule of the format), by line.
 * Changes nothing. Memory: the findings, the tree index, a chunk and a line.
 *
 * @throws SessionFormatError for a file that is no session, and the system's error for one that can't be read.
 */
export async function checkSession(path: string, options: { signal?: AbortSignal } = {}): Promise<Problem[]> {
  const handle = await open(path);
  try {
    const check = new SessionCheck(handle.fd, path, MAX_LINE_BYTES);
    await pumpSession(check.pump, handle, options);
    return check.finish();
  } finally {
    await handle.close();
  }
}

/** As `checkSession`, for callers that can't wait, over a file that is open already. */
export function checkOpenSessionSync(
  fd: number,
  path: string,
  { maxLineBytes, ...options }: PumpSyncOptions & { maxLineBytes: number },
): Problem[] {
  const check = new SessionCheck(fd, path, maxLineBytes);
  pumpSessionSync(check.pump, fd, options);
  return check.finish();
}
