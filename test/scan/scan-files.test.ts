import assert from "node:assert/strict";
import { appendFileSync, rmSync, statSync, truncateSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import workerThreads from "node:worker_threads";
import { storeFolder, writeCorpus } from "../../bench/corpus.js";
import { CallGroups } from "../../src/report/group-calls.js";
import { UsageSum } from "../../src/report/sum-usage.js";
import { ZoneClock } from "../../src/report/zone-clock.js";
import { findSessionFiles, type SessionFile } from "../../src/scan/find-session-files.js";
import { type BatchResult, readBuffer, runBatch } from "../../src/scan/run-batch.js";
import { type ScanFilesOptions, StoreScan, scanFiles } from "../../src/scan/scan-files.js";
import type { ScanProgress, SkippedFile } from "../../src/scan/store-options.js";
import type { TaskName, TaskOptions, TaskResult } from "../../src/scan/tasks.js";
import { WorkerPool } from "../../src/scan/worker-pool.js";
import { assertAgrees } from "../helpers/assert-agrees.js";
import { assistant, header, jsonl, type Line, toolResult, usage, user } from "../helpers/entries.js";
import { scratchFolder } from "../helpers/files.js";
import { canCountOpenFiles, countOpenFiles, makeStore } from "../helpers/stores.js";
import { countWorkers, killWorkerAt } from "../helpers/workers.js";

interface Scanned<Name extends TaskName> {
  results: TaskResult<Name>[];
  skipped: SkippedFile[];
}

const byPath = (a: { path: string }, b: { path: string }): number => (a.path < b.path ? -1 : 1);

async function scan<Name extends TaskName>(options: ScanFilesOptions<Name>): Promise<Scanned<Name>> {
  return gather(scanFiles(options));
}

async function gather<Name extends TaskName>(batches: AsyncIterable<BatchResult<Name>>): Promise<Scanned<Name>> {
  const scanned: Scanned<Name> = { results: [], skipped: [] };
  for await (const { result, skipped } of batches) {
    scanned.results.push(result);
    scanned.skipped.push(...skipped);
  }
  scanned.skipped.sort(byPath);
  return scanned;
}

/** The same in this thread, file by file. */
async function scanHere<Name extends TaskName>(
  store: string,
  name: Name,
  task: TaskOptions<Name>,
): Promise<Scanned<Name>> {
  const { files, skipped } = await findSessionFiles({ stores: [store] });
  const shared = { buffer: readBuffer(), onBytes() {} };
  const batches = files.map((file) => runBatch(name, task, [file], shared));
  return {
    results: batches.map(({ result }) => result),
    skipped: [...skipped, ...batches.flatMap(({ skipped }) => skipped)].sort(byPath),
  };
}

const totalsTask: TaskOptions<"totals"> = { by: ["day", "model", "source"], timeZone: "UTC", fingerprints: true };

/** Results of the task `totals`, as one. */
function addUp({ results, skipped }: Scanned<"totals">) {
  const groups = new CallGroups(totalsTask.by, new ZoneClock("UTC"));
  const total = new UsageSum();
  for (const result of results) {
    groups.merge(result.groups);
    total.merge(result.total);
  }
  return {
    groups: groups.groups("key"),
    total: total.total(),
    files: results.reduce((sum, { files }) => sum + files, 0),
    damagedLines: results.reduce((sum, { damagedLines }) => sum + damagedLines, 0),
    fingerprinted: results.flatMap(({ fingerprinted }) => fingerprinted).sort(byPath),
    skipped,
  };
}

function joinLists({ results, skipped }: Scanned<"list">) {
  return { sessions: results.flat().sort(byPath), skipped };
}

/** Session files of about `bytes` each. */
function sessions(count: number, bytes: number): Record<string, Buffer> {
  const file = (number: number): Buffer =>
    jsonl(
      header({ id: `${number}` }),
      user("00000001", null, "x".repeat(bytes)),
      assistant("00000002", "00000001", "x", { usage: usage(number, 1, number / 7) }),
    );
  return Object.fromEntries(Array.from({ length: count }, (_, number) => [`${number}.jsonl`, file(number)]));
}

/** Enough for workers to be started. */
const someMegabytes = (): Record<string, Buffer> => sessions(20, 1_000_000);

test("scanFiles gives the same whatever the number of workers, and without any", async (context) => {
  const out = join(scratchFolder(context), "corpus");
  writeCorpus({ shape: "many", bytes: 5_000_000, sessions: 60, seed: 3, out });
  const stores = [storeFolder(out)];
  const list = joinLists(await scanHere(stores[0]!, "list", {}));
  const totals = addUp(await scanHere(stores[0]!, "totals", totalsTask));
  const check = await scanHere(stores[0]!, "check", undefined);
  assert.ok(list.sessions.length >= 60 && list.skipped.length > 0 && totals.groups.length > 50);
  assert.ok(check.results.flat().length > 0);
  for (const jobs of [1, 2]) {
    const scan = new StoreScan({ stores, jobs });
    context.after(() => scan.close());
    assert.deepEqual(joinLists(await gather(scan.run("list", {}))), list, `${jobs} jobs`);
    const { fingerprinted, ...sums } = addUp(await gather(scan.run("totals", totalsTask)));
    assert.deepEqual(fingerprinted, totals.fingerprinted);
    assertAgrees({ ...sums, fingerprinted: [] }, { ...totals, fingerprinted: [] }, `${jobs} jobs`);
    const checked = await gather(scan.run("check", undefined));
    assert.deepEqual(checked.results.flat().sort(byPath), check.results.flat(), `${jobs} jobs`);
    assert.equal(countWorkers(), jobs);
    await scan.close();
  }
});

const bulk = "x".repeat(850_000);

/** A session of 68 MB, with `lines` in its middle. */
function giant(...lines: Line[]): Buffer {
  return Buffer.concat([
    jsonl(header(), user("00000001", null, "first"), call("00000002", "00000001", 1)),
    ...paddings.slice(0, 50),
    jsonl(...lines),
    ...paddings.slice(50),
    Buffer.from("torn"),
  ]);
}

const call = (id: string, parentId: string, cost: number): Line =>
  assistant(id, parentId, "x", { model: `m${cost}`, usage: usage(cost, 2, cost / 7) });

/** Some of them are calls. */
const paddings = Array.from({ length: 80 }, (_, number) => {
  const id = `b${number}`.padStart(8, "0");
  const before = number === 0 ? "00000002" : `b${number - 1}`.padStart(8, "0");
  return jsonl(toolResult(id, before, bulk, number % 9 === 0 ? { usage: usage(1, number, 1 / 7) } : {}));
});

const middle = (parentId = "00000b49"): Line[] => [
  call("0000000a", parentId, 7),
  toolResult("0000000b", "0000000a", "x", { usage: usage(8, 8, 8) }),
];

test("scanFiles shares out the ranges of a file above 64 MiB, and scans it whole where that can't be", async (context) => {
  const runPart = context.mock.method(WorkerPool.prototype, "runPart");
  const run = context.mock.method(WorkerPool.prototype, "run");
  const cases: [name: string, bytes: Buffer, parts: number, whole: number][] = [
    ["plain", giant(...middle()), 2, 0],
    // The first range names a parent that the second one holds, which shows when they are joined.
    ["ahead", giant(...middle("00000b77")), 2, 1],
  ];
  for (const [name, bytes, parts, whole] of cases) {
    const store = makeStore(context, { "giant.jsonl": bytes });
    const right = addUp(await scanHere(store, "totals", totalsTask));
    assert.equal(right.total.calls, 12);
    runPart.mock.resetCalls();
    run.mock.resetCalls();
    const scanned = await scan({ stores: [store], jobs: 2, name: "totals", task: totalsTask });
    const { fingerprinted, ...sums } = addUp(scanned);
    assert.deepEqual(fingerprinted, right.fingerprinted, name);
    assertAgrees({ ...sums, fingerprinted: [] }, { ...right, fingerprinted: [] }, name);
    assert.deepEqual([runPart.mock.callCount(), run.mock.callCount()], [parts, whole], name);
    rmSync(store, { recursive: true });
  }
});

test("scanFiles hands out batches of 4 MiB or 64 files at most, and larger files alone", async (context) => {
  const run = context.mock.method(WorkerPool.prototype, "run");
  const store = makeStore(context, {
    ...sessions(150, 100),
    "large.jsonl": sessions(1, 6_000_000)["0.jsonl"]!,
    ...Object.fromEntries(Object.entries(sessions(9, 1_500_000)).map(([name, bytes]) => [`m${name}`, bytes])),
  });
  await scan({ stores: [store], jobs: 1, name: "headers", task: {} });
  const batches = run.mock.calls.map(({ arguments: [files] }) => files as SessionFile[]);
  assert.equal(batches.flat().length, 160);
  assert.equal(new Set(batches.flat().map(({ path }) => path)).size, 160);
  for (const files of batches) {
    const bytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    assert.ok(
      files.length <= 64 && (files.length === 1 || bytes <= 4 * 1024 * 1024),
      `${files.length}, ${bytes} bytes`,
    );
  }
});

test("scanFiles reads a small store without workers, and opens no file that is not chosen", async (context) => {
  const small = makeStore(context, sessions(10, 100_000));
  const large = makeStore(context, someMegabytes());
  let most = 0;
  const onProgress = (): void => {
    most = Math.max(most, countWorkers());
  };
  const isChosen = (path: string): boolean => path.endsWith("3.jsonl");
  const ids = async (stores: string[], more = {}): Promise<string[]> => {
    const { results } = await scan({ stores, name: "headers", task: {}, jobs: 3, onProgress, ...more });
    return results
      .flat()
      .map(({ id }) => id)
      .sort();
  };
  assert.equal((await ids([small])).length, 10);
  assert.deepEqual(await ids([large], { isChosen }), ["13", "3"]);
  assert.equal(most, 0);
  assert.equal((await ids([large])).length, 20);
  assert.equal(most, 3);
});

test("StoreScan looks for files once, and keeps its workers for what comes after", async (context) => {
  const store = makeStore(context, { ...someMegabytes(), "none.jsonl": "x\n" });
  const progress: ScanProgress[] = [];
  const scan = new StoreScan({ stores: [store], jobs: 2, onProgress: (step) => progress.push(step) });
  try {
    const first = await gather(scan.run("headers", {}));
    assert.equal(first.results.flat().length, 20);
    assert.deepEqual(first.skipped, [{ path: join(store, "none.jsonl"), reason: "there is no session header" }]);
    assert.equal(countWorkers(), 2);
    const steps = progress.length;
    assert.equal(progress.at(-1)!.done, 21);

    // A file that came since is none of its business, one that is gone is named.
    appendFileSync(join(store, "new.jsonl"), jsonl(header({ id: "new" })));
    rmSync(join(store, "7.jsonl"));
    const second = await gather(scan.run("totals", totalsTask, (path) => !path.endsWith("none.jsonl")));
    assert.equal(addUp(second).total.calls, 19);
    assert.deepEqual(second.skipped, [{ path: join(store, "7.jsonl"), reason: "no such file" }]);
    assert.equal(progress.length, steps);
    assert.equal(countWorkers(), 2);
  } finally {
    await scan.close();
  }
  assert.equal(countWorkers(), 0);
});

// Ends that come early

test("scanFiles throws the reason of its signal while it runs, and ends its workers", async (context) => {
  const store = makeStore(context, someMegabytes());
  const reason = new Error("enough");
  const scanTo = async (at: "search" | "progress" | "result"): Promise<void> => {
    const abort = new AbortController();
    const onProgress = (): void => {
      if (at === "progress") abort.abort(reason);
    };
    const scan = scanFiles({ stores: [store], jobs: 1, name: "list", task: {}, signal: abort.signal, onProgress });
    const first = scan.next();
    if (at === "search") abort.abort(reason);
    await first;
    for await (const _ of scan) if (at === "result") abort.abort(reason);
  };
  for (const at of ["search", "progress", "result"] as const) {
    await assert.rejects(scanTo(at), reason, at);
    assert.equal(countWorkers(), 0);
    if (canCountOpenFiles) assert.equal(countOpenFiles(store), 0);
  }
});

test("scanFiles ends its workers when it is left early, before its first result or after", async (context) => {
  const store = makeStore(context, someMegabytes());
  const options = { stores: [store], jobs: 1, name: "list", task: {} } as const;
  for await (const _ of scanFiles(options)) break;
  assert.equal(countWorkers(), 0);
  const scan = scanFiles(options);
  const first = scan.next();
  await scan.return();
  await first;
  assert.equal(countWorkers(), 0);
  assert.equal((await scan.next()).done, true);
});

test("scanFiles throws what onProgress throws, and ends its workers", async (context) => {
  const store = makeStore(context, someMegabytes());
  const failure = new Error("not my day");
  for (const nth of [1, 3]) {
    let steps = 0;
    const onProgress = (): void => {
      if (++steps === nth) throw failure;
    };
    await assert.rejects(scan({ stores: [store], jobs: 1, name: "list", task: {}, onProgress }), failure);
    assert.equal(countWorkers(), 0);
  }
});

test("scanFiles throws one error when a worker dies, and ends the others", async (context) => {
  const store = makeStore(context, someMegabytes());
  for (const nth of [1, 5]) {
    killWorkerAt(context, nth);
    const scanning = scan({ stores: [store], jobs: 2, name: "list", task: {} });
    await assert.rejects(scanning, /^Error: Cannot scan: a worker ended with code \d+$/, `message ${nth}`);
    assert.equal(countWorkers(), 0);
    context.mock.restoreAll();
  }
});

test("scanFiles throws what a task fails with in a worker", async (context) => {
  const store = makeStore(context, someMegabytes());
  const task = { ...totalsTask, timeZone: "Nowhere/Town" };
  await assert.rejects(scan({ stores: [store], jobs: 1, name: "totals", task }), { name: "RangeError" });
  assert.equal(countWorkers(), 0);
});

test("scanFiles throws what the system says when it can't start so many workers, and ends those that it could", async (context) => {
  const store = makeStore(context, someMegabytes());
  const failure = new Error("EAGAIN");
  const { Worker } = workerThreads;
  let started = 0;
  workerThreads.Worker = class extends Worker {
    constructor(...words: ConstructorParameters<typeof Worker>) {
      if (++started === 5) throw failure;
      super(...words);
    }
  };
  syncBuiltinESMExports();
  context.after(() => {
    workerThreads.Worker = Worker;
    syncBuiltinESMExports();
  });
  for (const nth of [2, 3]) {
    started = 5 - nth;
    await assert.rejects(scan({ stores: [store], jobs: 3, name: "list", task: {} }), failure);
    while (countWorkers() > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
});

// Files that change meanwhile

test("scanFiles passes over files that vanish before they are read", async (context) => {
  for (const [files, jobs] of [
    [sessions(30, 1000), 2],
    [sessions(40, 300_000), 1],
  ] as const) {
    const store = makeStore(context, files);
    const names = Object.keys(files);
    const gone = names.filter((_, at) => at % 2 === 0);
    const scan = new StoreScan({ stores: [store], jobs });
    context.after(() => scan.close());
    // Looked for in one run, read in the next.
    for await (const _ of scan.run("headers", {}, () => false));
    for (const name of gone) rmSync(join(store, name));
    const { sessions: read, skipped } = joinLists(await gather(scan.run("list", {})));
    assert.equal(read.length, names.length - gone.length);
    const paths = gone.map((name) => join(store, name)).sort();
    assert.deepEqual(
      skipped,
      paths.map((path) => ({ path, reason: "no such file" })),
    );
  }
});

test("scanFiles reads what a file holds by then, when it shrinks or grows after it was found", async (context) => {
  const bytes = giant(...middle());
  const store = makeStore(context, { "giant.jsonl": bytes, "small.jsonl": sessions(1, 100)["0.jsonl"]! });
  const path = join(store, "giant.jsonl");
  const small = join(store, "small.jsonl");
  const smallBytes = statSync(small).size;
  const listAfter = async (change: () => void) => {
    const scan = new StoreScan({ stores: [store], jobs: 2 });
    context.after(() => scan.close());
    for await (const _ of scan.run("headers", {}, (path) => path.endsWith("giant.jsonl")));
    change();
    const { sessions } = joinLists(await gather(scan.run("list", {})));
    await scan.close();
    return sessions;
  };
  const rightNow = async () => joinLists(await scanHere(store, "list", {})).sessions;
  const withoutSize = (sessions: TaskResult<"list">) => sessions.map((session) => ({ ...session, sizeBytes: 0 }));

  const grown = await listAfter(() => {
    appendFileSync(path, `\n${JSON.stringify(user("0000000c", "00000b79", "appended"))}\n`);
    appendFileSync(small, `${JSON.stringify(user("00000003", "00000002", "appended"))}\n{"type":"mess`);
  });
  const told = grown.map(({ entryCount, damagedLines, sizeBytes }) => [entryCount, damagedLines, sizeBytes]);
  assert.deepEqual(told, [
    // The line that was torn is ended by what was appended.
    [85, 1, bytes.length],
    [3, 1, smallBytes],
  ]);

  const shrunk = await listAfter(() => {
    truncateSync(path, 40_000_000);
    truncateSync(small, 300);
  });
  assert.deepEqual(withoutSize(shrunk), withoutSize(await rightNow()));
  assert.ok(shrunk[0]!.entryCount < 60 && shrunk[0]!.damagedLines === 1);

  const emptied = await listAfter(() => {
    truncateSync(path, 0);
    truncateSync(small, 0);
  });
  assert.deepEqual(emptied, []);
});
