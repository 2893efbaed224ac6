import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { cutSession } from "../../src/scan/cut-session.js";
import type { SessionFile } from "../../src/scan/find-session-files.js";
import { header, jsonl, type Line, user } from "../helpers/entries.js";
import { scratchFolder } from "../helpers/files.js";
import { lineStarts } from "../helpers/session-ranges.js";

/** Writes files, one after the other under one name. */
function fileWriter(folder: string): (bytes: Buffer) => SessionFile {
  const path = join(folder, "session.jsonl");
  return (bytes) => {
    writeFileSync(path, bytes);
    return { path, sizeBytes: bytes.length, mtimeMs: 0 };
  };
}

const lineOf = (length: number): Line => user("00000001", null, "x".repeat(length));

const startsOf = (file: SessionFile, count: number): number[] | undefined =>
  cutSession(file, count)?.map(({ start }) => start);

test("cutSession gives ranges that begin and end with lines and make up the file", (context) => {
  const write = fileWriter(scratchFolder(context));
  const file = fc.record({
    lengths: fc.array(fc.oneof(fc.nat(40), fc.nat(3000)), { maxLength: 12 }),
    newline: fc.constantFrom("\n", "\r\n", "\n\n"),
    hasLastNewline: fc.boolean(),
    version: fc.constantFrom(2, 3, 4),
  });
  fc.assert(
    fc.property(file, fc.integer({ min: 1, max: 9 }), ({ lengths, newline, hasLastNewline, version }, count) => {
      const lines = [header({ version }), ...lengths.map(lineOf)].map((line) => JSON.stringify(line));
      const bytes = Buffer.from(lines.join(newline) + (hasLastNewline ? newline : ""));
      const ranges = cutSession(write(bytes), count)!;
      assert.ok(ranges.length >= 1 && ranges.length <= count);
      const starts = [0, ...lineStarts(bytes)];
      for (const [at, range] of ranges.entries()) {
        assert.deepEqual(range.header, header({ version }));
        assert.ok(starts.includes(range.start), `no line begins at ${range.start}`);
        assert.equal(range.end, ranges[at + 1]?.start ?? Number.POSITIVE_INFINITY);
        assert.ok(range.start < range.end);
        const longest = Math.max(...lines.map(({ length }) => length)) + newline.length;
        assert.ok(Math.min(range.end, bytes.length) - range.start <= bytes.length / count + longest + 1);
      }
      assert.equal(ranges[0]!.start, 0);
    }),
    { numRuns: 300 },
  );
});

test("cutSession cuts lines of one length into ranges of one size", (context) => {
  const write = fileWriter(scratchFolder(context));
  const lines = [header({ cwd: undefined }), ...Array.from({ length: 99 }, () => lineOf(0))];
  // All lines as long as the header.
  const width = 200;
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line).padEnd(width - 1)}\n`).join(""));
  assert.equal(bytes.length, 100 * width);
  assert.deepEqual(startsOf(write(bytes), 1), [0]);
  assert.deepEqual(startsOf(write(bytes), 2), [0, 51 * width]);
  assert.deepEqual(startsOf(write(bytes), 4), [0, 26 * width, 51 * width, 76 * width]);
});

test("cutSession makes fewer ranges where lines are long", (context) => {
  const write = fileWriter(scratchFolder(context));
  const [first, giant, last] = [jsonl(header(), lineOf(10)), jsonl(lineOf(100_000)), jsonl(lineOf(10), lineOf(10))];
  const middle = first.length + giant.length;
  assert.deepEqual(startsOf(write(Buffer.concat([first, giant, last])), 8), [0, middle]);
  // The giant is the last line, with a newline and without.
  assert.deepEqual(startsOf(write(Buffer.concat([first, giant])), 8), [0, middle]);
  assert.deepEqual(startsOf(write(Buffer.concat([first, giant.subarray(0, -1)])), 8), [0]);
  // There are more ranges than lines, and than bytes.
  const short = jsonl(header(), lineOf(0));
  assert.deepEqual(startsOf(write(short), 1000), [0, jsonl(header()).length, short.length]);
});

test("cutSession reads a giant line once, however many cuts fall into it", {
  skip: !canCountBytesRead(),
}, (context) => {
  const write = fileWriter(scratchFolder(context));
  const file = write(jsonl(header(), lineOf(8_000_000), lineOf(10)));
  const before = countBytesRead();
  assert.equal(cutSession(file, 16)?.length, 2);
  const bytes = countBytesRead() - before;
  assert.ok(bytes < 1.2 * file.sizeBytes, `${bytes} bytes read of ${file.sizeBytes}`);
});

/** Whether this system tells how much a process has read. */
function canCountBytesRead(): boolean {
  return existsSync("/proc/self/io");
}

function countBytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))![1]);
}

test("cutSession does not cut what must be read whole", (context) => {
  const write = fileWriter(scratchFolder(context));
  const entries = jsonl(lineOf(10), lineOf(10));
  const cut = (...parts: (Buffer | string)[]) =>
    cutSession(write(Buffer.concat(parts.map((part) => Buffer.from(part)))), 2);
  assert.ok(cut(jsonl(header()), entries));
  // Entries of version 1 have their links from those before them.
  for (const version of [undefined, 1, 0, -2, 1.5, "3", null])
    assert.equal(cut(jsonl(header({ version })), entries), undefined);
  // No sessions: the whole reading says why.
  assert.equal(cut(entries, jsonl(header())), undefined);
  assert.equal(cut("{}\n".repeat(16), jsonl(header())), undefined);
  assert.equal(cut(""), undefined);
  assert.equal(
    cutSession({ path: join(scratchFolder(context), "gone.jsonl"), sizeBytes: 1000, mtimeMs: 0 }, 2),
    undefined,
  );
});

test("cutSession finds a header behind other records and a byte order mark", (context) => {
  const write = fileWriter(scratchFolder(context));
  const bytes = Buffer.concat([Buffer.from("\ufeff"), jsonl({ type: "title" }, header()), jsonl(lineOf(5), lineOf(5))]);
  const ranges = cutSession(write(bytes), 2)!;
  assert.equal(ranges.length, 2);
  assert.deepEqual(ranges[1]!.header, header());
});

test("cutSession takes a file that is shorter or longer than it was when it was found", (context) => {
  const write = fileWriter(scratchFolder(context));
  const file = write(jsonl(header(), ...Array.from({ length: 10 }, () => lineOf(100))));
  assert.deepEqual(startsOf({ ...file, sizeBytes: file.sizeBytes * 100 }, 4), [0]);
  const starts = startsOf({ ...file, sizeBytes: 500 }, 4)!;
  assert.ok(starts.length > 1 && starts.every((start) => start < 1000));
  assert.equal(cutSession({ ...file, sizeBytes: 500 }, 4)!.at(-1)!.end, Number.POSITIVE_INFINITY);
});
