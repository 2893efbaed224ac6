/** Ways to read a file's bytes with the library, all brought to one shape so that tests can hold them together. */
import { closeSync, openSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { SessionFormatError } from "../../src/errors.js";
import type { EntryRecord, HeaderRecord } from "../../src/format/entry-record.js";
import { isHeaderRecord } from "../../src/format/entry-record.js";
import type { SessionHeader } from "../../src/format/header.js";
import type { Problem } from "../../src/format/problem.js";
import { migrateStream } from "../../src/migrate/migrate-stream.js";
import type { ReadCounts } from "../../src/read/entry-parser.js";
import { entryStream } from "../../src/read/entry-stream.js";
import type { LeanWants } from "../../src/read/lean-entry.js";
import { lineStream } from "../../src/read/line-stream.js";
import { SessionPump } from "../../src/read/pump-session.js";
import { chunksOf, lentChunksOf } from "./chunks.js";

export interface ReadThrough {
  isSession: boolean;
  header: SessionHeader | undefined;
  records: EntryRecord[];
  problems: Problem[];
  counts: ReadCounts | undefined;
}

/** Reads bytes that come in chunks through the composed streams. */
export async function readThroughStreams(bytes: Buffer, chunkSize: number, maxLineBytes: number): Promise<ReadThrough> {
  const read: ReadThrough = { isSession: true, header: undefined, records: [], problems: [], counts: undefined };
  try {
    await pipeline(
      Readable.from(chunksOf(bytes, chunkSize)),
      lineStream({ maxLineBytes }),
      entryStream({
        onProblem: (problem) => read.problems.push(problem),
        onCounts: (counts) => {
          read.counts = counts;
        },
      }),
      migrateStream(),
      async (batches: AsyncIterable<(HeaderRecord | EntryRecord)[]>) => {
        for await (const record of flatten(batches)) {
          if (isHeaderRecord(record)) read.header = record.entry;
          else read.records.push(record);
        }
      },
    );
  } catch (error) {
    return rejected(error);
  }
  return read;
}

async function* flatten<T>(batches: AsyncIterable<T[]>): AsyncGenerator<T, void, void> {
  for await (const batch of batches) yield* batch;
}

/** Reads bytes through the pump, in chunks that are overwritten one by the other. `path` is a file to keep them in meanwhile. */
export function readThroughPump(
  bytes: Buffer,
  path: string,
  { chunkSize, maxLineBytes, lean }: { chunkSize: number; maxLineBytes: number; lean?: LeanWants },
): ReadThrough {
  writeFileSync(path, bytes);
  const fd = openSync(path, "r");
  const read: ReadThrough = { isSession: true, header: undefined, records: [], problems: [], counts: undefined };
  const pump = new SessionPump(
    fd,
    path,
    {
      header(header) {
        read.header = header;
      },
      entry(entry, line, byteOffset, byteLength, ordinal, truncated) {
        read.records.push({ entry, line, byteOffset, byteLength, ordinal, ...(truncated && { truncated }) });
      },
      problem: (problem) => read.problems.push(problem),
    },
    { maxLineBytes, oddities: true, ...(lean && { lean }) },
  );
  try {
    for (const chunk of lentChunksOf(bytes, chunkSize)) pump.push(chunk);
    pump.end();
    read.counts = pump.parser.counts;
  } catch (error) {
    return rejected(error);
  } finally {
    closeSync(fd);
  }
  return read;
}

function rejected(error: unknown): ReadThrough {
  if (!(error instanceof SessionFormatError) || error.code !== "NOT_A_SESSION") throw error;
  return { isSession: false, header: undefined, records: [], problems: [], counts: undefined };
}
