import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { cellSpelling } from "../../src/export/clickhouse/cell-spelling.js";
import { readAbilities } from "../../src/export/clickhouse/server-version.js";
import { storedTables } from "../../src/export/clickhouse/stored-table.js";

const milliseconds = cellSpelling("Nullable(DateTime64(3, 'UTC'))")!;
const seconds = cellSpelling("Nullable(DateTime('UTC'))")!;

test("cellSpelling spells times in UTC, to what the type can tell", () => {
  assert.equal(milliseconds(Date.parse("2026-02-03T04:05:06.007Z")), "2026-02-03 04:05:06.007");
  assert.equal(milliseconds(Date.parse("1969-12-31T23:59:59.999Z")), "1969-12-31 23:59:59.999");
  assert.equal(seconds(Date.parse("2026-02-03T04:05:06.999Z")), "2026-02-03 04:05:06");
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(2299, 0) }), (time) => {
      assert.equal(milliseconds(time), new Date(time).toISOString().replace("T", " ").replace("Z", ""));
    }),
  );
});

test("cellSpelling gives no time that the type can't hold", () => {
  for (const time of [-1, 4_294_967_296_000, 253_402_300_799_999]) assert.equal(seconds(time), null, String(time));
  assert.equal(seconds(4_294_967_295_999), "2106-02-07 06:28:15");
  for (const time of [Date.UTC(1899, 11, 31), Date.UTC(2300, 0), 253_402_300_799_999]) {
    assert.equal(milliseconds(time), null, String(time));
  }
  assert.equal(milliseconds(null), null);
});

test("cellSpelling keeps whole numbers within 64 bits", () => {
  const spell = cellSpelling("Nullable(Int64)")!;
  assert.deepEqual([0, -5, 2 ** 53 - 1, 2 ** 60, 1e300, -1e300, null].map(spell), [
    0,
    -5,
    9007199254740991,
    "1152921504606846976",
    "9223372036854775807",
    "-9223372036854775808",
    null,
  ]);
});

test("cellSpelling spells booleans as numbers, and leaves the rest alone", () => {
  for (const type of ["Bool", "Nullable(UInt8)"]) {
    assert.deepEqual(
      [true, false, null].map((cell) => cellSpelling(type)!(cell)),
      [1, 0, null],
    );
  }
  for (const type of ["String", "LowCardinality(Nullable(String))", "Float64", "UInt64"]) {
    assert.equal(cellSpelling(type), undefined, type);
  }
});

test("storedTables uses what a server's version has", () => {
  const typesOf = (version: string) => {
    const entries = storedTables(readAbilities(version)).find(({ name }) => name === "entries")!;
    const types = new Map(entries.columns.map(({ name, type }) => [name, type]));
    return ["role", "timestamp", "timestamp_ms", "on_current_branch"].map((name) => types.get(name));
  };
  const old = ["Nullable(String)", "Nullable(DateTime('UTC'))", "Nullable(Int64)", "UInt8"];
  for (const version of ["18.16.1", "1.1.54385", "19.3.5", "unreadable"])
    assert.deepEqual(typesOf(version), old, version);
  const [role, time] = ["LowCardinality(Nullable(String))", "Nullable(DateTime64(3, 'UTC'))"];
  assert.deepEqual(typesOf("19.17.4.11"), [role, ...old.slice(1)]);
  assert.deepEqual(typesOf("20.1.2.4"), [role, time, "Nullable(Int64)", "UInt8"]);
  assert.deepEqual(typesOf("26.7.2.1"), [role, time, "Nullable(Int64)", "Bool"]);
});
