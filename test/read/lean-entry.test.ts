import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isJsonObject, type JsonObject } from "../../src/format/json.js";
import { type LeanWants, pruneEntry, readLeanEntry } from "../../src/read/lean-entry.js";
import { jsonValue, text, usage } from "../helpers/arbitraries.js";
import { assistant, entry, header, toolResult, usage as usageOf, user } from "../helpers/entries.js";
import { seededRandom, spellJson } from "../helpers/spell-json.js";

const everyWants: LeanWants[] = ["links", "calls", {}, { content: true }];

const compaction = entry("compaction", "6", "5", {
  summary: "All of it",
  firstKeptEntryId: "3",
  retainedTail: [{ role: "assistant", usage: usageOf(1, 2, 3) }],
  tokensBefore: 5,
  details: { usage: usageOf(4, 5, 6) },
  usage: usageOf(7, 8, 9),
});

test("pruneEntry keeps all of an entry but its payload", () => {
  assert.deepEqual(pruneEntry(compaction), {
    type: "compaction",
    id: "6",
    parentId: "5",
    timestamp: compaction.timestamp,
    firstKeptEntryId: "3",
    usage: usageOf(7, 8, 9),
  });
  const answer = assistant("2", "1", "Hi", { responseId: "r", diagnostics: [1], usage: usageOf(1, 2, 3) });
  const lean = {
    role: "assistant",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    responseId: "r",
    usage: usageOf(1, 2, 3),
    timestamp: (answer.message as JsonObject).timestamp,
  };
  const { type, id, parentId, timestamp } = answer;
  assert.deepEqual(pruneEntry(answer), { type, id, parentId, timestamp, message: lean });
  assert.deepEqual(pruneEntry(answer, { content: false }), { type, id, parentId, timestamp, message: lean });
  assert.deepEqual(pruneEntry(answer, { content: true }), {
    ...{ type, id, parentId, timestamp },
    message: { ...lean, content: [{ type: "text", text: "Hi" }] },
  });
  assert.deepEqual(pruneEntry(header({ parentSession: "/a.jsonl", more: 1 })), header({ parentSession: "/a.jsonl" }));
});

test("pruneEntry keeps with links only what a tree needs", () => {
  const { type, id, parentId, timestamp } = toolResult("3", "2", "x");
  assert.deepEqual(pruneEntry(toolResult("3", "2", "x"), "links"), {
    ...{ type, id, parentId, timestamp },
    message: { role: "toolResult" },
  });
  assert.deepEqual(pruneEntry(entry("label", "4", "3", { targetId: "1", label: "here", data: 1 }), "links"), {
    ...entry("label", "4", "3"),
    targetId: "1",
    label: "here",
  });
  assert.deepEqual(pruneEntry(compaction, "links"), { ...entry("compaction", "6", "5"), firstKeptEntryId: "3" });
});

/** Reads the bytes where others stand around them, at a place that `before` moves. */
function read(bytes: Buffer, wants: LeanWants, before: number): JsonObject | undefined {
  const around = Buffer.concat([Buffer.alloc(before, '"'), bytes, Buffer.from('1"}}')]);
  return readLeanEntry(around, before, before + bytes.length, wants);
}

function readPlainly(bytes: Buffer, wants: LeanWants): JsonObject | undefined {
  let value: unknown;
  if (bytes.includes("\n")) return undefined; // No line holds one.
  try {
    value = JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
  return isJsonObject(value) ? pruneEntry(value, wants) : undefined;
}

function assertReads(bytes: Buffer, before: number): void {
  for (const wants of everyWants) {
    assert.deepEqual(read(bytes, wants, before), readPlainly(bytes, wants), bytes.toString("latin1"));
  }
}

test("readLeanEntry makes of a line what pruneEntry makes of the parsed one", () => {
  const lines = [header(), user("1", null, "Hello"), assistant("2", "1", "Hi"), toolResult("3", "2", "x"), compaction];
  for (const line of lines) {
    for (let before = 0; before < 4; before++) assertReads(Buffer.from(` ${JSON.stringify(line)}\r`), before);
  }
  assert.deepEqual(
    read(Buffer.from(JSON.stringify(user("1", null, "Hello"))), { content: true }, 0),
    user("1", null, "Hello"),
  );
});

test("readLeanEntry keeps a message that is no object, and an object without a type", () => {
  for (const message of [null, true, 7, "text", [], [{ role: "user" }]]) {
    assert.deepEqual(read(Buffer.from(JSON.stringify({ type: "message", message })), {}, 1), {
      type: "message",
      message,
    });
    assert.deepEqual(read(Buffer.from(JSON.stringify({ type: "message", message })), "links", 1), {
      type: "message",
      message,
    });
  }
  assert.deepEqual(read(Buffer.from('{"message":{"role":"a","role":"b"},"message":{"model":1}}'), {}, 1), {
    message: { model: 1 },
  });
  assert.deepEqual(read(Buffer.from("{}"), {}, 1), {});
  assert.equal(read(Buffer.from("[{}]"), {}, 1), undefined);
  assert.equal(read(Buffer.from("{"), {}, 1), undefined);
});

test("readLeanEntry keeps nothing of the bytes, which may be overwritten", () => {
  const bytes = Buffer.from(JSON.stringify(assistant("2", "1", "Hi", { responseId: "r".repeat(50) })));
  const plain = readPlainly(bytes, { content: true });
  const lean = readLeanEntry(bytes, 0, bytes.length, { content: true });
  bytes.fill(0x20);
  assert.deepEqual(lean, plain);
  assert.equal(readLeanEntry(bytes, 0, bytes.length), undefined);
});

const wantedKeys = [
  ..."type id parentId timestamp version cwd parentSession branchedFrom provider modelId model thinkingLevel kind".split(
    " ",
  ),
  ..."customType targetId label name fromId firstKeptEntryId firstKeptEntryIndex usage message".split(" "),
];
const wantedMessageKeys =
  "role timestamp provider model responseModel responseId usage toolName toolCallId customType content".split(" ");
const otherKeys = [
  "details",
  "arguments",
  "retainedTail",
  "summary",
  "__proto__",
  "constructor",
  "types",
  "",
  "\ud800",
];

const value = fc.oneof(
  jsonValue(),
  text(),
  usage(),
  fc.constantFrom(
    "message",
    "user",
    "a1b2c3d4",
    "2026-01-02T03:04:05.678Z",
    1763681581544,
    0.1,
    -0,
    Number.POSITIVE_INFINITY,
    null,
  ),
);
const decoy = fc.dictionary(fc.constantFrom(...wantedKeys, ...wantedMessageKeys), value, { maxKeys: 4 });

/** Members in any order, some of them twice: pairs instead of an object. */
function members(keys: string[], inner: fc.Arbitrary<unknown>): fc.Arbitrary<[string, unknown][]> {
  const key = fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...keys) }, fc.constantFrom(...otherKeys), text());
  return fc.array(fc.tuple(key, inner), { maxLength: 12 });
}

/** An entry of any kind as a list of members, of which a message that is an object is such a list, too. */
const anyEntry = fc
  .tuple(
    members(wantedKeys, fc.oneof({ weight: 3, arbitrary: value }, decoy)),
    fc.array(members(wantedMessageKeys, fc.oneof({ weight: 3, arbitrary: value }, decoy)), { maxLength: 2 }),
    fc.integer(),
  )
  .map(([members, messages, seed]) => {
    const random = seededRandom(seed);
    const gap = () => (random() < 0.2 ? " \t\r"[Math.floor(random() * 3)] : "");
    const spell = (pairs: readonly (readonly [string, string])[]) =>
      `{${gap()}${pairs.map(([key, json]) => `${spellJson(key, random, 0.1)}${gap()}:${gap()}${json}${gap()}`).join(",")}}`;
    const spelled = members.map(([key, value]) => [key, spellJson(value, random, 0.1)] as const);
    for (const message of messages) {
      const json = spell(message.map(([key, value]) => [key, spellJson(value, random, 0.1)] as const));
      spelled.splice(Math.floor(random() * (spelled.length + 1)), 0, ["message", json]);
    }
    return { bytes: Buffer.from(gap() + spell(spelled) + gap()), random };
  });

test("readLeanEntry agrees with pruneEntry over any entry, and over what is left of damaged ones", () => {
  let whole = 0;
  fc.assert(
    fc.property(anyEntry, anyEntry, ({ bytes, random }, other) => {
      assertReads(bytes, bytes.length % 5);
      for (let round = 0; round < 8; round++) {
        const damaged = damage(bytes, other.bytes, random);
        if (readPlainly(damaged, "links")) whole++;
        assertReads(damaged, round % 5);
      }
    }),
    { numRuns: 200 },
  );
  assert.ok(whole > 100, "some damage leaves an object");
});

/** A byte changed, a bit flipped, the end or the begin torn off, or another entry glued on or in. */
function damage(bytes: Buffer, other: Buffer, random: () => number): Buffer {
  const at = Math.floor(random() * bytes.length);
  const copy = Buffer.from(bytes);
  switch (Math.floor(random() * 6)) {
    case 0:
      copy[at] = Math.floor(random() * 256);
      return copy;
    case 1:
      copy[at]! ^= 1 << Math.floor(random() * 8);
      return copy;
    case 2:
      return copy.subarray(0, at);
    case 3:
      return copy.subarray(at);
    case 4:
      return Buffer.concat([copy.subarray(0, at), other]);
    default:
      return Buffer.concat([copy.subarray(0, at), other, copy.subarray(at)]);
  }
}
