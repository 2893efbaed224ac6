import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SpanDecoder } from "../../src/read/span-decoder.js";
import { jsonValue } from "../helpers/arbitraries.js";
import { seededRandom, spellJson } from "../helpers/spell-json.js";

function decode(decoder: SpanDecoder, json: string): unknown {
  const front = 'é,"';
  const bytes = Buffer.from(`${front}${json}"8`);
  return decoder.decode(bytes, Buffer.byteLength(front), bytes.length - 2);
}

test("SpanDecoder.decode gives what JSON.parse gives", () => {
  const decoder = new SpanDecoder();
  fc.assert(
    fc.property(jsonValue(), fc.integer(), (value, seed) => {
      const json = spellJson(value, seededRandom(seed), 0.2);
      assert.deepEqual(decode(decoder, json), JSON.parse(Buffer.from(json).toString()), json);
    }),
    { numRuns: 500 },
  );
});

test("SpanDecoder.decode reads strings of every length with an odd character at every place", () => {
  const decoder = new SpanDecoder();
  for (let length = 0; length < 40; length++) {
    for (let at = 0; at <= length; at++) {
      for (const odd of ["", "é", "\\n", "\\u0041", "\\ud800", "\\\\", "T", "Z"]) {
        const json = `"${"1".repeat(at)}${odd}${"1".repeat(length - at)}"`;
        // Twice, as the second comes from the strings that are shared.
        assert.equal(decode(decoder, json), JSON.parse(json));
        assert.equal(decode(decoder, json), JSON.parse(json));
      }
    }
  }
});

test("SpanDecoder.decode reads times, and strings of their length that are none", () => {
  const decoder = new SpanDecoder();
  const time = "2026-01-02T03:04:05.678Z";
  assert.equal(decode(decoder, `"${time}"`), time);
  for (let at = 0; at < 24; at++) {
    for (const odd of ["x", "\\", "\u007f", "T", "Z", "?", "@"]) {
      const text = time.slice(0, at) + odd + time.slice(at + 1);
      assert.equal(decode(decoder, JSON.stringify(text)), text);
    }
  }
  assert.equal(decode(decoder, '"2026-01-02T03:04:05.6\\nZ"'), "2026-01-02T03:04:05.6\nZ");
  assert.equal(decode(decoder, '"2026-01-02T03:04:05.6éZ"'), "2026-01-02T03:04:05.6éZ");
});

test("SpanDecoder.decode tells strings apart whose bytes share a cell, and keeps none of the bytes", () => {
  const decoder = new SpanDecoder();
  const bytes = Buffer.from('"abcdefgh"');
  const texts = Array.from({ length: 20_000 }, (_, number) => number.toString(16).padStart(8, "a"));
  const decoded = texts.map((text) => {
    bytes.write(text, 1);
    return decoder.decode(bytes, 0, 10);
  });
  bytes.fill(0);
  assert.deepEqual(decoded, texts);
});
