import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../../src/format/message.js";
import { replaySystemMessages } from "../../src/store/replay-system-messages.js";

const system = (more: object): Message => ({ role: "system", content: "", timestamp: 1, ...more });

test("replaySystemMessages gives nothing without a system message", () => {
  assert.equal(replaySystemMessages([], 5), undefined);
  assert.equal(replaySystemMessages([{ role: "user", content: "Hello" }], 5), undefined);
});

test("replaySystemMessages joins texts by blank lines, and leaves empty ones out", () => {
  const messages = [
    system({ content: "One" }),
    { role: "user" as const, content: "not this" },
    system({}),
    system({
      content: [
        { type: "text", text: "Two" },
        { type: "image", data: "" },
        { type: "text", text: "Three" },
      ],
    }),
    system({ content: null }),
  ];
  assert.deepEqual(replaySystemMessages(messages, 5), { role: "system", content: "One\n\nTwo\nThree", timestamp: 5 });
});

test("replaySystemMessages patches sections by name", () => {
  const messages = [
    system({ sections: { a: "1", b: "2", c: "3" } }),
    system({ sections: { b: null, a: "one", gone: null } }),
    system({ sections: { b: "back" } }),
  ];
  const replay = replaySystemMessages(messages, 5);
  assert.deepEqual(Object.entries(replay?.sections ?? {}), [
    ["a", "one"],
    ["c", "3"],
    ["b", "back"],
  ]);
  assert.deepEqual(replaySystemMessages([system({ sections: { a: "1" } }), system({ sections: { a: null } })], 5), {
    role: "system",
    content: "",
    timestamp: 5,
  });
});

test("replaySystemMessages adds and removes tools in order; the last declaration of a name counts", () => {
  const messages = [
    system({ toolsAdded: [{ name: "read" }, { name: "write" }, { name: "bash", old: true }] }),
    system({ toolsRemoved: [{ name: "write" }, { name: "bash" }], toolsAdded: [{ name: "bash", old: false }] }),
    system({ toolsAdded: [{ name: "write", again: true }] }),
  ];
  assert.deepEqual(replaySystemMessages(messages, 5)?.toolsAdded, [
    { name: "read" },
    { name: "bash", old: false },
    { name: "write", again: true },
  ]);
});

test("replaySystemMessages passes over parts of the wrong type", () => {
  const broken = [
    system({ sections: "no", toolsAdded: { name: "x" }, toolsRemoved: null, content: 7 }),
    system({ sections: { a: 7, b: "2" }, toolsAdded: [null, "tool"] }),
  ];
  assert.deepEqual(replaySystemMessages(broken, 5)?.sections, { b: "2" });
});
