import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readNumber } from "../../src/read/read-number.js";

function assertSame(text: string): void {
  const bytes = Buffer.from(`9${text}9`);
  assert.ok(Object.is(readNumber(bytes, 1, 1 + text.length), JSON.parse(text)), text);
}

test("readNumber gives the double of JSON.parse for every shape of number", () => {
  for (const text of [
    "0",
    "-0",
    "0.0",
    "-0.0",
    "0e5",
    "1763681581544",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "18014398509481985",
    "123456789012345678901234567890",
    "0.1",
    "0.30000000000000004",
    "0.013751699999999999",
    "0.0012900000000000001",
    "90071992547409.91",
    "90071992547409.93",
    "0.0000000000000000000001",
    "0.00000000000000000000001",
    "0.0000000000000000000000000000000000000000000000000001",
    "1.0000000000000000000000",
    "1.00000000000000000000000",
    "5e-324",
    "2.2250738585072011e-308",
    "1.7976931348623157e308",
    "1e999",
    "-1e999",
    "1E+2",
    "1e-7",
    "-12.5",
  ]) {
    assertSame(text);
  }
});

test("readNumber gives the double of JSON.parse for random digits", () => {
  const digits = (minLength: number, maxLength: number) =>
    fc.string({ unit: fc.constantFrom(..."0123456789"), minLength, maxLength });
  const whole = fc.oneof(
    fc.constant("0"),
    fc.tuple(fc.constantFrom(..."123456789"), digits(0, 18)).map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(
      fc.boolean(),
      whole,
      fc.option(digits(1, 26), { nil: undefined }),
      fc.option(fc.integer({ min: -330, max: 330 }), { nil: undefined, freq: 5 }),
      (isNegative, whole, fraction, exponent) => {
        const point = fraction === undefined ? "" : `.${fraction}`;
        assertSame(`${isNegative ? "-" : ""}${whole}${point}${exponent === undefined ? "" : `e${exponent}`}`);
      },
    ),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => assertSame(JSON.stringify(value))),
    {
      numRuns: 1000,
    },
  );
});
