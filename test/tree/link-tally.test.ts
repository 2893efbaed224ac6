import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LinkTally } from "../../src/tree/link-tally.js";
import { entry } from "../helpers/entries.js";
import { indexEntries } from "../helpers/index-entries.js";

/** An entry's own id and its parent's. */
type Link = [id: string | undefined, parentId: string | null];

function tally(links: readonly Link[]): LinkTally {
  const tally = new LinkTally();
  for (const [id, parentId] of links) tally.add(id, parentId);
  return tally;
}

test("LinkTally numbers entries, and tells their parents and how many have no children", () => {
  const links = new LinkTally();
  assert.equal(links.branchCount, 0);
  assert.equal(links.add("0000000a", null), 0);
  assert.equal(links.add("0000000b", "0000000a"), 1);
  assert.equal(links.add(undefined, "0000000a"), -1);
  assert.equal(links.add("long id", "0000000a"), 2);
  assert.equal(links.add("0000000c", "long id"), 3);
  assert.equal(links.add("0000000d", "missing"), 4);
  assert.equal(links.size, 5);
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((number) => links.parentOf(number)),
    [-1, 0, 0, 2, -1],
  );
  assert.equal(links.branchCount, 3);
  assert.equal(links.numberOf("long id"), 2);
  assert.equal(links.numberOf("0000000d"), 4);
  assert.equal(links.numberOf("missing"), -1);
  assert.ok(links.isExact);
});

test("LinkTally is not exact once an id stands twice, or a parent behind its child", () => {
  const cases: [boolean, Link[]][] = [
    [true, []],
    [true, [["a", null]]],
    [
      true,
      [
        ["a", "x"],
        ["b", "y"],
        ["c", "a"],
      ],
    ],
    [
      false,
      [
        ["a", null],
        ["a", null],
      ],
    ],
    [
      false,
      [
        ["0000000a", null],
        ["0000000b", null],
        ["0000000a", "0000000b"],
      ],
    ],
    [false, [["a", "a"]]],
    [
      false,
      [
        ["a", null],
        ["b", "b"],
      ],
    ],
    [
      false,
      [
        ["a", "b"],
        ["c", "a"],
        ["b", null],
      ],
    ],
    // What has no id is no parent, and the parent that it names has no child for it.
    [
      true,
      [
        [undefined, "b"],
        ["b", null],
        [undefined, "b"],
      ],
    ],
  ];
  for (const [isExact, links] of cases) assert.equal(tally(links).isExact, isExact, JSON.stringify(links));
});

const someId = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.nat(7).map((number) => `0000000${number}`),
    fc.constantFrom("ffffffff", "FFFFFFFF", "0000000", "__proto__", "\u6c34"),
  );

test("LinkTally answers as SessionIndex does as long as it is exact, and is so unless links point ahead or ids repeat", () => {
  const link = fc.tuple(
    fc.oneof({ weight: 9, arbitrary: someId() }, fc.constant(undefined)),
    fc.oneof({ weight: 5, arbitrary: someId() }, fc.constant(null)),
  );
  fc.assert(
    fc.property(fc.array<Link>(link, { maxLength: 9 }), (links) => {
      const tallied = new LinkTally();
      const index = indexEntries([]);
      const ids: string[] = [];
      const missing = new Set<string>();
      let isExact = true;
      for (const [id, parentId] of links) {
        const number = tallied.add(id, parentId);
        indexEntries([{ ...entry("custom", "", parentId), id }], index);
        if (id !== undefined) {
          if (parentId !== null && !ids.includes(parentId)) missing.add(parentId);
          isExact &&= !ids.includes(id) && !missing.has(id);
          ids.push(id);
          assert.equal(number, ids.length - 1);
        }
        assert.equal(tallied.isExact, isExact);
        if (!isExact) continue;
        assert.equal(tallied.size, index.size);
        assert.equal(tallied.branchCount, index.branchCount);
        for (let number = 0; number < index.size; number++) {
          assert.equal(tallied.parentOf(number), index.parentOf(number), `parent of ${number}`);
        }
        for (const asked of [...ids, ...missing]) assert.equal(tallied.numberOf(asked), index.numberOf(asked));
      }
    }),
    { numRuns: 2000 },
  );
});

test("LinkTally takes a long chain in about 20 bytes an entry", () => {
  const count = 500_000;
  const links = new LinkTally();
  const id = (number: number): string => ((number * 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
  const before = process.memoryUsage().arrayBuffers;
  for (let number = 0; number < count; number++) links.add(id(number), number === 0 ? null : id(number - 1));
  const bytes = process.memoryUsage().arrayBuffers - before;
  // The tables that larger ones replaced may still lie about.
  assert.ok(bytes < 28 * count, `${bytes} bytes`);
  assert.ok(links.isExact);
  assert.equal(links.branchCount, 1);
  for (let number = 0; number < count; number += 49_999) {
    assert.equal(links.parentOf(number), number - 1);
    assert.equal(links.numberOf(id(number)), number);
  }
});
