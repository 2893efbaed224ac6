import type { Transform } from "node:stream";
import { batchTransform } from "../batch-transform.js";
import { type EntryRecord, type HeaderRecord, isHeaderRecord } from "../format/entry-record.js";
import type { SessionIndex } from "./session-index.js";

/**
 * A transform stream that feeds a `SessionIndex` with what passes through it: batches of records (`(HeaderRecord | EntryRecord)[]`), which go on
 * unchanged and in order. The header record becomes `index.header`. Memory: the index alone grows.
 *
 * @example
 * import { Readable } from "node:stream";
 * import { SessionIndex, treeStream } from "pi-sessions";
 *
 * const index = new SessionIndex();
 * const entry = { type: "custom", customType: "note", id: "0000000a", parentId: null, timestamp: "2026-01-02T03:04:05.000Z" };
 * const batch = [{ entry, ordinal: 1, line: 2, byteOffset: 90, byteLength: 109 }];
 * for await (const records of Readable.from([batch]).pipe(treeStream(index))) console.log(records.length, index.leafId); // 1 0000000a
 */
export function treeStream(index: SessionIndex): Transform {
  return batchTransform((batch: (HeaderRecord | EntryRecord)[]) => {
    for (const record of batch) {
      if (isHeaderRecord(record)) index.header = record.entry;
      else index.add(record.entry, record);
    }
    return batch;
  });
}
