import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jsonPieces, writeJson, writeJsonLines } from "../../src/cli/write-json.js";
import { capturedOutput } from "./captured-output.js";

async function written(document: Record<string, unknown>): Promise<string> {
  const { output, stdout } = capturedOutput();
  await writeJson(output, document);
  await output.finish();
  return stdout.text;
}

function nested(depth: number): unknown {
  let value: unknown = "core";
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { in: value };
  return value;
}

async function* later(...items: unknown[]): AsyncGenerator<unknown> {
  yield* items;
}

test("writeJson prints one document, arrays and iterables item by item", async () => {
  assert.equal(
    await written({ sessions: [{ a: 1 }, 2], skipped: [] }),
    '{"sessions":[\n{"a":1},\n2\n],"skipped":[]}\n',
  );
  assert.equal(await written({ nodes: later("x", null), leafId: null }), '{"nodes":[\n"x",\nnull\n],"leafId":null}\n');
  assert.equal(await written({}), "{}\n");
});

test("writeJson has no word for undefined and NaN", async () => {
  const text = await written({
    a: undefined,
    b: Number.NaN,
    c: [undefined, Number.POSITIVE_INFINITY],
    d: { e: undefined },
  });
  assert.deepEqual(JSON.parse(text), { b: null, c: [null, null], d: {} });
});

test("writeJson gives any JSON as it is, hostile keys and characters included", async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (document) => {
      assert.deepEqual(
        JSON.parse(await written({ items: [document] })),
        JSON.parse(JSON.stringify({ items: [document] })),
      );
    }),
    { numRuns: 200 },
  );
  const hostile: Record<string, unknown> = JSON.parse(
    '{"__proto__":{"x":1},"toJSON":"no function","\\ud800":"\\udfff"}',
  );
  assert.deepEqual(JSON.parse(await written({ items: [hostile] })), { items: [hostile] });
});

test("writeJson escapes what a terminal would act on", async () => {
  const text = await written({ a: "\u001b[31m\u009b31m\u202e\u2028\u007f" });
  assert.doesNotMatch(text, /(?!\n)\p{Cc}|[\u2028-\u202e]/u);
  assert.equal(JSON.parse(text).a, "\u001b[31m\u009b31m\u202e\u2028\u007f");
});

test("writeJson replaces what is nested too deeply for JSON.stringify, and keeps the rest", async () => {
  const deep = nested(100_000);
  assert.throws(() => JSON.stringify(deep), RangeError);
  const { messages } = JSON.parse(await written({ messages: [{ role: "user", content: "hello", deep }, "next"] }));
  assert.equal(messages[0].content, "hello");
  assert.equal(messages[1], "next");
  assert.match(JSON.stringify(messages[0].deep), /"\[nested deeper than 200 levels\]"/);
});

test("jsonPieces of any value is its JSON", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.equal([...jsonPieces(value)].join(""), JSON.stringify(value));
    }),
    { numRuns: 200 },
  );
  assert.equal([...jsonPieces({ a: undefined, b: [undefined, Number.NaN] })].join(""), '{"b":[null,null]}');
});

test("jsonPieces cuts long strings, and what it cuts comes together again", () => {
  const text = `x${"\u{1f600}\n".repeat(1_000_000)}`;
  const pieces = [...jsonPieces([text])];
  assert.ok(pieces.length > 2);
  assert.equal(JSON.parse(pieces.join(""))[0], text);
});

test("writeJsonLines prints each item as a line", async () => {
  const { output, stdout } = capturedOutput();
  await writeJsonLines(output, later({ a: "two\nlines" }, 2));
  await output.finish();
  assert.equal(stdout.text, '{"a":"two\\nlines"}\n2\n');
});
