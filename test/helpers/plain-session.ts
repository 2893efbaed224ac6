/** What a session adds up to, by the plain reader: its calls and its line in a listing. */
import type { JsonObject } from "../../src/format/json.js";
import type { Usage } from "../../src/format/usage.js";
import { isObject, type PlainFile } from "./plain-file.js";
import { messageTimePlainly, timePlainly } from "./plain-time.js";
import { findParent, namePlainly, treePlainly } from "./plain-tree.js";

/** One model call: an entry with a usage object in one of the five places. */
export interface PlainCall {
  entry: JsonObject;
  /** Null in entries without an id. */
  id: string | null;
  /** The entry's own time, in ms. */
  entryTime: number | null;
  /** When the call was made: the message's time, else the entry's. */
  time: number | null;
  source: string;
  /** As a key of totals: `provider/model`, or `model` alone. */
  model: string | null;
  provider: string | null;
  /** The name of the tool, for usage of tool results. */
  tool: string | null;
  responseId: unknown;
  usage: Usage;
}

export interface PlainSession {
  id: string;
  cwd: string | null;
  name: string | null;
  parentSession: string | null;
  version: number;
  created: string | null;
  modified: string;
  messageCount: number;
  entryCount: number;
  sizeBytes: number;
  firstMessage: string | null;
  models: string[];
  branches: number;
  usage: Usage;
  damagedLines: number;
}

/** The line of a listing; `mtime` (ms) stands in for a session without any time. */
export function sessionPlainly(file: PlainFile, mtime = 0): PlainSession {
  const header = file.header!.entry;
  const entries = file.entries.map(({ entry }) => entry);
  const calls = callsPlainly(file);
  const created = timePlainly(header.timestamp);
  return {
    id: header.id as string,
    cwd: typeof header.cwd === "string" ? header.cwd : null,
    name: namePlainly(entries),
    parentSession: parentSessionPlainly(header),
    version: file.version,
    created: created === null ? null : formatTime(created),
    modified: formatTime(lastActivity(entries) ?? created ?? mtime),
    messageCount: entries.filter(({ type }) => type === "message").length,
    entryCount: entries.length,
    sizeBytes: file.bytes.length,
    firstMessage: firstMessage(entries),
    models: [...new Set(calls.map(({ model }) => model).filter((model) => model !== null))],
    branches: treePlainly(entries).filter(({ children }) => children.length === 0).length,
    usage: sumPlainly(calls.map(({ usage }) => usage)),
    damagedLines: file.damage.length,
  };
}

const formatTime = (time: number): string => new Date(time).toISOString();

export function parentSessionPlainly(header: JsonObject): string | null {
  for (const parent of [header.parentSession, header.branchedFrom]) {
    if (typeof parent === "string" && parent !== "") return parent;
  }
  return null;
}

/** The message of a `message` entry; an empty object in place of what is none. */
const messageOf = (entry: JsonObject): JsonObject =>
  entry.type === "message" && isObject(entry.message) ? entry.message : {};

/** The latest time of user and assistant messages. */
function lastActivity(entries: JsonObject[]): number | null {
  const times: number[] = [];
  for (const entry of entries) {
    const { role, timestamp } = messageOf(entry);
    const time = messageTimePlainly(timestamp) ?? timePlainly(entry.timestamp);
    if ((role === "user" || role === "assistant") && time !== null) times.push(time);
  }
  return times.length === 0 ? null : times.reduce((latest, time) => Math.max(latest, time));
}

function firstMessage(entries: JsonObject[]): string | null {
  for (const entry of entries) {
    const { role, content } = messageOf(entry);
    if (role !== "user") continue;
    const text = typeof content === "string" ? content : textBlocks(content).join(" ");
    if (text === "") continue;
    const points = [...text];
    return points.length > 1000 ? `${points.slice(0, 1000).join("")}…` : text;
  }
  return null;
}

function textBlocks(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content
    .filter((block) => isObject(block) && block.type === "text" && typeof block.text === "string")
    .map((block) => block.text);
}

/** The calls of a file in file order, each once: of lines with one id and one time the first. */
export function callsPlainly(file: PlainFile): PlainCall[] {
  const entries = file.entries.map(({ entry }) => entry);
  const calls: PlainCall[] = [];
  for (const entry of entries) {
    const stored = usageOf(entry);
    if (stored === undefined) continue;
    const call = { ...describe(entries, entry), usage: readUsage(stored) };
    if (!calls.some((other) => isSameEntry(other, call))) calls.push(call);
  }
  return calls;
}

/** Whether two calls have one id and one time; without either they are two. */
export function isSameEntry(one: PlainCall, other: PlainCall): boolean {
  return one.id !== null && one.id === other.id && one.entryTime !== null && one.entryTime === other.entryTime;
}

function usageOf(entry: JsonObject): JsonObject | undefined {
  const { role, usage } = messageOf(entry);
  if (role === "assistant" || role === "toolResult") return isObject(usage) ? usage : undefined;
  const hasUsage = entry.type === "compaction" || entry.type === "branch_summary" || entry.type === "usage";
  return hasUsage && isObject(entry.usage) ? entry.usage : undefined;
}

function describe(entries: JsonObject[], entry: JsonObject): Omit<PlainCall, "usage"> {
  const message = messageOf(entry);
  const entryTime = timePlainly(entry.timestamp);
  const base = {
    entry,
    id: typeof entry.id === "string" && entry.id !== "" ? entry.id : null,
    entryTime,
    time: messageTimePlainly(message.timestamp) ?? entryTime,
    tool: null,
    responseId: message.responseId,
  };
  if (message.role === "assistant") return { ...base, source: "assistant", ...modelKeys(message) };
  if (entry.type === "usage") {
    return { ...base, source: `usage:${typeof entry.kind === "string" ? entry.kind : ""}`, ...modelKeys(entry) };
  }
  const keys = modelBefore(entries, entry);
  if (message.role !== "toolResult") return { ...base, source: entry.type as string, ...keys };
  return {
    ...base,
    source: "tool",
    tool: typeof message.toolName === "string" && message.toolName !== "" ? message.toolName : null,
    ...keys,
  };
}

/** The keys of an assistant message, of a usage entry, or (with its `modelId` as `model`) of a model change. */
function modelKeys({ provider, model, responseModel }: JsonObject): { provider: string | null; model: string | null } {
  const name = [responseModel, model].find((name) => typeof name === "string" && name !== "");
  const owner = typeof provider === "string" && provider !== "" ? provider : null;
  if (name === undefined) return { provider: owner, model: null };
  return { provider: owner, model: owner === null ? (name as string) : `${owner}/${name}` };
}

/** The keys of the nearest assistant message or model change before an entry on its path. */
function modelBefore(entries: JsonObject[], entry: JsonObject): { provider: string | null; model: string | null } {
  const nodes = treePlainly(entries);
  // An entry without an id is no node, but it may name its parent.
  const own = nodes.find((node) => node.entry === entry);
  const place = nodes.filter((node) => entries.indexOf(node.entry) < entries.indexOf(entry)).length;
  const { parentId } = entry;
  let at =
    own === undefined && typeof parentId === "string"
      ? findParent(nodes.slice(0, place), nodes.slice(place), parentId)
      : (own?.parent ?? null);
  for (; at !== null; at = at.parent) {
    const { type, provider, modelId } = at.entry;
    const message = messageOf(at.entry);
    if (type === "model_change" && typeof provider === "string" && typeof modelId === "string") {
      return modelKeys({ provider, model: modelId });
    }
    if (message.role === "assistant" && modelKeys(message).model !== null) return modelKeys(message);
  }
  return { provider: null, model: null };
}

function readUsage(stored: JsonObject): Usage {
  const amount = (value: unknown): number | undefined =>
    typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
  const parts = (from: JsonObject) =>
    ["input", "output", "cacheRead", "cacheWrite"].map((part) => amount(from[part]) ?? 0) as [
      number,
      number,
      number,
      number,
    ];
  const add = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0);

  const [input, output, cacheRead, cacheWrite] = parts(stored);
  const { cost } = stored;
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    totalTokens: amount(stored.totalTokens) ?? add([input, output, cacheRead, cacheWrite]),
    costTotal: isObject(cost) ? (amount(cost.total) ?? add(parts(cost))) : (amount(cost) ?? 0),
    calls: 1,
  };
}

export function sumPlainly(usages: Usage[]): Usage {
  const sum = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, costTotal: 0, calls: 0 };
  for (const usage of usages) {
    for (const key of Object.keys(sum) as (keyof Usage)[]) sum[key] += usage[key];
  }
  return sum;
}
