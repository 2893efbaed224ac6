import type { Transform } from "node:stream";
import { batchTransform } from "../batch-transform.js";
import type { EntryRecord, HeaderRecord } from "../format/entry-record.js";
import type { Problem } from "../format/problem.js";
import { EntryParser, type EntryParserOptions, type ReadCounts } from "./entry-parser.js";
import type { Line } from "./line-stream.js";
import { notASession } from "./not-a-session.js";

export interface EntryStreamOptions extends Pick<EntryParserOptions, "lean" | "reread"> {
  /** Called for each damage and oddity, in file order. */
  onProblem?: (problem: Problem) => void;
  /** Called once, at the end, with what was seen. */
  onCounts?: (counts: ReadCounts) => void;
  /** The file's name in error messages. */
  path?: string;
}

/**
 * A transform stream from batches of lines to batches of records (`(HeaderRecord | EntryRecord)[]`): first the header, then each entry, as written
 * (before any migration). Damaged lines give the whole entries that can be recovered and are reported. A file that is no session fails the stream
 * with a `SessionFormatError`. Memory: one batch, and of a long line the first and last 16 MiB unless `reread` is given.
 */
export function entryStream(options: EntryStreamOptions = {}): Transform {
  let batch: (HeaderRecord | EntryRecord)[] = [];
  const parser = new EntryParser(
    {
      header(entry, line, byteOffset, byteLength) {
        batch.push({ entry, line, byteOffset, byteLength, ordinal: 0 });
      },
      entry(entry, line, byteOffset, byteLength, ordinal, truncated) {
        batch.push({ entry, line, byteOffset, byteLength, ordinal, ...(truncated && { truncated }) });
      },
      problem: (problem) => options.onProblem?.(problem),
    },
    { ...options, oddities: options.onProblem !== undefined },
  );
  const takeBatch = (): typeof batch | undefined => {
    const records = batch;
    batch = [];
    return records.length > 0 ? records : undefined;
  };
  const throwIfRejected = (): void => {
    const error = notASession(parser, options.path);
    if (error) throw error;
  };
  return batchTransform(
    (lines: Line[]) => {
      for (const { bytes, line, byteOffset, terminated, last } of lines) {
        if (last === undefined) parser.line(bytes, 0, bytes.length, line, byteOffset, terminated);
        else parser.longLine(bytes, 0, bytes.length, line, byteOffset, last, terminated);
      }
      throwIfRejected();
      return takeBatch();
    },
    () => {
      parser.end();
      options.onCounts?.(parser.counts);
      throwIfRejected();
      return undefined;
    },
  );
}
