import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
} from "node:fs";
import { basename, join, relative } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { Session } from "../../src/report/session-summary.js";
import { type ListOptions, listAll, listSessions } from "../../src/scan/list-sessions.js";
import type { ScanProgress } from "../../src/scan/store-options.js";
import { damagedFile, sessionFile } from "../helpers/arbitraries.js";
import { assistant, at, entry, header, jsonl, type Line, START, toolResult, usage, user } from "../helpers/entries.js";
import { fixture } from "../helpers/files.js";
import { readPlainly, sessionPlainly } from "../helpers/plain-reader.js";
import { canCountOpenFiles, countOpenFiles, makeStore, numbered, writeFiles } from "../helpers/stores.js";

/** A session whose last message was written so many seconds after the start. */
const sessionAt = (seconds: number, more: Line = {}, ...lines: Line[]): Buffer =>
  jsonl(header(more), ...lines, user(seconds.toString(16).padStart(8, "0"), null, "hello"));

async function gather(options: ListOptions): Promise<Session[]> {
  const sessions: Session[] = [];
  for await (const session of listAll(options)) sessions.push(session);
  return sessions;
}

/** The names of the files that the filters let through, by path. */
async function namesOf(store: string, options: ListOptions): Promise<string[]> {
  const sessions = await gather({ ...options, stores: [store] });
  return sessions.map(({ path }) => relative(store, path)).sort();
}

test("listSessions tells all that it knows of a session", async (context) => {
  const path = "--home-u-proj--/one.jsonl";
  const bytes = Buffer.concat([
    jsonl(
      header({ id: "whole", parentSession: "/old/parent.jsonl" }),
      entry("session_info", "1", null, { name: "first name" }),
      user("2", "1", ""),
      user("3", "2", [
        { type: "text", text: "Hello" },
        { type: "image", data: "AA==", mimeType: "image/png" },
        { type: "text", text: "there" },
      ]),
      assistant("4", "3", "Hi", { usage: usage(100, 20, 0.5, { cacheRead: 7, cacheWrite: 3, totalTokens: 130 }) }),
      toolResult("5", "4", "done", { usage: usage(10, 2, 0.25) }),
      assistant("6", "3", "Hi again", { provider: "openai", model: "gpt-5", usage: usage(1, 1, 0.125) }),
      user("7", "6", "thanks"),
      entry("session_info", "8", "7", { name: "  last\nname " }),
    ),
    Buffer.from("no json\n"),
  ]);
  const store = makeStore(context, { [path]: bytes });
  assert.deepEqual(await listSessions({ stores: [store] }), {
    sessions: [
      {
        path: join(store, path),
        id: "whole",
        cwd: "/home/u/proj",
        name: "last name",
        parentSession: "/old/parent.jsonl",
        version: 3,
        created: at(0),
        modified: at(7),
        messageCount: 6,
        entryCount: 8,
        sizeBytes: bytes.length,
        firstMessage: "Hello there",
        models: ["anthropic/claude-sonnet-4-5", "openai/gpt-5"],
        branches: 2,
        usage: {
          input: 111,
          output: 23,
          cacheRead: 7,
          cacheWrite: 3,
          totalTokens: 144,
          costTotal: 0.875,
          calls: 3,
        },
        damagedLines: 1,
      },
    ],
    skipped: [],
  });
});

test("listSessions tells of a bare header what there is, with the file's time where it names none", async (context) => {
  const store = makeStore(context, { "bare.jsonl": '{"type":"session","id":""}' });
  utimesSync(join(store, "bare.jsonl"), 0, Date.parse("2025-05-06T07:08:09.500Z") / 1000);
  const { sessions } = await listSessions({ stores: [store] });
  assert.deepEqual(sessions, [
    {
      path: join(store, "bare.jsonl"),
      id: "",
      cwd: null,
      name: null,
      parentSession: null,
      version: 1,
      created: null,
      modified: "2025-05-06T07:08:09.500Z",
      messageCount: 0,
      entryCount: 0,
      sizeBytes: 26,
      firstMessage: null,
      models: [],
      branches: 0,
      usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, costTotal: 0, calls: 0 },
      damagedLines: 0,
    },
  ]);
});

test("listSessions counts lines with one id and time once, and the same numbers under other ids as often as they stand", async (context) => {
  const call = assistant("4", null, "Hi", { usage: usage(1, 1, 1) });
  const store = makeStore(context, {
    "repeated.jsonl": jsonl(header(), call, call, { ...call, message: { ...(call.message as Line), usage: usage(9) } }),
    "renamed.jsonl": jsonl(header(), call, { ...call, id: "5" }),
    "at-other-time.jsonl": jsonl(header(), call, { ...call, timestamp: at(5) }),
  });
  const { sessions } = await listSessions({ stores: [store] });
  const counted = sessions.map((session) => [basename(session.path), session.usage.calls, session.usage.costTotal]);
  assert.deepEqual(counted, [
    ["at-other-time.jsonl", 2, 2],
    ["renamed.jsonl", 2, 2],
    ["repeated.jsonl", 1, 1],
  ]);
  assert.deepEqual(
    sessions.map(({ entryCount }) => entryCount),
    [2, 2, 3],
  );
});

test("listSessions puts the newest first, ties by path", async (context) => {
  const store = makeStore(context, {
    "c.jsonl": sessionAt(50),
    "a.jsonl": sessionAt(20),
    "b/z.jsonl": sessionAt(50),
    "B.jsonl": sessionAt(50),
    "d.jsonl": sessionAt(90),
  });
  const { sessions } = await listSessions({ stores: [store] });
  const names = sessions.map(({ path }) => relative(store, path));
  assert.deepEqual(names, ["d.jsonl", "B.jsonl", "b/z.jsonl", "c.jsonl", "a.jsonl"]);
});

test("listSessions gives the sessions of fixtures/store in order, and the file that is none", async () => {
  const expected = JSON.parse(readFileSync(fixture("store.expect.json"), "utf8")) as {
    sessions: { path: string; modified: string }[];
    notSessions: string[];
  };
  const { sessions, skipped } = await listSessions({ stores: [fixture("store")] });
  const newest = expected.sessions.toSorted((a, b) => Date.parse(b.modified) - Date.parse(a.modified));
  assert.deepEqual(
    sessions.map(({ path }) => relative(fixture("store"), path)),
    newest.map(({ path }) => path),
  );
  assert.deepEqual(
    skipped.map(({ path }) => relative(fixture("store"), path)),
    expected.notSessions,
  );
});

test("listSessions agrees with the plain reader on every trait", async () => {
  const { sessions, skipped } = await listSessions({ stores: [fixture("traits")] });
  const found = new Map(sessions.map((session) => [session.path, session]));
  const names = readdirSync(fixture("traits")).filter((name) => name.endsWith(".jsonl"));
  for (const name of names) {
    const path = fixture("traits", name);
    const file = readPlainly(readFileSync(path));
    const session = found.get(path);
    assert.equal(session !== undefined, file.isSession, name);
    if (session) assertSameSession(session, { path, ...sessionPlainly(file, statSync(path).mtimeMs) }, name);
  }
  assert.equal(sessions.length + skipped.length, names.length);
});

/** Costs may differ in their last digits: what a double can hold depends on the order of adding. */
function assertSameSession(session: Session, expected: Session, at: string): void {
  const near = Math.abs(session.usage.costTotal - expected.usage.costTotal) <= 1e-9 * expected.usage.costTotal;
  assert.ok(near, `${at}: cost ${session.usage.costTotal} instead of ${expected.usage.costTotal}`);
  const { costTotal } = expected.usage;
  assert.deepEqual({ ...session, usage: { ...session.usage, costTotal } }, expected, at);
}

for (const [kind, file] of [
  ["whole", sessionFile({ maxEntries: 15 })],
  ["damaged", damagedFile({ maxEntries: 10 })],
] as const) {
  test(`listSessions agrees with the plain reader on ${kind} sessions`, async (context) => {
    const store = makeStore(context, {});
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 3 }), async (files) => {
        const folder = writeFiles(join(store, `${run++}`), numbered(files));
        const { sessions, skipped } = await listSessions({ stores: [folder] });
        const found = new Map(sessions.map((session) => [session.path, session]));
        for (const [number, bytes] of files.entries()) {
          const path = join(folder, `${number}.jsonl`);
          const plain = readPlainly(bytes);
          const session = found.get(path);
          assert.equal(session !== undefined, plain.isSession, path);
          if (session) assertSameSession(session, { path, ...sessionPlainly(plain, statSync(path).mtimeMs) }, path);
        }
        assert.equal(sessions.length + skipped.length, files.length);
      }),
      { numRuns: 35 },
    );
  });
}

test("listAll takes sessions whose cwd is a project or below it", async (context) => {
  const cwds: Record<string, unknown> = {
    root: "/",
    home: "/home/u",
    proj: "/home/u/proj",
    slash: "/home/u/proj/",
    below: "/home/u/proj/src/deep",
    longer: "/home/u/proj-2",
    other: "/home/U/proj",
    windows: "C:\\Users\\u\\proj",
    "windows-below": "C:\\Users\\u\\proj\\src",
    mixed: "C:\\Users/u\\proj2",
    none: undefined,
    number: 7,
    empty: "",
  };
  const files = Object.entries(cwds).map(([name, cwd]): [string, Buffer] => [name, sessionAt(1, { cwd })]);
  const store = makeStore(context, Object.fromEntries(files.map(([name, bytes]) => [`${name}.jsonl`, bytes])));
  const cases: [string[], string[]][] = [
    [["/home/u/proj"], ["below", "proj", "slash"]],
    [["/home/u/proj/"], ["below", "proj", "slash"]],
    [["/home/u/proj//"], ["below", "proj", "slash"]],
    [["/home/u/pro"], []],
    [["/home/u"], ["below", "home", "longer", "proj", "slash"]],
    [["/"], ["below", "home", "longer", "other", "proj", "root", "slash"]],
    [["C:\\Users\\u\\proj"], ["windows", "windows-below"]],
    [["C:/Users/u/proj/"], ["windows", "windows-below"]],
    [["C:\\Users"], ["mixed", "windows", "windows-below"]],
    [["C:\\"], ["mixed", "windows", "windows-below"]],
    [["proj"], []],
    [
      ["/home/u/proj/src", "/home/u/proj-2"],
      ["below", "longer"],
    ],
    [[], Object.keys(cwds).sort()],
  ];
  for (const [projects, names] of cases) {
    const right = names.map((name) => `${name}.jsonl`).sort();
    assert.deepEqual(await namesOf(store, { projects }), right, `${projects}`);
  }
});

test("listAll takes sessions with at least one call of a model or provider", async (context) => {
  const callOf = (provider: unknown, model: unknown, more: Line = {}): Line =>
    assistant("2", null, "x", { provider, model, usage: usage(1), ...more });
  const store = makeStore(context, {
    "sonnet.jsonl": sessionAt(1, {}, callOf("anthropic", "claude-sonnet-4-5")),
    "both.jsonl": sessionAt(1, {}, callOf("anthropic", "claude-haiku-4-5"), { ...callOf("openai", "gpt-5"), id: "3" }),
    "gpt.jsonl": sessionAt(1, {}, callOf("openai", "GPT-5")),
    "nested.jsonl": sessionAt(1, {}, callOf("openrouter", "openai/gpt-5")),
    "alone.jsonl": sessionAt(1, {}, callOf(undefined, "gpt-5")),
    "answered.jsonl": sessionAt(1, {}, callOf("openrouter", "auto", { responseModel: "a+b (c)" })),
    "no-usage.jsonl": sessionAt(1, {}, callOf("openai", "gpt-5", { usage: undefined })),
    "no-call.jsonl": sessionAt(1, {}, entry("model_change", "2", null, { provider: "openai", modelId: "gpt-5" })),
  });
  const cases: [ListOptions, string[]][] = [
    [{ models: ["gpt-5"] }, ["alone", "both", "gpt"]],
    [{ models: ["openai/gpt-5"] }, ["both", "gpt", "nested"]],
    [{ models: ["OpenAI/Gpt-5"] }, ["both", "gpt", "nested"]],
    [{ models: ["openrouter/openai/gpt-5"] }, ["nested"]],
    [{ models: ["gpt"] }, []],
    [{ models: ["*gpt*"] }, ["alone", "both", "gpt", "nested"]],
    [{ models: ["*/gpt-5"] }, ["both", "gpt", "nested"]],
    [{ models: ["claude-*-4-5"] }, ["both", "sonnet"]],
    [{ models: ["anthropic/*"] }, ["both", "sonnet"]],
    [{ models: ["claude-sonnet-4.5"] }, []],
    [{ models: ["a+b (c)"] }, ["answered"]],
    [{ models: ["auto"] }, []],
    [{ models: ["[a-z]+", "(", "\\"] }, []],
    [{ models: ["gpt-5", "claude-sonnet-4-5"] }, ["alone", "both", "gpt", "sonnet"]],
    [{ providers: ["openai"] }, ["both", "gpt"]],
    [{ providers: ["OPEN*"] }, ["answered", "both", "gpt", "nested"]],
    [{ providers: ["anthropic", "openrouter"] }, ["answered", "both", "nested", "sonnet"]],
    [{ providers: ["anthropic"], models: ["gpt-5"] }, []],
    [{ providers: ["openai"], models: ["gpt*"] }, ["both", "gpt"]],
    [{ providers: [], models: [] }, ["alone", "answered", "both", "gpt", "nested", "no-call", "no-usage", "sonnet"]],
  ];
  for (const [options, names] of cases) {
    const right = names.map((name) => `${name}.jsonl`);
    assert.deepEqual(await namesOf(store, options), right, JSON.stringify(options));
  }
});

test("listAll takes sessions that were modified within since and until, both inclusive", async (context) => {
  const store = makeStore(context, {
    "10.jsonl": sessionAt(10),
    "20.jsonl": sessionAt(20),
    "30.jsonl": sessionAt(30),
    "file.jsonl": jsonl(header({ timestamp: "no time" })),
  });
  utimesSync(join(store, "file.jsonl"), 0, START / 1000 + 20);
  const time = (seconds: number): number => START + seconds * 1000;
  const cases: [ListOptions, string[]][] = [
    [{ since: time(20) }, ["20", "30", "file"]],
    [{ since: time(20) + 1 }, ["30"]],
    [{ until: time(20) }, ["10", "20", "file"]],
    [{ until: time(20) - 1 }, ["10"]],
    [{ since: time(20), until: time(20) }, ["20", "file"]],
    [{ since: time(30), until: time(10) }, []],
    [{ since: 0 }, ["10", "20", "30", "file"]],
  ];
  for (const [options, names] of cases) {
    const right = names.map((name) => `${name}.jsonl`);
    assert.deepEqual(await namesOf(store, options), right, JSON.stringify(options));
  }
});

test("listAll passes over what is excluded, and filters add up", async (context) => {
  const store = makeStore(context, {
    "a/1.jsonl": sessionAt(10),
    "a/runs/2.jsonl": sessionAt(10),
    "b/3.jsonl": sessionAt(20, { cwd: "/other" }),
    "b/4.jsonl": sessionAt(20),
  });
  assert.deepEqual(await namesOf(store, { exclude: ["**/runs"] }), ["a/1.jsonl", "b/3.jsonl", "b/4.jsonl"]);
  assert.deepEqual(await namesOf(store, { exclude: ["b/4.jsonl", "a/*"] }), ["b/3.jsonl"]);
  const all: ListOptions = { exclude: ["a/runs"], projects: ["/home/u"], since: START + 20_000 };
  assert.deepEqual(await namesOf(store, all), ["b/4.jsonl"]);
});

test("listSessions names each file that is no session or can't be read, with the reason, and lists the rest", async (context) => {
  const store = makeStore(context, {
    "good.jsonl": sessionAt(1),
    "empty.jsonl": "",
    "blank.jsonl": "\n \r\n",
    "text.jsonl": "hello\n".repeat(40),
    "entry-first.jsonl": jsonl(user("1", null, "x"), header()),
    "late.jsonl": Buffer.concat([jsonl(...Array.from({ length: 16 }, () => ({ type: "title" }))), sessionAt(1)]),
    "array.jsonl": "[1,2]\n",
  });
  symlinkSync("gone", join(store, "dangling.jsonl"));
  mkdirSync(join(store, "folder.jsonl"));
  const { sessions, skipped } = await listSessions({ stores: [store] });
  assert.deepEqual(
    sessions.map(({ path }) => path),
    [join(store, "good.jsonl")],
  );
  assert.deepEqual(
    skipped.map(({ path, reason }) => [relative(store, path), reason]),
    [
      ["array.jsonl", "there is no session header"],
      ["blank.jsonl", "the file is empty"],
      ["dangling.jsonl", "no such file"],
      ["empty.jsonl", "the file is empty"],
      ["entry-first.jsonl", "an entry stands before any session header"],
      ["late.jsonl", "there is no session header among the first 16 lines"],
      ["text.jsonl", "there is no session header"],
    ],
  );
  const told: string[] = [];
  for await (const _ of listAll({ stores: [store], onSkipped: ({ path }) => told.push(path) }));
  assert.deepEqual(
    told.sort(),
    skipped.map(({ path }) => path),
  );
});

test("listSessions goes on past a file that can't be opened", { skip: process.getuid?.() === 0 }, async (context) => {
  const store = makeStore(context, { "closed.jsonl": sessionAt(1), "good.jsonl": sessionAt(1) });
  chmodSync(join(store, "closed.jsonl"), 0);
  const { sessions, skipped } = await listSessions({ stores: [store] });
  assert.equal(sessions.length, 1);
  assert.deepEqual(skipped, [{ path: join(store, "closed.jsonl"), reason: "permission denied" }]);
});

test("listSessions goes on past a file whose reading fails", { skip: !canCountOpenFiles }, async (context) => {
  const store = makeStore(context, { "a.jsonl": sessionAt(1), "z.jsonl": sessionAt(1) });
  symlinkSync("/proc/self/mem", join(store, "m.jsonl")); // Its first bytes can't be read.
  const { sessions, skipped } = await listSessions({ stores: [store] });
  assert.equal(sessions.length, 2);
  assert.deepEqual(
    skipped.map(({ path }) => relative(store, path)),
    ["m.jsonl"],
  );
  assert.match(skipped[0]!.reason, /i\/o error/);
});

test("listAll reports files that vanish while it reads", async (context) => {
  const files = Array.from({ length: 300 }, (_, number) => sessionAt(number + 1));
  const store = makeStore(context, numbered(files));
  const skipped: string[] = [];
  let isGone = false;
  const onProgress = (): void => {
    if (isGone) return;
    isGone = true;
    for (const name of readdirSync(store)) unlinkSync(join(store, name));
  };
  const options: ListOptions = { jobs: 1, onProgress, onSkipped: ({ reason }) => skipped.push(reason) };
  const sessions = await gather({ stores: [store], ...options });
  assert.equal(sessions.length + skipped.length, files.length);
  assert.deepEqual(
    [...new Set(skipped)].slice(0, 1),
    skipped.slice(0, 1).map(() => "no such file"),
  );
});

test("listAll tells its progress, which never falls and ends with all files and bytes", async (context) => {
  const files = Array.from({ length: 12 }, (_, number) =>
    sessionAt(number + 1, {}, user("1", null, "x".repeat(500_000))),
  );
  const store = makeStore(context, { ...numbered(files), "none.jsonl": "no session\n" });
  const bytes = files.reduce((sum, { length }) => sum + length, "no session\n".length);
  for (const jobs of [1, 2]) {
    const steps: ScanProgress[] = [];
    await gather({ stores: [store], jobs, onProgress: (step) => steps.push(step) });
    for (const [number, step] of steps.entries()) {
      const before = steps[number - 1] ?? { done: 0, total: 0, bytes: 0, totalBytes: 0 };
      // On a busy machine the first step may come before any file is found.
      for (const key of ["done", "total", "bytes", "totalBytes"] as const) assert.ok(step[key] >= before[key], key);
    }
    assert.deepEqual(steps.at(-1), { done: 13, total: 13, bytes, totalBytes: bytes });
  }
});

test("listAll gives the same sessions whatever the number of jobs", async (context) => {
  const files = Array.from({ length: 30 }, (_, number) => {
    const call = assistant("1", null, "x".repeat(200_000), { usage: usage(number, 1, number / 7) });
    return sessionAt(number + 1, { id: `${number}` }, call);
  });
  const store = makeStore(context, { ...numbered(files), "none.jsonl": "" });
  const one = await listSessions({ stores: [store], jobs: 1 });
  assert.equal(one.sessions.length, 30);
  assert.deepEqual(await listSessions({ stores: [store], jobs: 2 }), one);
});

test("listSessions gives the same of one large file whatever the number of jobs, by which its ranges may be shared", async (context) => {
  const bulk = "x".repeat(700_000);
  const padding = (number: number): Line => toolResult(`b${number}`, number === 0 ? "2" : `b${number - 1}`, bulk);
  const parts = [
    jsonl(header(), user("1", null, "first"), assistant("2", "1", "a", { usage: usage(1, 0, 1) })),
    ...Array.from({ length: 50 }, (_, number) => jsonl(padding(number))),
    Buffer.from(`torn${JSON.stringify(user("3", "b49", "glued"))}\n\0\0\n`),
    jsonl(header({ id: "again" }), entry("session_info", "4", "3", { name: "in the middle" })),
    ...Array.from({ length: 50 }, (_, number) => jsonl(padding(number + 50))),
    jsonl(
      toolResult("5", "b99", "x", { usage: usage(10, 0, 10) }),
      assistant("6", "5", "b", { model: "other", usage: usage(100, 0, 100) }),
      user("7", "1", "a second branch"),
    ),
  ];
  const store = makeStore(context, { "large.jsonl": Buffer.concat(parts) });
  const one = await listSessions({ stores: [store], jobs: 1 });
  const [{ sizeBytes, usage: sum, ...session }] = one.sessions as [Session];
  assert.ok(sizeBytes > 70_000_000);
  assert.deepEqual([sum.calls, sum.costTotal], [3, 111]);
  assert.deepEqual(
    { ...session, path: "" },
    {
      path: "",
      id: header().id,
      cwd: "/home/u/proj",
      name: "in the middle",
      parentSession: null,
      version: 3,
      created: at(0),
      modified: at(7),
      messageCount: 106,
      entryCount: 107,
      firstMessage: "first",
      models: ["anthropic/claude-sonnet-4-5", "anthropic/other"],
      branches: 3,
      damagedLines: 2,
    },
  );
  assert.deepEqual(await listSessions({ stores: [store], jobs: 2 }), one);
});

/** Files that take several reads each. */
const largeFiles = (count: number): Record<string, Buffer> =>
  numbered(
    Array.from({ length: count }, (_, number) => sessionAt(number + 1, {}, user("1", null, "x".repeat(900_000)))),
  );

const counting = { skip: !canCountOpenFiles };

test("listAll has at most so many files open as there are jobs", counting, async (context) => {
  const store = makeStore(context, largeFiles(10));
  for (const jobs of [1, 2]) {
    let most = 0;
    const look = (): void => {
      most = Math.max(most, countOpenFiles(store));
    };
    for await (const _ of listAll({ stores: [store], jobs, onProgress: look })) look();
    assert.ok(most >= 1 && most <= jobs, `${most} open files with ${jobs} jobs`);
    assert.equal(countOpenFiles(store), 0);
  }
});

test("listAll closes its files when it is left early", counting, async (context) => {
  const store = makeStore(context, largeFiles(10));
  for (const jobs of [1, 2]) {
    for await (const _ of listAll({ stores: [store], jobs })) break;
    assert.equal(countOpenFiles(store), 0);
  }
});

test("listAll throws the reason of its signal, before it starts or midway, and closes its files", async (context) => {
  const store = makeStore(context, largeFiles(10));
  const reason = new Error("enough");
  await assert.rejects(gather({ stores: [store], signal: AbortSignal.abort(reason) }), reason);
  for (const jobs of [1, 2]) {
    const abort = new AbortController();
    const taken: Session[] = [];
    await assert.rejects(async () => {
      for await (const session of listAll({ stores: [store], jobs, signal: abort.signal })) {
        taken.push(session);
        abort.abort(reason);
      }
    }, reason);
    assert.ok(taken.length > 0);
    if (canCountOpenFiles) assert.equal(countOpenFiles(store), 0);
  }
});

test("listAll throws what onProgress throws", async (context) => {
  const failure = new Error("not my day");
  const onProgress = (): void => {
    throw failure;
  };
  for (const files of [{ "a.jsonl": sessionAt(1), "b.jsonl": sessionAt(2) }, largeFiles(10)]) {
    const store = makeStore(context, files);
    await assert.rejects(gather({ stores: [store], onProgress }), failure);
    if (canCountOpenFiles) assert.equal(countOpenFiles(store), 0);
  }
});

test("listSessions gives an empty list for a store without sessions", async (context) => {
  assert.deepEqual(await listSessions({ stores: [makeStore(context, {})] }), { sessions: [], skipped: [] });
});

test("listSessions refuses a store that is missing, and one that is a file", async (context) => {
  const store = makeStore(context, { "a.jsonl": sessionAt(1) });
  for (const asked of [join(store, "gone"), join(store, "a.jsonl")]) {
    await assert.rejects(listSessions({ stores: [store, asked] }), {
      name: "StoreError",
      code: "NO_SUCH_STORE",
      asked,
    });
  }
});
