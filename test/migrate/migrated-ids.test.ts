import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { MigratedIds } from "../../src/migrate/migrated-ids.js";

const sessionId = "01a0ce05-3043-731a-8884-ee82c817c243";

test("MigratedIds gives the same id to the same session and number for ever", () => {
  // Worked out by a second implementation. Changing these breaks every stored reference to an entry of a version 1 file: labels, exported rows, notes that people took.
  const ids = new MigratedIds(sessionId);
  assert.equal(ids.at(0), "f83dd0fe");
  assert.equal(ids.at(1), "75f7d630");
  assert.equal(ids.at(2 ** 32 - 1), "b6161424");
  assert.equal(new MigratedIds("").at(1), "0d5b9b59");
});

test("MigratedIds are 8 lower-case hex digits for any session id, lone surrogates included", () => {
  const anyId = fc.string({ unit: "binary", maxLength: 50 });
  fc.assert(
    fc.property(anyId, fc.integer({ min: 0, max: 2 ** 32 - 1 }), (id, number) => {
      assert.match(new MigratedIds(id).at(number), /^[0-9a-f]{8}$/);
      assert.equal(new MigratedIds(id).at(number), new MigratedIds(id).at(number));
    }),
  );
  assert.match(new MigratedIds("\ud800").at(7), /^[0-9a-f]{8}$/);
});

test("MigratedIds never gives one id to two numbers, in both halves of the numbers", () => {
  for (const id of [sessionId, "", "another"]) {
    const ids = new MigratedIds(id);
    const seen = new Set<string>();
    for (let number = 0; number < 200_000; number++) {
      seen.add(ids.at(number));
      if (number % 10 === 0) seen.add(ids.at(2 ** 31 + number));
    }
    assert.equal(seen.size, 220_000);
  }
});

test("MigratedIds spreads ids evenly, and over other places in other sessions", () => {
  const buckets = (id: string): number[] => {
    const ids = new MigratedIds(id);
    const counts = new Array<number>(256).fill(0);
    for (let number = 1; number <= 25_600; number++) counts[Number.parseInt(ids.at(number).slice(0, 2), 16)]!++;
    return counts;
  };
  // 100 are expected in each; 6 standard deviations are 60.
  for (const count of buckets(sessionId)) assert.ok(count > 40 && count < 160, `${count} ids begin alike`);
  const [one, other] = [new MigratedIds("a"), new MigratedIds("b")];
  const shared = Array.from({ length: 1000 }, (_, number) => one.at(number) === other.at(number)).filter(Boolean);
  assert.equal(shared.length, 0);
});
