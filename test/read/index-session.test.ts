import assert from "node:assert/strict";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { SessionFormatError } from "../../src/errors.js";
import { indexOpenSessionSync, indexSession } from "../../src/read/index-session.js";
import { readSession } from "../../src/read/read-session.js";
import { SessionIndex } from "../../src/tree/session-index.js";
import { damagedFile, sessionFile } from "../helpers/arbitraries.js";
import { entry, header, jsonl, user } from "../helpers/entries.js";
import { scratchFolder } from "../helpers/files.js";
import { canCountOpenFiles, countOpenFiles, makeStore } from "../helpers/stores.js";

/** All that an index tells, entry by entry and as a whole. */
function describe(index: SessionIndex): unknown {
  const entries = Array.from({ length: index.size }, (_, number) => ({
    ...index.entryAt(number),
    children: index.childNumbers(number),
    targetId: index.targetId(number),
  }));
  const { header, name, leafId } = index;
  return { header, name, leafId, labels: index.labels(), entries };
}

function indexSync(path: string): SessionIndex {
  const fd = openSync(path, "r");
  try {
    return indexOpenSessionSync(fd, path);
  } finally {
    closeSync(fd);
  }
}

test("indexSession makes the index that feeding one with all entries would make, whatever the file holds", async (context) => {
  const path = join(scratchFolder(context), "session.jsonl");
  const files = fc.oneof(
    sessionFile({ maxEntries: 15, hostile: true }),
    damagedFile({ maxEntries: 15, hostile: true }),
    damagedFile({ maxEntries: 15, versions: [1] }),
  );
  await fc.assert(
    fc.asyncProperty(files, async (bytes) => {
      writeFileSync(path, bytes);
      const fed = new SessionIndex();
      try {
        const session = readSession(path);
        for await (const record of session) fed.add(record.entry, record);
        fed.header = session.header;
      } catch (error) {
        assert.ok(error instanceof SessionFormatError);
        await assert.rejects(indexSession(path), { code: error.code, message: error.message });
        assert.throws(() => indexSync(path), { code: error.code, message: error.message });
        return;
      }
      assert.deepEqual(describe(await indexSession(path)), describe(fed));
      assert.deepEqual(describe(indexSync(path)), describe(await indexSession(path)));
    }),
    { numRuns: 60 },
  );
});

test("indexSession keeps header, name and labels, and tells of damaged lines", async (context) => {
  const lines = [
    header({ cwd: "/a" }),
    user("1", null, "x"),
    entry("label", "2", "1", { targetId: "1", label: "here" }),
    entry("session_info", "3", "2", { name: "pond" }),
  ];
  const store = makeStore(context, { "a.jsonl": Buffer.concat([jsonl(...lines), Buffer.from("torn")]) });
  const damaged: string[] = [];
  const index = await indexSession(join(store, "a.jsonl"), {
    onProblem: ({ line, code }) => damaged.push(`${line} ${code}`),
  });
  assert.equal(index.header?.cwd, "/a");
  assert.equal(index.name, "pond");
  assert.equal(index.label("1"), "here");
  assert.deepEqual(damaged, ["5 torn-tail"]);
  assert.deepEqual(index.get("1"), {
    number: 0,
    id: "1",
    parentId: null,
    type: "message",
    role: "user",
    timestamp: Date.parse("2026-01-02T03:04:06.000Z"),
    line: 2,
    byteOffset: jsonl(lines[0]!).length,
    byteLength: jsonl(lines[1]!).length - 1,
  });
});

test("indexSession indexes a session without entries", async (context) => {
  const store = makeStore(context, { "a.jsonl": jsonl(header()) });
  const index = await indexSession(join(store, "a.jsonl"));
  assert.deepEqual([index.size, index.leafId, index.header?.type], [0, null, "session"]);
});

test("indexSession fails for what can't be read, stops at its signal, and closes its file", async (context) => {
  const store = makeStore(context, { "a.jsonl": jsonl(header(), user("1", null, "x")) });
  await assert.rejects(indexSession(join(store, "gone.jsonl")), { code: "ENOENT" });
  await assert.rejects(indexSession(store), { code: "EISDIR" });
  const reason = new Error("enough");
  await assert.rejects(indexSession(join(store, "a.jsonl"), { signal: AbortSignal.abort(reason) }), reason);
  if (canCountOpenFiles) assert.equal(countOpenFiles(store), 0);
});
