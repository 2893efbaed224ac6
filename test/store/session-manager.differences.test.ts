/**
 * Where SessionManager does something else than pi's class on purpose, row by row as docs/session-manager.md lists it. What pi's class does is shown,
 * too, where it is installed.
 */
import assert from "node:assert/strict";
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { SessionManager } from "../../src/store/session-manager.js";
import { at, entry, header, jsonl, type Line, user } from "../helpers/entries.js";
import { scratchFolder } from "../helpers/files.js";
import { loadPeers, type SessionManagerClass } from "./peer.js";

const pi: SessionManagerClass | undefined = (await loadPeers()).find((peer) => !peer.isFirstGeneration)?.SessionManager;

function writeSession(context: TestContext, content: string | Buffer): string {
  const file = join(scratchFolder(context), "session.jsonl");
  writeFileSync(file, content);
  return file;
}

/** What either class makes of a copy of one file. */
function openBoth<T>(
  file: string,
  use: (session: SessionManager, file: string) => T,
): { ours: T; theirs: T | undefined } {
  const copies = ["ours", "theirs"].map((name) => `${file}.${name}.jsonl`);
  for (const copy of copies) copyFileSync(file, copy);
  const [ours, theirs] = copies as [string, string];
  return { ours: use(SessionManager.open(ours), ours), theirs: pi && use(pi.open(theirs), theirs) };
}

const idsOf = (session: SessionManager): string[] => session.getEntries().map(({ id }) => id);
const { version: _, ...oldHeader } = header();
const oldTalk = (content: string): Line => ({ type: "message", timestamp: at(1), message: { role: "user", content } });

test("SessionManager recovers whole entries from damaged lines", (context) => {
  const file = writeSession(
    context,
    `${jsonl(header(), user("0000000a", null, ""))}{"type":"mess${jsonl(user("0000000b", "0000000a", ""))}`,
  );
  const { ours, theirs } = openBoth(file, idsOf);
  assert.deepEqual(ours, ["0000000a", "0000000b"]);
  if (theirs) assert.deepEqual(theirs, ["0000000a"]);
});

test("SessionManager finds the header behind records that other programs put before it", (context) => {
  const file = writeSession(context, jsonl({ type: "lock", owner: "fork" }, header(), user("0000000a", null, "")));
  assert.deepEqual(idsOf(SessionManager.open(file)), ["0000000a"]);
  if (pi) assert.throws(() => pi.open(file), /not a valid pi session/);
});

test("SessionManager passes over a byte order mark", (context) => {
  const file = writeSession(context, `\ufeff${jsonl(header(), user("0000000a", null, ""))}`);
  assert.deepEqual(idsOf(SessionManager.open(file)), ["0000000a"]);
  if (pi) assert.throws(() => pi.open(file), /not a valid pi session/);
});

test("SessionManager reads links and settings of the wrong type as absent", (context) => {
  const lines = [
    user("0000000a", null, ""),
    entry("model_change", "0000000b", "0000000a", { provider: 7 }),
    entry("context_edit", "0000000c", "0000000b", { targetId: "0000000a", replacement: {} }),
  ];
  const { ours, theirs } = openBoth(writeSession(context, jsonl(header(), ...lines)), (session) => {
    const { model, messages } = session.buildSessionContext();
    return [model, (messages[0] as Line).content];
  });
  assert.deepEqual(ours, [null, ""]);
  if (pi) assert.deepEqual(theirs, [{ provider: 7, modelId: undefined }, undefined]);
});

test("SessionManager changes nothing on opening: no last newline", (context) => {
  const bytes = jsonl(header(), user("0000000a", null, "")).subarray(0, -1);
  const { ours, theirs } = openBoth(
    writeSession(context, bytes),
    (_, file) => readFileSync(file).length - bytes.length,
  );
  assert.equal(ours, 0);
  if (pi) assert.equal(theirs, 1);
});

test("SessionManager changes nothing on opening: an old version is written anew by the first append, its original kept", (context) => {
  const old = jsonl(oldHeader, oldTalk("hello"));
  const { ours, theirs } = openBoth(writeSession(context, old), (session, file) => {
    const opened = readFileSync(file).equals(old);
    session.appendMessage({ role: "user", content: "more" });
    return [opened, existsSync(`${file}.bak`) && readFileSync(`${file}.bak`).equals(old)];
  });
  assert.deepEqual(ours, [true, true]);
  if (pi) assert.deepEqual(theirs, [false, false]);
});

test("SessionManager gives the entries of an old version the same ids each time", (context) => {
  const file = writeSession(context, jsonl(oldHeader, oldTalk("a"), oldTalk("b")));
  assert.deepEqual(idsOf(SessionManager.open(file)), idsOf(SessionManager.open(file)));
});

test("SessionManager knows retainedTail", (context) => {
  const compaction = entry("compaction", "0000000b", "0000000a", {
    summary: "so far",
    tokensBefore: 1,
    retainedTail: [{ role: "user", content: "kept" }],
  });
  const file = writeSession(context, jsonl(header(), user("0000000a", null, "hello"), compaction));
  const { ours, theirs } = openBoth(file, (session) => session.buildSessionContext().messages.map(({ role }) => role));
  assert.deepEqual(ours, ["compactionSummary", "user"]);
  if (pi) assert.deepEqual(theirs, ["compactionSummary"]);
});

test("SessionManager ends on rings, and shows them", (context) => {
  const file = writeSession(
    context,
    jsonl(header(), user("0000000a", "0000000b", ""), user("0000000b", "0000000a", "")),
  );
  const session = SessionManager.open(file);
  assert.deepEqual(
    session.getBranch().map(({ id }) => id),
    ["0000000a", "0000000b"],
  );
  assert.equal(session.getTree()[0]?.children[0]?.entry.id, "0000000b");
  if (pi) assert.deepEqual(pi.open(file).getTree(), []); // And its getBranch() never returns.
});

test("SessionManager does not count an entry among its own children", (context) => {
  const file = writeSession(context, jsonl(header(), user("0000000a", "0000000a", "")));
  const { ours, theirs } = openBoth(file, (session) => session.getChildren("0000000a").length);
  assert.equal(ours, 0);
  if (pi) assert.equal(theirs, 1);
});

test("SessionManager shows each of several entries with one id", (context) => {
  const file = writeSession(
    context,
    jsonl(
      header(),
      user("0000000a", null, "first"),
      user("0000000b", "0000000a", ""),
      user("0000000a", null, "second"),
    ),
  );
  const { ours, theirs } = openBoth(file, (session) => [
    session.getEntryCount(),
    ...session.getTree().map(({ children }) => children.length),
  ]);
  assert.deepEqual(ours, [3, 1, 0]);
  if (pi) assert.deepEqual(theirs, [2, 1, 1]); // The second one twice, and the first not at all.
});

test("SessionManager leaves entries without an id out of the tree, and never makes one the leaf", (context) => {
  const file = writeSession(context, jsonl(header(), user("0000000a", null, ""), { type: "custom", customType: "x" }));
  const session = SessionManager.open(file);
  assert.deepEqual([session.getLeafId(), session.getEntryCount(), session.getTree().length], ["0000000a", 2, 1]);
  if (pi) assert.equal(pi.open(file).getLeafId(), undefined);
});

test("SessionManager reads an entry again once it is not held any more: it is equal, but another object", (context) => {
  const file = writeSession(context, jsonl(header(), user("0000000a", null, "x"), user("0000000b", "0000000a", "y")));
  const session = SessionManager.open(file, undefined, undefined, { cacheBytes: 0 });
  const first = session.getEntry("0000000a");
  session.getEntry("0000000b");
  assert.notEqual(session.getEntry("0000000a"), first);
  assert.deepEqual(session.getEntry("0000000a"), first);
  const holding = SessionManager.open(file);
  assert.equal(holding.getEntry("0000000a"), holding.getEntries()[0]);
});

test("SessionManager.list reads allMessagesText when it is asked for", async (context) => {
  const file = writeSession(context, jsonl(header(), user("0000000a", null, "hello")));
  const [info] = await SessionManager.list("/home/u/proj", join(file, ".."));
  writeFileSync(file, jsonl(header(), user("0000000a", null, "changed"), user("0000000b", "0000000a", "since")));
  assert.equal(info!.firstMessage, "hello");
  assert.equal(info!.allMessagesText, "changed since");
  unlinkSync(file);
  assert.equal({ ...info! }.allMessagesText, "changed since");
});

test("SessionManager makes no folder by looking into it", async (context) => {
  const before = process.env.PI_CODING_AGENT_DIR;
  context.after(() => {
    if (before === undefined) delete process.env.PI_CODING_AGENT_DIR;
    else process.env.PI_CODING_AGENT_DIR = before;
  });
  const folder = scratchFolder(context);
  process.env.PI_CODING_AGENT_DIR = folder;
  assert.deepEqual(await SessionManager.list("/home/u"), []);
  assert.equal(SessionManager.findById("/home/u", "id"), undefined);
  assert.deepEqual(readdirSync(folder), []);
});

test("SessionManager does not make a file anew that was deleted under it", (context) => {
  const file = writeSession(context, jsonl(header(), user("0000000a", null, "")));
  const session = SessionManager.open(file);
  unlinkSync(file);
  assert.throws(() => session.appendMessage({ role: "user", content: "lost" }), { code: "ENOENT" });
  assert.equal(existsSync(file), false);
  if (!pi) return;
  writeFileSync(file, jsonl(header(), user("0000000a", null, "")));
  const theirs = pi.open(file);
  unlinkSync(file);
  theirs.appendMessage({ role: "user", content: "lost" });
  assert.throws(() => pi.open(file), /not a valid pi session/);
});

test("SessionManager.branchWithSummary leaves the leaf where it was when it fails", (context) => {
  const cyclic: { self?: unknown } = {};
  cyclic.self = cyclic;
  const file = writeSession(context, jsonl(header(), user("0000000a", null, ""), user("0000000b", "0000000a", "")));
  const { ours, theirs } = openBoth(file, (session) => {
    assert.throws(() => session.branchWithSummary("0000000a", "text", cyclic), TypeError);
    return session.getLeafId();
  });
  assert.equal(ours, "0000000b");
  if (pi) assert.equal(theirs, "0000000a");
});

test("SessionManager.setSessionFile stays with the session that it had when it fails", (context) => {
  const file = writeSession(context, jsonl(header(), user("0000000a", null, "")));
  const { ours, theirs } = openBoth(file, (session, path) => {
    writeFileSync(`${path}.other`, "no session\n");
    assert.throws(() => session.setSessionFile(`${path}.other`), /not a valid pi session/);
    return session.getSessionFile() === path;
  });
  assert.equal(ours, true);
  if (pi) assert.equal(theirs, false);
});

test("SessionManager.getSessionName is one line, whatever wrote it", (context) => {
  const named = entry("session_info", "0000000a", null, { name: " two\nlines " });
  const { ours, theirs } = openBoth(writeSession(context, jsonl(header(), named)), (session) =>
    session.getSessionName(),
  );
  assert.equal(ours, "two lines");
  if (pi) assert.equal(theirs, "two\nlines");
});

test("SessionManager.createBranchedSession sets labels anew in the order in which they were last set", (context) => {
  const file = writeSession(context, jsonl(header(), user("0000000a", null, ""), user("0000000b", "0000000a", "")));
  const { ours, theirs } = openBoth(file, (session) => {
    session.appendLabelChange("0000000a", "one");
    session.appendLabelChange("0000000b", "two");
    session.appendLabelChange("0000000a", "three");
    session.createBranchedSession("0000000b");
    return session.getEntries().flatMap(({ type, ...rest }) => (type === "label" ? [(rest as Line).label] : []));
  });
  assert.deepEqual(ours, ["two", "three"]);
  if (pi) assert.deepEqual(theirs, ["three", "two"]);
});

test("SessionManager.createBranchedSession copies entries byte for byte", (context) => {
  const spaced = `{"type": "custom", "customType": "x", "id": "0000000b", "parentId": "0000000a", "timestamp": "${at(1)}", "data": 1.0}`;
  const file = writeSession(context, `${jsonl(header(), user("0000000a", null, ""))}${spaced}\n`);
  const { ours, theirs } = openBoth(file, (session) =>
    readFileSync(session.createBranchedSession("0000000b")!, "utf8").includes(spaced),
  );
  assert.equal(ours, true);
  if (pi) assert.equal(theirs, false);
});

test("SessionManager.forkFrom migrates the entries of an old version, and leaves the source alone", (context) => {
  const bytes = jsonl(oldHeader, oldTalk("hello")).subarray(0, -1);
  const file = writeSession(context, bytes);
  const ours = SessionManager.forkFrom(file, "/home/u", join(file, "..", "ours"));
  assert.match(idsOf(ours)[0]!, /^[0-9a-f]{8}$/);
  assert.deepEqual(readFileSync(file), bytes);
  if (!pi) return;
  const theirs = pi.forkFrom(file, "/home/u", join(file, "..", "theirs"));
  assert.equal(idsOf(theirs)[0], undefined);
  assert.equal(statSync(file).size, bytes.length + 1);
});
