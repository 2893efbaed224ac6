/** The oddities of a session by the plain reader: entries that break a rule, by line. */
import type { JsonObject } from "../../src/format/json.js";
import type { OddityCode } from "../../src/format/problem.js";
import { isObject, type PlainEntry, type PlainFile } from "./plain-file.js";
import { messageTimePlainly, timePlainly } from "./plain-time.js";
import { treePlainly } from "./plain-tree.js";

export interface PlainOddity {
  line: number;
  code: OddityCode;
}

/** The oddities of a file, sorted by line and code. */
export function odditiesPlainly(file: PlainFile): PlainOddity[] {
  if (file.header === null) return [];
  const header = { ...file.header, codes: headerCodes(file.header.entry, file.version) };
  const nodes = treePlainly(file.entries.map(({ entry }) => entry));
  const ids = new Set(nodes.map(({ id }) => id));
  const oddities: PlainOddity[] = [];
  const report = (at: PlainEntry[], code: OddityCode) => oddities.push(...at.map(({ line }) => ({ line, code })));

  report(file.recordsBeforeHeader, "record-before-header");
  report(file.laterHeaders, "second-header");
  report(file.invalidUtf8, "invalid-utf8");
  if (file.lacksFinalNewline) oddities.push({ line: file.lines, code: "no-final-newline" });
  for (const code of header.codes) report([header], code);
  for (const found of file.entries) {
    const node = nodes.findIndex(({ entry }) => entry === found.entry);
    const own = nodes[node];
    if (own === undefined) report([found], "missing-id");
    else if (nodes.slice(0, node).some(({ id }) => id === own.id)) report([found], "duplicate-id");
    if (own?.rootedBy !== undefined) report([found], own.rootedBy);
    for (const code of entryCodes(found.entry, ids)) report([found], code);
  }
  return oddities.sort((one, other) => one.line - other.line || (one.code < other.code ? -1 : 1));
}

function headerCodes(header: JsonObject, version: number): OddityCode[] {
  const codes: OddityCode[] = [];
  if (version > 3) codes.push("future-version");
  if (header.version !== undefined && header.version !== version) codes.push("invalid-version");
  if (isInvalidTime(header.timestamp)) codes.push("invalid-timestamp");
  return codes;
}

function entryCodes(entry: JsonObject, ids: Set<string>): OddityCode[] {
  const codes: OddityCode[] = [];
  const { type, targetId, firstKeptEntryId } = entry;
  const isMissing = (id: unknown) => typeof id === "string" && !ids.has(id);
  const message = type === "message" && isObject(entry.message) ? entry.message : {};
  if (isInvalidTime(entry.timestamp)) codes.push("invalid-timestamp");
  if (message.timestamp !== undefined && messageTimePlainly(message.timestamp) === null)
    codes.push("invalid-message-time");
  if (type === "label" && isMissing(targetId)) codes.push("missing-label-target");
  if (type === "context_edit" && isMissing(targetId)) codes.push("missing-edit-target");
  if (type === "compaction" && isMissing(firstKeptEntryId)) codes.push("missing-first-kept");
  const isPlaceOfUsage = message.role === "assistant" || message.role === "toolResult";
  const usage = isPlaceOfUsage
    ? message.usage
    : type === "compaction" || type === "branch_summary" || type === "usage"
      ? entry.usage
      : undefined;
  if (usage !== undefined && isBrokenUsage(usage)) codes.push("broken-usage");
  return codes;
}

const isInvalidTime = (timestamp: unknown): boolean => timestamp !== undefined && timePlainly(timestamp) === null;

function isBrokenUsage(usage: unknown): boolean {
  if (!isObject(usage)) return true;
  const isBroken = (value: unknown): boolean =>
    value !== undefined && !(typeof value === "number" && Number.isFinite(value) && value >= 0);
  const parts = (from: JsonObject): unknown[] => [from.input, from.output, from.cacheRead, from.cacheWrite];
  const { cost, totalTokens } = usage;
  if ([...parts(usage), totalTokens].some(isBroken)) return true;
  return isObject(cost) ? [...parts(cost), cost.total].some(isBroken) : isBroken(cost);
}
