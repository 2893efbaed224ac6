import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { test } from "node:test";
import { type Line, lineStream } from "../../src/read/line-stream.js";
import { chunkSizes, chunksOf } from "../helpers/chunks.js";

async function linesOf(chunks: Iterable<Uint8Array | string>, options = {}): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const batch of Readable.from(chunks).pipe(lineStream(options))) lines.push(...(batch as Line[]));
  return lines;
}

test("lineStream joins a character split across chunks", async () => {
  const bytes = Buffer.from("🙂\n🙃🙃\n");
  for (const size of chunkSizes(bytes.length)) {
    const lines = await linesOf(chunksOf(bytes, size));
    assert.deepEqual(
      lines.map((line) => [line.bytes.toString(), line.line, line.byteOffset]),
      [
        ["🙂", 1, 0],
        ["🙃🙃", 2, 5],
      ],
    );
  }
});

test("lineStream gives the pieces of a long line in order and marks the last", async () => {
  const bytes = Buffer.from("short\n0123456789abcdef\nend");
  for (const size of chunkSizes(bytes.length)) {
    const lines = await linesOf(chunksOf(bytes, size), { maxLineBytes: 8 });
    const pieces = lines.filter(({ line }) => line === 2);
    assert.equal(Buffer.concat(pieces.map((piece) => piece.bytes)).toString(), "0123456789abcdef");
    assert.deepEqual(
      pieces.map(({ last }) => last),
      [...pieces.slice(1).map(() => false), true],
    );
    assert.deepEqual(
      pieces.map(({ terminated }) => terminated),
      [...pieces.slice(1).map(() => false), true],
    );
    assert.ok(pieces.every(({ byteOffset }) => byteOffset === 6));
    assert.deepEqual(
      lines.filter(({ line }) => line !== 2).map(({ last }) => last),
      [undefined, undefined],
    );
  }
});

test("lineStream takes strings and plain byte arrays too", async () => {
  const lines = await linesOf(["a\nb", new Uint8Array([0x63, 0x0a])]);
  assert.deepEqual(
    lines.map(({ bytes }) => bytes.toString()),
    ["a", "bc"],
  );
});
