import assert from "node:assert/strict";
import { test } from "node:test";
import { shortenModels } from "../../src/cli/shorten-models.js";

test("shortenModels drops the date of release", () => {
  const cases: [model: string, short: string][] = [
    ["anthropic/claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"],
    ["amazon-bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "amazon-bedrock/us.anthropic.claude-sonnet-4-5"],
    ["google-vertex/claude-opus-4-1@20250805", "google-vertex/claude-opus-4-1"],
    ["openai/gpt-4o-2024-08-06", "openai/gpt-4o"],
    ["openai/gpt-5.1-codex", "openai/gpt-5.1-codex"],
    ["local", "local"],
  ];
  const names = shortenModels(cases.map(([model]) => model));
  for (const [model, short] of cases) assert.equal(names.get(model), short);
});

test("shortenModels keeps apart what would look the same", () => {
  const models = ["a/m-20250101", "a/m-20250202", "b/m-20250101", "b/n", "b/n-20250303", "a/m-20250101"];
  assert.deepEqual(Object.fromEntries(shortenModels(models)), {
    "a/m-20250101": "a/m-20250101",
    "a/m-20250202": "a/m-20250202",
    "b/m-20250101": "b/m",
    "b/n": "b/n",
    "b/n-20250303": "b/n-20250303",
  });
});
