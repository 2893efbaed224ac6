import { isMessageEntry, type SessionEntry } from "./entry.js";
import { isJsonObject, type JsonObject } from "./json.js";

/** Usage as it stands in a file: tokens and US dollars, any of them missing or broken. */
export interface StoredUsage {
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  /** Missing in old files: then the sum of the four. */
  totalTokens?: number;
  /** Already in `cacheWrite`. */
  cacheWrite1h?: number;
  /** Already in `output`. */
  reasoning?: number;
  cost?: number | { input?: number; output?: number; cacheRead?: number; cacheWrite?: number; total?: number };
}

/** Sums of usage: tokens, US dollars, and how many calls they are of. */
export interface Usage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  totalTokens: number;
  /** US dollars. */
  costTotal: number;
  calls: number;
}

/** The place a usage object stands in: `usage:<kind>` for usage entries. */
export type UsageSource = "assistant" | "tool" | "compaction" | "branch_summary" | `usage:${string}`;

/** A number of tokens or dollars: finite and 0 or more; undefined for anything else. Huge finite numbers stand. */
export function readAmount(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}

/** The usage of one call, from what a file holds. Parts that can't be read are 0; totals that can't be are the sums of their parts. */
export function readUsage(stored: JsonObject): Usage {
  const input = readAmount(stored.input) ?? 0;
  const output = readAmount(stored.output) ?? 0;
  const cacheRead = readAmount(stored.cacheRead) ?? 0;
  const cacheWrite = readAmount(stored.cacheWrite) ?? 0;
  const totalTokens = readAmount(stored.totalTokens) ?? input + output + cacheRead + cacheWrite;
  return { input, output, cacheRead, cacheWrite, totalTokens, costTotal: readCost(stored.cost), calls: 1 };
}

/**
 * As `readUsage`, of numbers that are known to be amounts, into `usage`: input, output, cache reads, cache writes and the total, then the same of the cost; NaN
 * for what is missing.
 */
export function fillUsage(usage: Usage, numbers: Float64Array, first: number): void {
  usage.input = numbers[first]! || 0;
  usage.output = numbers[first + 1]! || 0;
  usage.cacheRead = numbers[first + 2]! || 0;
  usage.cacheWrite = numbers[first + 3]! || 0;
  const total = numbers[first + 4]!;
  usage.totalTokens = Number.isNaN(total) ? usage.input + usage.output + usage.cacheRead + usage.cacheWrite : total;
  const cost = numbers[first + 9]!;
  if (Number.isNaN(cost)) {
    usage.costTotal = 0;
    for (let part = first + 5; part < first + 9; part++) usage.costTotal += numbers[part]! || 0;
  } else {
    usage.costTotal = cost;
  }
  usage.calls = 1;
}

function readCost(cost: unknown): number {
  if (typeof cost === "number") return readAmount(cost) ?? 0;
  if (!isJsonObject(cost)) return 0;
  const total = readAmount(cost.total);
  if (total !== undefined) return total;
  let sum = 0;
  for (const part of ["input", "output", "cacheRead", "cacheWrite"]) sum += readAmount(cost[part]) ?? 0;
  return sum;
}

/**
 * The place of an entry where usage may stand, and what is there: one of five. Objects of the same name in tool arguments, `details` or
 * `retainedTail` are data, not usage.
 */
export function usagePlace(entry: SessionEntry): { source: UsageSource; value: unknown } | undefined {
  if (isMessageEntry(entry)) {
    const { role, usage } = entry.message as JsonObject;
    if (role === "assistant") return { source: "assistant", value: usage };
    return role === "toolResult" ? { source: "tool", value: usage } : undefined;
  }
  const { usage, kind } = entry as JsonObject;
  switch (entry.type) {
    case "compaction":
    case "branch_summary":
      return { source: entry.type, value: usage };
    case "usage":
      return { source: `usage:${typeof kind === "string" ? kind : ""}`, value: usage };
    default:
      return undefined;
  }
}

/** The usage object of an entry and its source; undefined for an entry that is no call. */
export function entryUsage(entry: SessionEntry): { source: UsageSource; stored: JsonObject } | undefined {
  const place = usagePlace(entry);
  return place && isJsonObject(place.value) ? { source: place.source, stored: place.value } : undefined;
}

/** Usage of nothing. */
export function emptyUsage(): Usage {
  return { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, costTotal: 0, calls: 0 };
}
