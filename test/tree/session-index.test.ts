import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { SessionEntry } from "../../src/format/entry.js";
import { type IndexedEntry, SessionIndex } from "../../src/tree/session-index.js";
import { assistant, at, entry, type Line, START, user } from "../helpers/entries.js";
import { indexEntries, positionOf } from "../helpers/index-entries.js";

const idsOf = (entries: IndexedEntry[]): string[] => entries.map(({ id }) => id);
const numbersOf = (entries: IndexedEntry[]): number[] => entries.map(({ number }) => number);

/** Entries of one type from pairs of id and parent id. */
const links = (...pairs: [id: string, parentId: string | null][]): Line[] =>
  pairs.map(([id, parentId]) => entry("custom", id, parentId));

const parentsOf = (index: SessionIndex): number[] =>
  Array.from({ length: index.size }, (_, number) => index.parentOf(number));

test("SessionIndex is empty before the first entry", () => {
  const index = new SessionIndex();
  assert.equal(index.size, 0);
  assert.equal(index.header, undefined);
  assert.equal(index.leafId, null);
  assert.equal(index.leafNumber, -1);
  assert.equal(index.name, null);
  assert.equal(index.branchCount, 0);
  assert.deepEqual([index.path(), index.roots, index.branches, index.labels()], [[], [], [], []]);
  assert.equal(index.get("0000000a"), undefined);
});

test("SessionIndex.get tells all that it knows of an entry, but no payload", () => {
  const index = indexEntries([user("0000000a", null, "hello"), entry("label", "0000000b", "0000000a")]);
  assert.deepEqual(index.get("0000000a"), {
    number: 0,
    id: "0000000a",
    parentId: null,
    type: "message",
    role: "user",
    timestamp: START + 10_000,
    line: 2,
    byteOffset: 100,
    byteLength: 99,
  });
  assert.deepEqual(index.get("0000000b"), {
    number: 1,
    id: "0000000b",
    parentId: "0000000a",
    type: "label",
    role: undefined,
    timestamp: START + 11_000,
    line: 3,
    byteOffset: 200,
    byteLength: 99,
  });
});

test("SessionIndex keeps offsets and lengths of files larger than 4 GiB", () => {
  const index = new SessionIndex();
  const position = { line: 5_000_000_000, byteOffset: 2 ** 42 + 3, byteLength: 2 ** 33 + 1 };
  index.add(links(["0000000a", null])[0] as unknown as SessionEntry, position);
  const { line, byteOffset, byteLength } = index.entryAt(0);
  assert.deepEqual({ line, byteOffset, byteLength }, position);
});

test("SessionIndex reads broken roles, types and times as absent, and keeps unknown ones", () => {
  const index = indexEntries([
    entry("message", "a", null, { message: { role: 7 } }),
    entry("message", "b", "a", { message: null }),
    entry("message", "c", "b", { message: { role: "oracle" } }),
    entry("oracle", "d", "c", { message: { role: "user" } }),
    entry("__proto__", "e", "d", { timestamp: "yesterday" }),
    entry("message", "f", "e", { message: { role: "__proto__" }, timestamp: Number.POSITIVE_INFINITY }),
    { type: "custom", id: "g", parentId: "f" },
  ]);
  assert.deepEqual(
    index.path().map(({ type, role }) => [type, role]),
    [
      ["message", undefined],
      ["message", undefined],
      ["message", "oracle"],
      ["oracle", undefined],
      ["__proto__", undefined],
      ["message", "__proto__"],
      ["custom", undefined],
    ],
  );
  assert.deepEqual(
    index.path().map(({ timestamp }) => timestamp !== undefined),
    [true, true, true, true, false, false, false],
  );
});

test("SessionIndex gives path, children, roots and branches of a tree with branches", () => {
  //  a ── b ── c
  //       └─── d ── f
  //  e
  const index = indexEntries(links(["a", null], ["b", "a"], ["c", "b"], ["d", "b"], ["e", null], ["f", "d"]));
  assert.equal(index.leafId, "f");
  assert.equal(index.leafNumber, 5);
  assert.deepEqual(idsOf(index.path()), ["a", "b", "d", "f"]);
  assert.deepEqual(idsOf(index.path("c")), ["a", "b", "c"]);
  assert.deepEqual([...index.pathNumbers(5)], [0, 1, 3, 5]);
  assert.deepEqual(idsOf(index.children("b")), ["c", "d"]);
  assert.deepEqual(index.childNumbers(1), [2, 3]);
  assert.deepEqual(index.children("c"), []);
  assert.deepEqual(idsOf(index.roots), ["a", "e"]);
  assert.deepEqual(idsOf(index.branches), ["c", "e", "f"]);
  assert.equal(index.branchCount, 3);
});

test("SessionIndex knows nothing of unknown ids, and refuses numbers that it has not given", () => {
  const index = indexEntries(links(["a", null]));
  assert.deepEqual([index.path("x"), index.children("x")], [[], []]);
  assert.equal(index.get("x"), undefined);
  assert.equal(index.numberOf("x"), -1);
  assert.equal(index.label("x"), undefined);
  for (const number of [-1, 1, 0.5, Number.NaN]) {
    assert.throws(() => index.entryAt(number), RangeError);
    assert.throws(() => index.parentOf(number), RangeError);
    assert.throws(() => index.pathNumbers(number), RangeError);
    assert.throws(() => index.childNumbers(number), RangeError);
  }
});

test("SessionIndex.add takes the last entry as the leaf, whatever its type", () => {
  const index = indexEntries([user("a", null, "x"), entry("label", "b", "a", { targetId: "a", label: "x" })]);
  assert.equal(index.leafId, "b");
  indexEntries([entry("never seen", "c", null)], index);
  assert.equal(index.leafId, "c");
});

test("SessionIndex.add leaves entries without an id out of the tree", () => {
  const index = new SessionIndex();
  const without = [
    entry("custom", "", null),
    { type: "custom", parentId: null },
    { type: "custom", id: null, parentId: null },
    { type: "custom", id: 7, parentId: null },
    { type: "custom", id: { a: 1 }, parentId: null },
  ];
  for (const line of without) assert.equal(index.add(line as unknown as SessionEntry, positionOf(0)), -1);
  assert.equal(index.size, 0);
  assert.equal(index.leafId, null);
  assert.equal(index.add(links(["a", null])[0] as unknown as SessionEntry, positionOf(0)), 0);
  assert.equal(index.add(links(["b", ""])[0] as unknown as SessionEntry, positionOf(1)), 1);
  assert.equal(index.add(without[1] as unknown as SessionEntry, positionOf(2)), -1);
  assert.equal(index.leafId, "b");
  assert.deepEqual(idsOf(index.roots), ["a", "b"]);
});

test("SessionIndex reads parents that are missing, or no string, as none", () => {
  const index = indexEntries([
    ...links(["a", "gone"], ["b", "a"], ["c", "__proto__"], ["d", "constructor"]),
    { type: "custom", id: "e", parentId: 7 },
    { type: "custom", id: "f" },
  ]);
  assert.deepEqual(idsOf(index.roots), ["a", "c", "d", "e", "f"]);
  assert.deepEqual(idsOf(index.path("b")), ["a", "b"]);
  assert.equal(index.entryAt(0).parentId, null);
});

test("SessionIndex takes ids by their exact text", () => {
  const index = indexEntries(
    links(["0000000a", null], ["0000000A", "0000000a"], ["a", "0000000A"], ["__proto__", "a"], ["\ud800", "__proto__"]),
  );
  assert.deepEqual(idsOf(index.path("\ud800")), ["0000000a", "0000000A", "a", "__proto__", "\ud800"]);
  assert.deepEqual(idsOf(index.children("0000000a")), ["0000000A"]);
  assert.equal(index.get("\ufffd"), undefined);
});

test("SessionIndex lets a child wait for a parent that comes later", () => {
  const index = indexEntries(links(["a", "c"], ["b", "c"]));
  assert.deepEqual(idsOf(index.roots), ["a", "b"]);
  indexEntries(links(["c", null], ["d", "c"]), index);
  assert.deepEqual(idsOf(index.roots), ["c"]);
  assert.deepEqual(idsOf(index.children("c")), ["a", "b", "d"]);
  assert.deepEqual(idsOf(index.branches), ["a", "b", "d"]);
  assert.equal(index.entryAt(0).parentId, "c");
});

test("SessionIndex takes the nearest entry before the child for its parent, of entries with one id", () => {
  const index = indexEntries(links(["a", null], ["a", null], ["b", "a"], ["a", "b"], ["c", "a"]));
  assert.deepEqual(parentsOf(index), [-1, -1, 1, 2, 3]);
  assert.deepEqual([...index.pathNumbers(4)], [1, 2, 3, 4]);
  assert.equal(index.numberOf("a"), 3);
  assert.equal(index.get("a")?.parentId, "b");
  assert.deepEqual(idsOf(index.children("a")), ["c"]);
  assert.deepEqual(numbersOf(index.path("a")), [1, 2, 3]);
});

test("SessionIndex takes the nearest entry after the child for its parent when none is before it", () => {
  const index = indexEntries(links(["b", "a"], ["a", null], ["a", null], ["c", "a"]));
  assert.deepEqual(parentsOf(index), [1, -1, -1, 2]);
  assert.deepEqual(index.childNumbers(1), [0]);
});

test("SessionIndex counts each line of a history that stands twice", () => {
  const history = links(["a", null], ["b", "a"], ["c", "b"]);
  const index = indexEntries([...history, ...history]);
  assert.deepEqual(parentsOf(index), [-1, 0, 1, -1, 3, 4]);
  assert.equal(index.size, 6);
  assert.equal(index.branchCount, 2);
  assert.deepEqual(numbersOf(index.path()), [3, 4, 5]);
});

test("SessionIndex reads an entry that names itself as a child of the earlier entry of its id", () => {
  const index = indexEntries(links(["a", null], ["b", "a"], ["b", "b"], ["c", "b"]));
  assert.deepEqual(parentsOf(index), [-1, 0, 1, 2]);
});

test("SessionIndex reads an entry that names itself as a child of the next one of its id when none is before it", () => {
  const index = indexEntries(links(["b", "b"], ["c", "b"], ["b", null], ["b", null]));
  assert.deepEqual(parentsOf(index), [2, 0, -1, -1]);
  assert.deepEqual(idsOf(index.path("c")), ["b", "b", "c"]);
});

test("SessionIndex reads an entry that names itself as a root when its id stands once", () => {
  const index = indexEntries(links(["b", "b"], ["c", "b"]));
  assert.deepEqual(parentsOf(index), [-1, 0]);
  assert.deepEqual(idsOf(index.path()), ["b", "c"]);
});

test("SessionIndex makes a chain of entries that all name themselves with one id, the first one its root", () => {
  const index = indexEntries(links(["b", "b"], ["b", "b"], ["b", "b"]));
  assert.deepEqual(parentsOf(index), [-1, 0, 1]);
  assert.deepEqual(
    [0, 1, 2].map((number) => index.isCycleRoot(number)),
    [true, false, false],
  );
});

test("SessionIndex cuts a cycle of two at the first entry in the file", () => {
  const index = indexEntries(links(["a", "b"], ["b", "a"], ["c", "b"]));
  assert.deepEqual(idsOf(index.path()), ["a", "b", "c"]);
  assert.deepEqual(idsOf(index.roots), ["a"]);
  assert.equal(index.entryAt(0).parentId, null);
  assert.deepEqual(
    index.children("b").map(({ id }) => id),
    ["c"],
  );
  assert.equal(index.branchCount, 1);
});

test("SessionIndex cuts a cycle at its first entry also when a later one closes it", () => {
  // x hangs below c. The cycle is a, c, b: b waits for d in vain, until d turns up below a.
  const index = indexEntries(links(["x", "c"], ["a", "c"], ["c", "d"]));
  assert.deepEqual(idsOf(index.path("a")), ["c", "a"]);
  indexEntries(links(["d", "a"]), index);
  assert.deepEqual(parentsOf(index), [2, -1, 3, 1]);
  assert.deepEqual(idsOf(index.path("x")), ["a", "d", "c", "x"]);
  assert.deepEqual(idsOf(index.children("c")), ["x"]);
  assert.deepEqual(idsOf(index.branches), ["x"]);
});

test("SessionIndex cuts each of several cycles, and goes on below them", () => {
  const index = indexEntries(links(["a", "b"], ["c", "d"], ["b", "a"], ["d", "c"], ["e", "d"], ["f", "a"]));
  assert.deepEqual(idsOf(index.roots), ["a", "c"]);
  assert.deepEqual(idsOf(index.path("e")), ["c", "d", "e"]);
  assert.deepEqual(idsOf(index.path("f")), ["a", "f"]);
});

test("SessionIndex.label gives the last label of a target, which an empty or broken one clears", () => {
  const label = (id: string, targetId: unknown, text?: unknown): Line =>
    entry("label", id, null, { targetId, ...(text !== undefined && { label: text }) });
  const index = indexEntries([...links(["a", null], ["b", null]), label("c", "a", "one"), label("d", "b", "two")]);
  assert.equal(index.label("a"), "one");
  indexEntries([label("e", "a", "three"), label("f", "gone", " ghost "), label("7", "__proto__", "odd")], index);
  assert.deepEqual(index.labels(), [
    { targetId: "b", text: "two", timestamp: START + 13_000 },
    { targetId: "a", text: "three", timestamp: START + 14_000 },
    { targetId: "gone", text: " ghost ", timestamp: START + 15_000 },
    { targetId: "__proto__", text: "odd", timestamp: START + 7_000 },
  ]);
  indexEntries([label("10", "a"), label("11", "b", ""), label("12", "gone", 7), label("13", 7, "nowhere")], index);
  assert.equal(index.label("a"), undefined);
  assert.deepEqual(index.labels(), [{ targetId: "__proto__", text: "odd", timestamp: START + 7_000 }]);
});

test("SessionIndex.name is the last one set, on one line, and null once it is cleared", () => {
  const name = (id: string, value: unknown): Line => entry("session_info", id, null, { name: value });
  const index = indexEntries([name("a", " first ")]);
  assert.equal(index.name, "first");
  indexEntries([name("b", "two\r\nlines")], index);
  assert.equal(index.name, "two lines");
  for (const [id, cleared] of Object.entries({ c: "  ", d: "", e: 7, f: null, g: undefined })) {
    indexEntries([name(`1${id}`, "set")], index);
    assert.equal(index.name, "set");
    indexEntries([name(id, cleared)], index);
    assert.equal(index.name, null, id);
  }
});

test("SessionIndex takes labels and names from entries without an id, too", () => {
  const index = indexEntries([
    { type: "label", targetId: "a", label: "kept", timestamp: at(1) },
    { type: "session_info", name: "named" },
  ]);
  assert.equal(index.size, 0);
  assert.deepEqual(index.labels(), [{ targetId: "a", text: "kept", timestamp: START + 1000 }]);
  assert.equal(index.name, "named");
});

test("SessionIndex.firstKept is for compactions only, targetId for all entries that refer to another", () => {
  const index = indexEntries([
    entry("compaction", "a", null, { firstKeptEntryId: "x" }),
    entry("compaction", "b", null, { firstKeptEntryId: 7 }),
    entry("compaction", "c", null),
    entry("label", "d", null, { targetId: "y" }),
    entry("context_edit", "e", null, { targetId: "z", replacement: null }),
    entry("custom", "f", null, { targetId: "a", firstKeptEntryId: "a" }),
    entry("context_edit", "7", null, { targetId: null }),
  ]);
  const numbers = [0, 1, 2, 3, 4, 5, 6];
  assert.deepEqual(
    numbers.map((number) => index.firstKept(number)),
    ["x", ...Array(6).fill(undefined)],
  );
  assert.deepEqual(
    numbers.map((number) => index.targetId(number)),
    ["x", undefined, undefined, "y", "z", undefined, undefined],
  );
});

test("SessionIndex walks a chain of a million entries", () => {
  const index = new SessionIndex();
  const length = 1_000_000;
  const link = { type: "custom", id: "", parentId: null as string | null, timestamp: "", customType: "x" };
  for (let number = 0; number < length; number++) {
    link.parentId = number === 0 ? null : link.id;
    link.id = (number * 7).toString(16).padStart(8, "0");
    index.add(link, { line: number + 2, byteOffset: number * 5000, byteLength: 4999 });
  }
  assert.equal(index.size, length);
  assert.equal(index.branchCount, 1);
  assert.deepEqual(numbersOf(index.roots), [0]);
  const path = index.pathNumbers(index.leafNumber);
  assert.equal(path.length, length);
  assert.ok(path.every((number, place) => number === place));
  assert.equal(index.entryAt(length - 1).byteOffset, 4_999_995_000);
});

const MANY = 200_000;
const idOf = (number: number): string => number.toString(16).padStart(8, "0");

/** Adds many entries, one object lent to all of them. */
function indexMany(count: number, linkOf: (number: number) => [id: string, parentId: string | null]): SessionIndex {
  const index = new SessionIndex();
  const entry = { type: "custom", id: "", parentId: null as string | null, timestamp: "", customType: "x" };
  for (let number = 0; number < count; number++) {
    [entry.id, entry.parentId] = linkOf(number);
    index.add(entry, positionOf(number));
  }
  return index;
}

test("SessionIndex reads a file that stands backwards", () => {
  const index = indexMany(MANY, (number) => [idOf(number), number === MANY - 1 ? null : idOf(number + 1)]);
  assert.deepEqual(numbersOf(index.roots), [MANY - 1]);
  assert.equal(index.path(idOf(0)).length, MANY);
});

test("SessionIndex cuts a cycle of many entries once, at its first", () => {
  const index = indexMany(MANY, (number) => [idOf(number), idOf((number + 1) % MANY)]);
  assert.deepEqual(numbersOf(index.roots), [0]);
  assert.equal(index.branchCount, 1);
  assert.deepEqual([...index.pathNumbers(1)], [0, ...Array.from({ length: MANY - 1 }, (_, step) => MANY - 1 - step)]);
});

test("SessionIndex lets many entries wait for one parent, and many parents be adopted by their own descendants", () => {
  const waiting = indexMany(MANY, (number) => [idOf(number), number === MANY - 1 ? null : idOf(MANY - 1)]);
  assert.equal(waiting.childNumbers(MANY - 1).length, MANY - 1);
  // Each odd entry stands below the one before it, which names it as its parent: as many cycles as pairs.
  const pairs = indexMany(MANY, (number) => [idOf(number), idOf(number % 2 === 0 ? number + 1 : number - 1)]);
  assert.equal(pairs.branchCount, MANY / 2);
  assert.ok(pairs.roots.every(({ number }) => number % 2 === 0 && pairs.isCycleRoot(number)));
});

test("SessionIndex joins many waiting trees at the end of a long chain", () => {
  // A chain, whose every second entry is the parent that one earlier entry waited for: each such arrival asks for the top of the chain.
  const half = MANY / 2;
  const index = indexMany(MANY + half, (number) => {
    if (number < half) return [`waits ${number}`, idOf(number)];
    const link = number - half;
    return [
      link % 2 === 0 ? idOf(link / 2) : `link ${link}`,
      link === 0 ? "gone" : link % 2 === 0 ? `link ${link - 1}` : idOf((link - 1) / 2),
    ];
  });
  assert.deepEqual(numbersOf(index.roots), [half]);
  assert.deepEqual(index.childNumbers(half), [0, half + 1]);
  assert.equal(index.branchCount, half + 1);
});

test("SessionIndex takes many entries of one id", () => {
  for (const id of ["0000000a", "not hex"]) {
    const index = indexMany(MANY, (number) => [id, number === 0 ? null : id]);
    assert.equal(index.numberOf(id), MANY - 1);
    assert.equal(index.path().length, MANY);
    assert.equal(index.isDuplicate(0), false);
    assert.equal(index.isDuplicate(MANY - 1), true);
  }
});

/** What an index should tell, found out the slow and plain way from all entries. */
interface Model {
  parents: number[];
  cycleRoots: number[];
  labels: [string, string][];
  name: string | null;
}

function modelOf(lines: Line[]): Model {
  const parents = lines.map(({ parentId }, number) => {
    if (parentId === null) return -1;
    const others = lines
      .map((line, place) => ({ line, place }))
      .filter(({ line, place }) => line.id === parentId && place !== number);
    const before = others.filter(({ place }) => place < number).at(-1);
    return (before ?? others.find(({ place }) => place > number))?.place ?? -1;
  });
  const cycleRoots = new Set<number>();
  for (const start of lines.keys()) {
    const seen: number[] = [];
    let step = start;
    while (step !== -1 && !seen.includes(step)) {
      seen.push(step);
      step = parents[step]!;
    }
    if (step !== -1) cycleRoots.add(Math.min(...seen.slice(seen.indexOf(step))));
  }
  for (const root of cycleRoots) parents[root] = -1;
  const labels = new Map<string, string>();
  let name: string | null = null;
  for (const line of lines) {
    if (line.type === "label") {
      labels.delete(line.targetId as string);
      if (line.label) labels.set(line.targetId as string, line.label as string);
    }
    if (line.type === "session_info") name = (line.name as string) || null;
  }
  return { parents, cycleRoots: [...cycleRoots].sort((a, b) => a - b), labels: [...labels], name };
}

function pathOf(parents: number[], number: number): number[] {
  const path: number[] = [];
  for (let step = number; step !== -1; step = parents[step]!) path.unshift(step);
  return path;
}

/** Asks an index everything, and compares the answers with the model's. */
function assertAgrees(index: SessionIndex, lines: Line[]): void {
  const { parents, cycleRoots, labels, name } = modelOf(lines);
  const numbers = [...lines.keys()];
  const childrenOf = (parent: number): number[] => numbers.filter((number) => parents[number] === parent);
  const leaves = numbers.filter((number) => childrenOf(number).length === 0);
  assert.equal(index.size, lines.length);
  assert.equal(index.leafNumber, lines.length - 1);
  assert.equal(index.leafId, lines.at(-1)?.id ?? null);
  assert.deepEqual(parentsOf(index), parents);
  assert.deepEqual(
    numbers.filter((number) => index.isCycleRoot(number)),
    cycleRoots,
  );
  assert.deepEqual(
    numbersOf(index.roots),
    numbers.filter((number) => parents[number] === -1),
  );
  assert.deepEqual(numbersOf(index.branches), leaves);
  assert.equal(index.branchCount, leaves.length);
  for (const number of numbers) {
    const { id, type } = lines[number]!;
    const last = lines.findLastIndex((line) => line.id === id);
    assert.deepEqual(index.childNumbers(number), childrenOf(number));
    assert.deepEqual([...index.pathNumbers(number)], pathOf(parents, number));
    assert.equal(index.numberOf(id as string), last);
    assert.deepEqual(numbersOf(index.children(id as string)), childrenOf(last));
    assert.deepEqual(numbersOf(index.path(id as string)), pathOf(parents, last));
    assert.equal(index.isDuplicate(number), lines.findIndex((line) => line.id === id) < number);
    const { parentId, ...rest } = index.entryAt(number);
    assert.equal(parentId, parents[number] === -1 ? null : lines[parents[number]!]!.id);
    assert.deepEqual([rest.id, rest.type, rest.line], [id, type, positionOf(number).line]);
  }
  assert.deepEqual(
    index.labels().map(({ targetId, text }) => [targetId, text]),
    labels,
  );
  assert.equal(index.name, name);
}

const fewIds = fc.constantFrom("0000000a", "0000000b", "0000000c", "d", "__proto__", "0000000e", "0000000f", "g");
const anyLine = fc
  .record({
    type: fc.constantFrom("custom", "custom", "custom", "label", "session_info"),
    id: fewIds,
    parentId: fc.option(fewIds, { freq: 8 }),
    targetId: fewIds,
    label: fc.constantFrom("one", "two", "", undefined),
    name: fc.constantFrom("name", "other", ""),
  })
  .map((line): Line => ({ ...line, timestamp: at(0) }));
const anyLines = fc.oneof(
  fc.array(anyLine, { maxLength: 14 }),
  // Each id once, so that links lead all over the file and cycles get long.
  fc.uniqueArray(anyLine, { selector: ({ id }) => id, maxLength: 8 }),
);

test("SessionIndex agrees with a plain model, asked after every entry", () => {
  fc.assert(
    fc.property(anyLines, (lines) => {
      const index = new SessionIndex();
      for (const number of lines.keys()) {
        indexEntries([lines[number]!], index);
        assertAgrees(index, lines.slice(0, number + 1));
      }
    }),
    { numRuns: 500 },
  );
});

test("SessionIndex agrees with a plain model, asked once at the end", () => {
  fc.assert(
    fc.property(anyLines, (lines) => assertAgrees(indexEntries(lines), lines)),
    { numRuns: 500 },
  );
});

test("SessionIndex agrees with a plain model in long cycles and long waits", () => {
  const ids = Array.from({ length: 30 }, (_, number) => idOf(number));
  const shuffled = fc.tuple(
    fc.shuffledSubarray(ids, { minLength: 30 }),
    fc.array(fc.nat({ max: 31 }), { minLength: 30, maxLength: 30 }),
  );
  fc.assert(
    fc.property(shuffled, ([order, parents]) => {
      const lines = order.map((id, number) => entry("custom", id, ids[parents[number]!] ?? null));
      assertAgrees(indexEntries(lines), lines);
    }),
    { numRuns: 300 },
  );
});

test("SessionIndex answers a writer that appends to a long session and asks after each entry", () => {
  const index = indexMany(MANY, (number) => [idOf(number), number === 0 ? null : idOf(number - 1)]);
  for (let number = MANY; number < MANY + 20_000; number++) {
    const id = idOf(number);
    const parentId = idOf(MANY - 1);
    index.add(assistant(id, parentId, "x") as unknown as SessionEntry, positionOf(number));
    assert.equal(index.leafId, id);
    assert.equal(index.get(id)?.role, "assistant");
    assert.equal(index.branchCount, number - MANY + 1);
  }
  assert.equal(index.children(idOf(MANY - 1)).length, 20_000);
});
