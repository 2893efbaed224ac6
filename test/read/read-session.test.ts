import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { SessionFormatError } from "../../src/errors.js";
import type { JsonObject } from "../../src/format/json.js";
import { readSession } from "../../src/read/read-session.js";
import { anyBytes, damagedFile, sessionFile } from "../helpers/arbitraries.js";
import { chunkSizes } from "../helpers/chunks.js";
import { assistant, header, jsonl, user } from "../helpers/entries.js";
import { fixture, scratchFolder } from "../helpers/files.js";
import { odditiesPlainly, readPlainly } from "../helpers/plain-reader.js";
import { type ReadThrough, readThroughPump, readThroughStreams } from "../helpers/read-through.js";

const WHOLE = 16 * 1024 * 1024;

/** Holds what was read against the plain reader. Ids that migration makes differ, so of those entries only the rest is compared. */
function assertReadRight(read: ReadThrough, bytes: Buffer, at: string): void {
  const plain = readPlainly(bytes);
  assert.equal(read.isSession, plain.isSession, `${at}: is a session`);
  if (!plain.isSession) return;
  assert.deepEqual(read.header, plain.header!.entry, `${at}: header`);
  const places = ({ line, byteOffset, byteLength }: { line: number; byteOffset: number; byteLength: number }) => ({
    line,
    byteOffset,
    byteLength,
  });
  assert.deepEqual(read.records.map(places), plain.entries.map(places), `${at}: places`);
  const madeIds = new Map(plain.entries.map(({ entry }, number) => [entry.id, read.records[number]!.entry.id]));
  read.records.forEach(({ entry }, number) => {
    const right = plain.entries[number]!.entry;
    assertSameJson(entry, plain.version === 1 ? withMadeIds(right, madeIds) : right, `${at}: entry ${number}`);
  });
  const damage = read.problems.filter(({ severity }) => severity === "damage");
  assert.deepEqual(
    damage.map(({ line, byteOffset }) => ({ line, byteOffset })),
    plain.damage,
    `${at}: damage`,
  );
  assert.deepEqual(
    read.counts,
    {
      bytes: bytes.length,
      lines: plain.lines,
      blank: plain.blankLines,
      entries: plain.entries.length,
      damaged: plain.damage.length,
    },
    `${at}: counts`,
  );
}

/** An entry of the plain reader with the ids that migration made. */
function withMadeIds(entry: JsonObject, madeIds: Map<unknown, string>): JsonObject {
  const { firstKeptEntryId, ...rest } = entry;
  const made = (id: unknown): unknown => madeIds.get(id) ?? id;
  const links = { ...rest, id: made(rest.id), parentId: made(rest.parentId) };
  return firstKeptEntryId === undefined ? links : { ...links, firstKeptEntryId: made(firstKeptEntryId) };
}

/** Deep equality of two parsed values but for the order of keys, without recursion: files nest as deep as they like. */
function assertSameJson(actual: unknown, expected: unknown, at: string): void {
  const pairs: [unknown, unknown][] = [[actual, expected]];
  for (let pair = pairs.pop(); pair; pair = pairs.pop()) {
    const [left, right] = pair;
    if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
      assert.ok(Object.is(left, right), `${at}: ${String(left)} instead of ${String(right)}`);
      continue;
    }
    assert.equal(Array.isArray(left), Array.isArray(right), at);
    assert.deepEqual(Object.keys(left).sort(), Object.keys(right).sort(), at);
    for (const key of Object.keys(left)) pairs.push([(left as JsonObject)[key], (right as JsonObject)[key]]);
  }
}

/** The oddities that reading itself names; those of the tree come later. */
const treeOddities = new Set([
  "duplicate-id",
  "missing-parent",
  "self-parent",
  "parent-cycle",
  "missing-label-target",
  "missing-first-kept",
  "missing-edit-target",
]);

const traits = readdirSync(fixture("traits")).filter((name) => name.endsWith(".jsonl"));

for (const trait of traits) {
  test(`readSession's streams and the pump read ${trait} alike and right for every chunk size`, async (context) => {
    const bytes = readFileSync(fixture("traits", trait));
    const path = join(scratchFolder(context), "session.jsonl");
    const expected = await readThroughStreams(bytes, bytes.length || 1, WHOLE);
    assertReadRight(expected, bytes, "streams");
    if (expected.isSession) {
      const oddities = expected.problems.filter(({ severity }) => severity === "oddity");
      const plain = odditiesPlainly(readPlainly(bytes)).filter(({ code }) => !treeOddities.has(code));
      const spots = (found: readonly { line: number; code: string }[]) =>
        found.map(({ line, code }) => `${line} ${code}`).sort();
      assert.deepEqual(spots(oddities), spots(plain));
    }
    for (const size of chunkSizes(bytes.length || 1)) {
      assertSameJson(await readThroughStreams(bytes, size, WHOLE), expected, `streams, chunks of ${size}`);
      const pumped = readThroughPump(bytes, path, { chunkSize: size, maxLineBytes: WHOLE });
      assertSameJson(pumped, expected, `pump, chunks of ${size}`);
    }
  });

  // A value that nests deeper than a long line is followed can't come out whole.
  if (trait === "deep-nesting.jsonl") continue;
  test(`readSession reads ${trait} alike when every line is too long to join`, async (context) => {
    const bytes = readFileSync(fixture("traits", trait));
    const path = join(scratchFolder(context), "session.jsonl");
    const expected = await readThroughStreams(bytes, bytes.length || 1, WHOLE);
    for (const size of [1, 7, 64, bytes.length || 1]) {
      assertSameJson(await readThroughStreams(bytes, size, 10), expected, `streams, chunks of ${size}`);
      const pumped = readThroughPump(bytes, path, { chunkSize: size, maxLineBytes: 10 });
      assertSameJson(pumped, expected, `pump, chunks of ${size}`);
    }
  });
}

test("readSession agrees with the plain reader on any session, and on any damage to it", async (context) => {
  const path = join(scratchFolder(context), "session.jsonl");
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(sessionFile(), damagedFile(), damagedFile(), anyBytes()),
      fc.integer({ min: 1, max: 300 }),
      async (bytes, size) => {
        const read = await readThroughStreams(bytes, size, WHOLE);
        assertReadRight(read, bytes, "streams");
        assertSameJson(readThroughPump(bytes, path, { chunkSize: size, maxLineBytes: WHOLE }), read, "pump");
        assertSameJson(readThroughPump(bytes, path, { chunkSize: size, maxLineBytes: 60 }), read, "long lines");
      },
    ),
    { numRuns: 300 },
  );
});

test("readSession carries header, problems and counts, and yields entries as version 3", async () => {
  const session = readSession(fixture("traits", "torn-tail.jsonl"));
  const plain = readPlainly(readFileSync(fixture("traits", "torn-tail.jsonl")));
  const ids: string[] = [];
  for await (const { entry } of session) {
    assert.equal(session.header?.type, "session");
    ids.push(entry.id);
  }
  assert.deepEqual(
    ids,
    plain.entries.map(({ entry }) => entry.id),
  );
  assert.deepEqual(
    session.problems.map(({ code, line }) => ({ code, line })),
    [{ code: "torn-tail", line: plain.lines }],
  );
  assert.equal(session.counts.damaged, 1);
});

test("readSession hands problems to onProblem instead of keeping them", async () => {
  const codes: string[] = [];
  const session = readSession(fixture("traits", "torn-tail.jsonl"), { onProblem: ({ code }) => codes.push(code) });
  for await (const _ of session);
  assert.deepEqual([codes, session.problems], [["torn-tail"], []]);
});

test("readSession can be left early, and then closes its file", async () => {
  for await (const { line } of readSession(fixture("traits", "torn-tail.jsonl"))) {
    assert.equal(line, 2);
    break;
  }
});

test("readSession stops when its signal aborts", async (context) => {
  const path = join(scratchFolder(context), "long.jsonl");
  writeFileSync(
    path,
    Buffer.concat([
      jsonl(header()),
      jsonl(...Array.from({ length: 5000 }, (_, at) => user(at.toString(16).padStart(8, "0"), null, "x".repeat(200)))),
    ]),
  );
  const abort = new AbortController();
  await assert.rejects(
    async () => {
      for await (const _ of readSession(path, { signal: abort.signal })) abort.abort();
    },
    { name: "AbortError" },
  );
});

test("readSession throws for what is no session, and for what can't be read", async (context) => {
  const folder = scratchFolder(context);
  const read = async (path: string): Promise<void> => {
    for await (const _ of readSession(path));
  };
  writeFileSync(join(folder, "empty.jsonl"), "");
  writeFileSync(join(folder, "entry-first.jsonl"), jsonl(user("00000001", null, "hi"), header()));
  mkdirSync(join(folder, "folder.jsonl"));
  await assert.rejects(
    read(join(folder, "empty.jsonl")),
    (error) =>
      error instanceof SessionFormatError && error.code === "NOT_A_SESSION" && error.reason === "the file is empty",
  );
  await assert.rejects(read(join(folder, "entry-first.jsonl")), { code: "NOT_A_SESSION", line: 1, byteOffset: 0 });
  await assert.rejects(read(join(folder, "folder.jsonl")), { code: "EISDIR" });
  await assert.rejects(read(join(folder, "gone.jsonl")), { code: "ENOENT" });
});

test("readSession cuts the strings of a line above maxLineBytes and names them", async (context) => {
  const path = join(scratchFolder(context), "long.jsonl");
  const text = "é".repeat(40_000);
  writeFileSync(path, jsonl(header(), assistant("00000001", null, text), user("00000002", "00000001", "after")));
  const records = [];
  for await (const record of readSession(path, { maxLineBytes: 50_000 })) records.push(record);
  assert.deepEqual(records[0]!.truncated, [{ path: "message.content[0].text", bytes: 80_000 }]);
  assert.equal(records[0]!.byteLength, JSON.stringify(assistant("00000001", null, text)).length + 40_000);
  const { message } = records[0]!.entry as unknown as { message: { content: { text: string }[]; model: string } };
  assert.match(message.content[0]!.text, /^é+…\[80000 bytes\]$/);
  assert.equal(message.model, "claude-sonnet-4-5");
  assert.equal(records[1]!.truncated, undefined);
});
