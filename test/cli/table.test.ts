import assert from "node:assert/strict";
import { test } from "node:test";
import { displayWidth } from "../../src/cli/display-width.js";
import { type Column, tableLines } from "../../src/cli/table.js";

const columns: Column[] = [
  { head: "ID", isExtra: true },
  { head: "Tokens", align: "right" },
  { head: "Project", cut: "keep-end" },
  { head: "Session", cut: "keep-start" },
];

test("tableLines aligns words left, numbers right, and wide characters", () => {
  const rows = [
    ["a1", "1,234", "/home/u/日本語", "first"],
    ["b22", "7", "/home/u/x", "second 👍🏽 one"],
  ];
  assert.deepEqual(
    [...tableLines(columns, rows)],
    [
      "ID   Tokens  Project         Session",
      "a1    1,234  /home/u/日本語  first",
      "b22       7  /home/u/x       second 👍🏽 one",
    ],
  );
});

test("tableLines ends with the total, and sets off head and total", () => {
  const lines = tableLines([{ head: "Day" }, { head: "Cost", align: "right" }], [["2026-03-01", "$1.50"]], {
    total: ["Total", "$1,234.50"],
    emphasise: (line) => `*${line}*`,
  });
  assert.deepEqual([...lines], ["*Day              Cost*", "2026-03-01      $1.50", "*Total       $1,234.50*"]);
});

test("tableLines leaves out extra columns, then cuts, to fit a narrow terminal", () => {
  const rows = [["0123456789", "1,234", "/home/user/code/a-long-name", "a first message that goes on and on"]];
  const at = (width: number) => [...tableLines(columns, rows, { width })];
  assert.equal(at(80)[1], "0123456789   1,234  /home/user/code/a-long-name  a first message that goes on a…");
  assert.deepEqual(at(50), [
    "Tokens  Project               Session",
    " 1,234  …er/code/a-long-name  a first message tha…",
  ]);
  for (let width = 30; width <= 120; width++) {
    for (const line of at(width)) assert.ok(displayWidth(line) <= width, `${width}: ${line}`);
  }
});

test("tableLines cuts nothing when there is no terminal", () => {
  const long = "x".repeat(500);
  assert.ok([...tableLines(columns, [["a", "1", "p", long]])][1]!.endsWith(long));
});

test("tableLines keeps columns aligned over many rows", () => {
  const rows = Array.from({ length: 120 }, (_, index) => [`${index}`, `${index * 1000}`, "p".repeat(index % 9), "end"]);
  const ends = new Set(Array.from(tableLines(columns, rows), (line) => line.indexOf("end")).slice(1));
  assert.equal(ends.size, 1);
  assert.equal([...tableLines(columns, rows)].length, 121);
});

test("tableLines of no rows is the head alone", () => {
  assert.deepEqual([...tableLines(columns, [])], ["ID  Tokens  Project  Session"]);
});
