import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { anyBytes, damagedFile, jsonValue, type Line, sessionFile, sessionLines } from "./arbitraries.js";
import { contextPlainly, odditiesPlainly, readPlainly, sessionPlainly, totalsPlainly } from "./plain-reader.js";
import { seededRandom, spellJson } from "./spell-json.js";

/** What JSON makes of a value: no `undefined`, no infinity. */
const throughJson = (value: unknown): unknown => JSON.parse(spellJson(value, () => 0.5, 0));

test("spellJson changes nothing of what is said", () => {
  fc.assert(
    fc.property(jsonValue(), fc.nat(), (value, seed) => {
      assert.deepEqual(JSON.parse(spellJson(value, seededRandom(seed), 0.4)), throughJson(value));
    }),
  );
});

test("readPlainly gives every line of a whole file, and no damage", () => {
  fc.assert(
    fc.property(sessionLines({ versions: [3, 4], hostile: true }), (lines) => {
      const file = readPlainly(Buffer.from(lines.map((line) => `${spellJson(line, () => 0.5, 0)}\n`).join("")));
      const isHeader = ({ type, id }: Line) => type === "session" && typeof id === "string";
      const from = lines.findIndex(isHeader);
      // A twist may take a line's type away, which makes it damage.
      const entries = lines.slice(from + 1).filter((line) => typeof line.type === "string" && !isHeader(line));
      assert.deepEqual(
        file.entries.map(({ entry }) => entry),
        entries.map(throughJson),
      );
      assert.deepEqual(file.header?.entry, throughJson(lines[from]));
      assert.equal(file.damage.length, lines.filter(({ type }) => typeof type !== "string").length);
    }),
    { numRuns: 40 },
  );
});

test("readPlainly says where an entry's own bytes are", () => {
  fc.assert(
    fc.property(damagedFile({ versions: [3] }), (bytes) => {
      const { version, entries } = readPlainly(bytes);
      for (const { entry, byteOffset, byteLength, line } of entries) {
        // Entries of old versions are no longer what the file says: a fault may have left only a header without a version.
        if (version < 3) return;
        assert.deepEqual(JSON.parse(bytes.subarray(byteOffset, byteOffset + byteLength).toString()), entry);
        assert.equal(bytes.subarray(0, byteOffset).filter((byte) => byte === 0x0a).length, line - 1);
      }
    }),
    { numRuns: 40 },
  );
});

test("the plain reader takes any bytes", () => {
  const files = fc.oneof(damagedFile({ hostile: true }), sessionFile({ hostile: true }), anyBytes());
  fc.assert(
    fc.property(files, (bytes) => {
      const file = readPlainly(bytes);
      if (!file.isSession) return;
      const entries = file.entries.map(({ entry }) => entry);
      const session = sessionPlainly(file);
      const context = contextPlainly(entries);
      assert.equal(context.messages.length, context.entryIds.length);
      assert.ok(session.messageCount <= session.entryCount && session.branches <= session.entryCount);
      assert.ok(odditiesPlainly(file).every(({ line }) => line >= 1 && line <= file.lines));
    }),
  );
});

test("totalsPlainly tells each call of a store to be own or copied, once", () => {
  fc.assert(
    fc.property(fc.array(sessionFile({ maxEntries: 8 }), { maxLength: 4 }), (files) => {
      const store = files.map((bytes, index) => ({ path: `/store/${index}.jsonl`, file: readPlainly(bytes) }));
      const once = totalsPlainly(store);
      const raw = totalsPlainly(store, { dedupe: false });
      assert.equal(once.total.calls + once.duplicates.calls, raw.total.calls);
      for (const groups of [once.byModel, once.byProject, once.byDay, once.bySource]) {
        assert.equal(
          groups.reduce((calls, { usage }) => calls + usage.calls, 0),
          once.total.calls,
        );
      }
    }),
    { numRuns: 20 },
  );
});
