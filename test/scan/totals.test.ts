import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { emptyUsage, type Usage } from "../../src/format/usage.js";
import { indexSession } from "../../src/read/index-session.js";
import { GROUP_KEYS, type GroupKey } from "../../src/report/group-calls.js";
import { type TotalsOptions, totals } from "../../src/scan/totals.js";
import { SessionIndex } from "../../src/tree/session-index.js";
import { damagedFile, sessionFile, sessionLines } from "../helpers/arbitraries.js";
import { assertAgrees } from "../helpers/assert-agrees.js";
import { assistant, entry, header, jsonl, type Line, START, toolResult, usage, user } from "../helpers/entries.js";
import { fixture } from "../helpers/files.js";
import { type PlainFile, readPlainly, totalsPlainly, treePlainly } from "../helpers/plain-reader.js";
import { callsPlainly, type PlainCall, sumPlainly } from "../helpers/plain-session.js";
import { timePlainly } from "../helpers/plain-time.js";
import { makeStore, numbered, writeFiles } from "../helpers/stores.js";

/** Every call counts, copies of other files' calls as well. */
const raw = { dedupe: false };

/** The groups as pairs: the values of the keys, and what is asked of the usage. */
async function groupsOf(options: TotalsOptions, of: keyof Usage = "calls"): Promise<[(string | null)[], number][]> {
  const { groups } = await totals({ timeZone: "UTC", ...raw, ...options });
  return groups.map(({ key, ...usage }) => [Object.values(key), usage[of]]);
}

/** A call of a model at `seconds` after the start. */
const callAt = (seconds: number, cost: number, more: Line = {}): Line =>
  assistant(seconds.toString(16).padStart(8, "0"), null, "x", { usage: usage(10, 1, cost), ...more });

// By hand

test("totals adds up all five places of usage, and no other", async (context) => {
  const decoy = { usage: usage(1e6, 1e6, 1e6) };
  const store = makeStore(context, {
    "a.jsonl": jsonl(
      header(),
      user("1", null, "x"),
      assistant("2", "1", "x", { usage: usage(1, 0, 1), content: [{ type: "toolCall", name: "t", arguments: decoy }] }),
      toolResult("3", "2", "x", { toolName: "scout", usage: usage(10, 0, 10), details: decoy }),
      entry("compaction", "4", "3", {
        summary: "s",
        usage: usage(100, 0, 100),
        retainedTail: [{ role: "assistant", ...decoy }],
      }),
      entry("branch_summary", "5", "4", { summary: "s", fromId: "root", usage: usage(1000, 0, 1000) }),
      entry("usage", "6", "5", { kind: "cache_warm", provider: "p", model: "m", usage: usage(10_000, 0, 10_000) }),
      entry("usage", "7", "6", { kind: 5, provider: "p", model: "m", usage: usage(100_000, 0, 100_000) }),
      entry("custom", "8", "7", { data: decoy, ...decoy }),
      { ...user("9", "8", "x"), ...decoy },
      entry("message", "a", "9", { message: { role: "user", content: "x", ...decoy } }),
      toolResult("b", "a", "x", { usage: null }),
    ),
  });
  assert.deepEqual(await groupsOf({ stores: [store], by: ["source", "tool"], order: "asc" }, "costTotal"), [
    [["assistant", null], 1],
    [["tool", "scout"], 10],
    [["compaction", null], 100],
    [["branch_summary", null], 1000],
    [["usage:cache_warm", null], 10_000],
    [["usage:", null], 100_000],
  ]);
  assert.deepEqual(await totals({ stores: [store], ...raw }), {
    groups: [],
    total: { ...emptyUsage(), input: 111_111, totalTokens: 111_111, costTotal: 111_111, calls: 6 },
    duplicates: emptyUsage(),
    files: 1,
    skipped: 0,
    damagedLines: 0,
  });
});

test("totals finds the model of tools and summaries on their path, not in the file", async (context) => {
  const tool = (id: string, parentId: string | null): Line => toolResult(id, parentId, "x", { usage: usage(1) });
  const store = makeStore(context, {
    "a.jsonl": jsonl(
      header(),
      tool("1", null),
      entry("model_change", "2", "1", { provider: "p", modelId: "changed" }),
      assistant("3", "2", "x", { provider: "q", model: "asked", responseModel: "answered", usage: undefined }),
      entry("compaction", "4", "3", { usage: usage(1) }),
      tool("5", "2"),
      tool("6", "5"),
      assistant("7", "6", "x", { provider: "q", model: undefined, usage: undefined }),
      entry("branch_summary", "8", "7", { usage: usage(1) }),
      assistant("9", "6", "x", { provider: undefined, model: "alone", usage: undefined }),
      tool("a", "9"),
      tool("b", "missing"),
    ),
  });
  assert.deepEqual(await groupsOf({ stores: [store], by: ["model", "provider", "source"], sort: "key" }), [
    [["alone", null, "tool"], 1],
    [["p/changed", "p", "branch_summary"], 1],
    [["p/changed", "p", "tool"], 2],
    [["q/answered", "q", "compaction"], 1],
    [[null, null, "tool"], 2],
  ]);
});

test("totals takes usage of entries without id, parent or time", async (context) => {
  const store = makeStore(context, {
    "a.jsonl": jsonl(
      header(),
      { type: "compaction", usage: usage(1, 0, 1) },
      { type: "compaction", parentId: { a: 1 }, usage: usage(1, 0, 1) },
      { type: "usage", id: 7, parentId: 7, kind: "k", usage: usage(1, 0, 1) },
      { type: "message", parentId: null, message: { role: "assistant", model: "m", usage: usage(1, 0, 1) } },
    ),
  });
  const none = [null, null, null, null, null];
  assert.deepEqual(await groupsOf({ stores: [store], by: ["model", "branch", "day", "tool"], sort: "key" }), [
    [["m", header().id, ...none.slice(0, 3)], 1],
    [[null, header().id, ...none.slice(0, 3)], 3],
  ]);
});

test("totals tells the branches of calls, what several share, and what was left", async (context) => {
  const call = (id: string, parentId: string | null): Line => assistant(id, parentId, "x", { usage: usage(1) });
  const store = makeStore(context, {
    "forked.jsonl": jsonl(
      header({ id: "forked" }),
      call("1", null),
      call("2", "1"),
      call("3", "2"),
      user("a1", "3", "abandoned"),
      call("4", "2"),
      call("5", "4"),
      user("a2", "5", "current"),
    ),
    "plain.jsonl": jsonl(header({ id: "plain" }), call("1", null), call("2", "1")),
    "roots.jsonl": jsonl(header({ id: "roots" }), call("1", null), call("2", null)),
  });
  const right = [
    [["forked", "a1"], 1],
    [["forked", "a2"], 2],
    [["forked", "shared"], 2],
    [["plain", "2"], 2],
    [["roots", "1"], 1],
    [["roots", "2"], 1],
  ];
  assert.deepEqual(await groupsOf({ stores: [store], by: ["branch"], sort: "key" }), right);
  assert.deepEqual(await groupsOf({ stores: [store], by: ["session", "branch"], sort: "key" }), right);
  const { groups } = await totals({ stores: [store], by: ["branch", "model"], ...raw });
  assert.deepEqual(Object.keys(groups[0]!.key), ["session", "branch", "model"]);
});

test("totals puts calls in the days, weeks, months and hours of a time zone", async (context) => {
  const at = (time: string): Line =>
    entry("message", time, null, { message: { role: "assistant", usage: usage(1), timestamp: Date.parse(time) } });
  const store = makeStore(context, {
    "a.jsonl": jsonl(
      header(),
      at("2026-01-31T23:30:00.000Z"), // A Saturday.
      at("2026-02-01T22:59:59.999Z"),
      at("2026-02-01T23:00:00.000Z"),
      at("2026-02-02T00:00:00.000Z"),
    ),
  });
  const of = (by: GroupKey, timeZone: string) => groupsOf({ stores: [store], by: [by], timeZone });
  assert.deepEqual(await of("day", "UTC"), [
    [["2026-01-31"], 1],
    [["2026-02-01"], 2],
    [["2026-02-02"], 1],
  ]);
  assert.deepEqual(await of("day", "Europe/Berlin"), [
    [["2026-02-01"], 2],
    [["2026-02-02"], 2],
  ]);
  assert.deepEqual(await of("day", "America/Los_Angeles"), [
    [["2026-01-31"], 1],
    [["2026-02-01"], 3],
  ]);
  assert.deepEqual(await of("week", "UTC"), [
    [["2026-01-26"], 3],
    [["2026-02-02"], 1],
  ]);
  assert.deepEqual(await of("week", "Europe/Berlin"), [
    [["2026-01-26"], 2],
    [["2026-02-02"], 2],
  ]);
  assert.deepEqual(await of("month", "UTC"), [
    [["2026-01"], 1],
    [["2026-02"], 3],
  ]);
  assert.deepEqual(await of("month", "Europe/Berlin"), [[["2026-02"], 4]]);
  assert.deepEqual(await of("hour", "Asia/Kolkata"), [
    [["2026-02-01T05:00"], 1],
    [["2026-02-02T04:00"], 2],
    [["2026-02-02T05:00"], 1],
  ]);
});

test("totals takes the time of the message, else of the entry; a call without any has the key null, last", async (context) => {
  const call = (id: string, more: Line, message: Line): Line => ({
    ...callAt(1, 1),
    id,
    ...more,
    message: { role: "assistant", usage: usage(1), ...message },
  });
  const store = makeStore(context, {
    "a.jsonl": jsonl(
      header(),
      call("1", { timestamp: "2026-05-05T00:00:00Z" }, { timestamp: Date.parse("2026-01-01T12:00:00Z") }),
      call("2", { timestamp: "2026-05-05T00:00:00Z" }, { timestamp: -1 }),
      call("3", { timestamp: "2026-05-06" }, { timestamp: "2026-01-01T12:00:00Z" }),
      call("4", { timestamp: undefined }, {}),
      call("5", { timestamp: undefined }, { timestamp: 0 }),
    ),
  });
  assert.deepEqual(await groupsOf({ stores: [store], by: ["day"] }), [
    [["1970-01-01"], 1],
    [["2026-01-01"], 1],
    [["2026-05-05"], 1],
    [[null], 2],
  ]);
  const within = async (options: TotalsOptions) => (await totals({ stores: [store], ...raw, ...options })).total.calls;
  assert.equal(await within({}), 5);
  assert.equal(await within({ since: 0 }), 3);
  assert.equal(await within({ until: Date.parse("2026-05-05T00:00:00Z") }), 3);
  assert.equal(await within({ until: Date.parse("2026-05-05T00:00:00Z") - 1 }), 2);
});

test("totals counts the calls, not the sessions, that the filters let through", async (context) => {
  const store = makeStore(context, {
    "a.jsonl": jsonl(
      header(),
      callAt(10, 1),
      callAt(20, 2, { provider: "openai", model: "gpt-5" }),
      callAt(30, 4),
      toolResult("0000001f", "00000014", "x", { usage: usage(0, 0, 8) }), // Ran on the model of the call at 20.
    ),
    "b.jsonl": jsonl(header({ id: "b", cwd: "/other" }), callAt(20, 16)),
  });
  const time = (seconds: number): number => START + seconds * 1000;
  const cases: [TotalsOptions, number, number][] = [
    [{}, 31, 2],
    [{ since: time(20) }, 30, 2],
    [{ since: time(20) + 1 }, 12, 2],
    [{ until: time(20) }, 19, 2],
    [{ until: time(20) - 1 }, 1, 2],
    [{ since: time(20), until: time(20) }, 18, 2],
    [{ models: ["gpt-*"] }, 10, 2],
    [{ models: ["OPENAI/gpt-5"] }, 10, 2],
    [{ providers: ["anthropic"] }, 21, 2],
    [{ providers: ["anthropic"], since: time(20) }, 20, 2],
    [{ models: ["none"] }, 0, 2],
    [{ projects: ["/home/u"] }, 15, 1],
    [{ exclude: ["a*"] }, 16, 1],
    [{ projects: ["/nowhere"] }, 0, 0],
  ];
  for (const [options, cost, files] of cases) {
    const sums = await totals({ stores: [store], ...raw, ...options });
    assert.deepEqual([sums.total.costTotal, sums.files], [cost, files], JSON.stringify(options));
  }
});

test("totals orders groups by time where a time key is first, else by cost; or as asked", async (context) => {
  const model = (name: string, seconds: number, cost: number, tokens: number): Line =>
    callAt(seconds, cost, { provider: undefined, model: name, usage: usage(tokens, 0, cost) });
  const store = makeStore(context, {
    "a.jsonl": jsonl(
      header(),
      model("a", 86_400, 1, 100),
      model("b", 10, 5, 10),
      model("b", 20, 5, 10),
      model("c", 86_401, 3, 1000),
      { ...model("x", 30, 3, 50), message: { role: "assistant", usage: usage(50, 0, 3) } },
    ),
  });
  const of = async (options: TotalsOptions) =>
    (await groupsOf({ stores: [store], by: ["model"], ...options })).map(([[key]]) => key);
  assert.deepEqual(await of({}), ["b", "c", null, "a"]);
  assert.deepEqual(await of({ sort: "cost", order: "asc" }), ["a", "c", null, "b"]);
  assert.deepEqual(await of({ sort: "tokens" }), ["c", "a", null, "b"]);
  assert.deepEqual(await of({ sort: "calls" }), ["b", "a", "c", null]);
  assert.deepEqual(await of({ sort: "key" }), ["a", "b", "c", null]);
  assert.deepEqual(await of({ limit: 2 }), ["b", "c"]);
  assert.deepEqual(await of({ limit: 9 }), ["b", "c", null, "a"]);
  assert.deepEqual(await groupsOf({ stores: [store], by: ["day", "model"] }), [
    [["2026-01-02", "b"], 2],
    [["2026-01-02", null], 1],
    [["2026-01-03", "a"], 1],
    [["2026-01-03", "c"], 1],
  ]);
  assert.deepEqual(await groupsOf({ stores: [store], by: ["day"], order: "desc" }), [
    [["2026-01-03"], 2],
    [["2026-01-02"], 3],
  ]);
  assert.deepEqual(await groupsOf({ stores: [store], by: ["day"], sort: "cost" }), [
    [["2026-01-02"], 3],
    [["2026-01-03"], 2],
  ]);
  const { total } = await totals({ stores: [store], by: ["model"], limit: 1, ...raw });
  assert.equal(total.calls, 5);
});

test("totals nests keys in the order asked for, each once", async (context) => {
  const store = makeStore(context, {
    "a.jsonl": jsonl(header({ id: "a" }), callAt(1, 1), callAt(2, 2, { provider: "__proto__", model: "x" })),
    "b.jsonl": jsonl(header({ id: "b", cwd: null }), callAt(1, 4), callAt(2, 8)),
  });
  const { groups } = await totals({ stores: [store], by: ["provider", "session", "provider", "project"], ...raw });
  assert.deepEqual(
    groups.map(({ key, costTotal, calls }) => [Object.entries(key), costTotal, calls]),
    [
      [
        [
          ["provider", "anthropic"],
          ["session", "b"],
          ["project", null],
        ],
        12,
        2,
      ],
      [
        [
          ["provider", "__proto__"],
          ["session", "a"],
          ["project", "/home/u/proj"],
        ],
        2,
        1,
      ],
      [
        [
          ["provider", "anthropic"],
          ["session", "a"],
          ["project", "/home/u/proj"],
        ],
        1,
        1,
      ],
    ],
  );
});

test("totals counts files, files passed over, and damaged lines of the files read", async (context) => {
  const torn = Buffer.from('{"type":"message","id"');
  const store = makeStore(context, {
    "a.jsonl": Buffer.concat([jsonl(header()), Buffer.from("x\n[]\n"), jsonl(callAt(1, 1)), torn]),
    "b.jsonl": Buffer.concat([jsonl(header({ cwd: "/other" })), torn]),
    "none.jsonl": "x\ny\n",
    "empty.jsonl": "",
  });
  const { files, skipped, damagedLines } = await totals({ stores: [store], ...raw });
  assert.deepEqual({ files, skipped, damagedLines }, { files: 2, skipped: 2, damagedLines: 4 });
  const filtered = await totals({ stores: [store], projects: ["/other"], ...raw });
  assert.deepEqual([filtered.files, filtered.skipped, filtered.damagedLines], [1, 2, 1]);
});

test("totals adds many small costs to a relative 1e-9, the same whatever the number of jobs", async (context) => {
  const files = Array.from({ length: 8 }, (_, file) =>
    jsonl(
      header({ id: `${file}` }),
      ...Array.from({ length: 500 }, (_, call) => callAt(call, call === 0 ? 1e6 : 1e-7)),
    ),
  );
  const store = makeStore(context, numbered(files));
  const { total } = await totals({ stores: [store], jobs: 1, ...raw });
  assertAgrees(total.costTotal, 8e6 + 8 * 1999e-7, "cost");
  const { total: other, groups } = await totals({ stores: [store], jobs: 2, by: ["session"], ...raw });
  assertAgrees(other, total, "total of two jobs");
  assert.equal(groups.length, 8);
});

test("totals of a store without sessions are zero", async (context) => {
  const sums = await totals({ stores: [makeStore(context, {})], by: ["day", "model"] });
  assert.deepEqual(sums, {
    groups: [],
    total: emptyUsage(),
    duplicates: emptyUsage(),
    files: 0,
    skipped: 0,
    damagedLines: 0,
  });
});

test("totals refuses a missing store, an unknown time zone, and stops at its signal", async (context) => {
  const store = makeStore(context, { "a.jsonl": jsonl(header(), callAt(1, 1)) });
  await assert.rejects(totals({ stores: [join(store, "gone")] }), { name: "StoreError", code: "NO_SUCH_STORE" });
  await assert.rejects(totals({ stores: [store], timeZone: "Europe/Atlantis" }), RangeError);
  const reason = new Error("enough");
  await assert.rejects(totals({ stores: [store], signal: AbortSignal.abort(reason) }), reason);
});

// Against the plain reader

interface StoreFile {
  file: PlainFile;
  calls: PlainCall[];
  /** The ids of its entries that have one. Those made for version 1 are the library's own choice, so they are taken as it makes them. */
  ids: string[];
}

interface OwnCall extends StoreFile {
  call: PlainCall;
}

const isoOf = (time: number): string => new Date(time).toISOString();

const atTime =
  (write: (time: number) => string) =>
  ({ call }: OwnCall): string | null =>
    call.time === null ? null : write(call.time);

/** Each key of totals, told plainly; times in UTC. */
const keysPlainly: Record<GroupKey, (own: OwnCall) => string | null> = {
  project: ({ file }) => (typeof file.header!.entry.cwd === "string" ? file.header!.entry.cwd : null),
  session: ({ file }) => file.header!.entry.id as string,
  branch: branchPlainly,
  model: ({ call }) => call.model,
  provider: ({ call }) => call.provider,
  hour: atTime((time) => `${isoOf(time).slice(0, 13)}:00`),
  day: atTime((time) => isoOf(time).slice(0, 10)),
  week: atTime((time) => isoOf(time - ((new Date(time).getUTCDay() + 6) % 7) * 86_400_000).slice(0, 10)),
  month: atTime((time) => isoOf(time).slice(0, 7)),
  source: ({ call }) => call.source,
  tool: ({ call }) => call.tool,
};

/** The only leaf below the entry of a call, or `shared`. */
function branchPlainly({ call, file, ids }: OwnCall): string | null {
  const nodes = treePlainly(file.entries.map(({ entry }) => entry));
  const own = nodes.find(({ id, entry }) => id === call.id && timePlainly(entry.timestamp) === call.entryTime);
  const leaves: string[] = [];
  for (let level = own ? [own] : []; level.length > 0; level = level.flatMap(({ children }) => children)) {
    leaves.push(...level.filter(({ children }) => children.length === 0).map((leaf) => ids[nodes.indexOf(leaf)]!));
  }
  return leaves.length > 1 ? "shared" : (leaves[0] ?? null);
}

/** The plain answer: with the raw sums, each file's calls count whatever other files hold. */
function addPlainly(files: StoreFile[], by: GroupKey[]): { groups: Map<string, Usage>; total: Usage } {
  const sessions = files.filter(({ file }) => file.isSession);
  const calls = sessions.flatMap((session) => session.calls.map((call) => ({ ...session, call })));
  const groups = new Map<string, PlainCall[]>();
  for (const own of by.length === 0 ? [] : calls) {
    const id = JSON.stringify(by.map((key) => keysPlainly[key](own)));
    groups.set(id, [...(groups.get(id) ?? []), own.call]);
  }
  const sum = (some: PlainCall[]): Usage => sumPlainly(some.map(({ usage }) => usage));
  return {
    groups: new Map(Array.from(groups, ([id, some]) => [id, sum(some)])),
    total: sum(calls.map(({ call }) => call)),
  };
}

async function assertTotalsRight(store: string, files: StoreFile[], by: GroupKey[]): Promise<void> {
  const sums = await totals({ stores: [store], by, timeZone: "UTC", ...raw });
  // A branch says nothing without its session.
  const right = addPlainly(files, [
    ...new Set(by.flatMap((key) => (key === "branch" ? (["session", key] as const) : key))),
  ]);
  const given = new Map(sums.groups.map(({ key, ...usage }) => [JSON.stringify(Object.values(key)), usage]));
  assert.deepEqual([...given.keys()].sort(), [...right.groups.keys()].sort(), `groups by ${by}`);
  for (const [id, usage] of right.groups) assertAgrees(given.get(id), usage, `group ${id} by ${by}`);
  assertAgrees(sums.total, right.total, "total");
  const sessions = files.filter(({ file }) => file.isSession);
  assert.equal(sums.files, sessions.length);
  assert.equal(sums.skipped, files.length - sessions.length);
  assert.equal(
    sums.damagedLines,
    sessions.reduce((lines, { file }) => lines + file.damage.length, 0),
  );
}

async function readStorePlainly(store: string): Promise<StoreFile[]> {
  const names = readdirSync(store, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  return Promise.all(names.map((name) => readFilePlainly(join(store, name))));
}

async function readFilePlainly(path: string): Promise<StoreFile> {
  const file = readPlainly(readFileSync(path));
  const index = file.isSession ? await indexSession(path) : new SessionIndex();
  const calls = file.isSession ? callsPlainly(file) : [];
  return { file, calls, ids: Array.from({ length: index.size }, (_, number) => index.entryAt(number).id) };
}

for (const [name, store] of [
  ["fixtures/store", fixture("store")],
  ["the traits", fixture("traits")],
] as const) {
  test(`totals agrees with the plain reader on ${name} by every key`, async () => {
    const files = await readStorePlainly(store);
    for (const key of GROUP_KEYS) await assertTotalsRight(store, files, [key]);
    await assertTotalsRight(store, files, ["project", "model", "source"]);
    await assertTotalsRight(store, files, ["month", "branch", "tool"]);
  });
}

for (const [kind, file, keys] of [
  ["whole", sessionFile({ maxEntries: 12 }), GROUP_KEYS],
  // Damage may bring an id a second time, at another time: which of the two a call is, its id does not tell.
  ["damaged", damagedFile({ maxEntries: 10 }), GROUP_KEYS.filter((key) => key !== "branch")],
] as const) {
  test(`totals agrees with the plain reader on ${kind} sessions, by any keys`, async (context) => {
    const root = makeStore(context, {});
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(file, { minLength: 1, maxLength: 3 }),
        fc.uniqueArray(fc.constantFrom(...keys), { maxLength: 3 }),
        async (files, by) => {
          const store = writeFiles(join(root, `${run++}`), numbered(files));
          await assertTotalsRight(store, await readStorePlainly(store), by);
        },
      ),
      { numRuns: 25 },
    );
  });
}

// Copies

/** A session that is copied from another one as far as some entry, and goes on by itself. */
interface Fork {
  /** Which of the sessions before it. */
  of: number;
  copied: number;
  own: Line[];
  link: "path" | "name" | "id" | "gone" | "none";
  /** Whether the copies have ids of their own, as old branching gave them. */
  isRedrawn: boolean;
  /** Seconds between the headers. */
  age: number;
}

const entriesOnly = (maxEntries: number): fc.Arbitrary<Line[]> =>
  sessionLines({ versions: [3], maxEntries }).map((lines) => lines.filter(({ id, type }) => id && type !== "session"));

const fork = (): fc.Arbitrary<Fork> =>
  fc.record({
    of: fc.nat(3),
    copied: fc.nat(10),
    own: entriesOnly(3),
    link: fc.constantFrom<Fork["link"][]>("path", "name", "id", "gone", "none"),
    isRedrawn: fc.boolean(),
    age: fc.integer({ min: -3, max: 9 }),
  });

/** Entries under ids of their own, each the child of the one before it. */
const renameAll = (entries: Line[], prefix: string): Line[] =>
  entries.map((entry, at) => ({ ...entry, id: `${prefix}${at}`, parentId: at === 0 ? null : `${prefix}${at - 1}` }));

/** The files of a session and its forks, by name. */
function writeForks(store: string, entries: Line[], forks: Fork[]): Record<string, Buffer> {
  const sessions = [{ head: header({ id: "0" }), entries }];
  for (const [at, { of, copied, own, link, isRedrawn, age }] of forks.entries()) {
    const source = of % sessions.length;
    const links = {
      path: join(store, `${source}.jsonl`),
      name: `C:\\old\\${source}.jsonl`,
      id: `${source}`,
      gone: "/gone.jsonl",
    };
    const head = header({
      id: `${at + 1}`,
      timestamp: new Date(START + age * 1000).toISOString(),
      cwd: `/project-${at}`,
      parentSession: link === "none" ? undefined : links[link],
    });
    const copies = sessions[source]!.entries.slice(0, copied);
    const kept = isRedrawn ? renameAll(copies, `redrawn-${at}-`) : copies;
    sessions.push({ head, entries: [...kept, ...renameAll(own, `own-${at}-`)] });
  }
  return numbered(sessions.map(({ head, entries }) => jsonl(head, ...entries)));
}

async function assertCopiesRight(store: string): Promise<void> {
  const names = readdirSync(store, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".jsonl"));
  const paths = names.map((name) => join(store, name));
  const right = totalsPlainly(paths.map((path) => ({ path, file: readPlainly(readFileSync(path)) })));
  for (const [key, groups] of [
    ["model", right.byModel],
    ["project", right.byProject],
    ["day", right.byDay],
    ["source", right.bySource],
  ] as const) {
    const sums = await totals({ stores: [store], by: [key], timeZone: "UTC" });
    assertAgrees(sums.total, right.total, "total");
    assertAgrees(sums.duplicates, right.duplicates, "duplicates");
    const given = new Map(sums.groups.map(({ key: values, ...usage }) => [values[key], usage]));
    assert.deepEqual(new Set(given.keys()), new Set(groups.map(({ key }) => key)), `groups by ${key}`);
    for (const { key: value, usage } of groups) assertAgrees(given.get(value), usage, `${key} ${value}`);
  }
}

test("totals counts the calls of fixtures/store once, as the plain reader does", () =>
  assertCopiesRight(fixture("store")));

test("totals counts calls once that forks hold copies of, as the plain reader does", async (context) => {
  const root = makeStore(context, {});
  let run = 0;
  await fc.assert(
    fc.asyncProperty(entriesOnly(8), fc.array(fork(), { minLength: 1, maxLength: 3 }), async (entries, forks) => {
      const store = join(root, `${run++}`);
      writeFiles(store, writeForks(store, entries, forks));
      await assertCopiesRight(store);
    }),
    { numRuns: 30 },
  );
});

test("totals agrees with the plain reader within any span of time", async (context) => {
  const root = makeStore(context, {});
  let run = 0;
  const seconds = fc.option(fc.integer({ min: -86_400, max: 40 * 86_400 }), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(sessionFile({ maxEntries: 12 }), seconds, seconds, async (bytes, from, to) => {
      const store = writeFiles(join(root, `${run++}`), { "a.jsonl": bytes });
      const [since, until] = [from, to].map((second) =>
        second === undefined ? undefined : Date.parse("2026-02-03T04:05:06.007Z") + second * 1000,
      );
      const span = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
      const { total } = await totals({ stores: [store], ...span, ...raw });
      const calls = callsPlainly(readPlainly(bytes)).filter(({ time }) => {
        if (since === undefined && until === undefined) return true;
        return time !== null && time >= (since ?? 0) && time <= (until ?? Number.MAX_VALUE);
      });
      assertAgrees(total, sumPlainly(calls.map(({ usage }) => usage)), "total");
    }),
    { numRuns: 25 },
  );
});
