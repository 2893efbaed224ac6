import assert from "node:assert/strict";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { SessionFormatError } from "../../src/errors.js";
import type { EntryRecord } from "../../src/format/entry-record.js";
import type { JsonObject } from "../../src/format/json.js";
import { indexSession } from "../../src/read/index-session.js";
import { type BranchRecord, findPath, readBranch } from "../../src/read/read-branch.js";
import { readSession } from "../../src/read/read-session.js";
import { damagedFile, sessionFile } from "../helpers/arbitraries.js";
import { assistant, entry, header, jsonl, user } from "../helpers/entries.js";
import { fixture, scratchFolder } from "../helpers/files.js";
import { indexEntries } from "../helpers/index-entries.js";
import { canCountOpenFiles, countOpenFiles, makeStore } from "../helpers/stores.js";

async function gather<T>(items: AsyncIterable<T>): Promise<T[]> {
  const gathered: T[] = [];
  for await (const item of items) gathered.push(item);
  return gathered;
}

const lines = [
  header(),
  user("1", null, "root"),
  assistant("2", "1", "left"),
  user("3", "1", "right"),
  assistant("4", "3", "leaf"),
];

test("readBranch yields the entries from the root to a leaf, with their places", async (context) => {
  const path = join(makeStore(context, { "a.jsonl": jsonl(...lines) }), "a.jsonl");
  const inOrder = new Map((await gather(readSession(path))).map(({ ordinal, ...record }) => [record.entry.id, record]));
  const branch = (ids: string[]): BranchRecord[] => ids.map((id) => inOrder.get(id)!);
  assert.deepEqual(await gather(readBranch(path)), branch(["1", "3", "4"]));
  assert.deepEqual(await gather(readBranch(path, { leafId: "2" })), branch(["1", "2"]));
  assert.deepEqual(await gather(readBranch(path, { leafId: "1" })), branch(["1"]));
});

test("readBranch yields nothing of a session without entries", async (context) => {
  const path = join(makeStore(context, { "a.jsonl": jsonl(header()) }), "a.jsonl");
  assert.deepEqual(await gather(readBranch(path)), []);
});

test("readBranch fails for an unknown leaf, for what is no session, and when its signal aborts", async (context) => {
  const folder = makeStore(context, { "a.jsonl": jsonl(...lines), "none.jsonl": "{}\n" });
  const path = join(folder, "a.jsonl");
  await assert.rejects(gather(readBranch(path, { leafId: "5" })), { code: "ENTRY_NOT_FOUND" });
  await assert.rejects(gather(readBranch(join(folder, "none.jsonl"))), { code: "NOT_A_SESSION" });
  await assert.rejects(gather(readBranch(join(folder, "gone.jsonl"))), { code: "ENOENT" });
  const abort = new AbortController();
  const reason = new Error("enough");
  await assert.rejects(async () => {
    for await (const _ of readBranch(path, { signal: abort.signal })) abort.abort(reason);
  }, reason);
});

test("readBranch closes its file, also when it is left early", { skip: !canCountOpenFiles }, async (context) => {
  const folder = makeStore(context, { "a.jsonl": jsonl(...lines) });
  for await (const _ of readBranch(join(folder, "a.jsonl"))) {
    assert.equal(countOpenFiles(folder), 1);
    break;
  }
  assert.equal(countOpenFiles(folder), 0);
});

test("findPath tells null from no leaf, and an unknown leaf from both", () => {
  const index = indexEntries([user("1", null, "a"), user("2", "1", "b"), user("3", null, "c")]);
  const ids = (leafId: string | null | undefined): string[] => findPath(index, "a.jsonl", leafId).map(({ id }) => id);
  assert.deepEqual(ids(undefined), ["3"]);
  assert.deepEqual(ids("2"), ["1", "2"]);
  assert.deepEqual(ids(null), []);
  assert.throws(() => ids("4"), { code: "ENTRY_NOT_FOUND", message: 'Cannot find the entry "4" in "a.jsonl"' });
});

/** Every entry that a branch yields, of all branches, must be what reading in order gives for its place. */
async function assertReadAlike(path: string): Promise<void> {
  const at = ({ byteOffset }: { byteOffset: number }): number => byteOffset;
  let inOrder: EntryRecord[];
  try {
    inOrder = await gather(readSession(path));
  } catch (error) {
    if ((error as SessionFormatError).code === "NOT_A_SESSION") return;
    throw error;
  }
  const records = new Map(inOrder.map(({ ordinal, ...record }) => [at(record), record]));
  const index = await indexSession(path);
  for (const { id } of index.branches) {
    for (const record of await gather(readBranch(path, { leafId: id }))) {
      assert.deepEqual(record, records.get(at(record)), `${path}, byte ${at(record)}`);
    }
  }
}

test("readBranch gives what reading in order gives, for every trait and version", async () => {
  for (const name of readdirSync(fixture("traits"))) {
    // Values nested that deep are more than a deep comparison can walk.
    if (name.endsWith(".jsonl") && name !== "deep-nesting.jsonl") await assertReadAlike(fixture("traits", name));
  }
});

test("readBranch migrates an entry of version 1 or 2 to what reading in order makes of it", async (context) => {
  const path = join(scratchFolder(context), "session.jsonl");
  const old = { versions: [1 as const, 2 as const], maxEntries: 15 };
  const files = fc.oneof(
    sessionFile(old),
    sessionFile({ ...old, hostile: true }),
    damagedFile({ ...old, hostile: true }),
  );
  await fc.assert(
    fc.asyncProperty(files, async (bytes) => {
      writeFileSync(path, bytes);
      await assertReadAlike(path);
    }),
    { numRuns: 90 },
  );
});

test("readBranch names the entry that a version 1 compaction keeps from, as reading in order does", async (context) => {
  const path = join(
    makeStore(context, {
      "a.jsonl": jsonl(
        { ...header(), version: 1 },
        { type: "message", timestamp: "2026-01-02T03:04:06Z", message: { role: "hookMessage", content: "a" } },
        { type: "message", timestamp: "2026-01-02T03:04:07Z", message: { role: "user", content: "b" } },
        { ...entry("compaction", "", null, { summary: "s", firstKeptEntryIndex: 2 }), id: undefined },
        { ...entry("compaction", "", null, { summary: "s", firstKeptEntryIndex: 9 }), id: undefined },
      ),
    }),
    "a.jsonl",
  );
  const [first, second, kept, none] = (await gather(readBranch(path))).map(({ entry }) => entry as JsonObject);
  assert.equal((first!.message as JsonObject).role, "custom");
  assert.deepEqual([first!.parentId, second!.parentId, kept!.parentId], [null, first!.id, second!.id]);
  assert.equal(kept!.firstKeptEntryId, second!.id);
  assert.deepEqual(Object.keys(none!).sort(), ["id", "parentId", "summary", "timestamp", "type"]);
});
