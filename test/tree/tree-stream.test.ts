import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { test } from "node:test";
import type { EntryRecord, HeaderRecord } from "../../src/format/entry-record.js";
import { SessionIndex } from "../../src/tree/session-index.js";
import { treeStream } from "../../src/tree/tree-stream.js";
import { header, type Line, user } from "../helpers/entries.js";

type Batch = (HeaderRecord | EntryRecord)[];

const record = (entry: Line, ordinal: number): EntryRecord =>
  ({ entry, ordinal, line: ordinal + 1, byteOffset: ordinal * 100, byteLength: 99 }) as unknown as EntryRecord;

async function passThrough(index: SessionIndex, batches: Batch[]): Promise<Batch[]> {
  const passed: Batch[] = [];
  await pipeline(Readable.from(batches), treeStream(index), async (out) => {
    for await (const batch of out) passed.push(batch as Batch);
  });
  return passed;
}

test("treeStream fills the index and passes the batches on as they are", async () => {
  const index = new SessionIndex();
  const head = header();
  const batches = [
    [record(head, 0) as unknown as HeaderRecord, record(user("a", null, "x"), 1)],
    [record(user("b", "a", "y"), 2), record({ type: "message" }, 3), record(user("c", "b", "z"), 4)],
  ];
  const passed = await passThrough(index, batches);
  assert.deepEqual(passed, batches);
  assert.ok(passed.every((batch, place) => batch === batches[place]));
  assert.equal(index.header, head);
  assert.equal(index.size, 3);
  assert.deepEqual(
    index.path().map(({ id, line, byteOffset, byteLength }) => [id, line, byteOffset, byteLength]),
    [
      ["a", 2, 100, 99],
      ["b", 3, 200, 99],
      ["c", 5, 400, 99],
    ],
  );
});

test("treeStream leaves the index empty when nothing comes", async () => {
  const index = new SessionIndex();
  assert.deepEqual(await passThrough(index, []), []);
  assert.equal(index.size, 0);
  assert.equal(index.header, undefined);
});
