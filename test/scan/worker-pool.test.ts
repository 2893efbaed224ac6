import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { SessionHeader } from "../../src/format/header.js";
import type { SessionFile } from "../../src/scan/find-session-files.js";
import { joinParts } from "../../src/scan/run-batch.js";
import { WorkerPool } from "../../src/scan/worker-pool.js";
import { assistant, header, jsonl, usage, user } from "../helpers/entries.js";
import { makeStore } from "../helpers/stores.js";
import { countWorkers, killWorkerAt } from "../helpers/workers.js";

function fileAt(path: string): SessionFile {
  const { size, mtimeMs } = statSync(path);
  return { path, sizeBytes: size, mtimeMs };
}

test("WorkerPool runs tasks in its workers, and counts the bytes that they read", async (context) => {
  const files = Array.from({ length: 7 }, (_, number) =>
    jsonl(header({ id: `${number}` }), user("00000001", null, "x")),
  );
  const store = makeStore(context, {
    ...Object.fromEntries(files.map((bytes, at) => [`${at}.jsonl`, bytes])),
    "none.jsonl": "x\n",
  });
  const pool = new WorkerPool(3);
  try {
    assert.equal(pool.bytesRead, 0);
    pool.setTask("list", {});
    const batches = [["0", "1"], ["2"], ["3", "none", "4"], [], ["5", "6"]];
    const found = await Promise.all(
      batches.map((names) => pool.run<"list">(names.map((name) => fileAt(join(store, `${name}.jsonl`))))),
    );
    assert.deepEqual(
      found.map(({ result, skipped }) => [result.map(({ id }) => id), skipped.map(({ reason }) => reason)]),
      [
        [["0", "1"], []],
        [["2"], []],
        [["3", "4"], ["there is no session header"]],
        [[], []],
        [["5", "6"], []],
      ],
    );
    const bytes = files.reduce((sum, { length }) => sum + length, 2);
    assert.equal(pool.bytesRead, bytes);

    pool.setTask("headers", {});
    const { result } = await pool.run<"headers">([fileAt(join(store, "0.jsonl"))]);
    assert.deepEqual(result, [{ path: join(store, "0.jsonl"), id: "0" }]);
    assert.equal(countWorkers(), 3);
  } finally {
    await pool.close();
  }
  assert.equal(countWorkers(), 0);
});

test("WorkerPool.runPart gives parts that can be joined, and undefined where a file must be read whole", async (context) => {
  const lines = [
    jsonl(header(), user("00000001", null, "x")),
    jsonl(assistant("00000002", "00000001", "x", { usage: usage(1, 1, 1) })),
  ];
  const ahead = jsonl(user("00000003", "00000004", "x"), user("00000004", null, "x"));
  const store = makeStore(context, {
    "a.jsonl": Buffer.concat(lines),
    "ids.jsonl": jsonl(header(), user("1", null, "x")),
    "ahead.jsonl": Buffer.concat([...lines, ahead]),
  });
  const pool = new WorkerPool(2);
  context.after(() => pool.close());
  pool.setTask("list", {});
  const cut = lines[0]!.length;
  const ranges = [
    { header: header() as SessionHeader, start: 0, end: cut },
    { header: header() as SessionHeader, start: cut, end: Number.POSITIVE_INFINITY },
  ];
  const join2 = async (name: string) => {
    const file = fileAt(join(store, name));
    const parts = await Promise.all(ranges.map((range) => pool.runPart(file, range)));
    return joinParts("list", {}, file, ranges[0]!.header, parts)?.result[0];
  };
  const session = (await join2("a.jsonl"))!;
  assert.deepEqual([session.entryCount, session.firstMessage, session.usage.costTotal], [2, "x", 1]);
  assert.equal(await join2("ahead.jsonl"), undefined);
  assert.equal(await pool.runPart(fileAt(join(store, "ids.jsonl")), ranges[0]!), undefined);
  assert.equal(
    await pool.runPart({ path: join(store, "gone.jsonl"), sizeBytes: 9, mtimeMs: 0 }, ranges[0]!),
    undefined,
  );
});

test("WorkerPool hands back what a request failed with, and goes on", async (context) => {
  const store = makeStore(context, { "a.jsonl": jsonl(header({ id: "a" })) });
  const files = [fileAt(join(store, "a.jsonl"))];
  const pool = new WorkerPool(1);
  context.after(() => pool.close());
  const options = { by: [], fingerprints: false };
  pool.setTask("totals", { ...options, timeZone: "Nowhere/Town" });
  await assert.rejects(pool.run(files), { name: "RangeError", message: /Nowhere\/Town/ });
  pool.setTask("totals", { ...options, timeZone: "UTC" });
  assert.equal((await pool.run<"totals">(files)).result.files, 1);
});

test("WorkerPool.setTask throws for options that can't be sent", async (context) => {
  const pool = new WorkerPool(1);
  context.after(() => pool.close());
  const options = { projects: [(() => {}) as unknown as string] };
  assert.throws(() => pool.setTask("list", options), { name: "DataCloneError" });
});

test("WorkerPool fails all that was asked and all that will be, once a worker has died", async (context) => {
  const store = makeStore(context, { "a.jsonl": jsonl(header()) });
  const files = [fileAt(join(store, "a.jsonl"))];
  killWorkerAt(context, 4); // Two messages set the task.
  const pool = new WorkerPool(2);
  pool.setTask("list", {});
  const asked = Array.from({ length: 6 }, () => pool.run(files));
  const failures = (await Promise.allSettled(asked)).filter((result) => result.status === "rejected");
  assert.ok(failures.length > 0);
  for (const { reason } of failures) assert.match(reason.message, /^Cannot scan: a worker ended with code \d+$/);
  assert.equal(new Set(failures.map(({ reason }) => reason)).size, 1);
  await assert.rejects(pool.run(files), failures[0]!.reason);
  await assert.rejects(
    pool.runPart(files[0]!, { header: header() as SessionHeader, start: 0, end: 1 }),
    failures[0]!.reason,
  );
  await pool.close();
  assert.equal(countWorkers(), 0);
});

test("WorkerPool.close ends workers that are busy, and fails what they were asked", async (context) => {
  const store = makeStore(context, {
    "large.jsonl": Buffer.concat([
      jsonl(header()),
      ...Array.from({ length: 20 }, () => jsonl(user("1", null, "x".repeat(900_000)))),
    ]),
  });
  const pool = new WorkerPool(2);
  pool.setTask("list", {});
  const asked = Array.from({ length: 40 }, () => pool.run([fileAt(join(store, "large.jsonl"))]));
  const settled = Promise.allSettled(asked);
  await asked[0];
  await pool.close();
  await pool.close();
  assert.equal(countWorkers(), 0);
  const failures = (await settled).filter((result) => result.status === "rejected");
  assert.ok(failures.length > 30);
  for (const { reason } of failures) assert.match(reason.message, /^Cannot scan: the workers were stopped$/);
  await assert.rejects(pool.run([]), /the workers were stopped/);
});

/** Runs a script given on the command line: one that lists files in a worker and prints what came of each. */
function listInScript(files: SessionFile[], ...options: string[]): string {
  const script = `
    const { WorkerPool } = await import(${JSON.stringify(new URL("../../src/scan/worker-pool.js", import.meta.url))});
    const pool = new WorkerPool(1);
    pool.setTask("list", {});
    const asked = await Promise.allSettled(${JSON.stringify(files)}.map((file) => pool.run([file])));
    console.log(asked.map(({ value, reason }) => value?.result.length ?? reason.code ?? reason.message).join(" "));
    await pool.close();`;
  const words = [...options, "--input-type=module", "--eval", script];
  const { stdout, stderr, status } = spawnSync(process.execPath, words, { encoding: "utf8", timeout: 60_000 });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

test("WorkerPool starts workers in a script given on the command line", (context) => {
  const store = makeStore(context, { "a.jsonl": jsonl(header()) });
  assert.equal(listInScript([fileAt(join(store, "a.jsonl"))]), "1");
});

test("WorkerPool fails with one error when a file takes more memory than a worker may have", (context) => {
  // Ids that are no hex digits are kept as they are.
  const entries = Array.from({ length: 50 }, (_, number) => jsonl(user(`${number}`.padStart(900_000, "i"), null, "x")));
  const store = makeStore(context, { "a.jsonl": Buffer.concat([jsonl(header()), ...entries]) });
  const file = fileAt(join(store, "a.jsonl"));
  assert.equal(listInScript([file], "--max-old-space-size=24"), "ERR_WORKER_OUT_OF_MEMORY");
});
