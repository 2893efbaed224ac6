import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { assistant, at, entry, header, jsonl, type Line, usage, user } from "../helpers/entries.js";
import { fixture } from "../helpers/files.js";
import { makeStore } from "../helpers/stores.js";
import { type CliRun, runCli } from "./run-cli.js";

const call = (id: string, cost: number): Line => assistant(id, null, "x", { usage: usage(10, 1, cost) });

/** Three sessions that came from each other, one whose parent is gone, and one that stands alone. */
function makeForks(context: TestContext): string {
  const first = [user("1", null, "Plant \u001b[31mthe beans"), call("2", 1.5)];
  const second = [...first, call("3", 0.5)];
  return makeStore(context, {
    "a.jsonl": jsonl(header({ id: "aaaaaaaa-1" }), ...first),
    "b.jsonl": jsonl(header({ id: "bbbbbbbb-1", timestamp: at(60), parentSession: "/old/a.jsonl" }), ...second),
    "c.jsonl": jsonl(
      header({ id: "cccccccc-1", timestamp: at(120), parentSession: "/old/b.jsonl", cwd: "/lake" }),
      ...second,
      call("4", 0.25),
      entry("session_info", "5", "4", { name: "Peas" }),
    ),
    "d.jsonl": jsonl(header({ id: "dddddddd-1", timestamp: at(180), parentSession: "C:\\pi\\gone.jsonl" })),
    "e.jsonl": jsonl(header({ id: "eeeeeeee-1", timestamp: at(240) }), call("6", 8)),
  });
}

const run = (store: string, line: string, columns?: number): Promise<CliRun> =>
  runCli([...line.split(" "), "--store", store, "--timezone", "UTC"], columns === undefined ? {} : { columns });

test("lineage draws the forks with what each added, names parents that are gone, and counts the others", async (context) => {
  const { exitCode, stdout, stderr } = await run(makeForks(context), "lineage");
  assert.equal(exitCode, 0);
  assert.deepEqual(stdout.split("\n"), [
    "  Own  Copied  Created           Session",
    "$1.50   $0.00  2026-01-02 03:04  aaaaaaaa  Plant the beans",
    "$0.50   $1.50  2026-01-02 03:05  └─ bbbbbbbb  Plant the beans",
    "$0.25   $2.00  2026-01-02 03:06     └─ cccccccc  Peas",
    "$0.00   $0.00  2026-01-02 03:07  dddddddd  (its parent is gone: gone.jsonl)  (no messages)",
    "$2.25   $3.50                    Total",
    "",
  ]);
  assert.equal(stderr, "not shown: 1 session that has no forks and is none (--json names all)\n");
});

test("lineage names the parent of a fork where the drawing does not show it", async (context) => {
  const { stdout } = await run(makeForks(context), "lineage --project /lake");
  assert.match(stdout, /^\$0\.25 .* {2}cccccccc {2}\(fork of bbbbbbbb\) {2}Peas$/m);
});

test("lineage fits narrow terminals", async (context) => {
  const { stdout } = await run(makeForks(context), "lineage", 40);
  const lines = stdout.split("\n");
  assert.deepEqual(lines.slice(0, 3), [
    "  Own  Copied  Session",
    "$1.50   $0.00  aaaaaaaa  Plant the beans",
    "$0.50   $1.50  └─ bbbbbbbb  Plant the b…",
  ]);
});

test("lineage gives all sessions as JSON, and as lines", async (context) => {
  const store = makeForks(context);
  const { stdout, stderr } = await run(store, "lineage --json");
  const { sessions, ...rest } = JSON.parse(stdout);
  assert.deepEqual([rest, stderr], [{}, ""]);
  assert.equal(sessions.length, 5);
  const [, second] = sessions;
  const { parentPath, created, title, ...shape } = second;
  assert.deepEqual(shape, {
    ...{ id: "bbbbbbbb-1", path: join(store, "b.jsonl"), parentId: "aaaaaaaa-1", missingParent: null },
    own: { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 11, costTotal: 0.5, calls: 1 },
    copied: { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 11, costTotal: 1.5, calls: 1 },
  });
  assert.deepEqual([parentPath, created, title], [join(store, "a.jsonl"), at(60), "Plant \u001b[31mthe beans"]);
  const lines = (await run(store, "lineage --jsonl")).stdout.trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    sessions,
  );
});

test("lineage of a store without forks draws nothing", async (context) => {
  const store = makeStore(context, { "a.jsonl": jsonl(header({ id: "a" })), "b.jsonl": jsonl(header({ id: "b" })) });
  const { exitCode, stdout, stderr } = await run(store, "lineage");
  assert.deepEqual([exitCode, stdout], [0, ""]);
  assert.equal(stderr, "not shown: 2 sessions that have no forks and are none (--json names all)\n");
  assert.equal((await run(makeStore(context, { "a.txt": "" }), "lineage --json")).stdout, '{"sessions":[]}\n');
});

test("lineage draws the forks of fixtures/store", async () => {
  const { stdout, stderr } = await run(fixture("store"), "lineage");
  assert.deepEqual(stdout.split("\n"), [
    "    Own   Copied  Created           Session",
    "$0.0436    $0.00  2026-01-12 09:14  019bb17b  The display of the tide clock flickers at high water. Find out why.",
    "$0.0011    $0.00  2026-01-12 09:15  └─ 019bb17d  List every caller of refresh()",
    "$0.0817    $0.00  2026-01-14 18:22  019bbdbe  Harmonic constants",
    "$0.0055  $0.0817  2026-01-15 07:50  └─ 019bc0a2  Harmonic constants",
    "$0.0011  $0.0872  2026-01-17 20:05     └─ 019bcd90  Harmonic constants, fast",
    "  $0.13    $0.17                    Total",
    "",
  ]);
  assert.match(stderr, /^not shown: 7 sessions .*\nwarning: skipped 3 damaged lines .* and 1 file /);
});
