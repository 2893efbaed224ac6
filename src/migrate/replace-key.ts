import type { JsonObject } from "../format/json.js";

/**
 * A copy of an object in which the key `from` has become `to`, with another value, at the same place; without a value it is left out.
 * A key `to` that was there before is gone. Other keys keep value and order, `__proto__` too: it is a key like any other in a file.
 */
export function replaceKey(object: JsonObject, from: string, to: string, value: string | undefined): JsonObject {
  const pairs: [string, unknown][] = [];
  for (const [key, old] of Object.entries(object)) {
    if (key === from) {
      if (value !== undefined) pairs.push([to, value]);
    } else if (key !== to) {
      pairs.push([key, old]);
    }
  }
  return Object.fromEntries(pairs);
}
