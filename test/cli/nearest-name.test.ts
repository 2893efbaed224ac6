import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestName } from "../../src/cli/nearest-name.js";

test("nearestName finds the name with the fewest edits, swaps among them", () => {
  const commands = ["list", "totals", "tree", "show", "context", "check", "size"];
  const cases = [
    ["lsit", "list"],
    ["LIST", "list"],
    ["total", "totals"],
    ["tre", "tree"],
    ["shwo", "show"],
    ["contxet", "context"],
    ["chekc", "check"],
    ["sizes", "size"],
  ] as const;
  for (const [word, expected] of cases) assert.equal(nearestName(word, commands), expected, word);
});

test("nearestName prefers what the word begins, however long the rest", () => {
  assert.equal(nearestName("--time", ["--since", "--timezone"]), "--timezone");
  assert.equal(nearestName("-s", ["--json", "--since"]), "--since");
});

test("nearestName always has an answer, but none without candidates", () => {
  assert.equal(nearestName("", ["list"]), "list");
  assert.equal(nearestName("frobnicate", ["list"]), "list");
  assert.equal(nearestName("list", []), undefined);
});
