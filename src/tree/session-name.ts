/** A session's name as it is shown: line breaks become a space, trimmed; null for what is no string, or empty then. */
export function readSessionName(name: unknown): string | null {
  if (typeof name !== "string") return null;
  return name.replace(/[\r\n]+/g, " ").trim() || null;
}
