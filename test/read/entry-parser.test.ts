import assert from "node:assert/strict";
import { test } from "node:test";
import type { EntryRecord } from "../../src/format/entry-record.js";
import type { SessionHeader } from "../../src/format/header.js";
import type { Problem } from "../../src/format/problem.js";
import { EntryParser, type EntryParserOptions, type ReadCounts } from "../../src/read/entry-parser.js";
import { LineSplitter } from "../../src/read/line-splitter.js";
import { assistant, entry, header, jsonl, type Line, user } from "../helpers/entries.js";

interface Parsed {
  headers: { entry: SessionHeader; line: number; byteOffset: number; byteLength: number }[];
  records: EntryRecord[];
  problems: Problem[];
  counts: ReadCounts;
  rejection: EntryParser["rejection"];
}

/** What a parser hands on of a file, which comes at once; lines above `maxLineBytes` come piece by piece. */
function parse(
  file: Buffer | string,
  { maxLineBytes = 1 << 20, ...options }: EntryParserOptions & { maxLineBytes?: number } = {},
): Parsed {
  const bytes = Buffer.from(file);
  const headers: Parsed["headers"] = [];
  const records: EntryRecord[] = [];
  const problems: Problem[] = [];
  const parser = new EntryParser(
    {
      header: (entry, line, byteOffset, byteLength) => headers.push({ entry, line, byteOffset, byteLength }),
      entry(entry, line, byteOffset, byteLength, ordinal, truncated) {
        records.push({ entry, line, byteOffset, byteLength, ordinal, ...(truncated && { truncated }) });
      },
      problem: (problem) => problems.push(problem),
    },
    options,
  );
  const splitter = new LineSplitter(parser, maxLineBytes);
  splitter.push(bytes);
  splitter.end();
  parser.end();
  return { headers, records, problems, counts: parser.counts, rejection: parser.rejection };
}

const text = (...lines: (Line | string)[]): string =>
  lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("");

const codes = (problems: Problem[]): string[] => problems.map(({ line, code }) => `${line} ${code}`);

const places = (records: EntryRecord[]): [string, number, number, number][] =>
  records.map(({ entry, line, byteOffset, byteLength }) => [entry.id, line, byteOffset, byteLength]);

const lengthOf = (line: Line): number => Buffer.byteLength(JSON.stringify(line));

const one = user("1", null, "é");
const two = user("2", "1", "b");

test("EntryParser hands on the header once, then each entry with its place", () => {
  const { headers, records, problems, counts, rejection } = parse(text(header(), one, two));
  const start = lengthOf(header());
  assert.deepEqual(headers, [{ entry: header(), line: 1, byteOffset: 0, byteLength: start }]);
  assert.deepEqual(records, [
    { entry: one, line: 2, byteOffset: start + 1, byteLength: lengthOf(one), ordinal: 1 },
    { entry: two, line: 3, byteOffset: start + lengthOf(one) + 2, byteLength: lengthOf(two), ordinal: 2 },
  ]);
  assert.deepEqual(problems, []);
  const bytes = start + lengthOf(one) + lengthOf(two) + 3;
  assert.deepEqual(counts, { bytes, lines: 3, blank: 0, entries: 2, damaged: 0 });
  assert.equal(rejection, undefined);
});

test("EntryParser takes a byte order mark, white space and CRLF for no part of an entry", () => {
  const { headers, records, counts, problems } = parse(
    `\ufeff ${JSON.stringify(header())}\t\r\n\r\n  \n\t${JSON.stringify(one)} \r\n`,
  );
  assert.equal(headers[0]!.byteOffset, 4);
  const start = 4 + lengthOf(header()) + 3;
  assert.deepEqual(places(records), [["1", 4, start + 6, lengthOf(one)]]);
  assert.deepEqual([counts.lines, counts.blank], [4, 2]);
  assert.deepEqual(problems, []);
});

test("EntryParser takes a byte order mark further on for damage", () => {
  const { records, problems } = parse(text(header(), `\ufeff${JSON.stringify(one)}`, two));
  assert.deepEqual(codes(problems), ["2 broken-line"]);
  assert.deepEqual(places(records)[0], ["1", 2, lengthOf(header()) + 4, lengthOf(one)]);
});

test("EntryParser tells the kinds of damage apart, and places each at the beginning of its line", () => {
  const ended = text(header(), "no json", "\0\0", "[1]", "5", '{"id":"x"}', '{"type":5}', one, " \0 ");
  const { problems, counts, records } = parse(`${ended}{"type":"mess`);
  assert.deepEqual(codes(problems), [
    "2 broken-line",
    "3 nul-bytes",
    "4 not-an-entry",
    "5 not-an-entry",
    "6 not-an-entry",
    "7 not-an-entry",
    "9 broken-line",
    "10 torn-tail",
  ]);
  assert.equal(counts.damaged, 8);
  assert.equal(records.length, 1);
  assert.equal(problems[1]!.byteOffset, lengthOf(header()) + 1 + "no json\n".length);
  assert.ok(problems.every(({ severity }) => severity === "damage"));
});

test("EntryParser hands on whole entries of damaged lines, with their own places", () => {
  const line = `${JSON.stringify(one)}torn ${JSON.stringify(two)}\0`;
  const { records, problems } = parse(text(header(), line));
  const start = lengthOf(header()) + 1;
  assert.deepEqual(places(records), [
    ["1", 2, start, lengthOf(one)],
    ["2", 2, start + lengthOf(one) + "torn ".length, lengthOf(two)],
  ]);
  assert.deepEqual(
    records.map(({ ordinal }) => ordinal),
    [1, 2],
  );
  assert.equal(problems[0]!.message, "the line is no JSON; whole entries recovered from it: 2");
});

test("EntryParser counts every parsed object from the header on, entries or not", () => {
  const { records, counts } = parse(
    text('{"type":"title"}', "{}", header(), one, '{"id":5}', "[1]", "torn", header({ id: "again" }), two),
  );
  assert.deepEqual(
    records.map(({ ordinal }) => ordinal),
    [1, 4],
  );
  assert.equal(counts.entries, 2);
});

test("EntryParser passes over records before the header and headers after it, and names both", () => {
  const { headers, problems } = parse(text('{"type":"title","id":5}', header(), one, header({ id: "again" })));
  assert.equal(headers.length, 1);
  assert.deepEqual(
    problems.map(({ code, message }) => `${code}: ${message}`),
    [
      'record-before-header: a "title" record before the header is passed over',
      'second-header: a second header, of session "again", is passed over',
    ],
  );
});

test("EntryParser rejects a file that is no session, and says why and where", () => {
  const title = '{"type":"title"}';
  const cases: [string, NonNullable<Parsed["rejection"]>][] = [
    ["", { reason: "the file is empty", line: 1, byteOffset: 0 }],
    [" \n\r\n", { reason: "the file is empty", line: 1, byteOffset: 0 }],
    ["no json\n", { reason: "there is no session header", line: 1, byteOffset: 0 }],
    ['{"type":"session"}\n', { reason: "there is no session header", line: 1, byteOffset: 0 }],
    [
      text(title, '{"type":"event","id":"e"}', header()),
      { reason: "an entry stands before any session header", line: 2, byteOffset: title.length + 1 },
    ],
    [
      text(...Array.from({ length: 16 }, () => title), header()),
      {
        reason: "there is no session header among the first 16 lines",
        line: 16,
        byteOffset: 15 * (title.length + 1),
      },
    ],
  ];
  for (const [file, rejection] of cases) {
    const parsed = parse(file);
    assert.deepEqual(parsed.rejection, rejection, JSON.stringify(file));
    assert.deepEqual([parsed.headers, parsed.records], [[], []]);
  }
});

test("EntryParser counts only parsable lines towards those among which the header must stand", () => {
  const title = '{"type":"title"}';
  const before = [...Array.from({ length: 15 }, () => title), ...Array.from({ length: 50 }, () => "noise"), " ", "\0"];
  assert.equal(parse(text(...before, header())).rejection, undefined);
  assert.ok(parse(text("[]", ...before, header())).rejection);
});

test("EntryParser takes no more of a file that it has rejected", () => {
  const { counts, problems, records } = parse(text(two, header(), one, "torn"));
  assert.deepEqual([counts.lines, problems, records], [1, [], []]);
});

test("EntryParser names oddities of entries when asked", () => {
  const file = Buffer.concat([
    jsonl(header({ version: 9 }), { ...one, id: 5 }),
    Buffer.from('{"type":"custom","id":"\xff","timestamp":"x"}', "latin1"),
  ]);
  assert.deepEqual(codes(parse(file).problems), ["1 future-version"]);
  assert.deepEqual(codes(parse(file, { oddities: true }).problems), [
    "1 future-version",
    "2 missing-id",
    "3 no-final-newline",
    "3 invalid-utf8",
    "3 invalid-timestamp",
  ]);
});

test("EntryParser leaves the payload of lean entries out, never that of the header", () => {
  const call = assistant("1", null, "x");
  const file = text(header({ provider: "p", more: { a: 1 } }), call, entry("custom", "2", "1", { data: "secret" }));
  const { headers, records } = parse(file, { lean: { content: false } });
  assert.deepEqual(headers[0]!.entry.more, { a: 1 });
  const { content: _, api: __, stopReason: ___, ...message } = call.message as Line;
  assert.deepEqual(records[0]!.entry, { ...call, message });
  assert.deepEqual(records[1]!.entry, entry("custom", "2", "1"));
  assert.deepEqual(places(records), places(parse(file).records));

  const links = parse(file, { lean: "links" }).records;
  assert.deepEqual(links[0]!.entry, { ...call, message: { role: "assistant" } });
});

test("EntryParser goes on behind a header that is known", () => {
  const { headers, records, rejection } = parse(text(one, header(), two), {
    header: header() as unknown as SessionHeader,
  });
  assert.deepEqual([headers, rejection], [[], undefined]);
  assert.deepEqual(
    records.map(({ entry, ordinal }) => [entry.id, ordinal]),
    [
      ["1", 1],
      ["2", 3],
    ],
  );
});

test("EntryParser finds the same in lines that come piece by piece", () => {
  const file = Buffer.concat([
    Buffer.from("\ufeff"),
    jsonl(header(), one),
    Buffer.from(`  ${JSON.stringify(two)} \r\n`),
    Buffer.from(`${JSON.stringify(one)}torn${JSON.stringify(two)}\n`),
    Buffer.from("\0\0\0\0\0\0\0\0\0\0\0\0\n[1,2,3,4,5,6,7,8,9]\n            \nno json at all, really\n"),
    Buffer.from('{"type":"custom","id":"\xff\xff","timestamp":"2026-01-02T03:04:05.000Z"}\n', "latin1"),
    Buffer.from('{"type":"message","id":"9"'),
  ]);
  const whole = parse(file, { oddities: true });
  assert.equal(whole.records.length, 5);
  const reread = (byteOffset: number, byteLength: number): Buffer => file.subarray(byteOffset, byteOffset + byteLength);
  for (const maxLineBytes of [1, 5, 8]) {
    assert.deepEqual(parse(file, { oddities: true, maxLineBytes }), whole);
    assert.deepEqual(parse(file, { oddities: true, maxLineBytes, reread }), whole);
  }
});

test("EntryParser cuts long strings of a line above the limit, and names them", () => {
  const long = user("1", null, "x".repeat(100_000));
  const [record] = parse(text(header(), long), { maxLineBytes: 1000 }).records;
  assert.deepEqual(record!.truncated, [{ path: "message.content", bytes: 100_000 }]);
  assert.equal(record!.byteLength, lengthOf(long));
  assert.equal(parse(text(header(), long)).records[0]!.truncated, undefined);
});
