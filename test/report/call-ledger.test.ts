import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Usage } from "../../src/format/usage.js";
import { CallFingerprints } from "../../src/report/call-fingerprint.js";
import { CallLedger, type CallOrigins } from "../../src/report/call-ledger.js";
import type { LineageFile } from "../../src/report/file-lineage.js";
import { forkedStore } from "../helpers/forked-stores.js";
import { callsPlainly, type PlainCall, type PlainStoreFile, totalsPlainly } from "../helpers/plain-reader.js";
import { timePlainly } from "../helpers/plain-time.js";

/** A call in short: `<entry id>@<entry time> <numbers>@<time>`, where a `-` stands for what is absent. */
function fingerprints(...calls: string[]): Int32Array {
  const gathered = new CallFingerprints();
  for (const [ordinal, call] of calls.entries()) {
    const [, entryId, entryTime, numbers, time] = /^(.+)@(.+) (.+)@(.+)$/.exec(call)!;
    const read = (number: string): number | undefined => (number === "-" ? undefined : Number(number));
    gathered.add(
      { ordinal, time: read(time!), provider: "p", model: "m", usage: usageOf(Number(numbers)) },
      { entryId: entryId === "-" ? undefined : entryId, entryTime: read(entryTime!), responseId: undefined },
    );
  }
  return gathered.finish();
}

const usageOf = (input: number): Usage => ({
  input,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: input,
  costTotal: 0,
  calls: 1,
});

interface Example {
  created?: number | null;
  parent?: string;
  id?: string;
  calls: string[];
}

/** The copies in each file, by name; each name is that of a file in one folder. The files come once in this order and once in the opposite one. */
function copiesIn(files: Record<string, Example>): Record<string, number[]> {
  const names = Object.keys(files);
  const read = (arrivals: string[]): Record<string, number[]> => {
    const ledger = new CallLedger();
    const numbers = new Map<string, number>();
    for (const name of arrivals) {
      const { created = 0, parent = null, id = name, calls } = files[name]!;
      numbers.set(name, ledger.add({ path: `/store/${name}`, id, parent, created }, fingerprints(...calls)));
    }
    const origins = ledger.finish();
    return Object.fromEntries(names.map((name) => [name, [...(origins.copies(numbers.get(name)!) ?? [])]]));
  };
  const copies = read(names);
  assert.deepEqual(read(names.toReversed()), copies);
  return copies;
}

test("CallLedger takes calls of a fork for copies when entry id and entry time agree, whatever the numbers", () => {
  const files = {
    old: { created: 1, calls: ["a@1 10@1", "b@2 20@2", "c@3 30@3"] },
    fork: { created: 2, parent: "/store/old", calls: ["a@1 10@1", "b@2 21@2", "d@9 30@9"] },
  };
  assert.deepEqual(copiesIn(files), { old: [], fork: [0, 1] });
});

test("CallLedger takes calls of a fork for copies when time and numbers agree, whatever ids and entry times", () => {
  const files = {
    old: { created: 1, calls: ["a@1 10@1", "b@2 20@2"] },
    fork: { created: 2, parent: "/store/old", calls: ["x@91 10@1", "y@92 20@2", "z@93 10@3", "-@- 20@2"] },
  };
  // The file holds two calls of 20 at 2, so there were two: the copy stands in front.
  assert.deepEqual(copiesIn(files), { old: [], fork: [0, 1] });
});

test("CallLedger merges nothing in unrelated files but entries with one id and one time, which relate them", () => {
  const files = {
    one: { created: 1, calls: ["a@1 10@1", "b@2 20@2"] },
    other: { created: 2, calls: ["a@2 10@1", "x@2 20@2", "b@- 20@2", "-@2 20@2"] },
  };
  assert.deepEqual(copiesIn(files), { one: [], other: [] });

  const related = {
    one: { created: 1, calls: ["a@1 10@1", "b@2 20@2"] },
    other: { created: 2, calls: ["x@2 20@2", "a@1 10@1"] },
  };
  assert.deepEqual(copiesIn(related), { one: [], other: [0, 1] });
});

test("CallLedger keeps calls without any time apart, and those whose id alone agrees", () => {
  const files = {
    old: { created: 1, calls: ["a@- 10@-", "-@- 10@-"] },
    fork: { created: 2, parent: "/store/old", calls: ["a@- 10@-", "-@- 10@-", "a@- 10@5"] },
  };
  assert.deepEqual(copiesIn(files), { old: [], fork: [] });
});

test("CallLedger counts as many calls of one time and the same numbers as the file with most of them holds", () => {
  const files = {
    a: { created: 1, calls: ["a1@1 7@5"] },
    b: { created: 2, parent: "/store/a", calls: ["b1@1 7@5", "b2@1 7@5", "b3@1 7@5"] },
    c: { created: 3, parent: "/store/a", calls: ["c1@1 7@5", "c2@1 7@5"] },
    d: { created: 4, parent: "/store/b", calls: ["d1@1 7@5", "b3@1 7@5", "d3@1 7@5", "d4@1 7@5"] },
  };
  assert.deepEqual(copiesIn(files), { a: [], b: [0], c: [0, 1], d: [0, 1, 2] });
});

test("CallLedger counts two entries that one file holds side by side as two, though each alone was taken for the other", () => {
  const files = {
    a: { created: 1, calls: ["x@1 7@5"] },
    b: { created: 2, parent: "/store/a", calls: ["y@1 7@5"] },
    c: { created: 3, parent: "/store/a", calls: ["x@1 7@5", "y@1 7@5"] },
  };
  assert.deepEqual(copiesIn(files), { a: [], b: [0], c: [0] });
});

test("CallLedger gives a call to the parent before its fork, then to the earlier header, then to the smaller path", () => {
  const calls = ["a@1 1@1"];
  assert.deepEqual(copiesIn({ fork: { created: 1, parent: "/store/old", calls }, old: { created: 2, calls } }), {
    fork: [0],
    old: [],
  });
  assert.deepEqual(copiesIn({ late: { created: 2, calls }, early: { created: 1, calls } }), { late: [0], early: [] });
  assert.deepEqual(copiesIn({ never: { created: null, calls }, once: { created: 9, calls } }), {
    never: [0],
    once: [],
  });
  assert.deepEqual(copiesIn({ q: { created: null, calls }, p: { created: null, calls } }), { q: [0], p: [] });
});

test("CallLedger joins files by missing parent and by session id", () => {
  const calls = (id: string) => [`${id}@1 10@1`];
  const files = {
    a: { created: 1, parent: "/gone/p.jsonl", calls: calls("a") },
    b: { created: 2, parent: "/gone/p.jsonl", calls: calls("b") },
    c: { created: 3, parent: "/gone/q.jsonl", calls: calls("c") },
    d: { created: 4, id: "same", calls: calls("d") },
    e: { created: 5, id: "same", calls: calls("e") },
  };
  assert.deepEqual(copiesIn(files), { a: [], b: [0], c: [], d: [], e: [0] });
});

test("CallLedger ends with files that are the parents of each other: the earliest is the oldest", () => {
  const calls = ["a@1 1@1"];
  const files = {
    a: { created: 3, parent: "/store/c", calls },
    b: { created: 2, parent: "/store/a", calls },
    c: { created: 4, parent: "/store/b", calls },
    self: { created: 1, parent: "/store/self", calls: ["z@1 1@1"] },
  };
  assert.deepEqual(copiesIn(files), { a: [0], b: [], c: [0], self: [] });
});

test("CallOrigins tells parents, missing parents, and an order with parents first", () => {
  const ledger = new CallLedger();
  const add = (path: string, parent: string | null, created: number) =>
    ledger.add({ path, id: `id of ${path}`, parent, created }, new Int32Array(0));
  const [grandchild, child, lost, root] = [
    add("/s/c", "/s/b", 1),
    add("/s/b", "/s/a", 2),
    add("/s/d", "/gone", 3),
    add("/s/a", null, 4),
  ];
  const origins = ledger.finish();
  assert.deepEqual([...origins.oldestFirst], [lost, root, child, grandchild]);
  assert.deepEqual(
    [grandchild, child, lost, root].map((file) => origins.parentOf(file)),
    [child, root, null, null],
  );
  assert.deepEqual(
    [grandchild, child, lost, root].map((file) => origins.missingParentOf(file)),
    [null, null, "/gone", null],
  );
});

test("CallLedger of nothing gives nothing", () => {
  assert.deepEqual([...new CallLedger().finish().oldestFirst], []);
});

test("CallLedger takes linear time for stores made to be hard", () => {
  const files = 20_000;
  const stores: Record<string, (file: number) => [parent: string | null, calls: Int32Array]> = {
    "a chain": (file) => [file === 0 ? null : `/s/${file - 1}`, fingerprints(`a@${file} 1@1`)],
    "a ring": (file) => [`/s/${(file + 1) % files}`, fingerprints(`a@${file} 1@1`)],
    "one missing parent": (file) => ["/gone", fingerprints(`a@${file} ${file}@1`)],
    "one call": () => [null, fingerprints("a@1 1@1")],
    "one name": (file) => [`/x/${file}/y/${(file * 7) % files}`, fingerprints(`a@${file} 1@1`)],
  };
  for (const [name, make] of Object.entries(stores)) {
    const ledger = new CallLedger();
    for (let file = 0; file < files; file++) {
      const [parent, calls] = make(file);
      ledger.add({ path: `/s/${file}`, id: String(file), parent, created: null }, calls);
    }
    const started = performance.now();
    assert.equal(ledger.finish().oldestFirst.length, files, name);
    // What is quadratic takes minutes.
    assert.ok(performance.now() - started < 5000, name);
  }
});

const factsOf = ({ path, file }: PlainStoreFile): LineageFile => {
  const header = file.header!.entry;
  const parent = typeof header.parentSession === "string" && header.parentSession !== "" ? header.parentSession : null;
  return { path, id: header.id as string, parent, created: timePlainly(header.timestamp) };
};

function fingerprintPlainly(calls: PlainCall[]): Int32Array {
  const gathered = new CallFingerprints();
  for (const [ordinal, { id, entryTime, time, provider, model, responseId, usage }] of calls.entries()) {
    gathered.add(
      { ordinal, time: time ?? undefined, provider, model, usage },
      {
        entryId: id ?? undefined,
        entryTime: entryTime ?? undefined,
        responseId: responseId as string | undefined,
      },
    );
  }
  return gathered.finish();
}

/** What a ledger says of a store, by the place of each file; it gets them in the order of `ranks`. */
function readStore(store: PlainStoreFile[], ranks: number[]) {
  const arrivals = [...store.keys()].sort((a, b) => ranks[a]! - ranks[b]! || a - b);
  const ledger = new CallLedger();
  for (const place of arrivals)
    ledger.add(factsOf(store[place]!), fingerprintPlainly(callsPlainly(store[place]!.file)));
  const origins: CallOrigins = ledger.finish();
  return store.map((_, place) => {
    const number = arrivals.indexOf(place);
    const parent = origins.parentOf(number);
    return {
      copies: [...(origins.copies(number) ?? [])],
      parent: parent === null ? null : arrivals[parent]!,
      missingParent: origins.missingParentOf(number),
      order: origins.oldestFirst.indexOf(number),
    };
  });
}

function sum(usages: Usage[]): Usage {
  const total = { ...usageOf(0), calls: 0 };
  for (const usage of usages) for (const key of Object.keys(total) as (keyof Usage)[]) total[key] += usage[key];
  return total;
}

test("CallLedger agrees with a comparison of every file with every other, in any order of arrival", () => {
  const ranks = () => fc.array(fc.nat(100), { minLength: 16, maxLength: 16 });
  fc.assert(
    fc.property(forkedStore(), ranks(), ranks(), (store, oneOrder, otherOrder) => {
      const read = readStore(store, oneOrder);
      assert.deepEqual(readStore(store, otherOrder), read);
      const shares = read.map(({ copies, parent }, place) => {
        const calls = callsPlainly(store[place]!.file).map(({ usage }) => usage);
        return {
          path: store[place]!.path,
          id: factsOf(store[place]!).id,
          parentId: parent === null ? null : factsOf(store[parent]!).id,
          own: sum(calls.filter((_, call) => !copies.includes(call))),
          copied: sum(calls.filter((_, call) => copies.includes(call))),
        };
      });
      assert.deepEqual(shares, totalsPlainly(store).sessions);
    }),
    { numRuns: 400 },
  );
});
