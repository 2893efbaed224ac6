import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { CellText } from "../../src/export/cell-text.js";
import type { RowBatch } from "../../src/export/row-batch.js";
import { findTable, type TableName } from "../../src/export/tables.js";
import { withOpenSession } from "../../src/scan/open-session.js";
import { readSessionRows, type SessionRowsRequest } from "../../src/scan/read-session-rows.js";
import { readBuffer } from "../../src/scan/run-batch.js";
import { damagedFile, sessionFile } from "../helpers/arbitraries.js";
import {
  assistant,
  at,
  entry,
  header,
  jsonl,
  type Line,
  message,
  toolResult,
  usage,
  user,
} from "../helpers/entries.js";
import { fixture, scratchFolder } from "../helpers/files.js";
import { readPlainly } from "../helpers/plain-reader.js";
import { type PlainRow, type PlainTables, rowsPlainly } from "../helpers/plain-rows.js";
import { plainSession } from "../helpers/plain-sessions.js";
import { allTables } from "../helpers/row-batches.js";

/** The rows of one file, table by table. */
function readRows(path: string, more: Partial<SessionRowsRequest> = {}): PlainTables {
  const found = Object.fromEntries(allTables.map((name) => [name, []])) as unknown as PlainTables;
  const { size, mtimeMs } = statSync(path);
  const request: SessionRowsRequest = {
    host: "pond",
    tables: allTables,
    text: new CellText("preview"),
    isTextWhole: false,
    filters: {},
    isProjectWanted: () => true,
    copies: [],
    ...more,
  };
  withOpenSession({ path, sizeBytes: size, mtimeMs }, { buffer: readBuffer(), onBytes() {} }, (session) =>
    readSessionRows(session, request, (batch) => found[batch.table].push(...rowsOf(batch))),
  );
  return found;
}

function rowsOf({ table, count, columns }: RowBatch): PlainRow[] {
  const { columns: known } = findTable(table);
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(known.map(({ name }, at) => [name, columns[at]![row]!])),
  );
}

const byPlace = (one: PlainRow, other: PlainRow): number =>
  Number(one.line) - Number(other.line) ||
  Number(one.line_part) - Number(other.line_part) ||
  Number(one.content_index) - Number(other.content_index);

function write(context: TestContext, ...lines: Line[]): string {
  const path = join(scratchFolder(context), "a.jsonl");
  writeFileSync(path, jsonl(...lines));
  return path;
}

/** Holds the rows of a file to the plain reader. Ids that version 1 lacks are other ones there. */
function assertPlainRows(path: string, bytes: Buffer): void {
  const file = readPlainly(bytes);
  if (!file.isSession) {
    assert.throws(() => readRows(path), { code: "NOT_A_SESSION" });
    return;
  }
  const found = readRows(path);
  const expected = rowsPlainly([{ path, file }], "pond", (each) => statSync(each).mtimeMs);
  for (const table of allTables) {
    const strip = (row: PlainRow): PlainRow => (file.version < 2 ? withoutIds(row) : row);
    const sorted = table === "sessions" ? found[table] : found[table].toSorted(byPlace);
    assert.deepEqual(sorted.map(strip), expected[table].map(strip), table);
  }
}

function withoutIds(row: PlainRow): PlainRow {
  const { entry_id: _, parent_id: __, result_entry_id: ___, ...rest } = row;
  return rest;
}

for (const name of readdirSync(fixture("traits")).filter((name) => name.endsWith(".jsonl"))) {
  test(`readSessionRows gives the plain reader's rows of ${name}`, () => {
    const path = fixture("traits", name);
    assertPlainRows(path, readFileSync(path));
  });
}

for (const [name, files, runs] of [
  ["any session", () => sessionFile(), 150],
  ["plain sessions", () => plainSession(), 100],
  ["damaged sessions", () => damagedFile(), 100],
] as const) {
  test(`readSessionRows gives the plain reader's rows of ${name}`, (context) => {
    const path = join(scratchFolder(context), "a.jsonl");
    fc.assert(
      fc.property(files(), (bytes) => {
        writeFileSync(path, bytes);
        assertPlainRows(path, bytes);
      }),
      { numRuns: runs },
    );
  });
}

const toolCall = (id: string | undefined, name = "bash", more: Line = {}): Line => ({
  type: "toolCall",
  ...(id !== undefined && { id }),
  name,
  arguments: { command: "ls" },
  ...more,
});

test("readSessionRows gives a call the result that is nearest behind it, else before it, and the first of several", (context) => {
  const path = write(
    context,
    header(),
    toolResult("1", null, "early", { toolCallId: "late" }),
    assistant("2", "1", "", { content: [toolCall("x"), toolCall("late"), toolCall(undefined)] }),
    toolResult("3", "2", "first é", { toolCallId: "x", isError: true }),
    toolResult("4", "3", "second", { toolCallId: "x" }),
    assistant("9", "4", "", { content: [{ type: "text", text: "again" }, toolCall("x")] }),
    toolResult("a", "9", "third", { toolCallId: "x" }),
  );
  const rows = readRows(path).tool_calls.map((row) => [
    row.entry_id,
    row.content_index,
    row.result_entry_id,
    row.is_error,
    row.output_bytes,
    row.duration_ms,
  ]);
  assert.deepEqual(rows, [
    ["2", 0, "3", true, 8, 1000],
    ["2", 1, "1", false, 5, null],
    ["2", 2, null, null, null, null],
    ["9", 1, "a", false, 5, 1000],
  ]);
});

test("readSessionRows gives a large file the rows that a small one with the same lines has", (context) => {
  const lines = [
    header(),
    user("1", null, "x".repeat(3_000_000)),
    assistant("2", "1", "y", { content: [toolCall("t")], usage: usage(1, 2, 3) }),
    toolResult("3", "2", "z".repeat(2_000_000), { toolCallId: "t", usage: usage(4, 5, 6) }),
  ];
  const path = write(context, ...lines);
  const short = write(
    context,
    ...(JSON.parse(
      JSON.stringify(lines)
        .replaceAll(/x{501,}/g, "x".repeat(600))
        .replaceAll(/z{501,}/g, "z".repeat(600)),
    ) as Line[]),
  );
  const [large, small] = [readRows(path), readRows(short)];
  const same = ["path", "bytes", "size_bytes", "output_bytes"];
  const strip = (row: PlainRow): PlainRow =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !same.includes(name)));
  for (const table of allTables.filter((name) => name !== "sessions")) {
    assert.deepEqual(large[table].map(strip), small[table].map(strip));
  }
  assert.equal(large.tool_calls[0]!.output_bytes, 2_000_000);
  assert.equal(large.messages[0]!.text, "x".repeat(500));
});

test("readSessionRows gives whole texts where they are wanted, none where none are", (context) => {
  const long = `${"🐸".repeat(600)}\0"`;
  const huge = "h".repeat(1_500_000);
  const path = write(
    context,
    header(),
    user("1", null, long),
    assistant("2", "1", huge, {
      errorMessage: "broken",
      content: [{ type: "text", text: huge }, toolCall("t", "write", { arguments: { text: huge } })],
    }),
  );
  const full = readRows(path, { text: new CellText("full"), isTextWhole: true });
  assert.deepEqual(
    full.messages.map(({ text }) => text),
    [long, huge],
  );
  assert.equal(full.tool_calls[0]!.arguments, JSON.stringify({ text: huge }));
  const none = readRows(path, { text: new CellText("none") });
  assert.deepEqual(
    none.messages.map(({ text, error_message }) => [text, error_message]),
    [
      [null, null],
      [null, null],
    ],
  );
  assert.equal(none.tool_calls[0]!.arguments, null);
  assert.equal(none.sessions[0]!.first_message, null);
  const previews = readRows(path);
  assert.equal(previews.messages[0]!.text, "🐸".repeat(500));
});

test("readSessionRows chooses rows by their own time, and the session when any is chosen", (context) => {
  const path = write(context, header(), user("1", null, "early"), user("f", "1", "late"));
  const { entries, sessions } = readRows(path, { filters: { since: Date.parse(at(10)) } });
  assert.deepEqual(
    entries.map(({ entry_id }) => entry_id),
    ["f"],
  );
  assert.equal(sessions.length, 1);
  const nothing = readRows(path, { filters: { since: Date.parse(at(100)) } });
  assert.deepEqual(Object.values(nothing).flat(), []);
});

test("readSessionRows chooses rows by the model that an entry names or that was in force", (context) => {
  const path = write(
    context,
    header(),
    user("1", null, "before any"),
    assistant("2", "1", "a", { model: "one", usage: usage(1) }),
    user("3", "2", "to one"),
    assistant("4", "3", "b", { model: "two", usage: usage(2) }),
    toolResult("5", "4", "nested", { usage: usage(3) }),
    entry("usage", "6", "5", { kind: "warm", provider: "p", model: "one", usage: usage(4) }),
  );
  const { entries, messages, usage: calls, sessions } = readRows(path, { filters: { models: ["ONE"] } });
  assert.deepEqual(
    entries.map(({ entry_id }) => entry_id),
    ["2", "3", "6"],
  );
  assert.deepEqual(
    messages.map(({ entry_id }) => entry_id),
    ["2", "3"],
  );
  assert.deepEqual(
    calls.map(({ input }) => input),
    [1, 4],
  );
  assert.equal(sessions[0]!.entry_count, 6);
});

test("readSessionRows gives a migrated file the rows of the same content in version 3", (context) => {
  const said = (role: string, id: string, more: Line = {}): Line => message(id, null, { role, content: role, ...more });
  const third = [
    said("user", "1"),
    said("assistant", "2", { content: [toolCall("t")], provider: "p", model: "m", usage: usage(1, 2, 3) }),
    said("toolResult", "3", { toolCallId: "t", isError: false }),
    said("custom", "4"),
  ];
  const first = structuredClone(third).map(({ id: _, parentId: __, ...line }) => line) as Line[];
  (first[3]!.message as Line).role = "hookMessage";
  const old = readRows(write(context, header({ version: undefined }), ...first));
  const ids = old.entries.map(({ entry_id }) => entry_id as string);
  const linked = third.map((line, at) => ({ ...line, id: ids[at]!, parentId: ids[at - 1] ?? null }));
  const now = readRows(write(context, header(), ...linked));
  const strip = ({ path: _, bytes: __, size_bytes: ___, version: ____, ...row }: PlainRow): PlainRow => row;
  for (const table of allTables as TableName[]) assert.deepEqual(old[table].map(strip), now[table].map(strip), table);
});
