import assert from "node:assert/strict";

/**
 * Fails unless `actual` says what `expected` says: objects may have more keys, arrays must be as long, and fractions agree to a relative 1e-9.
 * `at` names the place in the message.
 */
export function assertAgrees(actual: unknown, expected: unknown, at: string): void {
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual), `${at} is no array`);
    assert.equal(actual.length, expected.length, `length of ${at}: ${JSON.stringify(actual)}`);
    for (const [index, value] of expected.entries()) assertAgrees(actual[index], value, `${at}[${index}]`);
  } else if (typeof expected === "object" && expected !== null) {
    assert.ok(typeof actual === "object" && actual !== null, `${at} is no object`);
    for (const [key, value] of Object.entries(expected)) {
      assertAgrees(Object.getOwnPropertyDescriptor(actual, key)?.value, value, `${at}.${key}`);
    }
  } else if (typeof expected === "number" && typeof actual === "number") {
    assert.ok(
      Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected)),
      `${at}: ${actual}, not ${expected}`,
    );
  } else {
    assert.equal(actual, expected, at);
  }
}
