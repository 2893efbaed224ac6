import assert from "node:assert/strict";
import { closeSync, openSync, readdirSync, readFileSync, truncateSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "../../src/format/json.js";
import type { Message } from "../../src/format/message.js";
import { type BuiltContext, buildContext } from "../../src/read/build-context.js";
import { indexSession } from "../../src/read/index-session.js";
import { damagedFile, sessionFile } from "../helpers/arbitraries.js";
import { assistant, entry, header, jsonl, type Line, user } from "../helpers/entries.js";
import { fixture, scratchFolder } from "../helpers/files.js";
import { contextPlainly, firstText, type PlainFile, readPlainly, treePlainly } from "../helpers/plain-reader.js";
import { canCountOpenFiles, countOpenFiles, makeStore } from "../helpers/stores.js";

const lengthOf = (line: Line): number => Buffer.byteLength(JSON.stringify(line));

const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);

async function contextOf(path: string, leafId?: string | null): Promise<BuiltContext> {
  return buildContext(path, leafId === undefined ? {} : { leafId });
}

const textOf = (message: Message): string | null => firstText(message as JsonObject);

/** A file of these lines. */
function fileOf(context: Parameters<typeof makeStore>[0], ...lines: (Line | Buffer)[]): string {
  const bytes = Buffer.concat(lines.map((line) => (Buffer.isBuffer(line) ? line : jsonl(line))));
  return join(makeStore(context, { "session.jsonl": bytes }), "session.jsonl");
}

test("buildContext gives messages, the entries they come from, model and level, and the bytes of their lines", async (context) => {
  const lines = [
    entry("thinking_level_change", "1", null, { thinkingLevel: "high" }),
    user("2", "1", "before"),
    assistant("3", "2", "x".repeat(5000)),
    user("4", "3", "kept"),
    entry("compaction", "5", "4", { summary: "so far", firstKeptEntryId: "4", tokensBefore: 9 }),
    entry("custom", "6", "5", { data: "y".repeat(5000) }),
    user("7", "6", "after"),
    user("8", "2", "z".repeat(5000)),
    entry("label", "9", "7", { targetId: "7", label: "here" }),
  ];
  const path = fileOf(context, header(), ...lines);
  const built = await buildContext(path);
  assert.deepEqual(
    built.messages.map((message) => [message.role, textOf(message)]),
    [
      ["compactionSummary", "so far"],
      ["user", "kept"],
      ["user", "after"],
    ],
  );
  assert.deepEqual(built.entryIds, ["5", "4", "7"]);
  assert.deepEqual(built.model, { provider: "anthropic", modelId: "claude-sonnet-4-5" });
  assert.equal(built.thinkingLevel, "high");
  // The compaction, the kept message, the one after it, the level, and the answer that names the model.
  assert.equal(built.bytesRead, sum([4, 3, 6, 0, 2].map((line) => lengthOf(lines[line]!))));
  assert.equal(built.truncated, undefined);
});

test("buildContext reads nothing of lines that the context has no need of", async (context) => {
  const lines = [
    user("1", null, "a"),
    assistant("2", "1", "dropped"),
    entry("context_edit", "3", "2", { targetId: "1", replacement: null }),
    entry("model_change", "4", "3", { provider: "p", modelId: "m" }),
    user("5", "4", "b"),
  ];
  const path = fileOf(context, header(), ...lines);
  assert.equal((await buildContext(path)).bytesRead, sum([1, 2, 3, 4].map((line) => lengthOf(lines[line]!))));
  assert.equal((await contextOf(path, "1")).bytesRead, lengthOf(lines[0]!));
});

test("buildContext gives nothing for null, and for a session without entries", async (context) => {
  const nothing = { messages: [], entryIds: [], thinkingLevel: "off", model: null, bytesRead: 0 };
  const path = fileOf(context, header(), user("1", null, "a"));
  assert.deepEqual(await contextOf(path, null), nothing);
  assert.deepEqual(await buildContext(fileOf(context, header())), nothing);
});

test("buildContext fails for an entry that is not there, and names it", async (context) => {
  const path = fileOf(context, header(), user("1", null, "a"), { type: "custom", timestamp: "x" });
  for (const leafId of ["2", "", "__proto__", "1 "]) {
    await assert.rejects(contextOf(path, leafId), {
      name: "SessionFormatError",
      code: "ENTRY_NOT_FOUND",
      message: `Cannot find the entry ${JSON.stringify(leafId)} in "${path}"`,
      path,
    });
  }
});

test("buildContext fails for what is no session, and for what can't be read", async (context) => {
  const folder = makeStore(context, { "empty.jsonl": "", "entry.jsonl": jsonl(user("1", null, "a")) });
  for (const name of ["empty.jsonl", "entry.jsonl"]) {
    await assert.rejects(buildContext(join(folder, name)), { name: "SessionFormatError", code: "NOT_A_SESSION" });
  }
  await assert.rejects(buildContext(join(folder, "gone")), { code: "ENOENT" });
  await assert.rejects(buildContext(folder), { code: "EISDIR" });
});

test("buildContext reads entries that were recovered from damaged lines", async (context) => {
  const lines = [
    user("1", null, "é\u2028"),
    user("2", "1", "glued"),
    user("3", "2", "behind NULs"),
    user("4", "3", "torn"),
  ];
  const [first, glued, padded, torn] = lines.map((line) => JSON.stringify(line)) as [string, string, string, string];
  const path = fileOf(
    context,
    header(),
    Buffer.from(`${first}${glued}\n{"type":"mess\0\0${padded}\0\n${torn} {"type":"message","id":"5"`),
  );
  const built = await buildContext(path);
  assert.deepEqual(built.messages.map(textOf), ["é\u2028", "glued", "behind NULs", "torn"]);
  assert.deepEqual(built.entryIds, ["1", "2", "3", "4"]);
  assert.equal(built.bytesRead, sum(lines.map(lengthOf)));
});

test("buildContext gives lines above the limit of other readers whole", async (context) => {
  const text = "a long story, ".repeat(1_300_000);
  const path = fileOf(context, header(), user("1", null, text), user("2", "1", "short"));
  const { messages, truncated } = await buildContext(path);
  assert.ok(textOf(messages[0]!) === text, "the text is whole");
  assert.equal(messages.length, 2);
  assert.equal(truncated, undefined);
});

test("buildContext tells each damaged line to onProblem", async (context) => {
  const path = fileOf(context, header(), user("1", null, "a"), Buffer.from("x\n[]\n"), user("2", "1", "b"));
  const lines: number[] = [];
  await buildContext(path, { onProblem: ({ line }) => lines.push(line) });
  assert.deepEqual(lines, [3, 4]);
});

/** Builds the context of a file that changes once it was indexed as far as its damaged last line. */
async function buildWhile(path: string, change: () => void): Promise<BuiltContext> {
  return buildContext(path, { onProblem: change });
}

test("buildContext fails when a line that it needs is no longer what it was", async (context) => {
  const torn = Buffer.from('{"type":"mess');
  const write = (bytes: string) => (path: string) => {
    const fd = openSync(path, "r+");
    writeSync(fd, bytes, lengthOf(header()) + 1);
    closeSync(fd);
  };
  const changes: [string, (path: string) => void][] = [
    ["other bytes", write("no JSON any more")],
    ["JSON that is no entry", write(`[${" ".repeat(lengthOf(user("1", null, "a")) - 2)}]`)],
    ["a shorter file", (path) => truncateSync(path, lengthOf(header()) + 10)],
    ["an empty file", (path) => truncateSync(path, 0)],
  ];
  for (const [name, change] of changes) {
    const path = fileOf(context, header(), user("1", null, "a"), torn);
    await assert.rejects(
      buildWhile(path, () => change(path)),
      {
        name: "SessionFormatError",
        code: "CHANGED_WHILE_READING",
        path,
        line: 2,
        byteOffset: lengthOf(header()) + 1,
      },
      name,
    );
  }
});

test("buildContext does not mind a file that grows while it is read", async (context) => {
  const path = fileOf(context, header(), user("1", null, "a"), Buffer.from("x\n"));
  const more = jsonl(user("2", "1", "appended"));
  const { entryIds } = await buildWhile(path, () => writeFileSync(path, more, { flag: "a" }));
  assert.ok(["1", "1,2"].includes(`${entryIds}`), `${entryIds}`);
});

test("buildContext throws the reason of its signal", async (context) => {
  const path = fileOf(context, header(), user("1", null, "a"));
  const reason = new Error("enough");
  await assert.rejects(buildContext(path, { signal: AbortSignal.abort(reason) }), reason);
});

test("buildContext closes its file, whether it succeeds or fails", { skip: !canCountOpenFiles }, async (context) => {
  const path = fileOf(context, header(), user("1", null, "a"));
  await buildContext(path);
  await assert.rejects(contextOf(path, "gone"));
  assert.equal(countOpenFiles(join(path, "..")), 0);
});

// Against the plain reader

/** Ids as the library makes them for entries of version 1, by those of the plain reader. */
async function matchIds(path: string, file: PlainFile): Promise<Map<string, string>> {
  const index = await indexSession(path);
  const nodes = treePlainly(file.entries.map(({ entry }) => entry));
  assert.equal(index.size, nodes.length);
  return new Map(nodes.map(({ id }, number) => [id, index.entryAt(number).id]));
}

/** A time that can't be told is left out by one reader and null to the other. */
function withoutNullTime(message: JsonObject): JsonObject {
  const { timestamp, ...rest } = message;
  return timestamp === null || timestamp === undefined ? rest : message;
}

/** Holds the context of every leaf, and of the last entry, against that of the plain reader. */
async function assertContextsRight(path: string): Promise<void> {
  const file = readPlainly(readFileSync(path));
  if (!file.isSession) return;
  const entries = file.entries.map(({ entry }) => entry);
  const nodes = treePlainly(entries);
  const ids = await matchIds(path, file);
  const bytesOf = new Map(file.entries.map(({ entry, byteLength }) => [entry, byteLength]));
  const leaves = nodes.filter(({ children }) => children.length === 0).map(({ id }) => id);
  for (const leafId of [undefined, ...new Set(leaves)]) {
    const right = contextPlainly(entries, leafId);
    const { messages, bytesRead, truncated, ...built } = await contextOf(path, leafId && ids.get(leafId));
    assert.deepEqual(
      (messages as JsonObject[]).map(withoutNullTime),
      right.messages.map(withoutNullTime),
      `messages of ${leafId} in ${path}`,
    );
    assert.deepEqual(
      built,
      {
        entryIds: right.entryIds.map((id) => ids.get(id)),
        thinkingLevel: right.thinkingLevel,
        model: right.model,
      },
      `context of ${leafId} in ${path}`,
    );
    assert.equal(truncated, undefined);
    const own = nodes.filter(({ id }) => new Set(right.entryIds).has(id));
    // Ids that stand twice don't tell which of the entries was read.
    if (ids.size === nodes.length) assert.ok(bytesRead >= sum(own.map(({ entry }) => bytesOf.get(entry)!)));
    assert.ok(bytesRead <= sum([...bytesOf.values()]));
  }
}

const traits = readdirSync(fixture("traits")).filter((name) => name.endsWith(".jsonl"));

test("buildContext agrees with the plain reader on every leaf of every trait and of the store", async () => {
  for (const name of traits) {
    // Values nested that deep are more than a deep comparison can walk.
    if (name !== "deep-nesting.jsonl") await assertContextsRight(fixture("traits", name));
  }
  for (const name of readdirSync(fixture("store"), { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".jsonl")) await assertContextsRight(fixture("store", name));
  }
});

test("buildContext agrees with the plain reader on every leaf of any session, whole or damaged", async (context) => {
  const path = join(scratchFolder(context), "session.jsonl");
  await fc.assert(
    fc.asyncProperty(fc.oneof(sessionFile({ maxEntries: 15 }), damagedFile({ maxEntries: 12 })), async (bytes) => {
      writeFileSync(path, bytes);
      await assertContextsRight(path);
    }),
    { numRuns: 60 },
  );
});
