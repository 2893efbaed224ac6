import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { ExportLock } from "../../src/export/export-lock.js";
import { projectRoot, scratchFolder } from "../helpers/files.js";

/** No process can have it: the largest number of Linux is 4,194,304. */
const DEAD = "4194305";

const child = join(projectRoot, "build/test/export/children/take-lock.js");

test("ExportLock refuses while another process has the lock, and leaves that alone", async (context) => {
  const path = join(scratchFolder(context), "lock");
  writeFileSync(path, String(process.ppid));
  await assert.rejects(ExportLock.take("/target", path), {
    code: "WRITE_FAILED",
    message: `Cannot export to "/target": another export to it is running, process ${process.ppid}; wait for it, or remove "${path}" if that is none`,
  });
  assert.equal(readFileSync(path, "utf8"), String(process.ppid));
});

test("ExportLock lets one part of a process in at a time", async (context) => {
  const folder = scratchFolder(context);
  const path = join(folder, "lock");
  const takes = await Promise.allSettled([ExportLock.take("/a", path), ExportLock.take("/a", path)]);
  assert.deepEqual(takes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  for (const take of takes) if (take.status === "fulfilled") await take.value.release();
  assert.deepEqual(readdirSync(folder), []);
  await (await ExportLock.take("/a", path)).release();
});

for (const [who, left] of [
  ["a process that died", DEAD],
  ["one that had the number of this one", String(process.pid)],
  ["one that died as it made it", ""],
] as const) {
  test(`ExportLock takes the lock of ${who}`, async (context) => {
    const folder = scratchFolder(context);
    const path = join(folder, "lock");
    writeFileSync(path, left);
    const lock = await ExportLock.take("/target", path);
    assert.equal(readFileSync(path, "utf8"), String(process.pid));
    await lock.release();
    assert.deepEqual(readdirSync(folder), []);
  });
}

test("ExportLock waits for the number in a lock that is just being made", async (context) => {
  const path = join(scratchFolder(context), "lock");
  writeFileSync(path, "");
  const refused = assert.rejects(ExportLock.take("/target", path), /another export/);
  await setTimeout(30);
  writeFileSync(path, String(process.ppid));
  await refused;
});

test("ExportLock lets one in of many processes that find a dead lock at once", async (context) => {
  const folder = scratchFolder(context);
  const path = join(folder, "lock");
  const takers = Array.from({ length: 6 }, () => spawn(process.execPath, [child, path]));
  context.after(() => {
    for (const taker of takers) taker.kill();
  });
  const lines = takers.map(({ stdout }) => createInterface({ input: stdout })[Symbol.asyncIterator]());
  for (const line of lines) assert.equal((await line.next()).value, "ready");
  writeFileSync(path, DEAD);
  for (const { stdin } of takers) stdin.write("now\n");
  const said = await Promise.all(lines.map(async (line) => String((await line.next()).value)));
  assert.equal(said.filter((words) => words === "taken").length, 1, said.join("\n"));
  for (const words of said) assert.match(words, /^taken$|^Cannot export to "target": another export to it is running/);
  const winner = takers[said.indexOf("taken")]!;
  assert.equal(readFileSync(path, "utf8"), String(winner.pid));
  assert.deepEqual(readdirSync(folder), ["lock"]);
  for (const taker of takers) {
    taker.stdin.end();
    await once(taker, "exit");
  }
});
