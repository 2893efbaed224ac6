import assert from "node:assert/strict";
import { test } from "node:test";
import { LineEnds } from "../../src/read/line-ends.js";
import { chunkSizes, lentChunksOf } from "../helpers/chunks.js";

test("LineEnds keeps the first and last bytes of a line, whatever pieces it comes in", () => {
  const window = 16;
  for (const length of [1, 15, 16, 17, 31, 32, 33, 100]) {
    const line = Buffer.from(Array.from({ length }, (_, at) => at));
    for (const size of chunkSizes(length)) {
      const ends = new LineEnds(window);
      for (const piece of lentChunksOf(line, size)) ends.push(piece);
      const offset = Math.max(0, length - window);
      assert.deepEqual([...ends.head()], [...line.subarray(0, window)], `head of ${length} in ${size}`);
      assert.deepEqual(
        { ...ends.tail(), bytes: [...ends.tail().bytes] },
        { offset, bytes: [...line.subarray(offset)] },
      );
    }
  }
});
