import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { newColumnBuffer } from "../../src/export/column-buffer.js";
import type { Cell } from "../../src/export/row-batch.js";
import type { ColumnType } from "../../src/export/tables.js";

const cells: Record<ColumnType, fc.Arbitrary<Cell>> = {
  string: fc.option(fc.string({ unit: "binary", maxLength: 50 }), { freq: 5 }),
  int64: fc.option(fc.maxSafeInteger(), { freq: 5 }),
  timestamp: fc.option(fc.integer({ min: -62e12, max: 253e12 }), { freq: 5 }),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }),
  boolean: fc.option(fc.boolean(), { freq: 5 }),
};

/** A value of a buffer as the cell that it was. */
function asCell(value: unknown): Cell {
  if (typeof value === "bigint") return Number(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString() : (value as Cell);
}

for (const [type, isRepeating] of [
  ["string", false],
  ["string", true],
  ["int64", false],
  ["timestamp", false],
  ["double", false],
  ["boolean", false],
] as const) {
  test(`newColumnBuffer keeps cells of ${isRepeating ? "repeating " : ""}${type}, appended in any runs`, () => {
    fc.assert(
      fc.property(fc.array(fc.array(cells[type], { maxLength: 60 }), { maxLength: 8 }), (runs) => {
        const buffer = newColumnBuffer(type, isRepeating);
        for (const run of runs) {
          const padded = [null, ...run, null] as Cell[];
          buffer.append(padded, 1, padded.length - 1);
        }
        assert.deepEqual(Array.from(buffer.values(), asCell), runs.flat());
        assert.equal(buffer.bytes > 0, true);
      }),
    );
  });
}
