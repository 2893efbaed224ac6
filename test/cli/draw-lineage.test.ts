import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { drawLineage, type LineageNode } from "../../src/cli/draw-lineage.js";

/** Sessions named by their numbers, from the number of each one's parent; -1 for none. */
const sessionsOf = (parents: number[]): LineageNode[] =>
  parents.map((parent, number) => ({ path: String(number), parentPath: parent < 0 ? null : String(parent) }));

const drawing = (parents: number[]): string[] =>
  Array.from(drawLineage(sessionsOf(parents)), ({ session, lead }) => lead + session.path);

test("drawLineage hangs forks on the session that they came from, in the order given", () => {
  assert.deepEqual(drawing([-1, 0, -1, 1, 0, 2, 1, 4]), [
    "0",
    "├─ 1",
    "│  ├─ 3",
    "│  └─ 6",
    "└─ 4",
    "   └─ 7",
    "2",
    "└─ 5",
  ]);
  assert.deepEqual(drawing([]), []);
});

test("drawLineage takes a session whose parent is not drawn, or comes later, for a root", () => {
  const sessions = [
    { path: "a", parentPath: "missing" },
    { path: "b", parentPath: "c" },
    { path: "c", parentPath: "b" },
    { path: "d", parentPath: "d" },
  ];
  assert.deepEqual(
    Array.from(drawLineage(sessions), ({ session, lead, showsParent }) => [lead + session.path, showsParent]),
    [
      ["a", false],
      ["b", false],
      ["└─ c", true],
      ["d", false],
    ],
  );
});

test("drawLineage goes no further in below 12 steps, and says that it doesn't show the parent there", () => {
  const chain = [...drawLineage(sessionsOf([-1, ...Array.from({ length: 14 }, (_, number) => number)]))];
  assert.deepEqual(
    chain.map(({ showsParent }) => showsParent),
    [false, ...Array.from({ length: 12 }, () => true), false, false],
  );
  const [twelfth, ...deeper] = chain.slice(12).map(({ lead }) => lead);
  assert.equal(twelfth, `${" ".repeat(33)}└─ `);
  assert.deepEqual(deeper, [`${" ".repeat(36)}… `, `${" ".repeat(36)}… `]);
});

test("drawLineage draws chains and fans of 100,000 sessions", () => {
  const chain = sessionsOf(Array.from({ length: 100_000 }, (_, number) => number - 1));
  assert.equal([...drawLineage(chain)].at(-1)!.session.path, "99999");
  const fan = sessionsOf(Array.from({ length: 100_000 }, (_, number) => (number === 0 ? -1 : 0)));
  assert.equal([...drawLineage(fan)].at(-1)!.lead, "└─ ");
});

test("drawLineage draws every session once, each behind its parent", () => {
  const parents = fc
    .array(fc.nat(), { maxLength: 60 })
    .map((draws) => draws.map((draw, number) => (draw % (number + 1)) - 1));
  fc.assert(
    fc.property(parents, (parents) => {
      const drawn = Array.from(drawLineage(sessionsOf(parents)), ({ session }) => Number(session.path));
      assert.deepEqual(
        drawn.toSorted((a, b) => a - b),
        [...parents.keys()],
      );
      for (const [number, parent] of parents.entries()) assert.ok(drawn.indexOf(parent) < drawn.indexOf(number));
    }),
    { numRuns: 300 },
  );
});
