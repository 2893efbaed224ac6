import assert from "node:assert/strict";
import { test } from "node:test";
import { largeBuffers } from "../../src/scan/large-buffers.js";

test("largeBuffers finds each large buffer once, however deep it lies and however many arrays are views of it", () => {
  const words = new Int32Array(20_000);
  const numbers = new Float64Array(8_192);
  const small = new Uint8Array(65_535);
  const value = { files: [{ words: words.subarray(0, 3) }, { words: words.subarray(3) }, null, "x"], numbers, small };
  assert.deepEqual([...largeBuffers(value)], [words.buffer, numbers.buffer]);
  structuredClone(value, { transfer: [...largeBuffers(value)] });
  assert.equal(words.length, 0);
  assert.equal(small.length, 65_535);
});

test("largeBuffers leaves shared memory, which can't be handed over", () => {
  assert.equal(largeBuffers([new Uint8Array(new SharedArrayBuffer(100_000)), undefined, 1]).size, 0);
});
