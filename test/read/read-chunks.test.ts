import assert from "node:assert/strict";
import { closeSync, openSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { CHUNK_BYTES, readChunks, readChunksSync, readRangeSync } from "../../src/read/read-chunks.js";
import { makeStore } from "../helpers/stores.js";

/** Bytes of which no two stretches of some length are alike. */
const bytesOf = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, at) => (at * 31 + (at >> 8) * 17) & 0xff));

const fileOf = (context: TestContext, bytes: Buffer): string => join(makeStore(context, { file: bytes }), "file");

async function readAll(path: string, options: { chunkBytes?: number } = {}): Promise<Buffer[]> {
  const handle = await open(path);
  const chunks: Buffer[] = [];
  for await (const chunk of readChunks(handle, options)) chunks.push(Buffer.from(chunk));
  await handle.close();
  return chunks;
}

function withFile<T>(path: string, use: (fd: number) => T): T {
  const fd = openSync(path, "r");
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

const readAllSync = (path: string, options: { start?: number; end?: number; buffer?: Buffer } = {}): Buffer[] =>
  withFile(path, (fd) => Array.from(readChunksSync(fd, options), (chunk) => Buffer.from(chunk)));

test("readChunks gives all bytes of a file, in order, in chunks of a size", async (context) => {
  const bytes = bytesOf(1000);
  const path = fileOf(context, bytes);
  for (const chunkBytes of [1, 7, 250, 999, 1000, 1001]) {
    const chunks = await readAll(path, { chunkBytes });
    assert.ok(chunks.every(({ length }) => length > 0 && length <= chunkBytes));
    assert.deepEqual(Buffer.concat(chunks), bytes);
  }
});

test("readChunks and readChunksSync read files of any number of chunks", async (context) => {
  for (const length of [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 2 * CHUNK_BYTES, 3 * CHUNK_BYTES + 7]) {
    const bytes = bytesOf(length);
    const path = fileOf(context, bytes);
    assert.ok(Buffer.concat(await readAll(path)).equals(bytes), `${length} bytes`);
    assert.ok(Buffer.concat(readAllSync(path)).equals(bytes), `${length} bytes at once`);
  }
});

test("readChunks keeps a chunk as it is until the next one is asked for", async (context) => {
  const bytes = bytesOf(100);
  const handle = await open(fileOf(context, bytes));
  let at = 0;
  for await (const chunk of readChunks(handle, { chunkBytes: 10 })) {
    await setTimeout(2); // Whatever is read ahead meanwhile.
    assert.deepEqual(chunk, bytes.subarray(at, (at += 10)));
  }
  await handle.close();
});

test("readChunks can be left early, and its file closed at once", async (context) => {
  const handle = await open(fileOf(context, bytesOf(100)));
  for await (const chunk of readChunks(handle, { chunkBytes: 10 })) {
    assert.equal(chunk.length, 10);
    break;
  }
  await handle.close();
});

test("readChunksSync reads from a start up to an end, into the buffer that it is lent", (context) => {
  const bytes = bytesOf(100);
  const path = fileOf(context, bytes);
  for (const [start, end] of [
    [0, 100],
    [10, 20],
    [95, 200],
    [30, 31],
    [50, 50],
    [100, 101],
    [300, 400],
  ] as const) {
    const buffer = Buffer.alloc(8);
    const chunks = readAllSync(path, { start, end, buffer });
    assert.ok(chunks.every(({ length }) => length > 0 && length <= buffer.length));
    assert.deepEqual(Buffer.concat(chunks), bytes.subarray(start, end), `${start} to ${end}`);
  }
});

test("readRangeSync gives the bytes of a range, and fewer where the file ends before", (context) => {
  const bytes = bytesOf(100);
  const path = fileOf(context, bytes);
  const range = (from: number, length: number): Buffer => withFile(path, (fd) => readRangeSync(fd, from, length));
  assert.deepEqual(range(0, 100), bytes);
  assert.deepEqual(range(10, 5), bytes.subarray(10, 15));
  assert.deepEqual(range(90, 50), bytes.subarray(90));
  assert.deepEqual(range(100, 5), Buffer.alloc(0));
  assert.deepEqual(range(1000, 5), Buffer.alloc(0));
  assert.deepEqual(range(5, 0), Buffer.alloc(0));
});
