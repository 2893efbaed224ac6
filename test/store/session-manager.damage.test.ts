/** Sessions of any kind and in any state: each can be looked at, gone on with, forked and branched, and nothing of it is lost. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { CURRENT_SESSION_VERSION, headerVersion } from "../../src/format/header.js";
import { SessionManager } from "../../src/store/session-manager.js";
import { damagedFile, sessionFile } from "../helpers/arbitraries.js";
import { scratchFolder } from "../helpers/files.js";
import { contextPlainly, readPlainly } from "../helpers/plain-reader.js";

const RUNS = Number(process.env.PI_SESSIONS_DAMAGE_RUNS ?? 150);

/** Files that are sessions, alone in a folder each. */
function checkSessions(
  context: TestContext,
  bytes: fc.Arbitrary<Buffer>,
  check: (session: SessionManager, file: string, bytes: Buffer) => void,
): void {
  const folder = scratchFolder(context);
  fc.assert(
    fc.property(bytes, fc.constantFrom(0, 1e6), (bytes, cacheBytes) => {
      const read = readPlainly(bytes);
      // An entry of type "session" is no header as long as it has no id; migrated, it has one.
      fc.pre(read.isSession && read.entries.every(({ entry }) => entry.type !== "session"));
      const own = mkdtempSync(join(folder, "run-"));
      const file = join(own, "session.jsonl");
      writeFileSync(file, bytes);
      check(SessionManager.open(file, undefined, undefined, { cacheBytes }), file, bytes);
      rmSync(own, { recursive: true });
    }),
    { numRuns: RUNS },
  );
}

/** A line that is rewritten loses numbers that JavaScript can't hold. */
const asWritten = (entries: unknown): unknown => JSON.parse(JSON.stringify(entries));

test("SessionManager gives the entries and the context that a plain reader finds", (context) => {
  checkSessions(context, sessionFile({ versions: [2, 3, 4] }), (session, _, bytes) => {
    const entries = readPlainly(bytes).entries.map(({ entry }) => entry);
    assert.deepEqual(session.getEntries(), entries);
    assert.equal(session.getEntryCount(), entries.length);
    if (session.getLeafId() === null) return;
    const { messages, thinkingLevel, model } = contextPlainly(entries, session.getLeafId()!);
    assert.deepEqual(session.buildSessionContext(), { messages, thinkingLevel, model });
    assert.deepEqual(session.buildSessionProjection().messages, messages);
  });
});

test("SessionManager answers whatever is asked of a damaged session of broken links", (context) => {
  checkSessions(context, damagedFile({ hostile: true }), (session, file, bytes) => {
    assert.equal(session.getEntries().length, session.getEntryCount());
    const seen = [];
    for (const queue = session.getTree(); queue.length > 0; ) {
      const { entry, children } = queue.pop()!;
      seen.push(entry);
      queue.push(...children);
    }
    assert.equal(seen.length, session.getEntries().filter(({ id }) => typeof id === "string" && id !== "").length);
    for (const { id } of seen) {
      assert.equal(session.getBranch(id).at(-1)?.id, id);
      session.getChildren(id);
    }
    session.buildContextEntries();
    session.getSessionName();
    assert.deepEqual(session.buildSessionProjection().messages, session.buildSessionContext().messages);
    assert.deepEqual(readFileSync(file), bytes);
  });
});

test("SessionManager goes on with a damaged session, and loses nothing that was in it", (context) => {
  checkSessions(context, damagedFile({ hostile: true }), (session, file, bytes) => {
    const before = asWritten(session.getEntries());
    const leafId = session.getLeafId();
    const added = [session.appendMessage({ role: "user", content: "one" }), session.appendSessionInfo("two")];
    assert.deepEqual(
      session
        .getBranch()
        .slice(-2)
        .map(({ id }) => id),
      added,
    );
    assert.equal(session.getEntry(added[0]!)?.parentId, leafId);
    const again = SessionManager.open(file);
    assert.deepEqual(asWritten(again.getEntries().slice(0, -2)), before);
    assert.deepEqual(again.getEntries(), session.getEntries());
    assert.equal(again.getLeafId(), added[1]);
    const isOld = headerVersion(readPlainly(bytes).header!.entry as never) < CURRENT_SESSION_VERSION;
    assert.deepEqual(readFileSync(isOld ? `${file}.bak` : file).subarray(0, bytes.length), bytes);
    assert.equal(readdirSync(join(file, "..")).length, isOld ? 2 : 1);
  });
});

test("SessionManager forks and branches a damaged session", (context) => {
  checkSessions(context, damagedFile({ hostile: true }), (session, file, bytes) => {
    const entries = session.getEntries();
    const fork = SessionManager.forkFrom(file, "/home/u", join(file, "..", "forks"));
    assert.deepEqual(asWritten(fork.getEntries()), asWritten(entries));
    const branch = session.getBranch().filter(({ type }) => type !== "label");
    if (session.getLeafId() !== null) {
      session.createBranchedSession(session.getLeafId()!);
      assert.deepEqual(
        session
          .getEntries()
          .slice(0, branch.length)
          .map(({ id, type }) => [id, type]),
        branch.map(({ id, type }) => [id, type]),
      );
    }
    assert.deepEqual(readFileSync(file), bytes);
  });
});
