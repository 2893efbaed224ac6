import assert from "node:assert/strict";
import { test } from "node:test";
import { escapeCell, quoteName, quoteText } from "../../src/export/clickhouse/quote.js";

/** Every character that anything could take for more than itself, and some that nothing does. */
const hostile = "a'b\"c`d\\e\0f\bg\th\ni\fj\rk$l{m}n%o--p/*q*/r;s池🐸\u2028";

test("quoteText spells a string that ends nowhere inside", () => {
  assert.equal(quoteText(hostile), `${String.raw`'a\'b"c${"`"}d\\e\0f\bg\th\ni\fj\rk$l{m}n%o--p/*q*/r;s池🐸`}\u2028'`);
  assert.equal(quoteText(""), "''");
  assert.equal(quoteText("\\"), String.raw`'\\'`);
  assert.equal(quoteText("\\'"), String.raw`'\\\''`);
});

test("quoteName spells a name that ends nowhere inside", () => {
  assert.equal(quoteName("a`b"), "`a\\`b`");
  assert.equal(quoteName("a\\`'\n"), "`a\\\\\\`'\\n`");
  assert.equal(quoteName("__proto__"), "`__proto__`");
});

test("escapeCell keeps a cell in its row and column", () => {
  assert.equal(escapeCell("plain 'text'"), "plain 'text'");
  assert.equal(escapeCell("\\N"), "\\\\N");
  assert.equal(escapeCell("\\\n\t\r\0\b\f\\"), "\\\\\\n\\t\\r\\0\\b\\f\\\\");
  assert.ok(!/[\t\n\r\0]/.test(escapeCell(hostile)));
});
