import assert from "node:assert/strict";
import { linkSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { migrateFile } from "../../src/store/migrate-file.js";
import { at, entry, header, jsonl, type Line, user } from "../helpers/entries.js";
import { scratchFolder } from "../helpers/files.js";

function writeSession(context: TestContext, content: string | Buffer): string {
  const file = join(scratchFolder(context), "session.jsonl");
  writeFileSync(file, content);
  return file;
}

const old = header({ version: 2 });
const hook: Line = entry("message", "0000000b", "0000000a", {
  message: { role: "hookMessage", content: "x", odd: 1 },
  more: {},
});

test("migrateFile copies what needs no change byte for byte, and keeps unknown keys in what does", (context) => {
  const spaced = `{ "type":"custom", "id":"0000000c","parentId":"0000000b","timestamp":"${at(1)}","data":1.0 }`;
  const file = writeSession(context, `${jsonl({ ...old, own: true }, user("0000000a", null, "é"), hook)}${spaced}`);
  const before = readFileSync(file);
  migrateFile(file);
  const migrated = { ...hook, message: { role: "custom", content: "x", odd: 1 } };
  const [first, ...rest] = readFileSync(file, "utf8").split("\n");
  assert.deepEqual(JSON.parse(first!), { ...old, version: 3, own: true });
  assert.deepEqual(rest, [JSON.stringify(user("0000000a", null, "é")), JSON.stringify(migrated), spaced, ""]);
  assert.deepEqual(readFileSync(`${file}.bak`), before);
});

test("migrateFile keeps records that readers pass over, and leaves damage behind", (context) => {
  const lock = '{"type": "lock"}';
  const second = JSON.stringify(header({ version: 1, id: "second" }));
  const glued = JSON.stringify(user("0000000a", null, "glued"));
  const file = writeSession(
    context,
    `${lock}\r\n${JSON.stringify(old)}\n\nnot json\n${second}\n\0\0\n{"type":"mess${glued}\n[7]\n{"type":"message","id":"000`,
  );
  migrateFile(file);
  const lines = readFileSync(file, "utf8").split("\n");
  assert.deepEqual(lines, [`${lock}\r`, JSON.stringify({ ...old, version: 3 }), second, glued, ""]);
});

test("migrateFile keeps an older backup, and takes one of its own for its own", (context) => {
  const file = writeSession(context, jsonl(old, hook));
  const bytes = readFileSync(file);
  writeFileSync(`${file}.bak`, "older");
  linkSync(file, `${file}.bak.2`); // As a process leaves it that died before it renamed.
  migrateFile(file);
  assert.equal(readFileSync(`${file}.bak`, "utf8"), "older");
  assert.deepEqual(readFileSync(`${file}.bak.2`), bytes);
  assert.notDeepEqual(readFileSync(file), bytes);
  assert.deepEqual(readdirSync(join(file, "..")).sort(), ["session.jsonl", "session.jsonl.bak", "session.jsonl.bak.2"]);
});

test("migrateFile writes where a link leads, and leaves the link a link", (context) => {
  const file = writeSession(context, jsonl(old, hook));
  const link = join(scratchFolder(context), "link.jsonl");
  symlinkSync(file, link);
  migrateFile(link);
  assert.ok(lstatSync(link).isSymbolicLink());
  assert.match(readFileSync(file, "utf8"), /"version":3/);
});

test("migrateFile leaves a file alone that is no session", (context) => {
  const file = writeSession(context, "no session\n");
  assert.throws(() => migrateFile(file), { code: "NOT_A_SESSION" });
  assert.deepEqual(readdirSync(join(file, "..")), ["session.jsonl"]);
});
