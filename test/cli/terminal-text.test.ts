import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { bodyText, cellText } from "../../src/cli/terminal-text.js";

const cases: [name: string, text: string, body: string][] = [
  ["plain text, accents, CJK and emoji stay", "né 日本語 👩‍👩‍👧 नमस्ते", "né 日本語 👩‍👩‍👧 नमस्ते"],
  ["colours go", "\u001b[1;31mred\u001b[0m", "red"],
  ["cursor and screen sequences go", "a\u001b[2J\u001b[10;5Hb\u001b[?25lc", "abc"],
  ["the one-character CSI goes", "a\u009b31mb", "ab"],
  [
    "titles go, whatever ends them",
    "\u001b]0;title\u0007a\u001b]2;t\u001b\\b\u001b]0;t\u009cc\u009d0;t\u0007d",
    "abcd",
  ],
  ["of links the text stays", "\u001b]8;;https://e.org\u001b\\here\u001b]8;;\u001b\\", "here"],
  ["device strings go", "\u001bPq#0\u001b\\a\u001b_apc\u001b\\b\u001b^pm\u001b\\c\u001bXsos\u001b\\d", "abcd"],
  ["a sequence without an end hides nothing", "a\u001b]0;rest of the text", "a0;rest of the text"],
  ["no sequence reaches beyond its line", "\u001b]0;x\nvisible\u0007", "0;x\nvisible␇"],
  ["resets and character sets go", "a\u001bcb\u001b(0c\u001b7d", "abcd"],
  ["a lone escape is seen", "a\u001b", "a␛"],
  ["what is left of nested sequences is none", "\u001b\u001b[31m[31mx", "␛[31mx"],
  ["control characters are seen", "a\u0000\u0007\bb\u007f", "a␀␇␈b␡"],
  ["a carriage return can't overwrite the line", "danger\rharmless", "danger␍harmless"],
  ["C1 controls are seen", "a\u0080b\u0090c", "a�b�c"],
  ["every line end is one", "a\r\nb\nc\u2028d\u2029e\u0085f", "a\nb\nc\nd\ne\nf"],
  ["tabs stay", "a\tb", "a\tb"],
  ["bidi overrides, isolates and marks go", "a\u202eb\u202c\u2066c\u2069\u200e\u200f\u061cd", "abcd"],
  ["zero-width characters go", "pass\u200bword\ufeff\u2060\u00ad\u180e", "password"],
  ["tags, which hide whole texts, go", "hi\u{e0001}\u{e0041}\u{e007f}", "hi"],
  ["lone surrogates are replaced", "a\ud800b\udc00c", "a�b�c"],
];

test("bodyText makes text harmless", async (context) => {
  for (const [name, text, body] of cases) {
    await context.test(name, () => assert.equal(bodyText(text), body));
  }
});

test("cellText is one line", () => {
  assert.equal(cellText("  a\r\n\tb \n\n c\u2028d\u0085 "), "a b c d");
  assert.equal(cellText("\u001b[31mred\u001b[0m\nand more"), "red and more");
});

test("bodyText leaves nothing that a terminal would act on, and is done the second time", () => {
  const hostile = fc.string({
    unit: fc.constantFrom(
      "\u001b",
      "[",
      "]",
      "0",
      ";",
      "m",
      "\\",
      "\u0007",
      "\u009b",
      "\u009c",
      "\u202e",
      "\n",
      "\r",
      "x",
    ),
    maxLength: 30,
  });
  fc.assert(
    fc.property(hostile, (text) => {
      const body = bodyText(text);
      assert.doesNotMatch(body, /(?![\n\t])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u);
      assert.equal(bodyText(body), body);
      assert.doesNotMatch(cellText(text), /\p{Cc}/u);
    }),
    { numRuns: 500 },
  );
});

test("bodyText takes linear time for beginnings of sequences that never end", () => {
  for (const piece of ["\u001b]", "\u001b[", "\u001b[1;", "\u001bP", "\u009d"]) {
    const started = performance.now();
    bodyText(piece.repeat(200_000));
    assert.ok(performance.now() - started < 2000, JSON.stringify(piece));
  }
});
