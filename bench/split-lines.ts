/** The floor under indexing: one session read and split into lines, nothing looked at. */
import { open } from "node:fs/promises";
import { MAX_LINE_BYTES } from "../src/read/limits.js";
import { LineSplitter } from "../src/read/line-splitter.js";
import { readChunks } from "../src/read/read-chunks.js";

const counts = { lines: 0, pieces: 0 };
const splitter = new LineSplitter(
  {
    line() {
      counts.lines += 1;
    },
    longLine() {
      counts.pieces += 1;
    },
  },
  MAX_LINE_BYTES,
);
const handle = await open(process.argv[2]!);
for await (const chunk of readChunks(handle)) splitter.push(chunk);
splitter.end();
await handle.close();
console.log(JSON.stringify(counts));
