import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type TestContext, test } from "node:test";
import { SessionFormatError } from "../../src/errors.js";
import type { SessionEntry } from "../../src/format/entry.js";
import type { SessionHeader } from "../../src/format/header.js";
import { SessionManager } from "../../src/store/session-manager.js";
import { assistant, at, entry, header, jsonl, type Line, START, usage, user } from "../helpers/entries.js";
import { fixture, scratchFolder } from "../helpers/files.js";

const linesOf = (file: string): Line[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

const say = (session: SessionManager, content = "hello"): string => session.appendMessage({ role: "user", content });

/** The default folders lie in a scratch folder for the length of a test. */
function useAgentFolder(context: TestContext): string {
  const before = process.env.PI_CODING_AGENT_DIR;
  context.after(() => {
    if (before === undefined) delete process.env.PI_CODING_AGENT_DIR;
    else process.env.PI_CODING_AGENT_DIR = before;
  });
  return (process.env.PI_CODING_AGENT_DIR = scratchFolder(context));
}

test("SessionManager.create makes the file at the first user or assistant message, with all that came before", (context) => {
  const folder = join(scratchFolder(context), "sessions");
  const session = SessionManager.create("/home/u", folder, { id: "my-id", parentSession: "/parent.jsonl" });
  const file = session.getSessionFile()!;
  assert.match(basename(file), /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z_my-id\.jsonl$/);
  session.appendModelChange("anthropic", "large");
  session.appendMessage({ role: "system", content: "Be brief." });
  session.appendCustomEntry("extension", { a: 1 });
  assert.deepEqual(readdirSync(folder), []);
  say(session);
  const lines = linesOf(file);
  assert.deepEqual(
    lines.map(({ type }) => type),
    ["session", "model_change", "message", "custom", "message"],
  );
  assert.deepEqual(lines[0], {
    type: "session",
    version: 3,
    id: "my-id",
    timestamp: lines[0]!.timestamp,
    cwd: "/home/u",
    parentSession: "/parent.jsonl",
  });
  assert.deepEqual(lines.slice(1), session.getEntries() as unknown as Line[]);
});

test("SessionManager writes each entry with its keys in pi's order", (context) => {
  const session = SessionManager.create("/home/u", scratchFolder(context));
  const first = say(session);
  session.appendThinkingLevelChange("high");
  session.appendUsage("cache_warm", "anthropic", "large", usage(1), "");
  session.appendUsage("cache_warm", "anthropic", "large", usage(1), "note");
  session.appendCompaction("sum", first, 9, { d: 1 }, true, usage(2));
  const nothing = session.appendCompaction("sum", null, 9);
  session.appendCustomEntry("x");
  session.appendSessionInfo(" two\r\n\nlines ");
  session.appendCustomMessageEntry("x", "text", true);
  session.appendLabelChange(first, "here");
  session.appendLabelChange(first, undefined);
  session.branchWithSummary(null, "left");
  const links = ["id", "parentId", "timestamp"];
  assert.deepEqual(
    linesOf(session.getSessionFile()!)
      .slice(1)
      .map((line) => Object.keys(line)),
    [
      ["type", ...links, "message"],
      ["type", ...links, "thinkingLevel"],
      ["type", ...links, "kind", "provider", "model", "usage"],
      ["type", ...links, "kind", "provider", "model", "usage", "note"],
      ["type", ...links, "summary", "firstKeptEntryId", "tokensBefore", "details", "usage", "fromHook"],
      ["type", ...links, "summary", "firstKeptEntryId", "tokensBefore"],
      ["type", "customType", ...links],
      ["type", ...links, "name"],
      ["type", "customType", "content", "display", ...links],
      ["type", ...links, "targetId", "label"],
      ["type", ...links, "targetId"],
      ["type", ...links, "fromId", "summary"],
    ],
  );
  assert.equal((session.getEntry(nothing) as unknown as Line).firstKeptEntryId, nothing);
  assert.equal(session.getSessionName(), "two lines");
});

test("SessionManager.appendCompaction stores the replay of the context's system messages", () => {
  const session = SessionManager.inMemory();
  session.appendMessage({ role: "system", content: "One", sections: { a: "1" }, timestamp: 5 });
  say(session);
  session.appendMessage({ role: "system", content: "Two", sections: { a: null, b: "2" }, timestamp: 6 });
  const first = session.getEntry(session.appendCompaction("sum", null, 9))! as unknown as Line;
  assert.deepEqual(first.systemMessage, {
    role: "system",
    content: "One\n\nTwo",
    sections: { b: "2" },
    timestamp: Date.parse(first.timestamp as string),
  });
  session.appendMessage({ role: "system", content: "Three", timestamp: 7 });
  const second = session.getEntry(session.appendCompaction("sum", null, 9))! as unknown as Line;
  assert.equal((second.systemMessage as Line).content, "One\n\nTwo\n\nThree");
  assert.equal(session.buildSessionContext().messages[0], second.systemMessage);
});

test("SessionManager.appendContextEdit takes what gives content on the current branch only", () => {
  const session = SessionManager.inMemory();
  const asked = say(session);
  const answered = session.appendMessage({ role: "assistant", content: [] });
  const model = session.appendModelChange("a", "b");
  const custom = session.appendMessage({ role: "custom", customType: "x", content: "", display: true });
  const edit = session.appendContextEdit(answered, { content: "text" });
  assert.deepEqual((session.getEntry(edit) as unknown as Line).replacement, {
    content: [{ type: "text", text: "text" }],
  });
  session.appendContextEdit(asked, { content: "other" });
  assert.deepEqual(
    session.buildSessionContext().messages.map((message) => (message as Line).content),
    ["other", [{ type: "text", text: "text" }], ""],
  );
  for (const target of [model, custom]) {
    assert.throws(() => session.appendContextEdit(target, null), {
      message: `Entry ${target} does not contribute editable model content`,
    });
  }
  session.branch(asked);
  assert.throws(() => session.appendContextEdit(answered, null), {
    message: `Entry ${answered} is not on the active branch`,
  });
  assert.throws(() => session.appendContextEdit("none", null), { message: "Entry none not found" });
  for (const wrong of [undefined, "text", {}, { content: 7 }, 7]) {
    assert.throws(
      () => session.appendContextEdit(asked, wrong as never),
      /^Error: Context edit replacement must be null/,
    );
  }
});

test("SessionManager throws for entries that are not there", () => {
  const session = SessionManager.inMemory();
  const message = "Entry none not found";
  for (const call of [
    () => session.branch("none"),
    () => session.branchWithSummary("none", ""),
    () => session.appendLabelChange("none", "x"),
    () => session.createBranchedSession("none"),
  ]) {
    assert.throws(call, { message });
  }
  assert.equal(session.getEntry("none"), undefined);
  assert.deepEqual([session.getBranch("none"), session.getChildren("none"), session.getBranch("")], [[], [], []]);
  assert.deepEqual([session.getLeafId(), session.getLeafEntry(), session.getTree()], [null, undefined, []]);
});

test("SessionManager.getTree has roots in file order, children by time, and labels with their times", (context) => {
  const file = join(scratchFolder(context), "session.jsonl");
  const lines = [
    user("00000001", null, ""),
    { ...user("00000005", "00000001", ""), timestamp: at(50) },
    { ...user("00000003", "00000001", ""), timestamp: at(30) },
    user("00000004", "gone", ""),
    entry("label", "00000006", "00000004", { targetId: "00000003", label: "here" }),
  ];
  writeFileSync(file, jsonl(header(), ...lines));
  const session = SessionManager.open(file);
  const [first, orphan] = session.getTree();
  assert.deepEqual(
    first!.children.map(({ entry: { id }, label, labelTimestamp }) => [id, label, labelTimestamp]),
    [
      ["00000003", "here", at(6)],
      ["00000005", undefined, undefined],
    ],
  );
  assert.equal(orphan!.entry.id, "00000004");
  assert.deepEqual(
    session.getChildren("gone").map(({ id }) => id),
    ["00000004"],
  );
});

test("SessionManager.inMemory takes entries that are held elsewhere, with a header or without", () => {
  const entries = [user("0000000a", null, "x"), user("0000000b", "0000000a", "y")] as unknown as SessionEntry[];
  const plain = SessionManager.inMemory("/home/u", { id: "my-id" }, entries);
  assert.deepEqual(
    [plain.getSessionId(), plain.getLeafId(), plain.getEntry("0000000a")],
    ["my-id", "0000000b", entries[0]],
  );
  const { version: _, ...old } = header();
  const stored = [old, { type: "message", timestamp: at(1), message: { role: "user", content: "x" } }] as unknown as (
    | SessionHeader
    | SessionEntry
  )[];
  const migrated = SessionManager.inMemory("/home/u", { id: "not-this" }, stored);
  assert.equal(migrated.getSessionId(), header().id);
  assert.equal(migrated.getHeader()?.version, 3);
  assert.match(migrated.getLeafId()!, /^[0-9a-f]{8}$/);
  assert.deepEqual(
    [migrated.isPersisted(), migrated.getSessionFile(), migrated.getSessionDir()],
    [false, undefined, ""],
  );
  assert.equal(migrated.createBranchedSession(migrated.getLeafId()!), undefined);
  assert.notEqual(migrated.getSessionId(), header().id);
});

test("SessionManager.setSessionFile of a manager in memory takes the entries in, and writes nothing", (context) => {
  const folder = scratchFolder(context);
  const file = join(folder, "session.jsonl");
  const bytes = jsonl(header({ version: 2 }), user("0000000a", null, "x"));
  writeFileSync(file, bytes);
  writeFileSync(join(folder, "empty.jsonl"), "");
  const session = SessionManager.inMemory();
  session.setSessionFile(file);
  say(session);
  assert.deepEqual([session.getSessionFile(), session.getEntryCount()], [file, 2]);
  session.createBranchedSession(session.getLeafId()!);
  assert.equal(session.getHeader()?.parentSession, undefined);
  session.setSessionFile(join(folder, "empty.jsonl"));
  session.setSessionFile(join(folder, "missing.jsonl"));
  say(session);
  assert.deepEqual(readdirSync(folder).sort(), ["empty.jsonl", "session.jsonl"]);
  assert.deepEqual(readFileSync(file), bytes);
  assert.equal(readFileSync(join(folder, "empty.jsonl")).length, 0);
});

test("SessionManager.open takes the working directory from the argument, else from the header, else from the process", (context) => {
  const folder = scratchFolder(context);
  const write = (name: string, ...lines: Line[]): string => {
    writeFileSync(join(folder, name), jsonl(...lines));
    return join(folder, name);
  };
  const named = write("named.jsonl", header({ cwd: "/home/u/named" }));
  assert.equal(SessionManager.open(named).getCwd(), "/home/u/named");
  assert.equal(SessionManager.open(named, undefined, "/other").getCwd(), "/other");
  assert.equal(SessionManager.open(write("odd.jsonl", header({ cwd: 7 }))).getCwd(), process.cwd());
  assert.equal(SessionManager.open(named).getSessionDir(), folder);
  assert.equal(SessionManager.open(named, join(folder, "new")).getSessionDir(), join(folder, "new"));
  assert.ok(existsSync(join(folder, "new")));
});

test("SessionManager.open keeps the name of a file that is not there yet, and makes an empty one a session", (context) => {
  const folder = scratchFolder(context);
  const later = SessionManager.open(join(folder, "later.jsonl"));
  assert.equal(later.getSessionFile(), join(folder, "later.jsonl"));
  assert.equal(existsSync(join(folder, "later.jsonl")), false);
  say(later);
  assert.equal(linesOf(join(folder, "later.jsonl")).length, 2);
  writeFileSync(join(folder, "empty.jsonl"), "");
  const empty = SessionManager.open(join(folder, "empty.jsonl"), undefined, "/home/u");
  assert.deepEqual(linesOf(join(folder, "empty.jsonl")), [empty.getHeader() as unknown as Line]);
  assert.equal(empty.getHeader()?.cwd, "/home/u");
});

test("SessionManager.open refuses a file that is no session, and leaves it alone", (context) => {
  const file = join(scratchFolder(context), "notes.jsonl");
  for (const content of ["\n", "hello\n", jsonl(user("0000000a", null, "")).toString()]) {
    writeFileSync(file, content);
    assert.throws(
      () => SessionManager.open(file),
      (error: unknown) =>
        error instanceof SessionFormatError &&
        error.code === "NOT_A_SESSION" &&
        error.message === `Session file is not a valid pi session: ${file}`,
    );
    assert.equal(readFileSync(file, "utf8"), content);
  }
});

test("SessionManager.continueRecent opens the session changed last; in a custom folder, of its working directory", (context) => {
  const agent = useAgentFolder(context);
  const own = join(agent, "sessions", "--home-u--");
  mkdirSync(own, { recursive: true });
  const write = (folder: string, name: string, cwd: string, seconds: number): string => {
    const file = join(folder, name);
    writeFileSync(file, jsonl(header({ id: name, cwd }), user("0000000a", null, "")));
    utimesSync(file, START / 1000, START / 1000 + seconds);
    return file;
  };
  const expected = write(own, "b.jsonl", "/elsewhere", 20);
  write(own, "a.jsonl", "/home/u", 10);
  writeFileSync(join(own, "c.jsonl"), "no session");
  assert.equal(SessionManager.continueRecent("/home/u").getSessionFile(), expected);
  assert.equal(SessionManager.continueRecent("/home/u").getCwd(), "/home/u");
  const custom = scratchFolder(context);
  write(custom, "b.jsonl", "/elsewhere", 20);
  const ofCwd = write(custom, "a.jsonl", "/home/u", 10);
  assert.equal(SessionManager.continueRecent("/home/u", custom).getSessionFile(), ofCwd);
  const fresh = SessionManager.continueRecent("/home/none", custom);
  assert.equal(fresh.getEntryCount(), 0);
  assert.equal(SessionManager.findById("/home/u", "a.jsonl", custom), ofCwd);
  assert.equal(SessionManager.findById("/home/u", "b.jsonl", custom), undefined);
  assert.equal(SessionManager.findById("/home/u", "b.jsonl"), expected);
  assert.ok(SessionManager.create("/home/u").usesDefaultSessionDir());
  assert.ok(!SessionManager.create("/home/u", custom).usesDefaultSessionDir());
});

test("SessionManager.forkFrom copies every entry as it is under a header of its own", (context) => {
  const folder = scratchFolder(context);
  const source = join(folder, "source.jsonl");
  const spaced = `{ "type":"custom","id":"0000000b","parentId":"0000000a","timestamp":"${at(2)}","customType":"x","data":1.0 }`;
  writeFileSync(source, `${jsonl(header(), user("0000000a", null, "x"))}not json\n${spaced}`);
  const fork = SessionManager.forkFrom(source, "/home/other", join(folder, "forks"), { id: "fork-id" });
  const [first, ...rest] = readFileSync(fork.getSessionFile()!, "utf8").trimEnd().split("\n");
  assert.deepEqual(rest, [JSON.stringify(user("0000000a", null, "x")), spaced]);
  const { timestamp, ...known } = JSON.parse(first!) as Line;
  assert.deepEqual(known, { type: "session", version: 3, id: "fork-id", cwd: "/home/other", parentSession: source });
  assert.ok(Date.parse(timestamp as string) > START);
  assert.equal(fork.getCwd(), "/home/other");
  writeFileSync(join(folder, "empty.jsonl"), "");
  for (const path of [join(folder, "empty.jsonl"), join(folder, "missing.jsonl"), fixture("README.md")]) {
    assert.throws(() => SessionManager.forkFrom(path, "/home/u", folder), /^Error: Cannot fork: /);
  }
  assert.throws(() => SessionManager.forkFrom(source, "/home/u", folder, { id: "-" }), /Session id must be/);
});

test("SessionManager.createBranchedSession re-links around labels and sets them anew", (context) => {
  const folder = scratchFolder(context);
  const file = join(folder, "session.jsonl");
  const lines = [
    user("00000001", null, "a"),
    entry("label", "00000002", "00000001", { targetId: "00000001", label: "here" }),
    assistant("00000003", "00000002", "b"),
    user("00000009", "00000003", "left out"),
    entry("compaction", "00000004", "00000003", { summary: "s", firstKeptEntryId: "00000002", tokensBefore: 1 }),
    entry("label", "00000005", "00000004", { targetId: "00000009", label: "left out, too" }),
  ];
  writeFileSync(file, jsonl(header(), ...lines));
  const session = SessionManager.open(file);
  const path = session.createBranchedSession("00000005")!;
  assert.equal(session.getSessionFile(), path);
  const [first, ...rest] = linesOf(path);
  assert.equal(first!.parentSession, file);
  const label = rest.at(-1)!;
  assert.deepEqual(rest, [
    lines[0],
    { ...lines[2], parentId: "00000001" },
    { ...lines[4], firstKeptEntryId: "00000003" },
    { type: "label", id: label.id, parentId: "00000004", timestamp: at(2), targetId: "00000001", label: "here" },
  ]);
  assert.equal(session.getLeafId(), label.id);
  assert.equal(session.getLabel("00000001"), "here");
  assert.deepEqual(readFileSync(file), jsonl(header(), ...lines));
});

test("SessionManager.list tells of a folder's sessions, newest first", async (context) => {
  const folder = scratchFolder(context);
  const write = (name: string, ...lines: Line[]): void => writeFileSync(join(folder, name), jsonl(...lines));
  write(
    "a.jsonl",
    header({ id: "a", parentSession: "/p.jsonl" }),
    user("00000001", null, [{ type: "text", text: "x" }, { type: "image" }, { type: "text", text: "y" }]),
    assistant("00000002", "00000001", "z"),
    entry("session_info", "00000003", "00000002", { name: " named " }),
  );
  write("b.jsonl", header({ id: "b", timestamp: at(1000) }));
  write("c.jsonl", header({ id: "c", cwd: "/elsewhere" }), user("00000001", null, "other"));
  writeFileSync(join(folder, "d.jsonl"), "no session");
  const seen: unknown[] = [];
  const infos = await SessionManager.list("/home/u/proj", folder, (loaded, total, partial) => {
    seen.push([loaded, total, partial?.every(({ cwd }) => cwd === "/home/u/proj")]);
  });
  assert.deepEqual(
    infos.map((info) => ({ ...info })),
    [
      {
        path: join(folder, "b.jsonl"),
        id: "b",
        cwd: "/home/u/proj",
        name: undefined,
        parentSessionPath: undefined,
        created: new Date(at(1000)),
        modified: new Date(at(1000)),
        messageCount: 0,
        firstMessage: "(no messages)",
        allMessagesText: "",
      },
      {
        path: join(folder, "a.jsonl"),
        id: "a",
        cwd: "/home/u/proj",
        name: "named",
        parentSessionPath: "/p.jsonl",
        created: new Date(at(0)),
        modified: new Date(at(2)),
        messageCount: 2,
        firstMessage: "x y",
        allMessagesText: "x y z",
      },
    ],
  );
  assert.deepEqual(seen, [
    [1, 4, true],
    [2, 4, undefined],
    [3, 4, undefined],
    [4, 4, true],
  ]);
  assert.equal((await SessionManager.listAll(folder)).length, 3);
  await assert.rejects(SessionManager.list("/x", folder, undefined, AbortSignal.abort(new Error("stop"))), /stop/);
  assert.deepEqual(await SessionManager.listAll(join(folder, "missing")), []);
});

test("SessionManager.listAll tells of all projects", async (context) => {
  const agent = useAgentFolder(context);
  assert.deepEqual(await SessionManager.listAll(), []);
  for (const name of ["one", "two"]) {
    const folder = join(agent, "sessions", `--${name}--`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "s.jsonl"), jsonl(header({ id: name, cwd: `/${name}` }), user("00000001", null, name)));
  }
  writeFileSync(join(agent, "sessions", "loose.jsonl"), jsonl(header()));
  const totals: unknown[] = [];
  const infos = await SessionManager.listAll((loaded, total) => totals.push([loaded, total]));
  assert.deepEqual(infos.map(({ id }) => id).sort(), ["one", "two"]);
  assert.deepEqual(totals, [
    [1, 2],
    [2, 2],
  ]);
  const abort = new AbortController();
  await assert.rejects(
    SessionManager.listAll(() => abort.abort(new Error("stop")), abort.signal),
    /stop/,
  );
});

test("SessionManager.newSession starts over, and checks the id first", (context) => {
  const session = SessionManager.create("/home/u", scratchFolder(context));
  say(session);
  const before = session.getSessionFile();
  assert.throws(() => session.newSession({ id: "not valid" }), /Session id must be/);
  assert.equal(session.getSessionFile(), before);
  assert.equal(session.getEntryCount(), 1);
  const path = session.newSession({ id: "valid", parentSession: "/p.jsonl" });
  assert.deepEqual([session.getSessionFile(), session.getSessionId(), session.getEntryCount()], [path, "valid", 0]);
  assert.equal(session.getHeader()?.parentSession, "/p.jsonl");
  assert.equal(SessionManager.inMemory().newSession(), undefined);
});

test("SessionManager with durable syncs, and appends the same", (context) => {
  const session = SessionManager.create("/home/u", scratchFolder(context), { durable: true });
  say(session);
  say(session, "more");
  assert.deepEqual(SessionManager.open(session.getSessionFile()!).getEntries(), session.getEntries());
});

test("SessionManager appends and looks up in a large session without reading it", (context) => {
  const file = join(scratchFolder(context), "session.jsonl");
  const lines = Array.from({ length: 20_000 }, (_, number) =>
    user((0x10000000 + number).toString(16), number ? (0x10000000 + number - 1).toString(16) : null, "x".repeat(500)),
  );
  writeFileSync(file, jsonl(header(), ...lines));
  const session = SessionManager.open(file);
  const before = process.hrtime.bigint();
  for (let count = 0; count < 200; count++) {
    const id = say(session);
    session.appendLabelChange(id, "x");
    session.getChildren(id);
    session.getEntry("10000001");
    session.getLabel(id);
    session.getSessionName();
  }
  // Reading the 12 MB each time would take some 10 ms for each of the 200 rounds.
  assert.ok(process.hrtime.bigint() - before < 1_000_000_000n);
});
