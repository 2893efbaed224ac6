import assert from "node:assert/strict";
import { test } from "node:test";
import { assistant, at, header, jsonl, type Line, usage } from "./entries.js";
import { readPlainly, totalsPlainly } from "./plain-reader.js";

/** A store of `files`: their names and lines. */
function store(files: Record<string, Line[]>) {
  return Object.entries(files).map(([name, lines]) => ({
    path: `/store/${name}.jsonl`,
    file: readPlainly(jsonl(...lines)),
  }));
}

/** The calls that count and the copies among them. */
function calls(files: Record<string, Line[]>): [number, number] {
  const { total, duplicates } = totalsPlainly(store(files));
  return [total.calls, duplicates.calls];
}

/** A call of 10 tokens with the time of its id; `more` goes into the entry. */
const call = (id: string, more: Line = {}): Line => ({
  ...assistant(id, null, "reply", { usage: usage(6, 4, 0.5) }),
  ...more,
});

/** The same call under another id, as a second migration gives it. */
const renamed = (id: string, original: string): Line => ({ ...call(original), id, timestamp: at(900) });

const first = header({ id: "first" });
const fork = (parentSession: string, more: Line = {}): Line =>
  header({ id: "fork", timestamp: at(500), parentSession, ...more });

test("totalsPlainly counts a call once that two files share by id and time, whether their link is there or gone", () => {
  assert.deepEqual(calls({ a: [first, call("1")], b: [fork("/store/a.jsonl"), call("1"), call("2")] }), [2, 1]);
  assert.deepEqual(calls({ a: [first, call("1")], b: [header({ id: "other" }), call("1"), call("2")] }), [2, 1]);
});

test("totalsPlainly takes a coincidence for two calls", () => {
  const other = header({ id: "other" });
  assert.deepEqual(
    calls({ a: [first, call("1")], b: [other, call("1", { timestamp: at(7) })] }),
    [2, 0],
    "same id, other time",
  );
  assert.deepEqual(calls({ a: [first, call("1")], b: [other, renamed("2", "1")] }), [2, 0], "same numbers, no lineage");
  assert.deepEqual(
    calls({ a: [first, call("1")], b: [fork("/store/a.jsonl"), call("2")] }),
    [2, 0],
    "same numbers, other time",
  );
});

test("totalsPlainly knows a call under a new id in its lineage, however the lineage is named", () => {
  const copies = { a: [first, call("1")] };
  for (const parent of ["/store/a.jsonl", "D:\\gone\\a.jsonl", "first", "/gone/2026-01-02T03-04-05-000Z_first.jsonl"]) {
    assert.deepEqual(calls({ ...copies, b: [fork(parent), renamed("2", "1")] }), [1, 1], parent);
  }
  assert.deepEqual(calls({ ...copies, b: [header({ id: "first" }), renamed("2", "1")] }), [1, 1], "one session id");
  const missing = { a: [fork("/gone/x.jsonl", { id: "a" }), call("1")], b: [fork("/gone/x.jsonl"), renamed("2", "1")] };
  assert.deepEqual(calls(missing), [1, 1], "one missing parent");
});

test("totalsPlainly counts equal calls as often as the file with most of them holds", () => {
  const twins = [call("1"), renamed("2", "1")];
  assert.deepEqual(calls({ a: [first, ...twins], b: [fork("/store/a.jsonl"), renamed("3", "1")] }), [2, 1]);
  assert.deepEqual(calls({ a: [first, call("1")], b: [fork("/store/a.jsonl"), renamed("3", "1"), ...twins] }), [3, 1]);
});

test("totalsPlainly gives a call to the oldest file: the parent before its fork, then the earlier header", () => {
  const own = (files: Record<string, Line[]>) => totalsPlainly(store(files)).sessions.map(({ own }) => own.calls);
  assert.deepEqual(
    own({
      a: [fork("/store/b.jsonl", { timestamp: at(0) }), call("1")],
      b: [header({ timestamp: at(50) }), call("1")],
    }),
    [0, 1],
  );
  assert.deepEqual(
    own({
      a: [header({ id: "a", timestamp: at(9) }), call("1")],
      b: [header({ id: "b", timestamp: at(8) }), call("1")],
    }),
    [0, 1],
  );
  assert.deepEqual(
    own({ a: [header({ id: "a", timestamp: "?" }), call("1")], b: [header({ id: "b" }), call("1")] }),
    [0, 1],
  );
});

test("totalsPlainly takes the file whose path agrees most with the named parent", () => {
  const nested = (session: string, path: string, lines: Line[]) => ({
    path,
    file: readPlainly(jsonl(header({ id: session }), ...lines)),
  });
  const files = [
    nested("one", "/store/p/one/run-1/session.jsonl", [call("1")]),
    nested("two", "/store/p/two/run-1/session.jsonl", [call("2")]),
    {
      path: "/store/fork.jsonl",
      file: readPlainly(jsonl(fork("/home/ada/p/two/run-1/session.jsonl"), renamed("3", "2"))),
    },
  ];
  const totals = totalsPlainly(files);
  assert.equal(totals.sessions[2]!.parentId, "two");
  assert.equal(totals.total.calls, 2);
});
