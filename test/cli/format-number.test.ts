import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBytes, formatCost, formatCount, formatQuantity, formatShare } from "../../src/cli/format-number.js";

function assertFormats(format: (value: number) => string, cases: [value: number, text: string][]): void {
  for (const [value, text] of cases) assert.equal(format(value), text, String(value));
}

test("formatCount separates thousands, and keeps absurd numbers short", () => {
  assertFormats(formatCount, [
    [0, "0"],
    [999, "999"],
    [1000, "1,000"],
    [12_345_678, "12,345,678"],
    [999_999_999_999_999, "999,999,999,999,999"],
    [1e15, "1.00e+15"],
    [1.7e308, "1.70e+308"],
    [Number.POSITIVE_INFINITY, "Infinity"],
  ]);
});

test("formatCost shows the digits that matter", () => {
  assertFormats(formatCost, [
    [0, "$0.00"],
    [0.00001, "<$0.0001"],
    [0.0001, "$0.0001"],
    [0.0043, "$0.0043"],
    [0.0999, "$0.0999"],
    [0.1, "$0.10"],
    [0.235, "$0.24"],
    [1.23, "$1.23"],
    [999.999, "$1,000.00"],
    [1234.56, "$1,234.56"],
    [1e300, "$1.00e+300"],
  ]);
});

test("formatBytes picks the largest unit with at least one of it", () => {
  assertFormats(formatBytes, [
    [0, "0 B"],
    [1023, "1,023 B"],
    [1024, "1.0 KiB"],
    [1536, "1.5 KiB"],
    [10 * 1024, "10 KiB"],
    [1024 * 1024 - 1, "1.0 MiB"],
    [312 * 1024 ** 2, "312 MiB"],
    [1.25 * 1024 ** 3, "1.3 GiB"],
    [5000 * 1024 ** 5, "5,000 PiB"],
  ]);
});

test("formatShare gives percent", () => {
  assertFormats(formatShare, [
    [0, "0.0%"],
    [0.1234, "12.3%"],
    [1, "100.0%"],
  ]);
});

test("formatQuantity agrees with its number", () => {
  assert.equal(formatQuantity(1, "file", "files"), "1 file");
  assert.equal(formatQuantity(0, "file", "files"), "0 files");
  assert.equal(formatQuantity(2000, "file", "files"), "2,000 files");
});
