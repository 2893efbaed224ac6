import { entryId, isMessageEntry, type SessionEntry } from "../format/entry.js";
import { CURRENT_SESSION_VERSION, headerVersion, type SessionHeader } from "../format/header.js";
import { describeValue, isJsonObject, type JsonObject } from "../format/json.js";
import type { OddityCode } from "../format/problem.js";
import { parseIsoTime, readMessageTime } from "../format/time.js";
import { readAmount, usagePlace } from "../format/usage.js";

export interface EntryOddity {
  code: OddityCode;
  message: string;
}

/** The rules of the format that a header breaks. */
export function findHeaderOddities(header: SessionHeader): EntryOddity[] {
  const found: EntryOddity[] = [];
  const { version, timestamp } = header;
  if (version !== undefined && version !== headerVersion(header)) {
    found.push({
      code: "invalid-version",
      message: `the version ${describeValue(version)} is read as ${headerVersion(header)}`,
    });
  }
  if (headerVersion(header) > CURRENT_SESSION_VERSION) {
    found.push({
      code: "future-version",
      message: `version ${version} is newer than ${CURRENT_SESSION_VERSION}: it is read as that, and never rewritten`,
    });
  }
  if (isInvalidTime(timestamp)) found.push(invalidTime(timestamp));
  return found;
}

/** The rules of the format that an entry breaks by itself, whatever stands around it. `version` is the header's. */
export function findEntryOddities(entry: SessionEntry, version: number): EntryOddity[] {
  const found: EntryOddity[] = [];
  if (version >= 2 && entryId(entry) === undefined) {
    found.push({
      code: "missing-id",
      message: `the ${describeValue(entry.type)} entry has no id, so nothing can follow it`,
    });
  }
  if (isInvalidTime(entry.timestamp)) found.push(invalidTime(entry.timestamp));
  if (isMessageEntry(entry)) {
    const { timestamp } = entry.message;
    if (timestamp !== undefined && readMessageTime(timestamp) === undefined) {
      found.push({
        code: "invalid-message-time",
        message: `the message time ${describeValue(timestamp)} is read as absent`,
      });
    }
  }
  const broken = brokenUsage(entry);
  if (broken) found.push({ code: "broken-usage", message: broken });
  return found;
}

/** Whether there is a time that can't be read; a missing one breaks no rule. */
function isInvalidTime(timestamp: unknown): boolean {
  return timestamp !== undefined && parseIsoTime(timestamp) === undefined;
}

function invalidTime(timestamp: unknown): EntryOddity {
  return { code: "invalid-timestamp", message: `the timestamp ${describeValue(timestamp)} is read as absent` };
}

const tokenParts = ["input", "output", "cacheRead", "cacheWrite", "totalTokens"];
const costParts = ["input", "output", "cacheRead", "cacheWrite", "total"];

/** What is wrong with the usage of an entry; undefined when it is fine, merely incomplete, or not there at all. */
function brokenUsage(entry: SessionEntry): string | undefined {
  const usage = usagePlace(entry)?.value;
  if (usage === undefined) return undefined;
  if (!isJsonObject(usage)) return `the usage ${describeValue(usage)} is no object`;
  const broken = brokenParts(usage, tokenParts, "usage.");
  const { cost } = usage;
  if (isJsonObject(cost)) broken.push(...brokenParts(cost, costParts, "usage.cost."));
  else if (cost !== undefined && readAmount(cost) === undefined) broken.push("usage.cost");
  return broken.length > 0 ? `no number of 0 or more: ${broken.join(", ")}` : undefined;
}

function brokenParts(amounts: JsonObject, parts: string[], prefix: string): string[] {
  return parts
    .filter((part) => amounts[part] !== undefined && readAmount(amounts[part]) === undefined)
    .map((part) => prefix + part);
}
