import { fstatSync, fsyncSync, ftruncateSync, writeSync } from "node:fs";
import { readRangeSync } from "../read/read-chunks.js";

/**
 * Appends one line, newline included, to a file that is open with `O_APPEND` and for reading: one write, which other writers can't come between.
 * When it fails, what was written in part is taken back, and the system's error is thrown. `durable` waits until the line is on the disk.
 */
export function appendLine(fd: number, line: Buffer, durable: boolean): void {
  let written = 0;
  try {
    // Only a disk that is filling up writes less than it was given: the second write then says so.
    while (written < line.length) written += writeSync(fd, line, written);
    if (durable) fsyncSync(fd);
  } catch (error) {
    if (written > 0) takeBack(fd, line.subarray(0, written));
    throw error;
  }
}

/** Cuts off what was written last. When another writer stands behind it already, it stays, and readers pass over it as damage. */
function takeBack(fd: number, part: Buffer): void {
  try {
    const start = fstatSync(fd).size - part.length;
    if (start >= 0 && readRangeSync(fd, start, part.length).equals(part)) ftruncateSync(fd, start);
  } catch {
    // The caller throws what came first. Whoever appends next finds a line without an end, and ends it.
  }
}
