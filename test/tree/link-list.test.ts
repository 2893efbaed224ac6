import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { LinkList, tallyLinks } from "../../src/tree/link-list.js";
import { LinkTally } from "../../src/tree/link-tally.js";

/** An entry's own id and its parent's. */
type Link = [id: string | undefined, parentId: string | null];

function list(links: readonly Link[]): LinkList {
  const list = new LinkList();
  for (const [id, parentId] of links) list.add(id, parentId);
  return list;
}

test("LinkList writes down ids of 8 hex digits and the parents that are named", () => {
  const links = new LinkList();
  assert.equal(links.add("00000001", null), 0);
  assert.equal(links.add(undefined, "00000001"), -1);
  assert.equal(links.add("ffffffff", "00000001"), 1);
  assert.equal(links.add("7fffffff", "80000000"), 2);
  assert.equal(links.size, 3);
  assert.ok(links.isExact);
  assert.deepEqual(links.part(), {
    ids: Int32Array.of(1, -1, 0x7fffffff),
    parentIds: Int32Array.of(0, 1, -0x80000000),
    hasParent: Uint8Array.of(0, 1, 1),
  });
});

test("LinkList is not exact once an id or a parent is of anything but 8 lower-case hex digits", () => {
  for (const id of [
    "0000000",
    "000000001",
    "0000000A",
    "0000000g",
    "\u0661\u0661\u0661\u0661\u0661\u0661\u0661\u0661",
  ]) {
    assert.equal(list([[id, null]]).isExact, false, id);
    assert.equal(list([["00000001", id]]).isExact, false, id);
    assert.equal(list([[undefined, id]]).isExact, true, id);
  }
});

test("tallyLinks goes on with the parts of a file as if they were one", () => {
  const hexId = fc.oneof(
    fc.nat(12).map((number) => number.toString(16).padStart(8, "0")),
    fc.constantFrom("ffffffff", "80000000"),
  );
  const link = fc.tuple(
    fc.oneof({ weight: 9, arbitrary: hexId }, fc.constant(undefined)),
    fc.oneof({ weight: 5, arbitrary: hexId }, fc.constant(null)),
  );
  const parts = fc.array(fc.array<Link>(link, { maxLength: 4 }), { maxLength: 4 });
  fc.assert(
    fc.property(parts, (parts) => {
      const joined = new LinkTally();
      for (const links of parts) tallyLinks(joined, structuredClone(list(links).part()));
      const whole = new LinkTally();
      for (const [id, parentId] of parts.flat()) whole.add(id, parentId);
      assert.equal(joined.isExact, whole.isExact);
      assert.equal(joined.size, whole.size);
      assert.equal(joined.branchCount, whole.branchCount);
      for (let number = 0; number < whole.size; number++) {
        assert.equal(joined.parentOf(number), whole.parentOf(number));
      }
      for (const [id] of parts.flat()) if (id !== undefined) assert.equal(joined.numberOf(id), whole.numberOf(id));
    }),
    { numRuns: 1000 },
  );
});

test("LinkList keeps more entries than a page of its columns holds", () => {
  const count = 40_000;
  const links = new LinkList();
  const id = (number: number): string => number.toString(16).padStart(8, "0");
  for (let number = 0; number < count; number++) links.add(id(number), number % 3 === 0 ? null : id(number - 1));
  const { ids, parentIds, hasParent } = links.part();
  assert.deepEqual([ids.length, parentIds.length, hasParent.length], [count, count, count]);
  for (let number = 0; number < count; number++) {
    assert.equal(ids[number], number);
    assert.equal(hasParent[number], number % 3 === 0 ? 0 : 1);
    if (number % 3 !== 0) assert.equal(parentIds[number], number - 1);
  }
});
