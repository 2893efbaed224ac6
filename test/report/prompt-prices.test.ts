import assert from "node:assert/strict";
import { test } from "node:test";
import { PromptPrices, type PromptUsage, promptTokens, readPromptUsage } from "../../src/report/prompt-prices.js";

const million = 1e6;

/** Tokens of three kinds, and what they cost by prices for a million. */
function paid(tokens: [number, number, number], prices: [number, number, number] = [3, 0.3, 3.75]): PromptUsage {
  const [input, cacheRead, cacheWrite] = tokens;
  const [inputCost, cacheReadCost, cacheWriteCost] = tokens.map((count, at) => (count * prices[at]!) / million);
  return {
    input,
    cacheRead,
    cacheWrite,
    inputCost: inputCost!,
    cacheReadCost: cacheReadCost!,
    cacheWriteCost: cacheWriteCost!,
  };
}

const near = (actual: number, dollarsForAMillion: number): void =>
  assert.ok(Math.abs(actual * million - dollarsForAMillion) < 1e-9, `${actual * million}, not ${dollarsForAMillion}`);

test("readPromptUsage reads tokens and costs, and takes what is no amount for 0 tokens or an unknown cost", () => {
  const stored = { input: 1, output: 9, cacheRead: 2, cacheWrite: 3, cost: { input: 4, cacheRead: 5, cacheWrite: 6 } };
  const whole = { input: 1, cacheRead: 2, cacheWrite: 3, inputCost: 4, cacheReadCost: 5, cacheWriteCost: 6 };
  assert.deepEqual(readPromptUsage(stored), whole);
  const none = { inputCost: undefined, cacheReadCost: undefined, cacheWriteCost: undefined };
  assert.deepEqual(readPromptUsage({ input: "7", cacheRead: -1, cacheWrite: Number.NaN, cost: 5 }), {
    ...{ input: 0, cacheRead: 0, cacheWrite: 0 },
    ...none,
  });
  assert.deepEqual(readPromptUsage({ input: 1, cost: { input: null, cacheRead: "x", cacheWrite: -2 } }), {
    ...{ input: 1, cacheRead: 0, cacheWrite: 0 },
    ...none,
  });
});

test("promptTokens adds plain, read and written tokens, up to the largest number", () => {
  assert.equal(promptTokens(paid([1, 2, 4])), 7);
  assert.equal(promptTokens({ ...paid([0, 0, 0]), input: 1e308, cacheRead: 1e308 }), Number.MAX_VALUE);
});

test("PromptPrices takes the mean of what plain and written tokens cost, less the call's own price of read ones", () => {
  const prices = new PromptPrices();
  // (1,000 × 3 + 9,000 × 3.75) : 10,000 = 3.675
  near(prices.extraPrice("m", paid([1000, 5000, 9000])), 3.675 - 0.3);
  near(prices.extraPrice("m", paid([1000, 5000, 0], [3, 0.75, 0])), 3 - 0.75);
});

test("PromptPrices takes the price of read tokens from the model's other calls where the call read none", () => {
  const prices = new PromptPrices();
  prices.add("m", paid([10, 1000, 0], [3, 0.5, 0]));
  prices.add("m", paid([10, 3000, 0], [3, 0.9, 0])); // The mean, by tokens, is 0.8.
  prices.add("n", paid([10, 9000, 0], [3, 0.1, 0]));
  near(prices.extraPrice("m", paid([2000, 0, 0])), 3 - 0.8);
  near(prices.extraPrice("m", paid([2000, 10, 0])), 3 - 0.3);
});

test("PromptPrices takes read tokens to cost a tenth of plain ones where no call of the model read any", () => {
  const prices = new PromptPrices();
  near(prices.extraPrice("m", paid([2000, 0, 2000])), 3.375 - 0.3);
  // A call that wrote all of its prompt: others tell the plain price; without any, its own mean stands for it.
  near(prices.extraPrice("m", paid([0, 0, 2000])), 3.75 - 0.375);
  prices.add("m", paid([5, 0, 5]));
  near(prices.extraPrice("m", paid([0, 0, 2000])), 3.75 - 0.3);
});

test("PromptPrices gives 0 for a call that does not tell its costs, and never less", () => {
  const prices = new PromptPrices();
  prices.add("m", paid([10, 1000, 0]));
  const untold = { inputCost: undefined, cacheReadCost: undefined, cacheWriteCost: undefined };
  assert.equal(prices.extraPrice("m", { ...paid([1000, 500, 1000]), ...untold }), 0);
  assert.equal(prices.extraPrice("m", paid([1000, 500, 0], [1, 2, 0])), 0);
  assert.equal(prices.extraPrice("m", paid([0, 500, 0])), 0);
});

test("PromptPrices ignores calls that read tokens without telling what they cost", () => {
  const prices = new PromptPrices();
  prices.add("m", { ...paid([10, 9000, 0]), cacheReadCost: undefined });
  prices.add("m", paid([10, 1000, 0], [3, 0.6, 0]));
  near(prices.extraPrice("m", paid([2000, 0, 0])), 3 - 0.6);
  near(prices.extraPrice("m", { ...paid([2000, 100, 0]), cacheReadCost: undefined }), 3 - 0.6);
});

test("PromptPrices stays finite, whatever the numbers", () => {
  const amounts = [0, 5e-324, 1, 1e308, Number.MAX_VALUE];
  const prices = new PromptPrices();
  for (const tokens of amounts) {
    for (const dollars of amounts) {
      const costs = { inputCost: dollars, cacheReadCost: dollars, cacheWriteCost: dollars };
      const usage = { input: tokens, cacheRead: tokens, cacheWrite: tokens, ...costs };
      prices.add("m", usage);
      for (const asked of [usage, { ...usage, cacheRead: 0 }, { ...usage, input: 0 }]) {
        const price = prices.extraPrice("m", asked);
        assert.ok(Number.isFinite(price) && price >= 0, `${price} for ${JSON.stringify(asked)}`);
      }
    }
  }
});
