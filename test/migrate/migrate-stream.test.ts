import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { test } from "node:test";
import { migrateStream } from "../../src/migrate/migrate-stream.js";
import { MigratedIds } from "../../src/migrate/migrated-ids.js";
import { header, type Line, user } from "../helpers/entries.js";

interface PlainRecord {
  entry: Line;
  line: number;
  byteOffset: number;
  byteLength: number;
  ordinal: number;
}

const record = (entry: Line, ordinal: number): PlainRecord => ({
  entry,
  ordinal,
  line: ordinal + 1,
  byteOffset: ordinal * 100,
  byteLength: 99,
});

async function runThrough(batches: unknown[][]): Promise<PlainRecord[][]> {
  const out: PlainRecord[][] = [];
  await pipeline(Readable.from(batches), migrateStream(), async (source: AsyncIterable<PlainRecord[]>) => {
    for await (const batch of source) out.push(batch);
  });
  return out;
}

const v1 = { type: "session", id: "old" };
const say = (): Line => ({ type: "message", message: { role: "hookMessage", content: "x" } });

test("migrateStream migrates entries by their ordinals, whatever the batches, and keeps positions", async () => {
  const ids = new MigratedIds("old");
  const records = (): PlainRecord[] => [record(v1, 0), record(say(), 1), record(say(), 3), record(say(), 4)];
  const [h, a, b, c] = records();
  const whole = (await runThrough([records()])).flat();
  assert.deepEqual((await runThrough([[h], [a, b], [c]])).flat(), whole);
  assert.deepEqual((await runThrough([[h, a], [], [b], [c]])).flat(), whole);
  const message = { role: "custom", content: "x" };
  assert.deepEqual(whole, [
    record(v1, 0),
    record({ type: "message", id: ids.at(1), parentId: null, message }, 1),
    record({ type: "message", id: ids.at(3), parentId: ids.at(1), message }, 3),
    record({ type: "message", id: ids.at(4), parentId: ids.at(3), message }, 4),
  ]);
});

test("migrateStream passes version 3 through untouched", async () => {
  const batch = [record(header(), 0), record(user("1", null, "a"), 1), record(say(), 2)];
  assert.deepEqual(await runThrough([structuredClone(batch)]), [batch]);
});

test("migrateStream fails with a SessionFormatError when no header comes first", async () => {
  await assert.rejects(runThrough([[record(say(), 3)]]), {
    name: "SessionFormatError",
    code: "NOT_A_SESSION",
    message: "Cannot migrate an entry: no session header before it",
    line: 4,
    byteOffset: 300,
  });
});

test("migrateStream turns a throw into the stream's error", async () => {
  await assert.rejects(runThrough([[record(v1, 0)], [null]]), TypeError);
});
