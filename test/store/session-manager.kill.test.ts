/** Writers killed at random moments: whatever they said was appended is there, and what lies around is never half a session. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import pLimit from "p-limit";
import { SessionManager } from "../../src/store/session-manager.js";
import { header, jsonl, type Line, user } from "../helpers/entries.js";
import { projectRoot, scratchFolder } from "../helpers/files.js";

/** How many writers are killed in each of the three tests. */
const KILLS = Number(process.env.PI_SESSIONS_KILLS ?? 28);

const child = join(projectRoot, "build/test/store/children/append-forever.js");

interface Writer {
  file: string;
  /** The largest entry that it writes. */
  maxBytes: number;
  /** How many entries come between two branched sessions; 0 for none of these. */
  branchEvery: number;
  /** It is killed at a random moment up to this long after it was ready. */
  withinMs: number;
}

/** Runs a writer, kills it, and returns what it had said until then: what came without its newline was not said. */
async function runAndKill({ file, maxBytes, branchEvery, withinMs }: Writer): Promise<string[]> {
  const writer = spawn(process.execPath, [child, file, String(maxBytes), String(branchEvery)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  for await (const chunk of writer.stdout) {
    if (said === "") setTimeout(() => writer.kill("SIGKILL"), Math.random() * withinMs);
    said += String(chunk);
  }
  assert.match(said, /^ready\n/, "the writer did not begin");
  return said.split("\n").slice(1, -1);
}

/** How long a writer takes from being ready until it has said a word that begins with `mark`, in ms: what a kill is to fall into. */
async function timeUntil(mark: string, writer: Omit<Writer, "withinMs">): Promise<number> {
  const { file, maxBytes, branchEvery } = writer;
  const running = spawn(process.execPath, [child, file, String(maxBytes), String(branchEvery)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  let start = 0;
  for await (const chunk of running.stdout) {
    start ||= performance.now();
    said += String(chunk);
    if (said.includes(`\n${mark}`)) break;
  }
  running.kill("SIGKILL");
  return performance.now() - start;
}

/** Runs writers one after another on each file, two files at a time. Returns what was said, by file. */
async function killWriters(
  files: readonly string[],
  each: number,
  use: (file: string, run: number) => Writer,
): Promise<Map<string, string[]>> {
  const said = new Map<string, string[]>();
  const limit = pLimit(2);
  const killAll = async (file: string): Promise<void> => {
    const words: string[] = [];
    for (let run = 0; run < each; run++) words.push(...(await runAndKill(use(file, run))));
    said.set(file, words);
  };
  await Promise.all(files.map((file) => limit(killAll, file)));
  return said;
}

function assertAllThere(file: string, words: readonly string[]): void {
  const session = SessionManager.open(file);
  for (const word of words) {
    if (word.startsWith("+")) assert.ok(session.getEntry(word.slice(1)), `${word} is lost`);
  }
  // Each writer goes on from the last entry, so that all of them are one line of descent.
  assert.equal(session.getBranch().length, session.getEntryCount());
}

test("SessionManager: every entry whose append returned survives kill -9", async (context) => {
  const folder = scratchFolder(context);
  const files = Array.from({ length: 7 }, (_, number) => join(folder, `${number}.jsonl`));
  // Large entries are those that a kill can tear.
  const said = await killWriters(files, KILLS / 7, (file, run) => ({
    file,
    maxBytes: run % 2 ? 3_000_000 : 300,
    branchEvery: 0,
    withinMs: 25,
  }));
  for (const [file, words] of said) assertAllThere(file, words);
  const acknowledged = [...said.values()].flat().length;
  assert.ok(acknowledged > 0);
  context.diagnostic(`${KILLS} kills, ${acknowledged} acknowledged entries, all there`);
});

test("SessionManager: a session is whole whenever its migration is killed", async (context) => {
  const folder = scratchFolder(context);
  const { version: _, ...first } = header();
  const lines = Array.from({ length: 3000 }, (_, number) => ({
    type: "message",
    timestamp: first.timestamp,
    message: { role: "user", content: `${number}${"x".repeat(500)}` },
  }));
  const files = Array.from({ length: KILLS }, (_, number) => join(folder, `${number}.jsonl`));
  for (const file of files) writeFileSync(file, jsonl(first, ...lines));
  const trial = join(folder, "trial.jsonl");
  writeFileSync(trial, jsonl(first, ...lines));
  const writer = { maxBytes: 300, branchEvery: 0 };
  const migrationMs = await timeUntil("+", { file: trial, ...writer });
  const said = await killWriters(files, 1, (file) => ({ file, ...writer, withinMs: 2 * migrationMs }));
  for (const [file, words] of said) {
    const session = SessionManager.open(file);
    assert.ok(session.getEntryCount() >= lines.length + words.length);
    for (const [place, entry] of session.getEntries().slice(0, lines.length).entries()) {
      assert.deepEqual((entry as unknown as Line).message, lines[place]!.message);
    }
    assertAllThere(file, words);
  }
  const migrated = [...said.values()].filter((words) => words.length > 0).length;
  context.diagnostic(`${KILLS} kills, ${migrated} of them after the migration`);
});

test("SessionManager: a branched session is there whole or not at all when its writer is killed", async (context) => {
  const folder = scratchFolder(context);
  const files = Array.from({ length: 7 }, (_, number) => join(folder, `${number}.jsonl`));
  const start = jsonl(header(), ...Array.from({ length: 50 }, (_, number) => longUser(number)));
  for (const file of files) writeFileSync(file, start);
  const trial = join(scratchFolder(context), "trial.jsonl");
  writeFileSync(trial, start);
  const writer = { maxBytes: 30_000, branchEvery: 2 };
  const branchMs = await timeUntil("=", { file: trial, ...writer });
  const said = await killWriters(files, KILLS / 7, (file) => ({ file, ...writer, withinMs: 3 * branchMs }));
  for (const [file, words] of said) assertAllThere(file, words);
  const sessions = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  for (const word of [...said.values()].flat()) {
    if (word.startsWith("=")) assert.ok(sessions.includes(basename(word)), `${word} is lost`);
  }
  for (const name of sessions) {
    const session = SessionManager.open(join(folder, name));
    assert.ok(session.getEntryCount() >= 50);
    assert.equal(session.getBranch().length, session.getEntryCount());
  }
  context.diagnostic(`${KILLS} kills, ${sessions.length - files.length} branched sessions, all whole`);
});

function longUser(number: number): Line {
  const parentId = number === 0 ? null : (0xa0000000 + number - 1).toString(16);
  return user((0xa0000000 + number).toString(16), parentId, "y".repeat(20_000));
}
