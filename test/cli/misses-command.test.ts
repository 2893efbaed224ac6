import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { assistant, at, header, jsonl, type Line } from "../helpers/entries.js";
import { fixture } from "../helpers/files.js";
import { makeStore } from "../helpers/stores.js";
import { type CliRun, runCli } from "./run-cli.js";

/** A turn, at so many seconds (its id, in hexadecimal) after the start, that wrote all of its prompt to the cache, at 5 dollars for a million. */
const turn = (id: string, parentId: string | null, cacheWrite: number, model = "opus-20250101"): Line =>
  assistant(id, parentId, "x", {
    model,
    usage: { input: 0, cacheRead: 0, cacheWrite, cost: { input: 0, cacheWrite: cacheWrite * 5e-6 } },
  });

function makeMisses(context: TestContext): string {
  return makeStore(context, {
    "a.jsonl": jsonl(
      header({ id: "aaaaaaaa-1" }),
      turn("00000001", null, 100_000),
      turn("00000002", "00000001", 100_000),
      turn("00000083", "00000002", 200_000), // 129 seconds later.
      turn("00000084", "00000083", 2000, "haiku"),
    ),
  });
}

const run = (store: string, line: string, columns?: number): Promise<CliRun> =>
  runCli([...line.split(" "), "--store", store, "--timezone", "UTC"], columns === undefined ? {} : { columns });

test("misses prints what was paid again, the dearest first, and a total", async (context) => {
  const { exitCode, stdout, stderr } = await run(makeMisses(context), "misses");
  assert.equal(exitCode, 0);
  // 100,000 × (5 − 0.5) dollars for a million are 0.45 dollars; 2,000 are 0.009.
  assert.deepEqual(stdout.split("\n"), [
    "When                 Cost   Tokens  Reason   Session   Entry     Model",
    "2026-01-02 03:04    $0.45  100,000  unknown  aaaaaaaa  00000002  anthropic/opus",
    "2026-01-02 03:06    $0.45  100,000  unknown  aaaaaaaa  00000083  anthropic/opus",
    "2026-01-02 03:06  $0.0090    2,000  model    aaaaaaaa  00000084  anthropic/haiku",
    "Total               $0.91  202,000",
    "",
  ]);
  assert.equal(stderr, "");
});

test("misses takes how long a cache lives, and how many to name", async (context) => {
  const store = makeMisses(context);
  const reasons = async (line: string) =>
    JSON.parse((await run(store, line)).stdout).misses.map(({ reason }: { reason: string }) => reason);
  assert.deepEqual(await reasons("misses --json --cache-ttl 2"), ["unknown", "idle", "model"]);
  assert.deepEqual(await reasons("misses --json --cache-ttl 2.5"), ["unknown", "unknown", "model"]);
  assert.deepEqual(await reasons("misses --json --limit 1"), ["unknown"]);
  assert.match((await run(store, "misses --limit 1")).stdout, /^Total +\$0\.91 +202,000$/m);
});

test("misses refuses minutes that are no number above 0", async (context) => {
  const store = makeMisses(context);
  for (const minutes of ["0", "-5", "5m", "", "1e3", "Infinity", "0x10", "9".repeat(400)]) {
    const { exitCode, stdout, stderr } = await runCli(["misses", `--cache-ttl=${minutes}`, "--store", store]);
    assert.deepEqual([exitCode, stdout], [2, ""], minutes);
    assert.match(stderr, /--cache-ttl.*a number of minutes above 0/);
  }
});

test("misses gives misses and the total as JSON, and misses as lines", async (context) => {
  const store = makeMisses(context);
  const { misses, total, ...rest } = JSON.parse((await run(store, "misses --json")).stdout);
  assert.deepEqual(rest, {});
  assert.deepEqual(misses[0], {
    ...{ path: join(store, "a.jsonl"), id: "aaaaaaaa-1", entryId: "00000002", timestamp: at(2) },
    ...{ model: "anthropic/opus-20250101", missedTokens: 100_000, missedCost: 0.45, reason: "unknown" },
  });
  assert.deepEqual([total.missedTokens, total.count], [202_000, 3]);
  assert.ok(Math.abs(total.missedCost - 0.909) < 1e-12);
  const lines = (await run(store, "misses --jsonl")).stdout.trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    misses,
  );
});

test("misses of nothing is an empty list", async (context) => {
  const store = makeMisses(context);
  const { exitCode, stdout, stderr } = await run(store, "misses --since 2026-01-03");
  assert.deepEqual([exitCode, stdout, stderr], [0, "", "no cache misses\n"]);
  const none = { misses: [], total: { missedTokens: 0, missedCost: 0, count: 0 } };
  assert.deepEqual(JSON.parse((await run(store, "misses --since 2026-01-03 --json")).stdout), none);
});

test("misses names the one of fixtures/store", async () => {
  const { stdout, stderr } = await run(fixture("store"), "misses");
  assert.deepEqual(stdout.split("\n"), [
    "When                 Cost  Tokens  Reason  Session   Entry     Model",
    "2026-01-15 07:51  $0.0026  11,400  model   019bc0a2  c4a20bff  openai/gpt-5-mini",
    "Total             $0.0026  11,400",
    "",
  ]);
  assert.match(stderr, /^warning: skipped 3 damaged lines .* and 1 file /);
});
