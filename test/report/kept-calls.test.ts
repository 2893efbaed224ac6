import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Call } from "../../src/report/call.js";
import { KeptCalls, readKeptCalls, sizeOfKeptCalls } from "../../src/report/kept-calls.js";

const amount = (): fc.Arbitrary<number> =>
  fc.oneof(fc.nat(), fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }));

const call = (): fc.Arbitrary<Omit<Call, "ordinal">> =>
  fc.record({
    number: fc.constant(-1),
    time: fc.option(fc.nat(), { nil: undefined }),
    source: fc.constantFrom("assistant", "tool", "usage:warm"),
    tool: fc.constantFrom(null, "bash", "task"),
    provider: fc.constantFrom(null, "openai", "__proto__"),
    model: fc.constantFrom(null, "gpt-5", "m"),
    usage: fc.record({
      ...{ input: amount(), output: amount(), cacheRead: amount(), cacheWrite: amount() },
      ...{ totalTokens: amount(), costTotal: amount(), calls: fc.constant(1) },
    }),
  });

test("KeptCalls gives back the calls that are asked for, in whatever order they came", () => {
  fc.assert(
    fc.property(fc.array(call(), { maxLength: 60 }), fc.infiniteStream(fc.nat()), (drafts, numbers) => {
      const calls: Call[] = drafts.map((draft, ordinal) => ({ ...draft, ordinal }));
      const order = calls.map((each) => ({ each, rank: numbers.next().value! })).sort((a, b) => a.rank - b.rank);
      const kept = new KeptCalls();
      for (const { each } of order) kept.add(each);
      const asked = calls.map(({ ordinal }) => ordinal).filter((ordinal) => ordinal % 3 !== 1);
      const parts = structuredClone(kept.parts());
      const found: Call[] = [];
      readKeptCalls(parts, asked, (call) => found.push({ ...call, usage: { ...call.usage } }));
      assert.deepEqual(
        found,
        asked.map((ordinal) => calls[ordinal]!).map((each) => ({ ...each, usage: { ...each.usage } })),
      );
      assert.equal(sizeOfKeptCalls(parts), 60 * calls.length);
    }),
  );
});
