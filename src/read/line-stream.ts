import type { Transform } from "node:stream";
import { batchTransform } from "../batch-transform.js";
import { MAX_LINE_BYTES } from "./limits.js";
import { type LineSink, LineSplitter } from "./line-splitter.js";

/** A line of a file, or a piece of one that is too long to join. */
export interface Line {
  /** The line's bytes without its newline, or the piece's. */
  bytes: Buffer;
  /** 1-based. */
  line: number;
  /** Where the line begins in the file. */
  byteOffset: number;
  /** Whether a newline follows; false for all pieces but the last. */
  terminated: boolean;
  /** Absent on ordinary lines; on pieces of a long line, whether this one is its last. */
  last?: boolean;
}

/**
 * A transform stream from bytes to batches of lines (`Line[]`, one batch a chunk, in order). Lines end at `\n` and nowhere else.
 * Memory: the current chunk's lines, and the unfinished line up to `maxLineBytes` (default 16 MiB); a longer line goes on in pieces.
 *
 * @example
 * import { createReadStream } from "node:fs";
 * import { pipeline } from "node:stream/promises";
 * import { entryStream, lineStream, migrateStream, SessionIndex, treeStream } from "pi-sessions";
 *
 * const index = new SessionIndex();
 * const path = "fixtures/traits/labels.jsonl";
 * await pipeline(createReadStream(path), lineStream(), entryStream(), migrateStream(), treeStream(index), async (batches) => {
 *   for await (const batch of batches) console.log(batch.length);
 * });
 * console.log(index.leafId);
 */
export function lineStream({ maxLineBytes = MAX_LINE_BYTES }: { maxLineBytes?: number } = {}): Transform {
  let batch: Line[] = [];
  let chunk: Buffer | undefined;
  // A line in the pushed chunk stays valid, since Node.js never reuses a chunk; one in the splitter's own buffer must be copied.
  const own = (bytes: Buffer, start: number, end: number): Buffer =>
    bytes === chunk ? bytes.subarray(start, end) : Buffer.from(bytes.subarray(start, end));
  const sink: LineSink = {
    line(bytes, start, end, line, byteOffset, terminated) {
      batch.push({ bytes: own(bytes, start, end), line, byteOffset, terminated });
    },
    longLine(bytes, start, end, line, byteOffset, last, terminated) {
      batch.push({ bytes: own(bytes, start, end), line, byteOffset, terminated, last });
    },
  };
  const splitter = new LineSplitter(sink, maxLineBytes);
  const takeBatch = (): Line[] | undefined => {
    const lines = batch;
    batch = [];
    return lines.length > 0 ? lines : undefined;
  };
  return batchTransform(
    (bytes: Uint8Array | string) => {
      chunk = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes as Uint8Array);
      splitter.push(chunk);
      return takeBatch();
    },
    () => {
      chunk = undefined;
      splitter.end();
      return takeBatch();
    },
  );
}
