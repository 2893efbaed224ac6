/** A JSON object as `JSON.parse` gives it: nothing is known of its keys. */
export type JsonObject = { [key: string]: unknown };

/** Whether a parsed JSON value is an object (neither null nor an array). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value from a file in a few words, for a message of one line. */
export function describeValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "an array" : "an object";
}
