import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cutToWidth, displayWidth } from "../../src/cli/display-width.js";

const THAI = "กำลัง"; // Five letters as people count, one of them above another.

test("displayWidth counts the columns of a terminal", () => {
  const cases: [text: string, width: number][] = [
    ["", 0],
    ["plain", 5],
    ["né", 2],
    ["ne\u0301", 2],
    ["日本語", 6],
    ["한국어", 6],
    ["ＡＢ", 4],
    ["ｱｲ", 2],
    ["👍🏽", 2],
    ["👩‍👩‍👧", 2],
    ["🇩🇪", 2],
    ["❤️", 2],
    ["✓", 1],
    ["…", 1],
  ];
  for (const [text, width] of cases) assert.equal(displayWidth(text), width, text);
  assert.ok(displayWidth(THAI) < [...THAI].length);
});

test("cutToWidth leaves alone what fits", () => {
  assert.equal(cutToWidth("exact", 5), "exact");
  assert.equal(cutToWidth("日本", 4), "日本");
  assert.equal(cutToWidth("", 0), "");
});

test("cutToWidth keeps the beginning or the end, with a … in place of the rest", () => {
  assert.equal(cutToWidth("a longer text", 8), "a longe…");
  assert.equal(cutToWidth("a longer text", 3), "a…");
  assert.equal(cutToWidth("/home/u/project", 9, "end"), "…/project");
  assert.equal(cutToWidth("text", 1), "…");
});

test("cutToWidth cuts no character in two", () => {
  assert.equal(cutToWidth("日本語", 4), "日…");
  assert.equal(cutToWidth("日本語", 4, "end"), "…語");
  assert.equal(cutToWidth("a👩‍👩‍👧bcd", 4), "a👩‍👩‍👧…");
  assert.equal(cutToWidth("ne\u0301e", 2), "n…");
});

test("cutToWidth never gives more than the width", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme" }),
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom("start" as const, "end" as const),
      (text, width, keep) => {
        const cut = cutToWidth(text, width, keep);
        assert.ok(displayWidth(cut) <= width);
        if (displayWidth(text) <= width) assert.equal(cut, text);
      },
    ),
    { numRuns: 300 },
  );
});
