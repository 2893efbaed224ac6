import assert from "node:assert/strict";
import { test } from "node:test";
import { shortenIds } from "../../src/cli/shorten-ids.js";

test("shortenIds gives each id the shortest beginning of its own, of 8 characters or more", () => {
  const ids = ["01a082fc-07a7-7d56", "01a082fc-07b0-7000", "02b00000-0000-7000", "short", "01a082fc-07a7-7d56"];
  assert.deepEqual(Object.fromEntries(shortenIds(ids)), {
    "01a082fc-07a7-7d56": "01a082fc-07a",
    "01a082fc-07b0-7000": "01a082fc-07b",
    "02b00000-0000-7000": "02b00000",
    short: "short",
  });
});

test("shortenIds gives an id that another one goes on from as a whole", () => {
  const ids = ["session-one", "session-one-two"];
  assert.deepEqual([...shortenIds(ids).values()], ["session-one", "session-one-"]);
});
