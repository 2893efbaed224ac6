import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { SessionFormatError } from "../../src/errors.js";
import type { Problem } from "../../src/format/problem.js";
import { checkSession } from "../../src/read/check-session.js";
import { anyBytes, damagedFile, sessionFile } from "../helpers/arbitraries.js";
import { assistant, entry, header, jsonl, type Line, user } from "../helpers/entries.js";
import { fixture, scratchFolder } from "../helpers/files.js";
import { odditiesPlainly, type PlainFile, readPlainly } from "../helpers/plain-reader.js";
import { canCountOpenFiles, countOpenFiles, makeStore } from "../helpers/stores.js";

const fileOf = (context: Parameters<typeof makeStore>[0], ...parts: (Line | string)[]): string => {
  const bytes = parts.map((part) => (typeof part === "string" ? Buffer.from(part) : jsonl(part)));
  return join(makeStore(context, { "a.jsonl": Buffer.concat(bytes) }), "a.jsonl");
};

/** Severity, code and line of each finding. */
const spots = (problems: Problem[]): string[] =>
  problems.map(({ severity, code, line }) => `${line} ${severity} ${code}`);

test("checkSession finds nothing in a sound session", async (context) => {
  const path = fileOf(context, header(), user("1", null, "a"), assistant("2", "1", "b"), user("3", "1", "c"));
  assert.deepEqual(await checkSession(path), []);
});

test("checkSession tells line, offset, severity and code of damage and oddities, in file order", async (context) => {
  const first = user("1", "gone", "a");
  const path = fileOf(
    context,
    "no json\n",
    header({ version: 4 }),
    first,
    "\0\0\0\n",
    "[1]\n",
    { ...user("1", "1", "b"), timestamp: "yesterday" },
    entry("label", "2", "1", { targetId: "nowhere", label: "x" }),
    `{"torn${JSON.stringify(user("3", "2", "c"))}\n`,
    assistant("4", "3", "d", { usage: { input: -1 } }),
    '{"type":"mess',
  );
  const problems = await checkSession(path);
  assert.deepEqual(spots(problems), [
    "1 damage broken-line",
    "2 oddity future-version",
    "3 oddity missing-parent",
    "4 damage nul-bytes",
    "5 damage not-an-entry",
    "6 oddity invalid-timestamp",
    "6 oddity duplicate-id",
    "6 oddity self-parent",
    "7 oddity missing-label-target",
    "8 damage broken-line",
    "9 oddity broken-usage",
    "10 damage torn-tail",
  ]);
  const lines = readFileSync(path, "utf8").split("\n");
  for (const { line, byteOffset, message } of problems) {
    assert.equal(byteOffset, Buffer.byteLength(`${lines.slice(0, line - 1).join("\n")}${line === 1 ? "" : "\n"}`));
    assert.ok(message !== "" && !message.includes("\n"), message);
  }
  assert.equal(problems[2]!.message, 'the parent "gone" does not exist: the entry is read as a root');
});

test("checkSession places the oddities of recovered entries where these begin", async (context) => {
  const entries = [user("1", "gone", "a"), user("1", null, "b")].map((line) => JSON.stringify(line)) as [
    string,
    string,
  ];
  const path = fileOf(context, header(), `${entries[0]}torn${entries[1]}\n`);
  const start = jsonl(header()).length;
  assert.deepEqual(
    (await checkSession(path)).map(({ code, byteOffset }) => [code, byteOffset - start]),
    [
      ["broken-line", 0],
      ["missing-parent", 0],
      ["duplicate-id", entries[0].length + 4],
    ],
  );
});

test("checkSession fails for what is no session, and for what can't be read, and stops at its signal", async (context) => {
  const folder = makeStore(context, { "empty.jsonl": "", "text.jsonl": "hello\n", "a.jsonl": jsonl(header()) });
  for (const name of ["empty.jsonl", "text.jsonl"]) {
    await assert.rejects(checkSession(join(folder, name)), { name: "SessionFormatError", code: "NOT_A_SESSION" });
  }
  await assert.rejects(checkSession(join(folder, "gone.jsonl")), { code: "ENOENT" });
  const reason = new Error("enough");
  await assert.rejects(checkSession(join(folder, "a.jsonl"), { signal: AbortSignal.abort(reason) }), reason);
  if (canCountOpenFiles) assert.equal(countOpenFiles(folder), 0);
});

/**
 * What the format leaves open: whether an entry that names its own id is its own parent where another has that id as well, and whether
 * what an entry without an id refers to can be missing.
 */
function openOddities({ entries }: PlainFile): (oddity: { line: number; code: string }) => boolean {
  const linesOf = (isMeant: (id: unknown) => boolean): Set<number> =>
    new Set(entries.filter(({ entry }) => isMeant(entry.id)).map(({ line }) => line));
  const ids = entries.map(({ entry }) => entry.id);
  const shared = linesOf((id) => ids.indexOf(id) !== ids.lastIndexOf(id));
  const without = linesOf((id) => typeof id !== "string" || id === "");
  const references = new Set(["missing-label-target", "missing-first-kept", "missing-edit-target"]);
  return ({ line, code }) =>
    (code === "self-parent" && shared.has(line)) || (references.has(code) && without.has(line));
}

/** Damage by line and offset and oddities by line, of either reader. */
async function assertFindingsRight(path: string): Promise<void> {
  const bytes = readFileSync(path);
  const plain = readPlainly(bytes);
  let problems: Problem[];
  try {
    problems = await checkSession(path);
  } catch (error) {
    assert.equal((error as SessionFormatError).code, "NOT_A_SESSION");
    assert.ok(!plain.isSession, `${path} is a session`);
    return;
  }
  assert.ok(plain.isSession, `${path} is no session`);
  assert.deepEqual(
    problems.filter(({ severity }) => severity === "damage").map(({ line, byteOffset }) => ({ line, byteOffset })),
    plain.damage,
    `damage of ${path}`,
  );
  const isOpen = openOddities(plain);
  const sorted = (found: readonly { line: number; code: string }[]): string[] =>
    found
      .filter((oddity) => !isOpen(oddity))
      .map(({ line, code }) => `${line} ${code}`)
      .sort();
  assert.deepEqual(
    sorted(problems.filter(({ severity }) => severity === "oddity")),
    sorted(odditiesPlainly(plain)),
    `oddities of ${path}`,
  );
  const offsets = problems.map(({ byteOffset }) => byteOffset);
  assert.deepEqual(
    offsets,
    offsets.toSorted((a, b) => a - b),
    `order of ${path}`,
  );
}

const fixtures = ["traits", "store"].flatMap((folder) =>
  readdirSync(fixture(folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => fixture(folder, name)),
);

test("checkSession agrees with the plain reader on every fixture, and changes none", async () => {
  const state = () =>
    fixtures.map((path) => {
      const { mtimeMs, size } = statSync(path);
      return [path, createHash("sha256").update(readFileSync(path)).digest("hex"), mtimeMs, size];
    });
  const folders = ["traits", "store"].map((folder) => readdirSync(fixture(folder), { recursive: true }));
  const before = state();
  for (const path of fixtures) await assertFindingsRight(path);
  assert.deepEqual(state(), before);
  assert.deepEqual(
    ["traits", "store"].map((folder) => readdirSync(fixture(folder), { recursive: true })),
    folders,
  );
});

test("checkSession agrees with the plain reader on any session, and on any damage to it", async (context) => {
  const path = join(scratchFolder(context), "session.jsonl");
  const files = fc.oneof(
    sessionFile({ maxEntries: 12 }),
    damagedFile({ maxEntries: 12 }),
    damagedFile({ maxEntries: 12, hostile: true }),
    anyBytes(),
  );
  await fc.assert(
    fc.asyncProperty(files, async (bytes) => {
      writeFileSync(path, bytes);
      await assertFindingsRight(path);
    }),
    { numRuns: 150 },
  );
});
