import type { Transform } from "node:stream";
import { batchTransform } from "../batch-transform.js";
import { SessionFormatError } from "../errors.js";
import { type EntryRecord, type HeaderRecord, isHeaderRecord } from "../format/entry-record.js";
import { Migration } from "./migration.js";

/**
 * A transform stream over batches of records (`(HeaderRecord | EntryRecord)[]`, one batch a chunk, the header first): entries of versions 1 and 2 come out
 * as version 3 would have written them. The header goes through as it is, so that its version can still be told. Order and batches stay; memory: ids only.
 * An entry without a header before it fails the stream with a `SessionFormatError`.
 *
 * @example
 * import { createReadStream } from "node:fs";
 * import { pipeline } from "node:stream/promises";
 * import { entryStream, lineStream, migrateStream } from "pi-sessions";
 *
 * const file = createReadStream("fixtures/traits/v1-compaction-index.jsonl");
 * await pipeline(file, lineStream(), entryStream(), migrateStream(), async (batches) => {
 *   for await (const batch of batches) for (const { entry } of batch) console.log(entry.type, entry.id);
 * });
 */
export function migrateStream(): Transform {
  let migration: Migration | undefined;
  const migrateRecord = (record: HeaderRecord | EntryRecord): void => {
    if (isHeaderRecord(record)) {
      migration = new Migration(record.entry);
    } else if (migration) {
      record.entry = migration.migrate(record.entry, record.ordinal);
    } else {
      throw new SessionFormatError("NOT_A_SESSION", "Cannot migrate an entry: no session header before it", record);
    }
  };
  return batchTransform((batch: (HeaderRecord | EntryRecord)[]) => {
    for (const record of batch) migrateRecord(record);
    return batch;
  });
}
