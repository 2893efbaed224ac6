import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LineSplitter } from "../../src/read/line-splitter.js";
import { chunkSizes, lentChunksOf } from "../helpers/chunks.js";

interface SplitLine {
  text: string;
  line: number;
  byteOffset: number;
  terminated: boolean;
  long?: true;
}

/** Splits bytes that come in chunks; the pieces of a long line are joined again here. */
function split(bytes: Buffer, chunkSize: number, maxLineBytes = 1000): { lines: SplitLine[]; splitter: LineSplitter } {
  const lines: SplitLine[] = [];
  let pieces: Buffer[] = [];
  const splitter = new LineSplitter(
    {
      line(lent, start, end, line, byteOffset, terminated) {
        assert.ok(end - start <= maxLineBytes);
        lines.push({ text: lent.toString("latin1", start, end), line, byteOffset, terminated });
      },
      longLine(lent, start, end, line, byteOffset, last, terminated) {
        pieces.push(Buffer.from(lent.subarray(start, end)));
        if (!last) return;
        const text = Buffer.concat(pieces).toString("latin1");
        assert.ok(text.length > maxLineBytes);
        pieces = [];
        lines.push({ text, line, byteOffset, terminated, long: true });
      },
    },
    maxLineBytes,
  );
  for (const chunk of lentChunksOf(bytes, chunkSize)) splitter.push(chunk);
  splitter.end();
  return { lines, splitter };
}

/** What `split` of the whole text says. */
function splitPlainly(bytes: Buffer, maxLineBytes = 1000): SplitLine[] {
  const texts = bytes.toString("latin1").split("\n");
  const lines: SplitLine[] = [];
  let byteOffset = 0;
  texts.forEach((text, at) => {
    const terminated = at < texts.length - 1;
    const long = text.length > maxLineBytes && { long: true as const };
    if (terminated || text !== "") lines.push({ text, line: at + 1, byteOffset, terminated, ...long });
    byteOffset += text.length + 1;
  });
  return lines;
}

test("LineSplitter gives the same lines for every chunk size from one byte up", () => {
  const bytes = Buffer.from('one\r\n\n\u2028 two \u2029\n\0\0\0\n{"emoji":"😀"}\n\n\nlast without newline');
  const expected = splitPlainly(bytes);
  assert.equal(expected.length, 8);
  for (const size of chunkSizes(bytes.length))
    assert.deepEqual(split(bytes, size).lines, expected, `chunks of ${size}`);
});

test("LineSplitter hands a line above maxLineBytes on in pieces, and one of just maxLineBytes whole", () => {
  const bytes = Buffer.from(
    `${"a".repeat(10)}\n${"b".repeat(11)}\n${"c".repeat(35)}\n${"d".repeat(10)}\n${"e".repeat(12)}`,
  );
  for (const size of chunkSizes(bytes.length)) {
    const { lines } = split(bytes, size, 10);
    assert.deepEqual(lines, splitPlainly(bytes, 10), `chunks of ${size}`);
    assert.deepEqual(
      lines.map(({ long }) => long ?? false),
      [false, true, true, false, true],
    );
  }
});

test("LineSplitter agrees with String.split on any bytes, chunks and limits", () => {
  const byte = fc.constantFrom(0x0a, 0x0d, 0x00, 0x20, 0x7b, 0xe2, 0x80, 0xa8, 0xff);
  const anyBytes = fc.array(byte, { maxLength: 80 }).map((values) => Buffer.from(values));
  fc.assert(
    fc.property(anyBytes, fc.integer({ min: 1, max: 90 }), fc.integer({ min: 1, max: 20 }), (bytes, size, limit) => {
      assert.deepEqual(split(bytes, size, limit).lines, splitPlainly(bytes, limit));
    }),
    { numRuns: 1000 },
  );
});

test("LineSplitter counts bytes, and goes on from a known place", () => {
  assert.equal(split(Buffer.from("a\nb\n"), 3).splitter.byteOffset, 4);
  const seen: unknown[] = [];
  const splitter = new LineSplitter(
    { line: (_bytes, _start, _end, line, byteOffset) => seen.push([line, byteOffset]), longLine: () => assert.fail() },
    100,
    { line: 7, byteOffset: 5_000_000_000 },
  );
  splitter.push(Buffer.from("x\nyy\nz"));
  splitter.end();
  assert.deepEqual(seen, [
    [7, 5_000_000_000],
    [8, 5_000_000_002],
    [9, 5_000_000_005],
  ]);
});

test("LineSplitter refuses a limit that is no positive number", () => {
  const sink = { line: () => {}, longLine: () => {} };
  assert.throws(() => new LineSplitter(sink, 0), RangeError);
  assert.throws(() => new LineSplitter(sink, Number.NaN), RangeError);
});
