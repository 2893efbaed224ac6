import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { header, jsonl, user } from "../helpers/entries.js";
import { projectRoot, scratchFolder } from "../helpers/files.js";

const main = join(projectRoot, "build", "src", "cli", "main.js");

/** A store whose only session gives more output than a pipe holds. */
function storeOfMuch(context: TestContext): string {
  const store = scratchFolder(context);
  const entries = Array.from({ length: 5000 }, (_, index) => {
    const id = (number: number) => number.toString(16).padStart(8, "0");
    return user(id(index + 1), index === 0 ? null : id(index), "x".repeat(100));
  });
  writeFileSync(join(store, "much.jsonl"), jsonl(header(), ...entries));
  return store;
}

test("main prints results to stdout, and no warning for the session it read", (context) => {
  const store = storeOfMuch(context);
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, "tree", "latest", "--json", "--store", store], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  assert.deepEqual([status, stderr], [0, ""]);
  assert.equal(JSON.parse(stdout).nodes.length, 5000);
});

test("main exits with 2 for a wrong command line, in one line", () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, "lits"], { encoding: "utf8" });
  assert.deepEqual([status, stdout, stderr], [2, "", "error: unknown command 'lits'; did you mean list?\n"]);
});

test("main ends quietly when the reader of its output goes away", async (context) => {
  const child = spawn(process.execPath, [main, "tree", "latest", "--json", "--store", storeOfMuch(context)]);
  child.stdout.destroy();
  const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, "close")]);
  assert.deepEqual([status, stderr], [0, ""]);
});

test("main exits with 1 when its output can't be written", { skip: !existsSync("/dev/full") }, (context) => {
  const full = openSync("/dev/full", "w");
  const { status, stderr } = spawnSync(process.execPath, [main, "list", "--store", storeOfMuch(context)], {
    encoding: "utf8",
    stdio: ["ignore", full, "pipe"],
  });
  assert.equal(status, 1);
  assert.match(stderr, /^error: Cannot write the output: ENOSPC.*\n$/);
});

test("main exits with 130 when it is interrupted", async (context) => {
  const child = spawn(process.execPath, [main, "tree", "latest", "--json", "--store", storeOfMuch(context)]);
  // The pipe is full before anyone reads: it waits here.
  await once(child.stdout, "readable");
  child.kill("SIGINT");
  child.stdout.resume();
  const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, "close")]);
  assert.deepEqual([status, stderr], [130, ""]);
});
