import assert from "node:assert/strict";
import { test } from "node:test";
import { isEntry, type SessionEntry } from "../../src/format/entry.js";
import { emptyUsage } from "../../src/format/usage.js";
import { CallFingerprints, type CallIdentity, callIdentity } from "../../src/report/call-fingerprint.js";
import { ENTRY_HASH, FINGERPRINT_WORDS, NUMBERS_HASH } from "../../src/report/kernel/layout.js";
import { assistant, at, entry, START, usage } from "../helpers/entries.js";

type FingerprintedCall = Parameters<CallFingerprints["add"]>[0];

const call = (more: Partial<FingerprintedCall> = {}): FingerprintedCall => ({
  ordinal: 0,
  time: START,
  provider: "anthropic",
  model: "claude-sonnet-4-5",
  usage: emptyUsage(),
  ...more,
});

const identity = (more: Partial<CallIdentity> = {}): CallIdentity => ({
  entryId: "0000000a",
  entryTime: START,
  responseId: undefined,
  ...more,
});

/** Both hashes of one call, each as text. */
function hashes(ofCall: FingerprintedCall, ofIdentity: CallIdentity): { entry: string; numbers: string } {
  const gathered = new CallFingerprints();
  gathered.add(ofCall, ofIdentity);
  const words = gathered.finish();
  const read = (at: number) => `${words[at]} ${words[at + 1]}`;
  return { entry: read(ENTRY_HASH), numbers: read(NUMBERS_HASH) };
}

test("CallFingerprints hash id and entry time in one, everything that counts in the other", () => {
  const base = hashes(call(), identity());
  assert.deepEqual(hashes(call(), identity()), base);

  const entries = [{ entryId: "0000000b" }, { entryTime: START + 1 }, { entryId: "0000000a\0" }];
  for (const change of entries) {
    const changed = hashes(call(), identity(change));
    assert.notEqual(changed.entry, base.entry);
    assert.equal(changed.numbers, base.numbers);
  }
  const part = (key: string, amount: number) => ({ usage: { ...emptyUsage(), [key]: amount } });
  const numbers = [
    ...["input", "output", "cacheRead", "cacheWrite", "totalTokens", "costTotal"].map((key) => part(key, 1)),
    ...[0.5, 2 ** 31, 2 ** 32, 2 ** 53, 1e300, 5e-324].map((amount) => part("input", amount)),
    ...[{ time: START + 0.5 }, { provider: null }, { provider: "" }, { model: null }, { model: "anthropic" }],
    { provider: "anthropicc", model: "laude-sonnet-4-5" },
  ];
  const seen = new Set([base.numbers]);
  for (const change of numbers) {
    const changed = hashes(call(change), identity());
    assert.equal(changed.entry, base.entry);
    seen.add(changed.numbers);
  }
  for (const responseId of ["", "r", "anthropic"]) seen.add(hashes(call(), identity({ responseId })).numbers);
  assert.equal(seen.size, 1 + numbers.length + 3);
  assert.equal(hashes(call(part("input", -0)), identity()).numbers, base.numbers);
});

test("CallFingerprints have no entry hash without id or entry time, and no numbers hash without time", () => {
  const none = "0 0";
  assert.equal(hashes(call(), identity({ entryId: undefined })).entry, none);
  assert.equal(hashes(call(), identity({ entryTime: undefined })).entry, none);
  assert.equal(hashes(call({ time: undefined }), identity()).numbers, none);
  assert.notEqual(hashes(call({ time: undefined }), identity()).entry, none);
});

test("CallFingerprints stand in the order of ordinals, whatever the order they are added in", () => {
  const ordinals = Array.from({ length: 100 }, (_, ordinal) => ordinal);
  const gather = (order: number[]) => {
    const gathered = new CallFingerprints();
    for (const ordinal of order) gathered.add(call({ ordinal, time: ordinal }), identity({ entryId: `id ${ordinal}` }));
    return gathered.finish();
  };
  const words = gather(ordinals);
  assert.equal(words.length, 100 * FINGERPRINT_WORDS);
  assert.equal(words.buffer.byteLength, 100 * FINGERPRINT_WORDS * 4);
  assert.deepEqual(gather(ordinals.toReversed()), words);
  assert.deepEqual(gather([99, ...ordinals.slice(0, 99)]), words);
});

test("CallFingerprints of similar calls meet no more often than chance has it, in either half", () => {
  const side = 300;
  const gathered = new CallFingerprints();
  for (let one = 0; one < side; one++) {
    for (let other = 0; other < side; other++) {
      const numbers = { ...emptyUsage(), input: one, output: side - one, cacheRead: other, costTotal: one * 0.01 };
      const id = one.toString(16).padStart(8, "0");
      gathered.add(
        call({ ordinal: one * side + other, usage: numbers }),
        identity({ entryId: id, entryTime: START + other }),
      );
    }
  }
  const words = gathered.finish();
  for (let place = 0; place < FINGERPRINT_WORDS; place++) {
    const halves = new Set<number>();
    for (let at = place; at < words.length; at += FINGERPRINT_WORDS) halves.add(words[at]!);
    // One in 90,000²/2 : 2^32 is expected; more than 9 would happen once in 10 million times.
    assert.ok(side * side - halves.size <= 9, `${side * side - halves.size} meet in word ${place}`);
  }
});

test("callIdentity reads id, entry time and response id, and passes over what is no such thing", () => {
  const read = (line: unknown) => {
    assert.ok(isEntry(line));
    return callIdentity(line as SessionEntry);
  };
  assert.deepEqual(read(assistant("0000000a", null, "hi", { responseId: "r", usage: usage() })), {
    entryId: "0000000a",
    entryTime: START + 10_000,
    responseId: "r",
  });
  const absent = { entryId: undefined, entryTime: undefined, responseId: undefined };
  assert.deepEqual(
    read({ type: "message", id: 7, timestamp: 7, message: { role: "assistant", responseId: {} } }),
    absent,
  );
  assert.deepEqual(read({ type: "message", id: "", timestamp: "2026-01-02", message: null }), absent);
  const warming = entry("usage", "0000000b", null, { timestamp: at(1), message: "no message", responseId: "r" });
  assert.deepEqual(read(warming), { entryId: "0000000b", entryTime: START + 1000, responseId: undefined });
});
