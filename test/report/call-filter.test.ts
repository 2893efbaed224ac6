import assert from "node:assert/strict";
import { test } from "node:test";
import { type CallFilterOptions, filtersModels, modelFilter, timeFilter } from "../../src/report/call-filter.js";
import { callOf } from "../helpers/calls.js";

/** Whether a call of a provider and a model passes. */
const passes = (options: CallFilterOptions, provider: string | null, model: string | null): boolean =>
  modelFilter(options)(callOf({ provider, model }));

test("filtersModels tells whether a model or a provider is asked for", () => {
  assert.ok(!filtersModels({}));
  assert.ok(!filtersModels({ models: [], providers: [] }));
  assert.ok(!filtersModels({ since: 0 }));
  assert.ok(filtersModels({ models: ["a"] }));
  assert.ok(filtersModels({ providers: ["a"] }));
});

test("modelFilter lets everything through when nothing is asked for", () => {
  assert.ok(passes({}, null, null));
  assert.ok(passes({ models: [], providers: [] }, "p", "m"));
});

test("modelFilter takes a model by its name alone or with its provider, whole, in any case", () => {
  const cases: [string, string | null, string | null, boolean][] = [
    ["gpt-5", "openai", "gpt-5", true],
    ["GPT-5", "openai", "gpt-5", true],
    ["gpt-5", null, "GPT-5", true],
    ["openai/gpt-5", "openai", "gpt-5", true],
    ["OpenAI/gpt-5", "OPENAI", "gpt-5", true],
    ["openai/gpt-5", "azure", "gpt-5", false],
    ["openai/gpt-5", null, "gpt-5", false],
    ["openai/gpt-5", null, "openai/gpt-5", true],
    ["openai/gpt-5", "openrouter", "openai/gpt-5", true],
    ["gpt", "openai", "gpt-5", false],
    ["gpt-5", "openai", "gpt-5-mini", false],
    ["gpt-5", "openai", null, false],
    ["openai", "openai", null, false],
    ["STRASSE", null, "straße", false],
    ["É", null, "é", true],
  ];
  for (const [pattern, provider, model, right] of cases) {
    assert.equal(passes({ models: [pattern] }, provider, model), right, `${pattern} of ${provider}/${model}`);
  }
});

test("modelFilter takes a star for anything, and every other sign for itself", () => {
  const cases: [string, string, boolean][] = [
    ["*", "x", true],
    ["claude-*", "claude-haiku", true],
    ["claude-*", "claude-", true],
    ["claude-*", "my-claude-", false],
    ["*-4-5", "claude-haiku-4-5", true],
    ["c*e*5", "claude-4-5", true],
    ["*a/b*", "a/b", true],
    ["p/*", "a/b", true],
    ["**", "x\ny", true],
    ["a.c", "abc", false],
    ["a+", "aa", false],
    ["a+", "a+", true],
    ["(a|b)", "a", false],
    ["[a]", "[a]", true],
    ["a?", "a?", true],
    ["^a$", "a", false],
    ["\\", "\\", true],
    ["\\d", "1", false],
    ["{1}", "{1}", true],
    ["a-b", "a-b", true],
  ];
  for (const [pattern, model, right] of cases) {
    assert.equal(passes({ models: [pattern] }, "p", model), right, `${pattern} of ${model}`);
  }
});

test("modelFilter takes any of several models and any of several providers, but both where both are asked for", () => {
  assert.ok(passes({ models: ["a", "b"] }, "p", "b"));
  assert.ok(!passes({ models: ["a", "b"] }, "p", "c"));
  assert.ok(passes({ providers: ["p", "q"] }, "q", null));
  assert.ok(!passes({ providers: ["p", "q"] }, null, "m"));
  assert.ok(passes({ providers: ["P*"], models: ["m"] }, "provider", "m"));
  assert.ok(!passes({ providers: ["p"], models: ["m"] }, "p", "n"));
  assert.ok(!passes({ providers: ["p"], models: ["m"] }, "q", "m"));
});

test("timeFilter takes both ends in, and what has no time only without either", () => {
  const taken = (options: CallFilterOptions) => [undefined, 0, 9, 10, 15, 20, 21].filter(timeFilter(options));
  assert.deepEqual(taken({}), [undefined, 0, 9, 10, 15, 20, 21]);
  assert.deepEqual(taken({ since: 10 }), [10, 15, 20, 21]);
  assert.deepEqual(taken({ until: 20 }), [0, 9, 10, 15, 20]);
  assert.deepEqual(taken({ since: 10, until: 20 }), [10, 15, 20]);
  assert.deepEqual(taken({ since: 10, until: 10 }), [10]);
  assert.deepEqual(taken({ since: 20, until: 10 }), []);
  assert.deepEqual(taken({ since: 0, until: 0 }), [0]);
});
