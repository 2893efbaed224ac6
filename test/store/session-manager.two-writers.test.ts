/** Real processes that write to one session at the same time. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { SessionManager } from "../../src/store/session-manager.js";
import { header, jsonl, type Line, user } from "../helpers/entries.js";
import { projectRoot, scratchFolder } from "../helpers/files.js";

const child = join(projectRoot, "build/test/store/children/append-some.js");

/** Starts writers, lets them go at once, and gives the ids that each appended, in order. */
async function runWriters(file: string, writers: number, count: number, maxBytes: number): Promise<string[][]> {
  const processes = Array.from({ length: writers }, () =>
    spawn(process.execPath, [child, file, String(count), String(maxBytes)], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  const outputs = processes.map(readOutput);
  await Promise.all(outputs.map(({ isReady }) => isReady));
  for (const { stdin } of processes) stdin.write("\n");
  return await Promise.all(outputs.map(async ({ all }) => (await all).trim().split("\n").slice(1)));
}

function readOutput(writer: ChildProcess): { isReady: Promise<void>; all: Promise<string> } {
  let text = "";
  const isReady = new Promise<void>((resolve) => {
    writer.stdout!.on("data", (chunk: Buffer) => {
      text += String(chunk);
      resolve();
    });
  });
  const all = new Promise<string>((resolve, reject) => {
    writer.on("close", (code) => (code === 0 ? resolve(text) : reject(new Error(`A writer ended with ${code}`))));
  });
  return { isReady, all };
}

function writeSession(context: TestContext, ...lines: Line[]): string {
  const file = join(scratchFolder(context), "session.jsonl");
  writeFileSync(file, jsonl(...lines));
  return file;
}

/**
 * Every line is whole, every entry is there once, and each writer's entries are a branch of their own below `rootId`. Blank lines are no harm: a writer
 * that sees half of another one's line, which is still being written, ends it to be safe.
 */
function assertBranches(file: string, rootId: string, written: readonly (readonly string[])[], before: number): void {
  const lines = readFileSync(file, "utf8").split("\n");
  assert.equal(lines.pop(), "");
  for (const line of lines) if (line !== "") JSON.parse(line);
  const session = SessionManager.open(file);
  assert.equal(session.getEntryCount(), before + written.flat().length);
  assert.equal(new Set(written.flat()).size, written.flat().length);
  for (const ids of written) {
    const branch = session.getBranch(ids.at(-1)).map(({ id }) => id);
    assert.deepEqual(branch.slice(branch.indexOf(rootId) + 1), ids);
  }
}

for (const [size, maxBytes] of [
  ["small", 200],
  ["large", 600_000],
] as const) {
  test(`SessionManager: processes that append ${size} entries to one session never tear each other's lines`, async (context) => {
    const file = writeSession(context, header(), user("0000000a", null, "root"));
    const written = await runWriters(file, 3, size === "small" ? 400 : 60, maxBytes);
    assertBranches(file, "0000000a", written, 1);
  });
}

test("SessionManager: of processes that append to an old version at once, one migrates it and none loses an entry", async (context) => {
  const { version: _, ...first } = header();
  const talk = (content: string): Line => ({
    type: "message",
    timestamp: first.timestamp,
    message: { role: "user", content },
  });
  const lines = Array.from({ length: 300 }, (_, number) => talk(`${number}${"x".repeat(1000)}`));
  for (let round = 0; round < 3; round++) {
    const file = writeSession(context, first, ...lines);
    const leafId = SessionManager.open(file).getLeafId()!;
    const written = await runWriters(file, 3, 30, 200);
    assertBranches(file, leafId, written, lines.length);
    const names = readdirSync(dirname(file)).sort();
    assert.deepEqual(names, ["session.jsonl", "session.jsonl.bak"]);
    assert.deepEqual(readFileSync(`${file}.bak`), jsonl(first, ...lines));
  }
});

test("SessionManager.refresh shows what another manager appended, and both branches live", (context) => {
  const file = writeSession(context, header(), user("0000000a", null, "root"));
  const [left, right] = [SessionManager.open(file), SessionManager.open(file)];
  const first = left.appendMessage({ role: "user", content: "left" });
  const second = right.appendMessage({ role: "user", content: "right" });
  assert.deepEqual([left.getLeafId(), right.getLeafId()], [first, second]);
  assert.equal(left.getEntry(second), undefined);
  assert.ok(right.getEntry(first), "an append takes in what came before it");
  assert.equal(left.refresh(), 1);
  assert.equal(right.refresh(), 0);
  assert.deepEqual(
    left.getChildren("0000000a").map(({ id }) => id),
    [first, second],
  );
  assert.equal(left.appendMessage({ role: "user", content: "left again" }), left.getLeafId());
  assert.equal(left.getLeafEntry()?.parentId, first);
});
