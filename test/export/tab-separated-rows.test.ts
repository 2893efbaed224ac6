import assert from "node:assert/strict";
import { test } from "node:test";
import { TabSeparatedRows } from "../../src/export/clickhouse/tab-separated-rows.js";

test("TabSeparatedRows spells nulls, numbers and text", () => {
  const rows = new TabSeparatedRows();
  rows.add(["a\tb", null, 1e21, -0, "\\N", ""]);
  rows.add(["\ud800", "池", 5, 0.1, null, "x"]);
  assert.equal(rows.count, 2);
  assert.equal(Buffer.concat(rows.take()).toString(), "a\\tb\t\\N\t1e+21\t0\t\\\\N\t\n\ufffd\t池\t5\t0.1\t\\N\tx\n");
  assert.deepEqual([rows.count, rows.byteLength, rows.take()], [0, 0, []]);
});

test("TabSeparatedRows encodes large cells in pieces that split no character", () => {
  // Pieces end at every place within a pair of surrogates and around escaped characters.
  for (const shift of [0, 1, 2, 3]) {
    const text = `${"x".repeat(shift)}${"🐸\n".repeat(800_000)}`;
    const rows = new TabSeparatedRows();
    rows.add([text, "end"]);
    const chunks = rows.take();
    assert.ok(Math.max(...chunks.map(({ length }) => length)) < 8 * 1024 * 1024);
    assert.equal(Buffer.concat(chunks).toString(), `${text.replaceAll("\n", "\\n")}\tend\n`);
  }
});

test("TabSeparatedRows tells its size while it grows", () => {
  const rows = new TabSeparatedRows();
  for (let row = 0; row < 10_000; row++) rows.add(["0123456789", row]);
  const byteLength = rows.byteLength;
  assert.equal(byteLength, Buffer.concat(rows.take()).length);
});
