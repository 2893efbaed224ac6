import type { BareEntry } from "../format/bare-entry.js";
import { entryId, entryParentId, isMessageEntry, type SessionEntry } from "../format/entry.js";
import type { JsonObject } from "../format/json.js";
import type { CallModel } from "../format/model.js";
import { readModel, readText } from "../format/model.js";
import { parseIsoTime } from "../format/time.js";
import { emptyUsage, entryUsage } from "../format/usage.js";
import type { Call } from "../report/call.js";
import { type CallFilterOptions, filtersModels, modelFilter, timeFilter } from "../report/call-filter.js";
import { callTime, namedModel, SessionCalls } from "../report/session-calls.js";
import type { SessionFacts } from "../report/session-summary.js";
import { NO_NODE } from "../tree/forest.js";
import type { CellText } from "./cell-text.js";
import type { Cell } from "./row-batch.js";
import type { RowBatcher } from "./row-batcher.js";
import { type SessionSurvey, toolCallBlocks } from "./session-survey.js";

export interface SessionRowsOptions {
  /** The absolute path of the file. */
  path: string;
  host: string;
  text: CellText;
  /** Rows are chosen by their own time and by the model in force. */
  filters: CallFilterOptions;
  /** The calls that are copies, by their number in the file. */
  copies: ReadonlySet<number>;
}

/** Where an entry stands, as rows tell it. */
interface RowPlace {
  line: number;
  part: number;
}

/**
 * Makes the rows of one session from its entries, which come a second time, in the same order, after a survey of all of them. Rows of each table come in file
 * order, but for the usage of tools and summaries in files whose parents stand behind their children: those come last.
 *
 * With a filter by model, a row stays when its entry names such a model, or came while such a one was in force; with one by time, when its own time is in the range.
 * The session itself stays when anything of it does.
 */
export class SessionRows {
  readonly #survey: SessionSurvey;
  readonly #batcher: RowBatcher;
  readonly #options: SessionRowsOptions;
  readonly #calls: SessionCalls;
  readonly #isTimeWanted: (time: number | undefined) => boolean;
  readonly #isModelWanted: (model: CallModel) => boolean;
  readonly #filtersModels: boolean;
  /** Whether the session stays. */
  #isChosen: boolean;
  #number = 0;
  #outside = 0;
  #toolCall = 0;
  #place: RowPlace = { line: 0, part: 0 };
  /** Places of calls that wait for the tree. */
  readonly #openPlaces = new Map<object, RowPlace>();

  constructor(survey: SessionSurvey, batcher: RowBatcher, options: SessionRowsOptions) {
    const { filters } = options;
    this.#survey = survey;
    this.#batcher = batcher;
    this.#options = options;
    this.#isTimeWanted = timeFilter(filters);
    const isModelWanted = modelFilter(filters);
    this.#isModelWanted = (model) => isModelWanted(model as Call);
    this.#filtersModels = filtersModels(filters);
    this.#isChosen = !this.#filtersModels && filters.since === undefined && filters.until === undefined;
    const links = survey.hasForwardLinks ? undefined : survey.index;
    this.#calls = new SessionCalls({ mayRepeat: survey.hasDuplicates, links }, (call, entry) =>
      this.#addUsage(call, entry),
    );
  }

  /** Takes the next entry. Its strings should be whole where whole texts are wanted. */
  add(entry: SessionEntry, line: number, byteLength: number): void {
    this.#place = { line, part: line === this.#place.line ? this.#place.part + 1 : 0 };
    const isInTree = entryId(entry) !== undefined;
    const number = isInTree ? this.#number++ : NO_NODE;
    const hasUsage = entryUsage(entry) !== undefined;
    const parent = !isInTree && hasUsage ? this.#survey.parentsOutside[this.#outside++] : undefined;
    if (hasUsage && this.#survey.hasForwardLinks) this.#openPlaces.set(entry, this.#place);
    this.#calls.add(entry, number, parent);

    const message = isMessageEntry(entry) ? (entry.message as JsonObject) : undefined;
    const calls = message?.role === "assistant" ? toolCallBlocks(message) : [];
    const firstCall = this.#toolCall;
    this.#toolCall += calls.length;
    if (this.#filtersModels && !this.#isModelWanted(this.#modelOf(entry, number))) return;
    const entryTime = parseIsoTime(entry.timestamp);
    if (this.#isTimeWanted(entryTime)) this.#addEntry(entry, number, byteLength, entryTime);
    if (entry.type !== "message") return;
    const time = callTime(entry);
    if (!this.#isTimeWanted(time)) return;
    this.#addMessage(entry, message ?? {}, time);
    for (const [at, { block, contentIndex }] of calls.entries()) {
      this.#addToolCall(entry, block, contentIndex, firstCall + at, time, entryTime);
    }
  }

  /** Adds what can only be told at the end. */
  finish(facts: Omit<SessionFacts, "path" | "branches" | "models" | "usage">): void {
    const { header, index, summary } = this.#survey;
    const { path, host, text } = this.#options;
    this.#calls.finish(index);
    if (!this.#isChosen || !this.#batcher.wants("sessions")) return;
    const branches = index.branchCount;
    const session = summary.finish({ ...facts, path, branches, models: [], usage: emptyUsage() });
    this.#batcher.add("sessions", [
      header.id,
      path,
      host,
      session.cwd,
      session.name,
      session.parentSession,
      Math.min(session.version, Number.MAX_SAFE_INTEGER),
      session.created === null ? null : Date.parse(session.created),
      Date.parse(session.modified),
      session.messageCount,
      session.entryCount,
      session.sizeBytes,
      text.string(session.firstMessage),
      branches,
      session.damagedLines,
    ]);
  }

  #addEntry(entry: SessionEntry, number: number, byteLength: number, time: number | undefined): void {
    this.#isChosen = true;
    if (!this.#batcher.wants("entries")) return;
    const { depths, isOnCurrentBranch } = this.#survey;
    const role = isMessageEntry(entry) ? entry.message.role : undefined;
    this.#batcher.add("entries", [
      this.#survey.header.id,
      this.#options.path,
      this.#place.line,
      this.#place.part,
      entryId(entry) ?? null,
      entryParentId(entry),
      entry.type,
      typeof role === "string" ? role : null,
      wholeTime(time),
      number === NO_NODE ? null : depths[number]!,
      isOnCurrentBranch[number] === 1,
      byteLength,
    ]);
  }

  #addMessage(entry: SessionEntry, message: JsonObject, time: number | undefined): void {
    this.#isChosen = true;
    if (!this.#batcher.wants("messages")) return;
    const { path, text } = this.#options;
    const { role, stopReason, errorMessage, toolName, isError } = message;
    const { provider, model } = role === "assistant" ? readModel(message) : { provider: null, model: null };
    this.#batcher.add("messages", [
      this.#survey.header.id,
      path,
      this.#place.line,
      this.#place.part,
      entryId(entry) ?? null,
      wholeTime(time),
      typeof role === "string" ? role : null,
      text.message(message),
      text.thinking(message),
      provider,
      model,
      readText(stopReason),
      text.string(errorMessage),
      readText(toolName),
      typeof isError === "boolean" ? isError : null,
    ]);
  }

  #addToolCall(
    entry: SessionEntry,
    block: JsonObject,
    contentIndex: number,
    call: number,
    time: number | undefined,
    entryTime: number | undefined,
  ): void {
    if (!this.#batcher.wants("tool_calls")) return;
    const { index, toolResults } = this.#survey;
    const { path, text } = this.#options;
    const result = toolResults.resultOf(call);
    const duration = result?.time === undefined || entryTime === undefined ? -1 : result.time - entryTime;
    this.#batcher.add("tool_calls", [
      this.#survey.header.id,
      path,
      this.#place.line,
      this.#place.part,
      contentIndex,
      entryId(entry) ?? null,
      result && result.number !== NO_NODE ? index.entryAt(result.number).id : null,
      readText(block.id),
      readText(block.name),
      text.json(block.arguments),
      result?.isError ?? null,
      result?.bytes ?? null,
      duration >= 0 ? duration : null,
      wholeTime(time),
    ]);
  }

  #addUsage(call: Call, entry: SessionEntry | BareEntry): void {
    if (!this.#isTimeWanted(call.time) || !this.#isModelWanted(call)) return;
    this.#isChosen = true;
    if (!this.#batcher.wants("usage")) return;
    const { path, copies } = this.#options;
    const { line, part } = this.#openPlaces.get(entry) ?? this.#place;
    this.#openPlaces.delete(entry);
    const { usage } = call;
    this.#batcher.add("usage", [
      this.#survey.header.id,
      path,
      line,
      part,
      entryId(entry as SessionEntry) ?? null,
      wholeTime(call.time),
      call.source,
      call.provider,
      call.model,
      usage.input,
      usage.output,
      usage.cacheRead,
      usage.cacheWrite,
      // Sums of huge numbers may have left the finite ones.
      Math.min(usage.totalTokens, Number.MAX_VALUE),
      Math.min(usage.costTotal, Number.MAX_VALUE),
      copies.has(call.ordinal),
    ] satisfies Cell[]);
  }

  /** The model that an entry names, else the one in force at it. */
  #modelOf(entry: SessionEntry, number: number): CallModel {
    const usage = entryUsage(entry);
    const named = usage && namedModel(entry, usage.source);
    if (named) return named;
    const { trail, index } = this.#survey;
    const parentId = entryParentId(entry);
    const at = number !== NO_NODE || parentId === null ? number : index.numberOf(parentId);
    return trail.modelAt(at, index);
  }
}

/** Message times may have a fraction. */
function wholeTime(time: number | undefined): number | null {
  return time === undefined ? null : Math.trunc(time);
}
