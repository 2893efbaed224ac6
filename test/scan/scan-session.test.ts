import assert from "node:assert/strict";
import { closeSync, openSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { SessionFormatError } from "../../src/errors.js";
import { BareEntry } from "../../src/format/bare-entry.js";
import type { SessionEntry } from "../../src/format/entry.js";
import { isMessageEntry } from "../../src/format/entry.js";
import type { SessionHeader } from "../../src/format/header.js";
import type { JsonObject } from "../../src/format/json.js";
import { formatIsoTime } from "../../src/format/time.js";
import type { Usage } from "../../src/format/usage.js";
import { scanner } from "../../src/read/json-scanner.js";
import { PlainTally } from "../../src/read/plain-tally.js";
import { type Call, modelName } from "../../src/report/call.js";
import { CallFingerprints, callIdentity } from "../../src/report/call-fingerprint.js";
import { KeptCalls, type KeptCallsParts, readKeptCalls } from "../../src/report/kept-calls.js";
import type { OnCall } from "../../src/report/session-calls.js";
import type { Session } from "../../src/report/session-summary.js";
import { type UsageParts, UsageSum } from "../../src/report/sum-usage.js";
import type { OpenSession } from "../../src/scan/open-session.js";
import {
  type CallTaker,
  type JoinedSession,
  joinSessionParts,
  type ScannedSession,
  type SessionPart,
  type SessionRange,
  scanSession,
  scanSessionPart,
} from "../../src/scan/scan-session.js";
import { formatHexId } from "../../src/tree/id-table.js";
import { LinkTally } from "../../src/tree/link-tally.js";
import { SessionIndex } from "../../src/tree/session-index.js";
import { damagedFile, sessionFile } from "../helpers/arbitraries.js";
import { assertAgrees } from "../helpers/assert-agrees.js";
import { assistant, entry, header, jsonl, type Line, START, toolResult, usage, user } from "../helpers/entries.js";
import { scratchFolder } from "../helpers/files.js";
import { callsPlainly, readPlainly, sessionPlainly } from "../helpers/plain-reader.js";
import { plainSession } from "../helpers/plain-sessions.js";
import { chooseCuts, hexSessionFile, lineStarts, rangesOf } from "../helpers/session-ranges.js";

/** What a scan told, calls in the order of their ordinals. */
interface Told {
  scanned: (JoinedSession & Partial<ScannedSession>) | undefined;
  header: SessionHeader | undefined;
  calls: ToldCall[];
  fingerprints: Int32Array;
  /** Those that were kept, where that was asked for. */
  kept: Call[] | undefined;
}

interface ToldCall {
  call: Call;
  /** What tells the entry that came with the call. */
  entry: Pick<SessionEntry, "type" | "id" | "timestamp"> & { message: { role: unknown; responseId: unknown } };
}

const byOrdinal = (a: ToldCall, b: ToldCall): number => a.call.ordinal - b.call.ordinal;
const naming = (entry: SessionEntry | BareEntry): ToldCall["entry"] => {
  if (entry instanceof BareEntry) {
    const { type, idBits, time, role, responseId } = entry;
    return { type, id: formatHexId(idBits), timestamp: formatIsoTime(time), message: { role, responseId } };
  }
  const { type, id, timestamp } = entry;
  const { role, responseId } = (isMessageEntry(entry) ? entry.message : {}) as JsonObject;
  return {
    type,
    id,
    timestamp,
    message: { role, responseId: typeof responseId === "string" ? responseId : undefined },
  };
};
function sumOf(parts: UsageParts): Usage {
  const sum = new UsageSum();
  sum.merge(parts);
  return sum.total();
}
/** Calls may be lent. */
const copying = (call: Call): Call => ({ ...call, usage: { ...call.usage } });

/** Opens files whose bytes a test makes; they are read into a buffer of `bufferBytes`, now one where lines need not be copied, now another. */
function fileOpener(folder: string): <T>(bytes: Buffer, bufferBytes: number, use: (file: OpenSession) => T) => T {
  const path = join(folder, "session.jsonl");
  return (bytes, bufferBytes, use) => {
    writeFileSync(path, bytes);
    const fd = openSync(path, "r");
    try {
      const mtimeMs = statSync(path).mtimeMs;
      return use({
        path,
        fd,
        sizeBytes: bytes.length,
        mtimeMs,
        buffer: bufferBytes % 2 === 0 ? Buffer.alloc(bufferBytes) : scanner.readBuffer().subarray(0, bufferBytes),
        onBytes() {},
      });
    } finally {
      closeSync(fd);
    }
  };
}

/** Scans a file; undefined for one that is no session. Without `wantsCalls` most of them are not told one by one. */
function scan(file: OpenSession, wantsIndex: boolean, wantsCalls = true, keeps = false): Told | undefined {
  const told: Told = {
    scanned: undefined,
    header: undefined,
    calls: [],
    fingerprints: new Int32Array(),
    kept: undefined,
  };
  let fingerprints = new CallFingerprints();
  let kept: KeptCalls | undefined;
  try {
    told.scanned = scanSession(file, {
      wantsSession: true,
      wantsIndex,
      begin(header) {
        told.header = header;
        told.calls = [];
        fingerprints = new CallFingerprints();
        const onCall: OnCall = (call, entry) => told.calls.push({ call: copying(call), entry: naming(entry) });
        kept = keeps ? new KeptCalls() : undefined;
        return { onCall: wantsCalls ? onCall : undefined, fingerprints, kept };
      },
    });
    told.fingerprints = fingerprints.finish();
    if (kept) told.kept = readAll(kept.parts());
  } catch (error) {
    if (error instanceof SessionFormatError) return undefined;
    throw error;
  }
  told.calls.sort(byOrdinal);
  return told;
}

function readAll(parts: KeptCallsParts): Call[] {
  const calls: Call[] = [];
  readKeptCalls(parts, parts.kindOf.keys(), (call) => calls.push(copying(call)));
  return calls;
}

/** The fingerprints of calls, made one by one from what was told of them. */
function fingerprintsOf(calls: readonly ToldCall[]): Int32Array {
  const fingerprints = new CallFingerprints();
  for (const { call, entry } of calls) fingerprints.add(call, callIdentity(entry as SessionEntry));
  return fingerprints.finish();
}

/** Costs may differ in their last digits: what a double can hold depends on the order of adding. */
function assertSameSession(actual: Session | undefined, expected: Session | undefined): void {
  assert.ok(actual && expected);
  assertAgrees(actual.usage, expected.usage, "usage");
  assert.deepEqual({ ...actual, usage: null }, { ...expected, usage: null });
}

const bufferSize = (): fc.Arbitrary<number> =>
  fc.oneof({ arbitrary: fc.constantFrom(1 << 16, (1 << 16) + 1), weight: 3 }, fc.integer({ min: 1, max: 300 }));

const anyFile = (options: Parameters<typeof sessionFile>[0] = {}): fc.Arbitrary<Buffer> =>
  fc.oneof(
    sessionFile({ maxEntries: 15, ...options }),
    sessionFile({ maxEntries: 15, hostile: true, ...options }),
    damagedFile({ maxEntries: 10, hostile: true, ...options }),
  );

test("scanSession takes plain lines in runs, whatever the version", (context) => {
  const withFile = fileOpener(scratchFolder(context));
  for (const version of [1, 2, 3]) {
    const links = (id: string, parentId: string | null): Line => (version === 1 ? {} : { id, parentId });
    const lines = [0, 1, 2, 3, 4, 5, 6].map((number) => {
      const id = `0000000${number}`;
      const whole = number === 0 ? user(id, null, "hi") : assistant(id, null, "ok", { usage: usage(number, 0, 1) });
      const { id: _, parentId: __, ...line } = whole;
      return { ...line, ...links(id, number === 0 ? null : `0000000${number - 1}`) };
    });
    withFile(jsonl(header({ version }), ...lines), (1 << 16) + 1, (file) => {
      let bare = 0;
      const scanned = scanSession(file, {
        wantsSession: true,
        wantsIndex: false,
        begin: () => ({
          onCall(_, entry) {
            if (entry instanceof BareEntry) bare++;
          },
        }),
      });
      assert.equal(bare, 6);
      assert.equal(scanned!.session!.usage.input, 21);
      assert.equal(scanned!.session!.entryCount, 7);
    });
  }
});

test("scanSession tells the same by tallies of links and by an index of them, whether or not calls are wanted one by one", (context) => {
  const withFile = fileOpener(scratchFolder(context));
  const ways = { PlainTally: 0, LinkTally: 0, SessionIndex: 0, none: 0 };
  const bytes = fc.oneof(
    { weight: 4, arbitrary: anyFile() },
    { weight: 1, arbitrary: hexSessionFile() },
    { weight: 1, arbitrary: plainSession() },
    { weight: 1, arbitrary: plainSession({ damaged: true }) },
  );
  fc.assert(
    fc.property(bytes, bufferSize(), fc.boolean(), fc.boolean(), (bytes, bufferBytes, wantsCalls, keeps) => {
      withFile(bytes, bufferBytes, (file) => {
        const short = scan(file, false, wantsCalls, keeps);
        const whole = scan(file, true);
        assert.equal(short === undefined, whole === undefined);
        if (!short || !whole) {
          ways.none++;
          return;
        }
        const { session, usage, index } = short.scanned!;
        const links = short.scanned!.links!;
        ways[links.constructor.name as keyof typeof ways]++;
        assert.equal(index === undefined, !(links instanceof SessionIndex));
        assert.ok(whole.scanned!.index instanceof SessionIndex && whole.scanned!.links === whole.scanned!.index);
        assertSameSession(session, whole.scanned!.session);
        if (wantsCalls) assert.deepEqual(short.calls, whole.calls);
        if (keeps) {
          assert.deepEqual(
            short.kept,
            whole.calls.map(({ call }) => ({ ...call, number: -1 })),
          );
        }
        assert.deepEqual(short.fingerprints, whole.fingerprints);
        assert.deepEqual(short.fingerprints, fingerprintsOf(whole.calls));
        assert.deepEqual(short.header, whole.header);
        assertAgrees(sumOf(usage), session!.usage, "usage");
        const { size } = whole.scanned!.index;
        for (let number = 0; number < size; number++) {
          assert.equal(links.parentOf(number), whole.scanned!.links.parentOf(number), `parent of ${number}`);
        }
      });
    }),
    { numRuns: 600 },
  );
  // Else the property would say little.
  assert.ok(ways.PlainTally > 60 && ways.LinkTally > 20 && ways.SessionIndex > 20, JSON.stringify(ways));
});

for (const [kind, file] of [
  ["whole", sessionFile({ maxEntries: 12, hostile: true })],
  ["damaged", damagedFile({ maxEntries: 8, hostile: true })],
  ["plain", plainSession()],
  ["plain but damaged", plainSession({ damaged: true })],
] as const) {
  test(`scanSession finds the calls of ${kind} sessions that the plain reader finds, in any order`, (context) => {
    const withFile = fileOpener(scratchFolder(context));
    fc.assert(
      fc.property(file, bufferSize(), fc.boolean(), (bytes, bufferBytes, wantsIndex) => {
        const plain = readPlainly(bytes);
        withFile(bytes, bufferBytes, (file) => {
          const told = scan(file, wantsIndex);
          assert.equal(told !== undefined, plain.isSession);
          if (!told) return;
          const { path, mtimeMs } = file;
          assertSameSession(told.scanned!.session, { path, ...sessionPlainly(plain, mtimeMs) });
          assert.deepEqual(
            told.calls.map(({ call }) => call.ordinal),
            [...told.calls.keys()],
          );
          assertAgrees(
            told.calls.map(({ call: { time, source, tool, provider, usage, ...model } }) => ({
              ...{ time: time ?? null, source, tool, provider, usage, model: modelName({ provider, ...model }) },
            })),
            callsPlainly(plain).map(({ time, source, tool, provider, model, usage }) => ({
              ...{ time, source, tool, provider, usage, model },
            })),
            "calls",
          );
        });
      }),
      { numRuns: kind.startsWith("plain") ? 300 : 60 },
    );
  });
}

test("scanSession gives entries with their numbers in the tree, and leaves a session unread that is not wanted", (context) => {
  const withFile = fileOpener(scratchFolder(context));
  const bytes = jsonl(header(), user("1", null, "x"), { type: "custom" }, user("2", "1", "y"), user("3", "9", "z"));
  withFile(bytes, 64, (file) => {
    const numbers: [unknown, number][] = [];
    const onEntry = ({ id }: SessionEntry, number: number): void => {
      numbers.push([id, number]);
    };
    for (const wantsIndex of [false, true]) {
      numbers.length = 0;
      scanSession(file, { wantsSession: true, wantsIndex, begin: () => ({}), onEntry });
      const right = [
        ["1", 0],
        [undefined, -1],
        ["2", 1],
        ["3", 2],
      ];
      assert.deepEqual(numbers, right);
      numbers.length = 0;
      assert.equal(scanSession(file, { wantsSession: true, wantsIndex, begin: () => undefined, onEntry }), undefined);
      assert.deepEqual(numbers, []);
    }
  });
});

test("scanSession reads a session once whose links point back, and once more when one does not", (context) => {
  const withFile = fileOpener(scratchFolder(context));
  const readings = (...lines: Line[]): number => {
    let begun = 0;
    withFile(jsonl(header(), ...lines), 1 << 16, (file) => {
      const begin = (): CallTaker => {
        begun++;
        return {};
      };
      scanSession(file, { wantsSession: true, wantsIndex: false, begin });
    });
    return begun;
  };
  const id = (digit: string): string => `0000000${digit}`;
  assert.equal(readings(user(id("1"), null, "x"), user(id("2"), id("1"), "y"), user(id("3"), id("9"), "z")), 1);
  // Ids of another kind.
  assert.equal(readings(user("1", null, "x"), user("2", "1", "y"), user("3", "missing", "z")), 2);
  for (const form of [id, (digit: string) => digit]) {
    assert.equal(readings(user(form("1"), form("2"), "x"), user(form("2"), null, "y")), 3);
    assert.equal(readings(user(form("1"), null, "x"), user(form("1"), null, "x")), 3);
    assert.equal(readings(user(form("1"), form("1"), "x")), 3);
  }
});

test("scanSession leaves a session to an index at a call whose id was there before, or was named before", (context) => {
  const withFile = fileOpener(scratchFolder(context));
  const first = assistant("00000001", "00000002", "x", { usage: usage(1, 0, 1) });
  for (const id of ["00000001", "00000002"]) {
    // A tool's call runs on the model in force at its parent.
    const tool = toolResult(id, "00000001", "x", { usage: usage(2, 0, 2), timestamp: START + 1 });
    withFile(jsonl(header(), first, { ...tool, timestamp: formatIsoTime(START + 5000) }), (1 << 16) + 1, (file) => {
      const told = scan(file, false)!;
      assert.ok(told.scanned!.links instanceof SessionIndex);
      assert.deepEqual(
        told.calls.map(({ call }) => [call.source, call.usage.input, modelName(call)]),
        [
          ["assistant", 1, "anthropic/claude-sonnet-4-5"],
          ["tool", 2, "anthropic/claude-sonnet-4-5"],
        ],
      );
    });
  }
});

test("scanSession takes a change of model that names no texts for none, however the line is read", (context) => {
  const withFile = fileOpener(scratchFolder(context));
  for (const broken of [{ provider: 7, modelId: "m" }, { provider: "p", modelId: ["m"] }, { provider: "p" }]) {
    const lines = [
      assistant("00000001", null, "x", { model: "first", usage: usage(1, 0, 1) }),
      entry("model_change", "00000002", "00000001", broken),
      toolResult("00000003", "00000002", "x", { usage: usage(2, 0, 2) }),
    ];
    for (const bufferBytes of [1 << 16, (1 << 16) + 1]) {
      withFile(jsonl(header(), ...lines), bufferBytes, (file) => {
        assert.deepEqual(scan(file, false)!.scanned!.session!.models, ["anthropic/first"]);
      });
    }
  }
});

test("scanSession follows a session of more entries than a plain tally has room for, and of more missing parents", (context) => {
  const withFile = fileOpener(scratchFolder(context));
  const hex = (number: number): string => number.toString(16).padStart(8, "0");
  const call = (number: number, parentId: string | null): Line =>
    assistant(hex(number), parentId, "x", { usage: usage(1, 2, 0.5) });
  const cases = [
    // 32,768 are all that there is room for.
    {
      size: 32_768,
      parent: (number: number) => (number === 0 ? null : hex(number - 1)),
      links: PlainTally,
      branches: 1,
    },
    {
      size: 32_769,
      parent: (number: number) => (number === 0 ? null : hex(number - 1)),
      links: LinkTally,
      branches: 1,
    },
    { size: 64, parent: (number: number) => hex(number + 1000), links: PlainTally, branches: 64 },
    { size: 65, parent: (number: number) => hex(number + 1000), links: LinkTally, branches: 65 },
  ];
  for (const { size, parent, links, branches } of cases) {
    const lines = Array.from({ length: size }, (_, number) => call(number, parent(number)));
    withFile(jsonl(header(), ...lines), (1 << 16) + 1, (file) => {
      const told = scan(file, false, false)!;
      assert.ok(told.scanned!.links instanceof links);
      const { usage, entryCount, messageCount, branches: leaves } = told.scanned!.session!;
      assert.deepEqual(
        { calls: usage.calls, output: usage.output, costTotal: usage.costTotal },
        { calls: size, output: 2 * size, costTotal: size / 2 },
      );
      assert.deepEqual([entryCount, messageCount, leaves], [size, size, branches]);
    });
  }
});

// Parts

/** What scans of ranges come to, each sent to another thread and back. Undefined where one says that the file must be scanned whole. */
function scanInParts(file: OpenSession, ranges: readonly SessionRange[]): Told | undefined {
  const calls: ToldCall[] = [];
  const parts: SessionPart[] = [];
  let ordinals = 0;
  let numbers = 0;
  for (const range of ranges) {
    const onCall: OnCall = (call, entry) => {
      const number = call.number < 0 ? -1 : call.number + numbers;
      calls.push({ call: { ...copying(call), ordinal: call.ordinal + ordinals, number }, entry: naming(entry) });
    };
    let part: SessionPart | undefined;
    try {
      part = structuredClone(scanSessionPart(file, structuredClone(range), { onCall }));
    } catch (error) {
      if (!(error instanceof SessionFormatError)) throw error; // The first range ends before the header.
    }
    if (!part) return undefined;
    parts.push(part);
    ordinals += part.calls.count;
    numbers += part.links.ids.length;
  }
  const { path, sizeBytes, mtimeMs } = file;
  const onCall: OnCall = (call, entry) => calls.push({ call: copying(call), entry: naming(entry) });
  const scanned = joinSessionParts({ path, sizeBytes, mtimeMs }, ranges[0]!.header, parts, { onCall });
  if (!scanned) return undefined;
  return {
    scanned,
    header: ranges[0]!.header,
    calls: calls.sort(byOrdinal),
    fingerprints: new Int32Array(),
    kept: undefined,
  };
}

test("joinSessionParts tells of a file cut at any lines what a scan of it whole tells", (context) => {
  const withFile = fileOpener(scratchFolder(context));
  const file = fc.oneof(
    { weight: 3, arbitrary: hexSessionFile() },
    { weight: 2, arbitrary: hexSessionFile({ hostile: true }) },
    { weight: 1, arbitrary: damagedFile({ versions: [2, 3, 4], maxEntries: 6, hostile: true }) },
  );
  const outcomes = { joined: 0, whole: 0 };
  fc.assert(
    fc.property(
      file,
      fc.array(fc.nat(40), { minLength: 1, maxLength: 5 }),
      bufferSize(),
      (bytes, chosen, bufferBytes) => {
        withFile(bytes, bufferBytes, (file) => {
          const whole = scan(file, false);
          const cuts = chooseCuts(bytes, chosen);
          if (!whole || whole.scanned!.session!.version < 2 || cuts.length === 0) return;
          const inParts = scanInParts(file, rangesOf(whole.header!, cuts));
          outcomes[inParts ? "joined" : "whole"]++;
          if (!inParts) return;
          assert.ok(whole.scanned!.index === undefined, "links that point ahead were joined");
          assertSameSession(inParts.scanned!.session, whole.scanned!.session);
          assert.deepEqual(inParts.calls, whole.calls);
        });
      },
    ),
    { numRuns: 250 },
  );
  assert.ok(outcomes.joined > 50 && outcomes.whole > 15, JSON.stringify(outcomes));
});

/** All that a range may have to know of another one. */
const entangled: Line[] = [
  user("00000001", null, ""),
  entry("session_info", "00000002", "00000001", { name: "first name" }),
  entry("model_change", "00000003", "00000002", { provider: "p", modelId: "changed" }),
  toolResult("00000004", "00000003", "x", { usage: usage(1, 1, 0.5) }),
  { type: "compaction", parentId: "00000003", usage: usage(2, 2, 0.25) },
  assistant("00000005", "00000004", "x", { model: "second", usage: usage(4, 4, 1) }),
  user("00000006", "00000005", [{ type: "text", text: "the first words" }]),
  toolResult("00000007", "00000003", "x", { usage: usage(8, 8, 2), timestamp: START + 1e9 }),
  entry("branch_summary", "00000008", "00000006", { usage: usage(16, 16, 4), summary: "s" }),
  entry("session_info", "00000009", "00000008", { name: "" }),
  user("0000000a", "00000009", "other words"),
  { type: "usage", kind: "cache_warm", provider: "q", model: "warm", usage: usage(32, 32, 8) },
  entry("compaction", "0000000b", "ffffffff", { usage: usage(64, 64, 16) }),
  assistant("0000000c", "0000000b", "x", { model: "second", usage: usage(128, 128, 32) }),
  entry("session_info", "0000000d", "0000000c", { name: "last name" }),
  toolResult("0000000e", "0000000d", "x", { usage: usage(256, 256, 64) }),
  { type: "compaction", parentId: "0000000e", usage: usage(512, 512, 128) },
];

/** The same with damage between. */
function entangledFile(version: number): Buffer {
  const damaged = ["no json\n", "\0\0\0\n", "[]\n", '{"type":"mess\n'].map((text) => Buffer.from(text));
  const lines = entangled.map((line) => jsonl(line));
  const mixed = lines.flatMap((line, at) => (at % 4 === 3 ? [line, damaged[(at - 3) / 4]!] : [line]));
  return Buffer.concat([jsonl(header({ version })), ...mixed, Buffer.from('{"type":"torn')]);
}

test("joinSessionParts takes from each range what the others need, wherever the cuts are", (context) => {
  const withFile = fileOpener(scratchFolder(context));
  for (const version of [2, 3, 4]) {
    const bytes = entangledFile(version);
    withFile(bytes, 100, (file) => {
      const whole = scan(file, false)!;
      const session = whole.scanned!.session!;
      assert.deepEqual(
        [session.name, session.firstMessage, session.messageCount, session.entryCount, session.damagedLines],
        ["last name", "the first words", 8, 17, 5],
      );
      assert.deepEqual(session.models, ["p/changed", "anthropic/second", "q/warm"]);
      assert.equal(session.modified, new Date(START + 12_000).toISOString());
      assert.equal(session.usage.input, 1023);
      // 4, 7, 0a and 0e have no children.
      assert.equal(session.branches, 3);
      const starts = lineStarts(bytes);
      for (const cuts of [...starts.map((start) => [start]), starts, starts.filter((_, at) => at % 2 === 0)]) {
        const inParts = scanInParts(file, rangesOf(whole.header!, cuts));
        assert.ok(inParts, `cuts at ${cuts}`);
        assertSameSession(inParts.scanned!.session, session);
        assert.deepEqual(inParts.calls, whole.calls);
      }
    });
  }
});

test("joinSessionParts does not join ranges whose links can't be followed in one reading", (context) => {
  const withFile = fileOpener(scratchFolder(context));
  const isJoined = (...lines: Line[]): boolean => {
    const bytes = jsonl(header(), ...lines);
    return withFile(bytes, 1 << 16, (file) => {
      const { header } = scan(file, false)!;
      const found = lineStarts(bytes).map((cut) => scanInParts(file, rangesOf(header!, [cut])) !== undefined);
      assert.equal(new Set(found).size, 1);
      return found[0]!;
    });
  };
  assert.ok(isJoined(user("00000001", null, "x"), user("00000002", "00000001", "y")));
  assert.ok(isJoined(user("00000001", "0000000f", "x"), user("00000002", "0000000e", "y")));
  // An id that stands twice, a parent that comes later, an entry that is its own parent.
  assert.ok(!isJoined(user("00000001", null, "x"), user("00000001", null, "y")));
  assert.ok(!isJoined(user("00000001", "00000002", "x"), user("00000002", null, "y")));
  assert.ok(!isJoined(user("00000001", null, "x"), user("00000002", "00000002", "y")));
  // Ids and parents that are no 8 hex digits.
  assert.ok(!isJoined(user("00000001", null, "x"), user("2", "00000001", "y")));
  assert.ok(!isJoined(user("00000001", null, "x"), user("00000002", "missing", "y")));
  assert.ok(!isJoined(user("0000000A", null, "x"), user("00000002", "0000000A", "y")));
});

test("joinSessionParts ends the search for a model at a change to none, in whichever range it stands", (context) => {
  const withFile = fileOpener(scratchFolder(context));
  const bytes = jsonl(
    header(),
    assistant("00000001", null, "x"),
    entry("model_change", "00000002", "00000001", { provider: "", modelId: "" }),
    toolResult("00000003", "00000002", "x", { usage: usage(1) }),
  );
  withFile(bytes, 1 << 16, (file) => {
    const whole = scan(file, false)!;
    assert.deepEqual(
      whole.calls.map(({ call }) => call.model),
      ["claude-sonnet-4-5", null],
    );
    for (const cut of lineStarts(bytes)) {
      assert.deepEqual(scanInParts(file, rangesOf(whole.header!, [cut]))!.calls, whole.calls, `cut at ${cut}`);
    }
  });
});
