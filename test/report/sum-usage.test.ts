import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { emptyUsage } from "../../src/format/usage.js";
import { UsageSum } from "../../src/report/sum-usage.js";

function sumOf(costs: number[]): number {
  const sum = new UsageSum();
  for (const costTotal of costs) sum.add({ ...emptyUsage(), costTotal, calls: 1 });
  return sum.total().costTotal;
}

test("UsageSum adds all parts and counts calls", () => {
  const sum = new UsageSum();
  sum.add({ input: 1, output: 2, cacheRead: 3, cacheWrite: 4, totalTokens: 10, costTotal: 0.5, calls: 1 });
  sum.add({ input: 10, output: 20, cacheRead: 30, cacheWrite: 40, totalTokens: 100, costTotal: 0.25, calls: 1 });
  assert.deepEqual(sum.total(), {
    input: 11,
    output: 22,
    cacheRead: 33,
    cacheWrite: 44,
    totalTokens: 110,
    costTotal: 0.75,
    calls: 2,
  });
});

test("UsageSum keeps a million small costs exact beside a large one", () => {
  const costs = [1e9, ...Array.from({ length: 1_000_000 }, () => 0.000_001)];
  assert.ok(Math.abs(sumOf(costs) - 1_000_000_001) < 1e-6);
});

test("UsageSum gives sums that do not depend on order, to a relative 1e-12", () => {
  // Whole micro-dollars have an exact sum to compare with.
  fc.assert(
    fc.property(fc.array(fc.nat(2_000_000_000), { maxLength: 200 }), (microDollars) => {
      const exact = microDollars.reduce((sum, cost) => sum + cost, 0) / 1e6;
      const costs = microDollars.map((cost) => cost / 1e6);
      const near = (cost: number): boolean => Math.abs(cost - exact) <= 1e-12 * exact;
      assert.ok(near(sumOf(costs)) && near(sumOf(costs.toReversed())) && near(sumOf(costs.toSorted((a, b) => a - b))));
    }),
  );
});

test("UsageSum merges partial sums with what rounding took from them", () => {
  const parts = [new UsageSum(), new UsageSum()];
  parts[0]!.add({ ...emptyUsage(), costTotal: 1e9, calls: 1 });
  for (let at = 0; at < 100_000; at++) parts[at % 2]!.add({ ...emptyUsage(), costTotal: 1e-6, calls: 1 });
  const whole = new UsageSum();
  for (const part of parts) whole.merge(part.parts());
  assert.ok(Math.abs(whole.total().costTotal - 1_000_000_000.1) < 1e-6);
  assert.equal(whole.total().calls, 100_001);
});
