/** One session read and split by the stream that users compose: what a line costs when it is handed on as an object. */
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { type Line, lineStream } from "../src/read/line-stream.js";

let lines = 0;
await pipeline(createReadStream(process.argv[2]!, { highWaterMark: 256 * 1024 }), lineStream(), async (batches) => {
  for await (const batch of batches as AsyncIterable<Line[]>) lines += batch.length;
});
console.log(JSON.stringify({ lines }));
