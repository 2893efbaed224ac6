import { readSync } from "node:fs";
import { headerVersion } from "../format/header.js";
import type { SessionFile } from "./find-session-files.js";
import { withOpenSession } from "./open-session.js";
import { readHeaderSync } from "./read-header.js";
import { readBuffer } from "./run-batch.js";
import type { SessionRange } from "./scan-session.js";

const NEWLINE = 0x0a;

/**
 * Cuts a file into about `count` ranges of equal size that begin and end with a line; fewer where lines are long. undefined for a file that can't be
 * cut: no session, or one of version 1, whose entries get their links from those before them.
 */
export function cutSession(file: SessionFile, count: number): SessionRange[] | undefined {
  const buffer = readBuffer();
  try {
    return withOpenSession(file, { buffer, onBytes: () => {} }, (session) => {
      const header = readHeaderSync(session);
      if (headerVersion(header) < 2) return undefined;
      const starts = [0];
      for (let at = 1; at < count; at++) {
        const place = Math.floor((file.sizeBytes * at) / count);
        if (place < starts.at(-1)!) continue; // The line at the place before goes beyond this one; it need not be read again.
        const start = findLineStart(session.fd, place, buffer);
        if (start === undefined) break;
        starts.push(start);
      }
      return starts.map((start, at) => ({ header, start, end: starts[at + 1] ?? Number.POSITIVE_INFINITY }));
    });
  } catch {
    return undefined; // Whatever is wrong with the file is told when it is scanned whole.
  }
}

/** Where the first line behind a place begins; undefined when the file ends before. */
function findLineStart(fd: number, place: number, buffer: Buffer): number | undefined {
  for (let position = place; ; ) {
    const bytesRead = readSync(fd, buffer, 0, buffer.length, position);
    if (bytesRead === 0) return undefined;
    const newline = buffer.subarray(0, bytesRead).indexOf(NEWLINE);
    if (newline >= 0) return position + newline + 1;
    position += bytesRead;
  }
}
