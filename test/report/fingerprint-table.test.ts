import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FINGERPRINT_WORDS, NUMBERS_HASH } from "../../src/report/call-fingerprint.js";
import { FingerprintTable } from "../../src/report/fingerprint-table.js";
import { Column } from "../../src/tree/column.js";

/** A column of fingerprints with these numbers hashes. */
function columnOf(hashes: [number, number][]): Column<Int32Array> {
  const words = new Column(Int32Array);
  while (words.capacity < hashes.length * FINGERPRINT_WORDS) words.grow();
  for (const [call, [first, second]] of hashes.entries()) {
    words.set(call * FINGERPRINT_WORDS + NUMBERS_HASH, first);
    words.set(call * FINGERPRINT_WORDS + NUMBERS_HASH + 1, second);
  }
  return words;
}

test("FingerprintTable agrees with a Map on any hashes, with and without room from the start", () => {
  const word = () => fc.oneof(fc.integer({ min: -2, max: 2 }), fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }));
  fc.assert(
    fc.property(fc.array(fc.tuple(word(), word()), { maxLength: 300 }), fc.nat(400), (hashes, size) => {
      const table = new FingerprintTable(columnOf(hashes), NUMBERS_HASH, size);
      const firsts = new Map<string, number>();
      for (const [call, hash] of hashes.entries()) {
        const known = firsts.get(String(hash));
        assert.equal(table.put(call), known ?? call);
        if (known === undefined) firsts.set(String(hash), call);
      }
      for (const [call, hash] of hashes.entries()) assert.equal(table.first(call), firsts.get(String(hash)));
    }),
  );
});

test("FingerprintTable takes hashes that share a word or all their low bits", () => {
  const hashes = Array.from({ length: 20_000 }, (_, call): [number, number] =>
    call % 2 === 0 ? [5, call << 12] : [call << 12, 5],
  );
  const table = new FingerprintTable(columnOf(hashes), NUMBERS_HASH);
  for (const call of hashes.keys()) assert.equal(table.put(call), call);
  for (const call of hashes.keys()) assert.equal(table.first(call), call);
});
