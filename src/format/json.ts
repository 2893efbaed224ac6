/** A JSON object as `JSON.parse` gives it: nothing is known of its keys. */
export type JsonObject = { [key: string]: unknown };

/** Whether a parsed JSON value is an object (neither null nor an array). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
