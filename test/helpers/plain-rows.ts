/** The rows of an export by the plain reader: each is told from the whole store, every time. */
import type { JsonObject } from "../../src/format/json.js";
import { isObject, type PlainFile } from "./plain-file.js";
import { callsPlainly, sessionPlainly } from "./plain-session.js";
import { messageTimePlainly, timePlainly } from "./plain-time.js";
import { copiesPlainly, type PlainStoreFile } from "./plain-totals.js";
import { type PlainNode, pathPlainly, treePlainly } from "./plain-tree.js";

export type PlainRow = Record<string, string | number | boolean | null>;

export type PlainTables = Record<"sessions" | "entries" | "messages" | "tool_calls" | "usage", PlainRow[]>;

/** The tables of a store whose texts are previews. Times are Unix milliseconds. Rows stand in the order of paths, lines, and places in a line. */
export function rowsPlainly(
  files: readonly PlainStoreFile[],
  host: string,
  mtimeOf = (_path: string) => 0,
): PlainTables {
  const tables: PlainTables = { sessions: [], entries: [], messages: [], tool_calls: [], usage: [] };
  const copies = copiesPlainly(files);
  for (const { path, file } of files) {
    if (!file.isSession) continue;
    const id = { session_id: file.header!.entry.id as string, path };
    tables.sessions.push(sessionRow(file, id, host, mtimeOf(path)));
    const nodes = treePlainly(file.entries.map(({ entry }) => entry));
    const branch = new Set(nodes.length === 0 ? [] : pathPlainly(nodes.at(-1)!));
    const calls = callsPlainly(file);
    const copied = new Set(copies.get(path)!.map(({ entry }) => entry));
    file.entries.forEach(({ entry, line, byteLength }, at) => {
      const part = file.entries.slice(0, at).filter((other) => other.line === line).length;
      const place = { ...id, line, line_part: part };
      const node = nodes.find((other) => other.entry === entry);
      const message = entry.type === "message" && isObject(entry.message) ? entry.message : {};
      const time = timePlainly(entry.timestamp);
      tables.entries.push({
        ...place,
        entry_id: node?.id ?? null,
        parent_id: someText(entry.parentId),
        type: entry.type as string,
        role: anyText(message.role),
        timestamp: time,
        depth: node ? pathPlainly(node).length - 1 : null,
        on_current_branch: node !== undefined && branch.has(node),
        bytes: byteLength,
      });
      const call = calls.find((other) => other.entry === entry);
      if (call) {
        const { usage } = call;
        tables.usage.push({
          ...place,
          entry_id: call.id,
          timestamp: whole(call.time),
          entry_timestamp: call.entryTime,
          source: call.source,
          provider: call.provider,
          // Here the name of the model stands alone.
          model: bareModel(call.model, call.provider),
          response_id: anyText(call.responseId),
          input: usage.input,
          output: usage.output,
          cache_read: usage.cacheRead,
          cache_write: usage.cacheWrite,
          total_tokens: usage.totalTokens,
          cost_total: usage.costTotal,
          is_copy: copied.has(entry),
        });
      }
      if (entry.type !== "message") return;
      const callTime = whole(messageTimePlainly(message.timestamp) ?? time);
      tables.messages.push({ ...place, entry_id: node?.id ?? null, timestamp: callTime, ...messageCells(message) });
      tables.tool_calls.push(
        ...toolCallRows(file, nodes, entry, message).map((row) => ({ ...place, ...row, timestamp: callTime })),
      );
    });
  }
  for (const rows of Object.values(tables)) for (const row of rows) toUtf8(row);
  return tables;
}

/** Halves of surrogate pairs can't be told in UTF-8. */
function toUtf8(row: PlainRow): void {
  for (const [name, cell] of Object.entries(row)) if (typeof cell === "string") row[name] = wellFormed(cell);
}

function sessionRow(file: PlainFile, id: PlainRow, host: string, mtime: number): PlainRow {
  const session = sessionPlainly(file, mtime);
  return {
    ...id,
    host,
    cwd: session.cwd,
    name: session.name,
    parent_session: session.parentSession,
    version: Math.min(session.version, 2 ** 53 - 1),
    created: session.created === null ? null : Date.parse(session.created),
    modified: Date.parse(session.modified),
    message_count: session.messageCount,
    entry_count: session.entryCount,
    size_bytes: session.sizeBytes,
    first_message: session.firstMessage === null ? null : preview(session.firstMessage),
    branches: session.branches,
    damaged_lines: session.damagedLines,
  };
}

function messageCells(message: JsonObject): PlainRow {
  const { role, content, command, output, provider, model, responseModel, errorMessage } = message;
  const isAnswer = role === "assistant";
  const blocks = (kind: string, member: string): string | null => {
    if (!Array.isArray(content)) return null;
    const texts = content.filter((block) => isObject(block) && block.type === kind).map((block) => block[member]);
    const found = texts.filter((text) => typeof text === "string");
    return found.length === 0 ? null : preview(found.join("\n"));
  };
  const run = [command, output].filter((text) => typeof text === "string");
  const said = typeof content === "string" ? preview(content) : blocks("text", "text");
  return {
    role: anyText(role),
    text: role === "bashExecution" ? (run.length === 0 ? null : preview(run.join("\n"))) : said,
    thinking: blocks("thinking", "thinking"),
    provider: isAnswer ? someText(provider) : null,
    model: isAnswer ? (someText(responseModel) ?? someText(model)) : null,
    stop_reason: someText(message.stopReason),
    error_message: typeof errorMessage === "string" ? preview(errorMessage) : null,
    tool_name: someText(message.toolName),
    is_error: typeof message.isError === "boolean" ? message.isError : null,
  };
}

/** A tool call, or the result of one, and where it stands in the file. */
interface ToolPlace {
  id: string;
  at: number;
}

function toolCallRows(file: PlainFile, nodes: PlainNode[], entry: JsonObject, message: JsonObject): PlainRow[] {
  if (message.role !== "assistant" || !Array.isArray(message.content)) return [];
  return message.content.flatMap((block, contentIndex) => {
    if (!isToolCall(block)) return [];
    const result = resultPlainly(file, entry, contentIndex);
    const answer = result?.message as JsonObject | undefined;
    const [began, ended] = [timePlainly(entry.timestamp), timePlainly(result?.timestamp)];
    const duration = began === null || ended === null ? -1 : ended - began;
    return [
      {
        content_index: contentIndex,
        entry_id: nodes.find((node) => node.entry === entry)?.id ?? null,
        result_entry_id: nodes.find((node) => node.entry === result)?.id ?? null,
        tool_call_id: someText(block.id),
        tool_name: someText(block.name),
        arguments: block.arguments === undefined ? null : preview(JSON.stringify(block.arguments)),
        is_error: typeof answer?.isError === "boolean" ? answer.isError : null,
        output_bytes: answer ? textBytes(answer.content) : null,
        duration_ms: duration < 0 ? null : duration,
      },
    ];
  });
}

const isToolCall = (block: unknown): block is JsonObject => isObject(block) && block.type === "toolCall";

/** The first of the results that belong to a call: of all with its id, those for which it is the nearest call before, else the nearest after. */
function resultPlainly(file: PlainFile, entry: JsonObject, contentIndex: number): JsonObject | undefined {
  const calls: (ToolPlace & { key: string })[] = [];
  const results: (ToolPlace & { entry: JsonObject })[] = [];
  file.entries.forEach(({ entry: each }, at) => {
    const message = each.type === "message" && isObject(each.message) ? each.message : {};
    if (message.role === "toolResult" && typeof message.toolCallId === "string") {
      results.push({ id: message.toolCallId, at, entry: each });
    }
    if (message.role !== "assistant" || !Array.isArray(message.content)) return;
    message.content.forEach((block, index) => {
      if (isToolCall(block) && typeof block.id === "string") calls.push({ id: block.id, at, key: `${at} ${index}` });
    });
  });
  const own = `${file.entries.findIndex((each) => each.entry === entry)} ${contentIndex}`;
  return results.find(({ id, at }) => {
    const alike = calls.filter((call) => call.id === id);
    const owner = alike.findLast((call) => call.at < at) ?? alike.find((call) => call.at > at);
    return owner?.key === own;
  })?.entry;
}

function textBytes(content: unknown): number {
  if (typeof content === "string") return Buffer.byteLength(content);
  if (!Array.isArray(content)) return 0;
  const texts = content.filter((block) => isObject(block) && block.type === "text").map((block) => block.text);
  return texts.reduce((sum, text) => sum + (typeof text === "string" ? Buffer.byteLength(text) : 0), 0);
}

const preview = (text: string): string => [...text].slice(0, 500).join("");

const wellFormed = (text: string): string => Buffer.from(text).toString();

const anyText = (value: unknown): string | null => (typeof value === "string" ? value : null);

const someText = (value: unknown): string | null => (value === "" ? null : anyText(value));

const whole = (time: number | null): number | null => (time === null ? null : Math.trunc(time));

function bareModel(model: string | null, provider: string | null): string | null {
  if (model === null) return null;
  return provider === null ? model : model.slice(provider.length + 1);
}
