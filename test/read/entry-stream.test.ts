import assert from "node:assert/strict";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { test } from "node:test";
import { entryStream } from "../../src/read/entry-stream.js";
import { lineStream } from "../../src/read/line-stream.js";
import type { SessionIndex } from "../../src/tree/session-index.js";
import { treeStream } from "../../src/tree/tree-stream.js";
import { header, jsonl } from "../helpers/entries.js";

const bytes = Buffer.concat([jsonl(header()), Buffer.from("garbage\n")]);

const drain = (): Writable => new Writable({ objectMode: true, write: (_chunk, _encoding, done) => done() });

/** What a pipeline fails with when something throws within one of its streams: none of them may leave it hanging, or end the process. */
const failing: [string, NodeJS.ReadWriteStream[], Iterable<unknown>, object][] = [
  [
    "a callback that throws",
    [
      lineStream(),
      entryStream({
        onProblem() {
          throw new Error("not my day");
        },
      }),
    ],
    [bytes],
    { message: "not my day" },
  ],
  [
    "a callback that throws at the end",
    [
      lineStream(),
      entryStream({
        onCounts() {
          throw new Error("not my day");
        },
      }),
    ],
    [bytes],
    { message: "not my day" },
  ],
  ["chunks that are no bytes", [lineStream()], [{ not: "bytes" }], { name: "TypeError" }],
  ["streams in the wrong order", [entryStream()], [bytes], { name: "TypeError" }],
  [
    "no index",
    [lineStream(), entryStream(), treeStream(undefined as unknown as SessionIndex)],
    [bytes],
    { name: "TypeError" },
  ],
  ["no session", [lineStream(), entryStream()], [Buffer.from("[]\n")], { code: "NOT_A_SESSION" }],
];

for (const [name, streams, chunks, error] of failing) {
  test(`a pipeline of the streams fails with its error for ${name}`, async () => {
    await assert.rejects(pipeline([Readable.from(chunks), ...streams, drain()]), error);
  });
}
