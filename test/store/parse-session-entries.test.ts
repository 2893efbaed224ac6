import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSessionEntries } from "../../src/store/parse-session-entries.js";
import { header, jsonl, user } from "../helpers/entries.js";

test("parseSessionEntries gives header and entries as they are written, in order", () => {
  const lines = [header({ version: 1 }), user("0000000a", null, "line\u2028separator"), { type: "odd", id: 7 }];
  assert.deepEqual(parseSessionEntries(jsonl(...lines).toString()), lines);
});

test("parseSessionEntries passes over blank lines, a byte order mark, and what is no entry", () => {
  const text = `\ufeff${JSON.stringify(header())}\r\n\n  \n7\nnull\n[]\n{"id":"x"}\n${JSON.stringify(user("a", null, ""))}`;
  assert.deepEqual(parseSessionEntries(text), [header(), user("a", null, "")]);
  assert.deepEqual(parseSessionEntries(""), []);
});

test("parseSessionEntries recovers whole entries from damaged lines", () => {
  const whole = user("0000000b", null, "glued");
  const text = `${JSON.stringify(header())}\n{"type":"mess${JSON.stringify(whole)}\n{"type":"message","id":"0000000c"`;
  assert.deepEqual(parseSessionEntries(text), [header(), whole]);
});
