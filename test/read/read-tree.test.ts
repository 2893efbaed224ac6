import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { readTree, type TreeNode } from "../../src/read/read-tree.js";
import { damagedFile, sessionFile } from "../helpers/arbitraries.js";
import { assistant, at, entry, header, jsonl, type Line, toolResult, user } from "../helpers/entries.js";
import { fixture, scratchFolder } from "../helpers/files.js";
import { labelsPlainly, readPlainly, treePlainly } from "../helpers/plain-reader.js";
import { canCountOpenFiles, countOpenFiles, makeStore } from "../helpers/stores.js";

async function nodesOf(path: string): Promise<TreeNode[]> {
  const nodes: TreeNode[] = [];
  for await (const node of (await readTree(path)).nodes) nodes.push(node);
  return nodes;
}

const fileOf = (context: Parameters<typeof makeStore>[0], ...lines: Line[]): string =>
  join(makeStore(context, { "a.jsonl": jsonl(header(), ...lines) }), "a.jsonl");

test("readTree gives each entry as a flat node, in file order, with its links and labels", async (context) => {
  const path = fileOf(
    context,
    user("1", null, "root"),
    assistant("2", "1", "one"),
    user("3", "1", "two"),
    entry("label", "4", "3", { targetId: "2", label: "first try" }),
    entry("label", "5", "4", { targetId: "3", label: "gone" }),
    entry("label", "6", "5", { targetId: "3", label: "" }),
    { ...entry("custom", "", null, { customType: "x" }), id: undefined },
    { ...entry("weather", "7", "nowhere"), timestamp: 5 },
  );
  assert.deepEqual(await nodesOf(path), [
    { id: "1", parentId: null, childIds: ["2", "3"], type: "message", timestamp: at(1), role: "user", preview: "root" },
    {
      id: "2",
      parentId: "1",
      childIds: [],
      type: "message",
      timestamp: at(2),
      role: "assistant",
      preview: "one",
      label: "first try",
    },
    { id: "3", parentId: "1", childIds: ["4"], type: "message", timestamp: at(3), role: "user", preview: "two" },
    { id: "4", parentId: "3", childIds: ["5"], type: "label", timestamp: at(4), preview: "first try" },
    { id: "5", parentId: "4", childIds: ["6"], type: "label", timestamp: at(5), preview: "gone" },
    { id: "6", parentId: "5", childIds: [], type: "label", timestamp: at(6) },
    { id: "7", parentId: null, childIds: [], type: "weather" },
  ]);
});

test("readTree gives the index with the nodes, before they are read", async (context) => {
  const path = fileOf(
    context,
    user("1", null, "a"),
    user("2", null, "b"),
    entry("session_info", "3", "1", { name: "n" }),
  );
  const { index } = await readTree(path);
  assert.equal(index.leafId, "3");
  assert.deepEqual(
    index.roots.map(({ id }) => id),
    ["1", "2"],
  );
  assert.equal(index.name, "n");
});

test("readTree gives a node for each of several entries with one id", async (context) => {
  const path = fileOf(context, user("1", null, "a"), user("1", null, "b"), user("2", "1", "c"), user("1", "2", "d"));
  const nodes = await nodesOf(path);
  assert.deepEqual(
    nodes.map(({ id, parentId, childIds, preview }) => [id, parentId, childIds, preview]),
    [
      ["1", null, [], "a"],
      ["1", null, ["2"], "b"],
      ["2", "1", ["1"], "c"],
      ["1", "2", [], "d"],
    ],
  );
});

/** What a node shows of an entry. */
async function previewOf(context: Parameters<typeof makeStore>[0], line: Line): Promise<string | undefined> {
  const [node] = await nodesOf(fileOf(context, line));
  return node!.preview;
}

test("readTree shows what an entry says on one line", async (context) => {
  const call = (name: string): Line => ({ type: "toolCall", id: "c", name, arguments: {} });
  const text = (text: string): Line => ({ type: "text", text });
  const cases: [Line, string | undefined][] = [
    [user("1", null, "  a\n\n b\tc\r\n"), "a b c"],
    [user("1", null, [text("a\nb"), { type: "image" }, text("c")]), "a b c"],
    [user("1", null, " \n "), undefined],
    [user("1", null, null), undefined],
    [assistant("1", null, "", { content: [call("read"), call("bash")] }), "read, bash"],
    [assistant("1", null, "", { content: [text("done"), call("read")] }), "done"],
    [toolResult("1", null, "\u2028out\u00a0put"), "out put"],
    [entry("message", "1", null, { message: { role: "bashExecution", command: "ls -l", output: "x" } }), "ls -l"],
    [entry("compaction", "1", null, { summary: "what\nhappened" }), "what happened"],
    [entry("branch_summary", "1", null, { summary: "left", fromId: "root" }), "left"],
    [entry("session_info", "1", null, { name: "a name" }), "a name"],
    [entry("model_change", "1", null, { provider: "p", modelId: "m" }), "m"],
    [entry("thinking_level_change", "1", null, { thinkingLevel: "high" }), "high"],
    [entry("custom_message", "1", null, { content: "hook", customType: "x" }), "hook"],
    [entry("custom", "1", null, { customType: "x", data: "secret" }), undefined],
    [entry("message", "1", null, { message: "no object" }), undefined],
    [entry("compaction", "1", null, { summary: 5 }), undefined],
  ];
  for (const [line, preview] of cases) assert.equal(await previewOf(context, line), preview, JSON.stringify(line));
});

test("readTree cuts previews at 100 characters, none of them in half", async (context) => {
  const cut = (text: string): Promise<string | undefined> => previewOf(context, user("1", null, text));
  assert.equal(await cut("x".repeat(100)), "x".repeat(100));
  assert.equal(await cut("x".repeat(101)), `${"x".repeat(100)}…`);
  assert.equal(await cut("🐸".repeat(100)), "🐸".repeat(100));
  assert.equal(await cut("🐸".repeat(5000)), `${"🐸".repeat(100)}…`);
  assert.equal(await cut(`x${"🐸".repeat(5000)}`), `x${"🐸".repeat(99)}…`);
  assert.equal(await cut(" a\n".repeat(100)), `${"a ".repeat(50)}…`);
  assert.equal(await cut("y".repeat(3_000_000)), `${"y".repeat(100)}…`);
  // However much white space there is between the words.
  assert.equal(await cut(`a${" ".repeat(998)}🐸`), "a 🐸");
  assert.equal(await cut(`${"\n".repeat(5000)}a${" ".repeat(5000)}b`), "a b");
});

test("readTree makes a flat chain of 100,000 entries", async (context) => {
  const count = 100_000;
  const idOf = (number: number): string => number.toString(16).padStart(8, "0");
  const lines = Array.from({ length: count }, (_, number) =>
    jsonl(entry("custom", idOf(number), number === 0 ? null : idOf(number - 1), { customType: "link" })),
  );
  const path = join(makeStore(context, { "a.jsonl": Buffer.concat([jsonl(header()), ...lines]) }), "a.jsonl");
  const { index, nodes } = await readTree(path);
  assert.equal(index.branches.length, 1);
  let number = 0;
  for await (const { id, parentId, childIds } of nodes) {
    assert.equal(id, idOf(number));
    assert.equal(parentId, number === 0 ? null : idOf(number - 1));
    assert.equal(childIds.length, number === count - 1 ? 0 : 1);
    number++;
  }
  assert.equal(number, count);
});

test("readTree keeps to the entries that it indexed when the file grows meanwhile", async (context) => {
  const path = fileOf(context, user("1", null, "a"));
  const { nodes } = await readTree(path);
  writeFileSync(path, jsonl(user("2", "1", "b")), { flag: "a" });
  const ids: string[] = [];
  for await (const { id, childIds } of nodes) ids.push(id, ...childIds);
  assert.deepEqual(ids, ["1"]);
});

test("readTree fails for what is no session, and for what can't be read, and stops at its signal", async (context) => {
  const folder = makeStore(context, { "none.jsonl": "[]\n", "a.jsonl": jsonl(header(), user("1", null, "a")) });
  await assert.rejects(readTree(join(folder, "none.jsonl")), { code: "NOT_A_SESSION" });
  await assert.rejects(readTree(join(folder, "gone.jsonl")), { code: "ENOENT" });
  const reason = new Error("enough");
  await assert.rejects(readTree(join(folder, "a.jsonl"), { signal: AbortSignal.abort(reason) }), reason);
});

test("readTree closes its file, also when its nodes are left early", { skip: !canCountOpenFiles }, async (context) => {
  const path = fileOf(context, user("1", null, "a"), user("2", "1", "b"));
  const { nodes } = await readTree(path);
  assert.equal(countOpenFiles(join(path, "..")), 0);
  for await (const _ of nodes) break;
  // Streams close what they read from a moment after they were told to.
  for (let turn = 0; turn < 100 && countOpenFiles(join(path, "..")) > 0; turn++) await setTimeout(5);
  assert.equal(countOpenFiles(join(path, "..")), 0);
});

/** Holds the nodes of a file against the tree of the plain reader; ids that migration makes are told by their place. */
async function assertTreeRight(path: string): Promise<void> {
  const file = readPlainly(readFileSync(path));
  if (!file.isSession) return;
  const entries = file.entries.map(({ entry }) => entry);
  const plain = treePlainly(entries);
  const labels = labelsPlainly(entries);
  const nodes = await nodesOf(path);
  assert.equal(nodes.length, plain.length, path);
  const placeOf = new Map(plain.map((node, place) => [node, place]));
  for (const [place, node] of nodes.entries()) {
    const right = plain[place]!;
    const idOf = (other: typeof right): string => nodes[placeOf.get(other)!]!.id;
    assert.deepEqual(
      { parentId: node.parentId, childIds: node.childIds, type: node.type, label: node.label },
      {
        parentId: right.parent && idOf(right.parent),
        childIds: right.children.map(idOf),
        type: right.entry.type,
        label: labels.get(right.id),
      },
      `node ${place} of ${path}`,
    );
    if (file.version > 1) assert.equal(node.id, right.id);
    assert.ok(node.preview === undefined || !/[\n\r]/.test(node.preview), "a preview is one line");
  }
}

test("readTree agrees with the plain reader on every trait", async () => {
  for (const name of readdirSync(fixture("traits"))) {
    if (name.endsWith(".jsonl")) await assertTreeRight(fixture("traits", name));
  }
});

test("readTree agrees with the plain reader on any session, whole or damaged, however its links are tangled", async (context) => {
  const path = join(scratchFolder(context), "session.jsonl");
  const files = fc.oneof(
    sessionFile({ maxEntries: 12 }),
    sessionFile({ maxEntries: 12, versions: [2, 3, 4], hostile: true }),
    damagedFile({ maxEntries: 12 }),
  );
  await fc.assert(
    fc.asyncProperty(files, async (bytes) => {
      writeFileSync(path, bytes);
      await assertTreeRight(path);
    }),
    { numRuns: 70 },
  );
});
