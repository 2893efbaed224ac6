import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { assistant, at, entry, header, jsonl, type Line, toolResult, usage, user } from "../helpers/entries.js";
import { type CliRun, runCli } from "./run-cli.js";

/**
 * A store of two sessions and a file that is none. One has a side branch, a label and a torn last line; the other is older, has a name, and nothing that
 * was paid for. Entry ids are the seconds after 2026-01-02T03:04:05Z, in hexadecimal.
 */
let store: string;
let forked: string;
let named: string;

const forkedLines: Line[] = [
  header({ id: "aaaa1111-0000", cwd: "/home/u/web" }),
  user("00000001", null, "Fix the \u001b[31mparser\nplease"),
  assistant("00000002", "00000001", "On it", {
    model: "opus-20250101",
    usage: usage(1000, 200, 1.5, { cacheRead: 3000, totalTokens: 4200 }),
    content: [
      { type: "text", text: "On it" },
      { type: "toolCall", id: "call_1", name: "bash", arguments: { command: "make" } },
    ],
  }),
  toolResult("00000003", "00000002", "built ```ok```"),
  assistant("00000004", "00000003", "Done", { usage: usage(10, 5, 0.004) }),
  entry("label", "00000005", "00000004", { targetId: "00000002", label: "start" }),
  user("00000006", "00000002", "Another way"),
];

const namedLines: Line[] = [
  header({ id: "bbbb2222-0000", cwd: "/home/u/docs", timestamp: at(-3600) }),
  entry("session_info", "00000001", null, { name: "Write the docs", timestamp: at(-3600) }),
];

before(() => {
  store = mkdtempSync(join(tmpdir(), "pi-sessions-cli-"));
  mkdirSync(join(store, "--home-u--"));
  forked = join(store, "--home-u--", "forked.jsonl");
  named = join(store, "--home-u--", "named.jsonl");
  writeFileSync(forked, Buffer.concat([jsonl(...forkedLines), Buffer.from('{"type":"mess')]));
  writeFileSync(named, jsonl(...namedLines));
  writeFileSync(join(store, "notes.jsonl"), '{"a":1}\n');
});
after(() => rmSync(store, { recursive: true, force: true }));

async function run(line: string, columns?: number): Promise<CliRun> {
  const words = [...line.split(" "), "--store", store, "--timezone", "UTC"];
  return await runCli(words, columns === undefined ? {} : { columns });
}

async function json(line: string) {
  const { stdout, exitCode } = await run(`${line} --json`);
  return { exitCode, value: JSON.parse(stdout) };
}

const SKIPPED =
  "warning: skipped 1 damaged line (see: pi-sessions check) and " +
  "1 file that is no session or can't be read (see: pi-sessions list --json)\n";

test("list prints a table, newest first, and what was skipped", async () => {
  const { exitCode, stdout, stderr } = await run("list");
  assert.equal(exitCode, 0);
  assert.deepEqual(stdout.split("\n"), [
    "ID        Modified          Messages  Tokens   Cost  Project       Session",
    "aaaa1111  2026-01-02 03:04         5   4,215  $1.50  /home/u/web   Fix the parser please",
    "bbbb2222  2026-01-02 02:04         0       0  $0.00  /home/u/docs  Write the docs",
    "",
  ]);
  assert.equal(stderr, SKIPPED);
  assert.equal((await run("list --quiet")).stderr, "");
});

test("list sorts, reverses, limits, and keeps named sessions only", async () => {
  const ids = async (line: string) => (await json(line)).value.sessions.map(({ id }: { id: string }) => id.slice(0, 4));
  assert.deepEqual(await ids("list"), ["aaaa", "bbbb"]);
  assert.deepEqual(await ids("list --reverse"), ["bbbb", "aaaa"]);
  assert.deepEqual(await ids("list --limit 1"), ["aaaa"]);
  assert.deepEqual(await ids("list --named"), ["bbbb"]);
  for (const key of ["modified", "created", "messages", "size", "cost"]) {
    assert.deepEqual(await ids(`list --sort ${key}`), ["aaaa", "bbbb"], key);
    assert.deepEqual(await ids(`list --sort ${key} --reverse`), ["bbbb", "aaaa"], key);
  }
  assert.deepEqual(await ids("list --until 2026-01-02T02:30Z"), ["bbbb"]);
  assert.deepEqual(await ids("list --project /home/u/web"), ["aaaa"]);
});

test("list gives sessions and skipped files as JSON, and sessions as lines", async () => {
  const { value } = await json("list");
  assert.deepEqual(Object.keys(value), ["sessions", "skipped"]);
  assert.equal(value.sessions[0].firstMessage, "Fix the \u001b[31mparser\nplease");
  assert.deepEqual(
    value.skipped.map(({ path }: { path: string }) => path),
    [join(store, "notes.jsonl")],
  );
  const lines = (await run("list --jsonl")).stdout.trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    value.sessions,
  );
});

test("list of nothing is an empty list", async () => {
  assert.deepEqual((await json("list --project /nowhere")).value.sessions, []);
  const { exitCode, stdout, stderr } = await run("list --project /nowhere");
  assert.deepEqual([exitCode, stdout], [0, ""]);
  assert.match(stderr, /^no sessions\n/);
});

test("totals prints groups and the total, models shortened", async () => {
  const { stdout, stderr } = await run("totals --by project,model --cache");
  assert.deepEqual(stdout.split("\n"), [
    "Project      Model                        Calls  Input  Output  Cache read  Cache write  Total     Cost  Cached",
    "/home/u/web  anthropic/opus                   1  1,000     200       3,000            0  4,200    $1.50   75.0%",
    "/home/u/web  anthropic/claude-sonnet-4-5      1     10       5           0            0     15  $0.0040    0.0%",
    "Total                                         2  1,010     205       3,000            0  4,215    $1.50   74.8%",
    "",
  ]);
  assert.equal(stderr, SKIPPED);
});

test("totals as JSON keeps models and sums exact", async () => {
  const { value } = await json("totals --by model --cache --limit 1");
  assert.deepEqual(value.groups, [
    {
      key: { model: "anthropic/opus-20250101" },
      ...{ input: 1000, output: 200, cacheRead: 3000, cacheWrite: 0, totalTokens: 4200, costTotal: 1.5, calls: 1 },
      cacheShare: 0.75,
    },
  ]);
  assert.equal(value.total.costTotal, 1.504);
  assert.deepEqual([value.files, value.skipped, value.damagedLines], [2, 1, 1]);
});

test("totals without keys is the total alone", async () => {
  assert.deepEqual((await run("totals")).stdout.split("\n").slice(1), [
    "Total      2  1,010     205       3,000            0  4,215  $1.50",
    "",
  ]);
});

test("totals exits with 3 above a budget", async () => {
  const { exitCode, stdout, stderr } = await run("totals --budget 1.50");
  assert.equal(exitCode, 3);
  assert.match(stdout, /^Total/m);
  assert.match(stderr, /over budget: \$1\.50 of \$1\.50/);
  assert.equal((await run("totals --budget 1.504")).exitCode, 0);
});

test("daily, weekly and monthly group by time first", async () => {
  const keys = async (line: string) => (await json(line)).value.groups.map(({ key }: { key: object }) => key);
  assert.deepEqual(await keys("daily"), [{ day: "2026-01-02" }]);
  assert.deepEqual(await keys("weekly"), [{ week: "2025-12-29" }]);
  assert.deepEqual(await keys("monthly --by project"), [{ month: "2026-01", project: "/home/u/web" }]);
  assert.deepEqual(await keys("daily --since today"), []);
});

test("tree draws branches, labels and the current leaf", async () => {
  const { stdout } = await run("tree aaaa");
  assert.deepEqual(stdout.split("\n"), [
    "00000001 user: Fix the parser please",
    "00000002 assistant [start]: On it",
    "├─ 00000003 toolResult: built ```ok```",
    "│  00000004 assistant: Done",
    "│  00000005 label: start",
    "00000006 user: Another way ← current leaf",
    "",
  ]);
  const narrow = (await run("tree aaaa", 30)).stdout.split("\n");
  assert.equal(narrow[0], "00000001 user: Fix the parser…");
});

test("tree gives flat nodes as JSON", async () => {
  const { value } = await json("tree latest");
  assert.deepEqual([value.leafId, value.rootIds, value.nodes.length], ["00000006", ["00000001"], 6]);
  assert.deepEqual(value.nodes[1].childIds, ["00000003", "00000006"]);
  assert.equal((await run("tree latest --jsonl")).stdout.trimEnd().split("\n").length, 6);
});

test("show prints the conversation of a branch", async () => {
  assert.deepEqual((await run(`show ${forked}`)).stdout.split("\n"), [
    "user  2026-01-02 03:04 · 00000001",
    "Fix the parser",
    "please",
    "",
    "assistant · opus-20250101  2026-01-02 03:04 · 00000002",
    "On it",
    "",
    "user  2026-01-02 03:04 · 00000006",
    "Another way",
    "",
  ]);
  assert.match((await run(`show ${forked} --leaf 00000004`)).stdout, /Done\n$/);
});

test("show includes tools when asked, and every branch, telling where it jumps", async () => {
  const { stdout } = await run(`show ${forked} --all --tools`);
  assert.match(stdout, /\nOn it\nbash\n {2}command: make\n/);
  assert.match(stdout, /\ntool · bash .*\n {2}built ```ok```\n/);
  assert.match(stdout, /\nlabel · start .* · 00000005\n/);
  assert.match(stdout, /\nuser .* · 00000006 · after 00000002\nAnother way\n$/);
});

test("show writes Markdown with fences that the text can't close", async () => {
  const { stdout } = await run(`show ${forked} --leaf 00000003 --tools --markdown`);
  assert.match(stdout, /^## User\n\n\*2026-01-02 03:04 · 00000001\*\n\nFix the parser\nplease\n\n## Assistant/);
  assert.match(stdout, /\n\*\*bash\*\*\n\n```\ncommand: make\n```\n/);
  assert.match(stdout, /\n````\nbuilt ```ok```\n````\n/);
});

test("show gives entries as JSON", async () => {
  const { value } = await json(`show ${forked}`);
  assert.deepEqual(value, { entries: [forkedLines[1], forkedLines[2], forkedLines[6]] });
  assert.equal((await json(`show ${forked} --all`)).value.entries.length, 6);
});

test("show takes one of --leaf and --all", async () => {
  const { exitCode, stderr } = await run(`show ${forked} --leaf 00000003 --all`);
  assert.equal(exitCode, 2);
  assert.match(stderr, /give one of them/);
});

test("context prints a summary, and warns of damage", async () => {
  const { stdout, stderr } = await run("context aaaa");
  const lines = stdout.split("\n");
  assert.deepEqual(lines.slice(0, 4), [
    `Session   ${forked}`,
    "Model     anthropic/opus-20250101",
    "Thinking  off",
    "Messages  3",
  ]);
  assert.deepEqual(lines.slice(5), [
    "",
    "Entry     Role       Characters  Text",
    "00000001  user               26  Fix the parser please",
    "00000002  assistant           5  On it",
    "00000006  user               11  Another way",
    "",
  ]);
  assert.equal(stderr, "warning: skipped 1 damaged line (see: pi-sessions check)\n");
});

test("context gives messages as JSON, from any leaf", async () => {
  const { value } = await json(`context ${forked} --leaf 00000004`);
  assert.deepEqual(value.entryIds, ["00000001", "00000002", "00000003", "00000004"]);
  assert.deepEqual(value.messages[0], forkedLines[1]!.message);
  assert.deepEqual([value.thinkingLevel, value.model.modelId], ["off", "claude-sonnet-4-5"]);
  assert.ok(value.bytesRead > 0);
  const missing = await run(`context ${forked} --leaf nope`);
  assert.equal(missing.exitCode, 1);
  assert.match(missing.stderr, /^error: .*"nope"/);
});

test("size counts bytes by kind, and names the largest entries", async () => {
  const { value } = await json("size aaaa --limit 1");
  const bytes = (line: Line) => Buffer.byteLength(JSON.stringify(line));
  assert.deepEqual(Object.keys(value), ["groups", "largest"]);
  assert.deepEqual(value.groups[0], {
    key: { type: "message", role: "assistant" },
    entries: 2,
    bytes: bytes(forkedLines[2]!) + bytes(forkedLines[4]!),
  });
  assert.deepEqual(value.largest, [{ path: forked, entryId: "00000002", line: 3, bytes: bytes(forkedLines[2]!) }]);
  const { stdout } = await run("size");
  assert.match(stdout, /^What +Entries +Bytes +Share\nmessage assistant +2 /);
  assert.match(stdout, /\nTotal +7 /);
  assert.match(stdout, /\n\nBytes +Line +Entry +File\n/);
});

test("check names damage by line, exits with 1 for it, and with 0 without", async () => {
  const { exitCode, stdout, stderr } = await run("check");
  const torn = jsonl(...forkedLines).length;
  assert.equal(exitCode, 1);
  assert.match(stdout, new RegExp(`^${forked}\n  line 8, byte ${torn}: damage torn-tail: .*\n$`));
  assert.match(stderr, /^warning: skipped 1 file .*\n1 damaged, 0 oddities in 1 file\n$/);
  const clean = await run(`check ${named}`);
  assert.deepEqual(clean, { exitCode: 0, stdout: "", stderr: "no damage and no oddities\n" });
});

test("check gives files with findings as JSON", async () => {
  const { exitCode, value } = await json("check aaaa");
  assert.equal(exitCode, 1);
  assert.equal(value.files.length, 1);
  const [{ path, findings }] = value.files;
  assert.equal(path, forked);
  assert.deepEqual(Object.keys(findings[0]).sort(), ["byteOffset", "code", "line", "message", "severity"]);
  assert.deepEqual((await json(`check ${named}`)).value, { files: [] });
});

test("a session argument that fits none or several fails with 1", async () => {
  const none = await run("show cccc");
  assert.equal(none.exitCode, 1);
  assert.match(none.stderr, /^error: .*"cccc"/);
  writeFileSync(join(store, "again.jsonl"), jsonl(...forkedLines));
  const several = await run("show aaaa");
  assert.equal(several.exitCode, 1);
  assert.match(several.stderr, new RegExp(`^error: .*2 files fit\n  ${forked}\n  ${join(store, "again.jsonl")}\n$`));
  assert.equal((await run("show")).exitCode, 2);
});
