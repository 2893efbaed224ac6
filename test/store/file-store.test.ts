import assert from "node:assert/strict";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { MessageEntry, SessionEntry } from "../../src/format/entry.js";
import { FileStore } from "../../src/store/file-store.js";
import type { BuildEntry } from "../../src/store/session-store.js";
import { assistant, entry, header, jsonl, type Line, user } from "../helpers/entries.js";
import { scratchFolder } from "../helpers/files.js";

function sessionFile(context: TestContext, bytes: Buffer | string): string {
  const path = join(scratchFolder(context), "session.jsonl");
  writeFileSync(path, bytes);
  return path;
}

const saying =
  (text: string): BuildEntry<MessageEntry> =>
  (links) => ({ type: "message", ...links, message: { role: "user", content: text } });

const idsOf = (entries: readonly SessionEntry[]): string[] => entries.map(({ id }) => id);
const linesOf = (path: string): Line[] =>
  readFileSync(path, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

/** What a store knows must be what one that opens the file afresh knows. */
function assertAgrees(store: FileStore, path: string): void {
  const fresh = new FileStore(path);
  assert.deepEqual(store.entries(), fresh.entries());
  assert.equal(store.entryCount, fresh.entryCount);
  for (let number = 0; number < fresh.index.size; number++) {
    assert.deepEqual(store.index.entryAt(number), fresh.index.entryAt(number));
  }
  // Where it says that they stand: read without what it holds.
  const bytes = readFileSync(path);
  for (let number = 0; number < store.index.size; number++) {
    const { byteOffset, byteLength, id } = store.index.entryAt(number);
    assert.equal((JSON.parse(bytes.toString("utf8", byteOffset, byteOffset + byteLength)) as SessionEntry).id, id);
  }
}

const start = jsonl(header(), user("0000000a", null, "hello"), assistant("0000000b", "0000000a", "yes"));

test("FileStore opens a file without changing it, the last entry being the leaf", (context) => {
  const path = sessionFile(context, start);
  const store = new FileStore(path);
  assert.equal(store.leafId, "0000000b");
  assert.deepEqual(idsOf(store.entries()), ["0000000a", "0000000b"]);
  assert.deepEqual(readFileSync(path), start);
});

test("FileStore.append writes one line, a child of the leaf, which becomes the leaf", (context) => {
  const path = sessionFile(context, start);
  const store = new FileStore(path);
  const first = store.append(saying("one"));
  const second = store.append(saying("two\u2028é"));
  assert.deepEqual(readFileSync(path).subarray(0, start.length), start);
  assert.deepEqual(linesOf(path).slice(3), [first, second] as unknown as Line[]);
  assert.deepEqual([first.parentId, second.parentId, store.leafId], ["0000000b", first.id, second.id]);
  assertAgrees(store, path);
});

test("FileStore gives the very entry that was appended, as long as it is held", (context) => {
  const path = sessionFile(context, start);
  const store = new FileStore(path, { cacheBytes: 500 });
  const first = store.append(saying("one"));
  const readFirst = (): SessionEntry => store.view(({ read }, index) => read(index.numberOf(first.id)));
  assert.equal(readFirst(), first);
  for (let count = 0; count < 10; count++) store.append(saying("more"));
  assert.notEqual(readFirst(), first);
  assert.deepEqual(readFirst(), first);
});

for (const [tail, kept] of [
  [JSON.stringify(user("0000000c", "0000000b", "whole")), true],
  ['{"type":"message","id":"0000000c","par', false],
  ["\0\0\0", false],
] as const) {
  test(`FileStore.append closes off an unterminated last line first: ${JSON.stringify(tail.slice(0, 9))}`, (context) => {
    const path = sessionFile(context, Buffer.concat([start, Buffer.from(tail)]));
    const store = new FileStore(path);
    assert.equal(store.leafId, kept ? "0000000c" : "0000000b");
    const added = store.append(saying("next"));
    assert.equal(readFileSync(path, "utf8"), `${start}${tail}\n${JSON.stringify(added)}\n`);
    assert.equal(added.parentId, kept ? "0000000c" : "0000000b");
    assertAgrees(store, path);
    store.append(saying("and more"));
    assertAgrees(store, path);
  });
}

test("FileStore.append closes off a last line that someone else left unterminated meanwhile", (context) => {
  const path = sessionFile(context, start);
  const store = new FileStore(path);
  appendFileSync(path, '{"type":"mess');
  const added = store.append(saying("next"));
  assert.equal(readFileSync(path, "utf8"), `${start}{"type":"mess\n${JSON.stringify(added)}\n`);
  assertAgrees(store, path);
});

test("FileStore.append knows the place of its entry when others wrote before it, and keeps its own leaf as parent", (context) => {
  const path = sessionFile(context, start);
  const store = new FileStore(path);
  appendFileSync(
    path,
    jsonl(user("0000000c", "0000000b", "foreign"), { type: "label", targetId: "0000000a", label: "x" }),
  );
  const added = store.append(saying("own"));
  assert.equal(added.parentId, "0000000b");
  assert.equal(store.leafId, added.id);
  assert.deepEqual(idsOf(store.view(({ read }, index) => index.childNumbers(1).map(read))), ["0000000c", added.id]);
  assert.equal(store.entryCount, 5);
  assert.equal(store.index.label("0000000a"), "x");
  assertAgrees(store, path);
});

test("FileStore.refresh takes in what others appended; the leaf stays", (context) => {
  const path = sessionFile(context, start);
  const store = new FileStore(path);
  assert.equal(store.refresh(), 0);
  appendFileSync(path, jsonl(user("0000000c", "0000000b", "foreign"), user("0000000d", "0000000c", "é".repeat(1000))));
  assert.equal(store.refresh(), 2);
  assert.equal(store.leafId, "0000000b");
  assert.equal(store.refresh(), 0);
  assertAgrees(store, path);
});

test("FileStore.refresh waits for the newline of a line that is being written", (context) => {
  const path = sessionFile(context, start);
  const store = new FileStore(path);
  const line = jsonl(user("0000000c", "0000000b", "foreign")).toString();
  for (const unit of line.slice(0, -1)) {
    appendFileSync(path, unit);
    assert.equal(store.refresh(), 0);
  }
  appendFileSync(path, "\n");
  assert.equal(store.refresh(), 1);
  assertAgrees(store, path);
});

test("FileStore.refresh reads a last line again that was half written when the file was opened", (context) => {
  const line = jsonl(user("0000000c", "0000000b", "foreign")).toString();
  const path = sessionFile(context, Buffer.concat([start, Buffer.from(line.slice(0, 30))]));
  const store = new FileStore(path);
  assert.equal(store.entryCount, 2);
  appendFileSync(path, line.slice(30));
  assert.equal(store.refresh(), 1);
  assertAgrees(store, path);
});

test("FileStore.refresh goes on behind a whole last line that lacked its newline", (context) => {
  const path = sessionFile(
    context,
    Buffer.concat([start, Buffer.from(JSON.stringify(user("0000000c", "0000000b", "x")))]),
  );
  const store = new FileStore(path);
  appendFileSync(path, `\n${jsonl(user("0000000d", "0000000c", "y"))}`);
  assert.equal(store.refresh(), 1);
  assertAgrees(store, path);
});

test("FileStore takes in many chunks of foreign lines, and lines longer than a chunk", (context) => {
  const path = sessionFile(context, start);
  const store = new FileStore(path);
  for (let id = 16; id < 40; id++) appendFileSync(path, jsonl(user(`000000${id}`, null, "x".repeat(id * 10_000))));
  const added = store.append(saying("own"));
  assert.equal(store.entryCount, 27);
  assert.equal(
    store.view(({ read }, index) => read(index.numberOf(added.id))),
    added,
  );
  assertAgrees(store, path);
});

test("FileStore.entries lists entries without an id at their places", (context) => {
  const lines = [
    { type: "custom", customType: "first" },
    user("0000000a", null, ""),
    { type: "custom", customType: "second" },
    { type: "custom", customType: "third", id: 7 },
    user("0000000b", "0000000a", ""),
    { type: "custom", customType: "last" },
  ];
  const path = sessionFile(context, jsonl(header(), ...lines));
  const store = new FileStore(path);
  assert.deepEqual(store.entries(), lines);
  assert.equal(store.entryCount, 6);
  assert.equal(store.leafId, "0000000b");
  store.append(saying("next"));
  assert.equal(store.entryCount, 7);
  assertAgrees(store, path);
});

test("FileStore recovers entries from damaged lines, and appends behind damage", (context) => {
  const damaged = `{"type":"mess${JSON.stringify(user("0000000c", "0000000b", "glued"))}\n\0\0\0\nnot json\n`;
  const path = sessionFile(context, `${start}${damaged}`);
  const store = new FileStore(path);
  assert.deepEqual(idsOf(store.entries()), ["0000000a", "0000000b", "0000000c"]);
  const added = store.append(saying("next"));
  assert.equal(readFileSync(path, "utf8"), `${start}${damaged}${JSON.stringify(added)}\n`);
  assertAgrees(store, path);
});

test("FileStore reads an old version without changing it", (context) => {
  const old = jsonl(
    header({ version: 2 }),
    entry("message", "0000000a", null, { message: { role: "hookMessage", content: "x" } }),
    {
      type: "custom",
      customType: "stray",
    },
  );
  const path = sessionFile(context, old);
  const store = new FileStore(path);
  assert.equal(store.header.version, 3);
  assert.equal((store.entries()[0] as MessageEntry).message.role, "custom");
  assert.equal(store.entryCount, 2);
  assert.deepEqual(readFileSync(path), old);
  assert.deepEqual(readdirSync(join(path, "..")), ["session.jsonl"]);
});

test("FileStore.append migrates an old version first, keeping the original, the ids and the leaf", (context) => {
  const { version: _, ...first } = header();
  const old = jsonl(
    first,
    { type: "message", timestamp: first.timestamp, message: { role: "user", content: "a" } },
    {
      type: "message",
      timestamp: first.timestamp,
      message: { role: "user", content: "b" },
    },
  );
  const path = sessionFile(context, old);
  chmodSync(path, 0o640);
  const store = new FileStore(path);
  const before = store.entries();
  store.leafId = before[0]!.id;
  const added = store.append(saying("next"));
  assert.deepEqual(readFileSync(`${path}.bak`), old);
  assert.equal(statSync(path).mode & 0o777, 0o640);
  assert.deepEqual(linesOf(path), [{ ...first, version: 3 }, ...before, added] as unknown as Line[]);
  assert.equal(added.parentId, before[0]!.id);
  assert.deepEqual(readdirSync(join(path, "..")).sort(), ["session.jsonl", "session.jsonl.bak"]);
  assertAgrees(store, path);
});

test("FileStore.append makes a new root where the leaf is null, in an old version too", (context) => {
  for (const version of [2, 3]) {
    const path = sessionFile(context, jsonl(header({ version }), user("0000000a", null, "x")));
    const store = new FileStore(path);
    store.leafId = null;
    assert.equal(store.append(saying("root")).parentId, null);
    assertAgrees(store, path);
  }
});

test("FileStore only ever appends to a version above 3", (context) => {
  const future = jsonl(header({ version: 9, new: true }), user("0000000a", null, "x"));
  const path = sessionFile(context, future);
  const store = new FileStore(path);
  assert.equal(store.header.version, 9);
  const added = store.append(saying("next"));
  assert.equal(readFileSync(path, "utf8"), `${future}${JSON.stringify(added)}\n`);
  assert.deepEqual(readdirSync(join(path, "..")), ["session.jsonl"]);
});

test("FileStore sees that another file took the place of its own", (context) => {
  const path = sessionFile(context, start);
  const store = new FileStore(path);
  const replace = (...lines: Line[]): void => {
    writeFileSync(`${path}.new`, jsonl(header(), ...lines));
    renameSync(`${path}.new`, path);
  };
  replace(user("0000000b", null, "moved"), user("0000000a", "0000000b", "here"));
  assert.deepEqual(idsOf(store.entries()), ["0000000b", "0000000a"]);
  assert.equal(store.leafId, "0000000b");
  replace(user("00000001", null, "one"), user("00000002", "00000001", "two"));
  const added = store.append(saying("next"));
  assert.equal(added.parentId, "00000002");
  assertAgrees(store, path);
  replace(user("00000001", null, "one"));
  assert.equal(store.refresh(), -2);
  assert.equal(store.leafId, "00000001");
});

test("FileStore sees that its file was cut or rewritten in place", (context) => {
  const path = sessionFile(context, start);
  const store = new FileStore(path, { cacheBytes: 0 });
  writeFileSync(
    path,
    jsonl(header(), user("0000000b", null, "longer than before was"), user("0000000a", "0000000b", "x")),
  );
  assert.deepEqual(idsOf(store.entries()), ["0000000b", "0000000a"]);
  truncateSync(path, jsonl(header(), user("0000000b", null, "longer than before was")).length);
  assert.deepEqual(idsOf(store.entries()), ["0000000b"]);
  assert.equal(store.leafId, "0000000b");
});

test("FileStore.append throws when the file is gone or may not be written, and changes nothing", (context) => {
  const path = sessionFile(context, start);
  const store = new FileStore(path);
  unlinkSync(path);
  assert.throws(() => store.append(saying("lost")), { code: "ENOENT" });
  assert.equal(existsSync(path), false);
  writeFileSync(path, start);
  mkdirSync(`${path}.dir`);
  assert.equal(store.leafId, "0000000b");
  assert.equal(store.entryCount, 2);
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  assert.throws(
    () => store.append((links) => ({ type: "custom", customType: "x", data: cyclic, ...links })),
    TypeError,
  );
  assert.deepEqual(readFileSync(path), start);
  store.append(saying("next"));
  assertAgrees(store, path);
});

test("FileStore.create knows entries of one id apart", (context) => {
  const path = join(scratchFolder(context), "new.jsonl");
  const lines = [user("0000000a", null, "first"), user("0000000a", null, "second")] as unknown as SessionEntry[];
  const store = FileStore.create(path, header() as never, lines);
  assert.deepEqual(store.entries(), lines);
  assertAgrees(store, path);
});

test("FileStore.create makes a file exclusively, with all entries", (context) => {
  const path = join(scratchFolder(context), "new.jsonl");
  const lines = [user("0000000a", null, "x"), { type: "custom", customType: "stray" }] as unknown as SessionEntry[];
  const store = FileStore.create(path, header() as never, lines, { durable: true });
  assert.deepEqual(linesOf(path), [header(), ...lines] as unknown as Line[]);
  assert.equal(
    store.view(({ read }) => read(0)),
    lines[0],
  );
  assertAgrees(store, path);
  const before = readFileSync(path);
  assert.throws(() => FileStore.create(path, header() as never, []), { code: "EEXIST" });
  assert.deepEqual(readFileSync(path), before);
  assert.throws(() => FileStore.create(join(path, "..", "none", "x.jsonl"), header() as never, []), { code: "ENOENT" });
});
