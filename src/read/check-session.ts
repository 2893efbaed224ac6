import { type FileHandle, open } from "node:fs/promises";
import type { Problem } from "../format/problem.js";
import { findTreeOddities } from "../tree/find-oddities.js";
import { IndexSink } from "./index-session.js";
import { MAX_LINE_BYTES } from "./line-stream.js";
import { type PumpSessionOptions, pumpSession, SessionPump } from "./pump-session.js";

/**
 * Finds all that is wrong with one session: damage (bytes that are no whole entry) and oddities (entries that break a rule of the format), by line.
 * Changes nothing. Memory: the findings, the tree index, a chunk and a line.
 *
 * @throws SessionFormatError for a file that is no session, and the system's error for one that can't be read.
 */
export async function checkSession(path: string, options: { signal?: AbortSignal } = {}): Promise<Problem[]> {
  const handle = await open(path);
  try {
    return await checkOpenSession(handle, path, { ...options, maxLineBytes: MAX_LINE_BYTES });
  } finally {
    await handle.close();
  }
}

/** As `checkSession`, over a file that is open already. */
export async function checkOpenSession(
  handle: FileHandle,
  path: string,
  { maxLineBytes, ...options }: PumpSessionOptions & { maxLineBytes: number },
): Promise<Problem[]> {
  const problems: Problem[] = [];
  const sink = new IndexSink((problem) => problems.push(problem));
  await pumpSession(
    new SessionPump(handle.fd, path, sink, { lean: {}, oddities: true, maxLineBytes }),
    handle,
    options,
  );
  problems.push(...findTreeOddities(sink.index));
  return problems.sort((a, b) => a.byteOffset - b.byteOffset);
}
