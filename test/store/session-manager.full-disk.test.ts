/** A disk that fills up: a small file system in memory, which only root can mount. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { SessionManager } from "../../src/store/session-manager.js";
import { header, jsonl, type Line, user } from "../helpers/entries.js";

const DISK_BYTES = 256 * 1024;

/** A folder with room for `DISK_BYTES`; undefined, and the test skipped, when none can be had. */
function smallDisk(context: TestContext): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "pi-sessions-disk-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_BYTES}`, "tmpfs", folder]).status === 0;
  context.after(() => {
    if (mounted) spawnSync("umount", [folder]);
    rmdirSync(folder);
  });
  if (mounted) return folder;
  context.skip("a small file system can't be mounted here: that takes root on Linux");
  return undefined;
}

/** Takes all room but some; returns what gives it back. */
function fill(folder: string, spareBytes: number): () => void {
  const file = join(folder, "filler");
  writeFileSync(file, "");
  try {
    for (;;) writeFileSync(file, Buffer.alloc(4096), { flag: "a" });
  } catch {
    // It is full.
  }
  const filled = readFileSync(file);
  writeFileSync(file, filled.subarray(0, Math.max(0, filled.length - spareBytes)));
  return () => rmSync(file);
}

function assertAgrees(session: SessionManager): void {
  const file = session.getSessionFile()!;
  const lines = readFileSync(file, "utf8").split("\n");
  assert.equal(lines.pop(), "", "the file ends with a newline");
  assert.deepEqual(
    lines.slice(1).map((line) => JSON.parse(line) as unknown),
    session.getEntries(),
  );
}

const full = { code: "ENOSPC" };

test("SessionManager: an append that finds the disk full throws, and leaves memory and file in agreement", (context) => {
  const folder = smallDisk(context);
  if (folder === undefined) return;
  const session = SessionManager.create("/home/u", folder);
  session.appendMessage({ role: "user", content: "first" });
  const makeRoom = fill(folder, 80 * 1024);
  const append = (bytes: number): string => session.appendMessage({ role: "user", content: "x".repeat(bytes) });
  let failures = 0;
  // Entries of many sizes, so that the disk is full at every place of a line.
  for (let bytes = 20_011; bytes > 100; bytes = Math.floor(bytes * 0.9)) {
    const [leafId, count] = [session.getLeafId(), session.getEntryCount()];
    try {
      append(bytes);
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
      assert.deepEqual([session.getLeafId(), session.getEntryCount()], [leafId, count]);
      failures++;
    }
    assertAgrees(session);
  }
  assert.ok(failures > 10, `${failures} failures`);
  assert.throws(() => session.branchWithSummary(null, "x".repeat(20_000)), full);
  assert.notEqual(session.getLeafId(), null);
  makeRoom();
  const next = append(20_000);
  assert.equal(session.getLeafId(), next);
  assertAgrees(session);
  assert.equal(session.getBranch().length, session.getEntryCount());
  assert.deepEqual(SessionManager.open(session.getSessionFile()!).getEntries(), session.getEntries());
});

test("SessionManager: a file that can't be made on a full disk is not there, and is made once there is room", (context) => {
  const folder = smallDisk(context);
  if (folder === undefined) return;
  const session = SessionManager.create("/home/u", folder);
  session.appendModelChange("anthropic", "large");
  const makeRoom = fill(folder, 8192);
  const say = (): string => session.appendMessage({ role: "user", content: "x".repeat(20_000) });
  assert.throws(say, full);
  assert.deepEqual(readdirSync(folder), ["filler"]);
  assert.equal(session.getEntryCount(), 1);
  makeRoom();
  say();
  assertAgrees(session);
});

test("SessionManager: migration, forks and branched sessions leave nothing behind on a full disk", (context) => {
  const folder = smallDisk(context);
  if (folder === undefined) return;
  const file = join(folder, "session.jsonl");
  const lines: Line[] = Array.from({ length: 5 }, (_, id) =>
    user(`0000000${id}`, id ? `0000000${id - 1}` : null, "x".repeat(9_000)),
  );
  const old = jsonl(header({ version: 2 }), ...lines);
  writeFileSync(file, old);
  const makeRoom = fill(folder, 20_000);
  const session = SessionManager.open(file);
  const names = readdirSync(folder).sort();
  assert.throws(() => session.appendModelChange("anthropic", "large"), full);
  assert.throws(() => session.createBranchedSession("00000004"), full);
  assert.throws(() => SessionManager.forkFrom(file, "/home/u", folder), full);
  assert.deepEqual(readdirSync(folder).sort(), names);
  assert.deepEqual(readFileSync(file), old);
  assert.equal(session.getSessionFile(), file);
  makeRoom();
  session.appendModelChange("anthropic", "large");
  assertAgrees(session);
  assert.deepEqual(readFileSync(`${file}.bak`), old);
});
