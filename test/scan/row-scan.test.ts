import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { RowBatch } from "../../src/export/row-batch.js";
import type { SessionFile } from "../../src/scan/find-session-files.js";
import { batchFiles, RowScan } from "../../src/scan/row-scan.js";
import { header, jsonl, user } from "../helpers/entries.js";
import { makeStore } from "../helpers/stores.js";
import { countWorkers } from "../helpers/workers.js";

const task = { host: "pond", tables: ["messages"] as const, text: "full" as const, redact: false, copies: new Map() };

/** Sessions of a MB each. */
function makeFiles(context: TestContext, count: number): SessionFile[] {
  const lines = Array.from({ length: 64 }, (_, number) => user(String(number), null, "x".repeat(16_000)));
  const names = Array.from({ length: count }, (_, number) => `${number}.jsonl`);
  const store = makeStore(
    context,
    Object.fromEntries(names.map((name) => [name, jsonl(header({ id: name }), ...lines)])),
  );
  return names.map((name) => {
    const path = join(store, name);
    const { size, mtimeMs } = statSync(path);
    return { path, sizeBytes: size, mtimeMs };
  });
}

test("RowScan hands on the parts of workers one after the other, before the result of their batch", async (context) => {
  const files = makeFiles(context, 12);
  const scan = new RowScan({ jobs: 2 });
  const rows = new Map<string, number>();
  let atOnce = 0;
  const results = await scan.run("rows", task, batchFiles(files, 2e6), async (part) => {
    atOnce++;
    const { path, count } = part as RowBatch;
    await setTimeout(1);
    assert.equal(atOnce, 1);
    rows.set(path, (rows.get(path) ?? 0) + count);
    atOnce--;
  });
  await scan.close();
  assert.deepEqual(
    new Set(results.flatMap(({ result }) => [...result.files.keys()])),
    new Set(files.map(({ path }) => path)),
  );
  assert.deepEqual([...rows.values()], Array(12).fill(64));
  assert.equal(countWorkers(), 0);
});

test("RowScan reads no further than some parts ahead of whoever takes them", async (context) => {
  const files = makeFiles(context, 16);
  let bytesRead = 0;
  const scan = new RowScan({
    jobs: 2,
    onProgress({ bytes }) {
      bytesRead = bytes;
    },
  });
  let mostRead = 0;
  let parts = 0;
  await scan.run("rows", task, batchFiles(files, 1e7), async () => {
    if (parts++ > 0) return;
    for (let wait = 0; wait < 20; wait++) {
      await setTimeout(25);
      mostRead = Math.max(mostRead, bytesRead);
    }
  });
  await scan.close();
  // Two workers, each with parts of a quarter of a MB that wait, and the files that those came from.
  assert.equal(mostRead > 0 && mostRead <= 6 * files[0]!.sizeBytes, true, `${mostRead}`);
  assert.equal(parts >= 64, true);
});

test("RowScan fails with what the taker of parts failed with, and ends the workers", async (context) => {
  const files = makeFiles(context, 8);
  const scan = new RowScan({ jobs: 2 });
  const taken = scan.run("rows", task, batchFiles(files, 2e6), () => Promise.reject(new Error("full")));
  await assert.rejects(taken, /full/);
  await scan.close();
  assert.equal(countWorkers(), 0);
});

test("batchFiles cuts at bytes and at files", () => {
  const file = (sizeBytes: number): SessionFile => ({ path: "a", sizeBytes, mtimeMs: 0 });
  const sizes = (batches: SessionFile[][]): number[][] =>
    batches.map((batch) => batch.map(({ sizeBytes }) => sizeBytes));
  assert.deepEqual(sizes(batchFiles([5, 5, 20, 1, 1].map(file), 10)), [[5, 5], [20], [1, 1]]);
  assert.deepEqual(sizes(batchFiles([1, 1, 1].map(file), 10, 2)), [[1, 1], [1]]);
  assert.deepEqual(batchFiles([], 10), []);
});
