import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readNotes, writeNote } from "../../src/scan/session-note.js";
import type { FoundSession } from "../../src/scan/tasks/fingerprints-task.js";

const text = fc.string({ unit: "binary" });
const session: fc.Arbitrary<FoundSession> = fc.record(
  {
    path: text,
    id: text,
    parent: fc.option(text),
    created: fc.option(fc.integer()),
    sizeBytes: fc.maxSafeNat(),
    mtimeMs: fc.double({ noNaN: true, noDefaultInfinity: true, min: 0 }),
    isWanted: fc.boolean(),
    rows: fc.record({ damagedLines: fc.nat(), cutEntries: fc.nat() }, { noNullPrototype: true }),
    fingerprints: fc
      .array(fc.tuple(fc.integer(), fc.integer(), fc.integer(), fc.integer()))
      .map((calls) => Int32Array.from(calls.flat())),
  },
  { noNullPrototype: true },
);

const read = (...notes: string[]) => readNotes(async (take) => notes.forEach(take));

test("writeNote writes a line of ASCII that readNotes reads again", async () => {
  await fc.assert(
    fc.asyncProperty(session, async (session) => {
      const note = writeNote(session);
      assert.match(note, /^[ -~]+$/);
      assert.deepEqual([...(await read(note, note))], [[session.path, session]]);
    }),
  );
});

test("readNotes passes over notes that any change was made to", async () => {
  await fc.assert(
    fc.asyncProperty(session, fc.nat(), fc.constantFrom("", "x", "0", "\n"), async (session, at, other) => {
      const note = writeNote(session);
      const place = at % note.length;
      const changed = note.slice(0, place) + other + note.slice(place + 1);
      assert.equal((await read(changed, "", "{}")).size, changed === note ? 1 : 0);
    }),
  );
});
