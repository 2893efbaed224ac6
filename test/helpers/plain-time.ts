/** An ISO 8601 time that says its zone, in ms; null for anything else, days that no month has included. */
export function timePlainly(value: unknown): number | null {
  if (typeof value !== "string") return null;
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/.test(value)) return null;
  const time = Date.parse(value);
  if (Number.isNaN(time)) return null;
  // Date.parse takes the 30th of February for a day in March, and 24:00 for the next day.
  const isDayOfItsMonth = new Date(`${value.slice(0, 10)}T00:00Z`).toISOString().startsWith(value.slice(0, 10));
  return !isDayOfItsMonth || value.slice(11, 13) === "24" ? null : time;
}

/** A message's own time in ms; null for what is no number from 0 to the year 9999. */
export function messageTimePlainly(value: unknown): number | null {
  return typeof value === "number" && value >= 0 && value < Date.UTC(10_000, 0, 1) ? value : null;
}
