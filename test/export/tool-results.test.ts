import assert from "node:assert/strict";
import { test } from "node:test";
import { type ToolResult, ToolResults } from "../../src/export/tool-results.js";

const result = (number: number, more: Partial<ToolResult> = {}): ToolResult => ({
  number,
  time: number * 1000,
  isError: null,
  bytes: 1,
  ...more,
});

test("ToolResults gives each of many calls its own result", () => {
  const results = new ToolResults();
  const ids = Array.from({ length: 50_000 }, (_, call) => `toolu_${call.toString(36)}`);
  for (const id of ids) results.addCall(id);
  for (const [number, id] of ids.entries()) if (number % 3 > 0) results.addResult(id, result(number));
  ids.forEach((_, call) => {
    assert.equal(results.resultOf(call)?.number, call % 3 > 0 ? call : undefined);
  });
});

test("ToolResults keeps what it is told of a result", () => {
  const results = new ToolResults();
  for (const id of ["a", "b", "", 7, null]) results.addCall(id);
  const told = result(-1, { time: undefined, isError: true, bytes: 2 ** 40 });
  results.addResult("a", told);
  results.addResult("", result(3, { isError: false }));
  results.addResult(7, result(4));
  assert.deepEqual(results.resultOf(0), told);
  assert.equal(results.resultOf(1), undefined);
  assert.deepEqual(results.resultOf(2), result(3, { isError: false }));
  assert.equal(results.resultOf(3), undefined);
  assert.equal(results.resultOf(99), undefined);
});

test("ToolResults gives a result that comes first to the first call of its id", () => {
  const results = new ToolResults();
  results.addResult("x", result(0));
  results.addResult("x", result(1));
  results.addCall("x");
  results.addCall("x");
  results.addResult("x", result(4));
  assert.deepEqual([results.resultOf(0)?.number, results.resultOf(1)?.number], [0, 4]);
});
