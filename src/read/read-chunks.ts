import { readSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";

/** How much of a file is read at once: large enough that calls cost little, small enough to stay in the processor's cache. */
export const CHUNK_BYTES = 512 * 1024;

/**
 * Reads a file chunk by chunk: a chunk is valid until the next one is asked for. While one is worked on, the next is being read into a second buffer.
 */
export async function* readChunks(
  handle: FileHandle,
  { chunkBytes = CHUNK_BYTES }: { chunkBytes?: number } = {},
): AsyncGenerator<Buffer, void, void> {
  const read = async (buffer: Buffer, position: number): Promise<{ buffer: Buffer; bytesRead: number }> => {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
    return { buffer, bytesRead };
  };
  let spare: Buffer = Buffer.allocUnsafeSlow(chunkBytes);
  let position = 0;
  let next = read(Buffer.allocUnsafeSlow(chunkBytes), position);
  try {
    for (;;) {
      const { buffer, bytesRead } = await next;
      if (bytesRead === 0) return;
      position += bytesRead;
      next = read(spare, position);
      yield buffer.subarray(0, bytesRead);
      spare = buffer;
    }
  } finally {
    await next.catch(() => {}); // Whoever leaves early may close the file; the error of a reading that nobody waits for is nobody's.
  }
}

/**
 * As `readChunks`, for callers that can't wait, from `start` up to `end`. `buffer` is what is read into; whoever reads many files hands in the same one
 * each time. A chunk that does not fill it is the last: what a writer appends meanwhile is left for the next reading.
 */
export function* readChunksSync(
  fd: number,
  {
    start = 0,
    end = Number.POSITIVE_INFINITY,
    buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES),
  }: { start?: number; end?: number; buffer?: Buffer } = {},
): Generator<Buffer, void, void> {
  let position = start;
  while (position < end) {
    const wanted = Math.min(buffer.length, end - position);
    const bytesRead = readSync(fd, buffer, 0, wanted, position);
    if (bytesRead > 0) yield buffer.subarray(0, bytesRead);
    if (bytesRead < wanted) return;
    position += bytesRead;
  }
}

/** The bytes `[byteOffset, byteOffset + byteLength)` of an open file; fewer, when it ends before. */
export function readRangeSync(fd: number, byteOffset: number, byteLength: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(byteLength);
  let filled = 0;
  while (filled < byteLength) {
    const bytesRead = readSync(fd, bytes, filled, byteLength - filled, byteOffset + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
