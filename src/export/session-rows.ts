import type { BareEntry } from "../format/bare-entry.js";
import { entryId, type SessionEntry } from "../format/entry.js";
import type { CallModel } from "../format/model.js";
import { emptyUsage, entryUsage } from "../format/usage.js";
import type { Call } from "../report/call.js";
import { type CallFilterOptions, filtersModels, modelFilter, timeFilter } from "../report/call-filter.js";
import { callIdentity } from "../report/call-fingerprint.js";
import { namedModel, SessionCalls } from "../report/session-calls.js";
import type { SessionFacts } from "../report/session-summary.js";
import { NO_NODE } from "../tree/forest.js";
import type { CellText } from "./cell-text.js";
import type { EntryFacts, MessageFacts, ToolCallFacts } from "./entry-facts.js";
import type { Cell } from "./row-batch.js";
import type { RowBatcher } from "./row-batcher.js";
import type { SessionSurvey } from "./session-survey.js";

export interface SessionRowsOptions {
  /** The absolute path of the file. */
  path: string;
  host: string;
  text: CellText;
  /** Rows are chosen by their own time and by the model in force. */
  filters: CallFilterOptions;
  /** The calls that are copies, by their number in the file, ascending. */
  copies: ArrayLike<number>;
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
  /** By number of a call: 1 for a copy. */
  readonly #copies: Uint8Array;
  /** Whether the session stays. */
  #isChosen: boolean;
  #number = 0;
  #outside = 0;
  #toolCall = 0;
  #place: RowPlace = { line: 0, part: 0 };
  /** Places of calls that wait for the tree. */
  readonly #openPlaces = new Map<object, RowPlace>();

  constructor(survey: SessionSurvey, batcher: RowBatcher, options: SessionRowsOptions) {
    const { filters, copies } = options;
    this.#copies = new Uint8Array((copies[copies.length - 1] ?? -1) + 1);
    for (let at = 0; at < copies.length; at++) this.#copies[copies[at]!] = 1;
    this.#survey = survey;
    this.#batcher = batcher;
    this.#options = options;
    this.#isTimeWanted = timeFilter(filters);
    const isModelWanted = modelFilter(filters);
    this.#isModelWanted = (model) => isModelWanted(model as Call);
    this.#filtersModels = filtersModels(filters);
    this.#isChosen = !this.#filtersModels && filters.since === undefined && filters.until === undefined;
    const links = survey.hasForwardLinks ? undefined : survey.links;
    this.#calls = new SessionCalls({ mayRepeat: survey.hasDuplicates, links }, (call, entry) =>
      this.#addUsage(call, entry),
    );
  }

  /** Takes the next entry. */
  add(facts: EntryFacts): void {
    const { line, id, time, message, call } = facts;
    this.#place = { line, part: line === this.#place.line ? this.#place.part + 1 : 0 };
    const number = id === undefined ? NO_NODE : this.#number++;
    if (call) this.#addCall(call, number);
    const firstCall = this.#toolCall;
    this.#toolCall += message?.toolCalls.length ?? 0;
    if (this.#filtersModels && !this.#isModelWanted(this.#modelOf(facts, number))) return;
    if (this.#isTimeWanted(time)) this.#addEntry(facts, number);
    if (!message || !this.#isTimeWanted(message.time)) return;
    this.#addMessage(facts, message);
    for (const [at, toolCall] of message.toolCalls.entries())
      this.#addToolCall(facts, message, toolCall, firstCall + at);
  }

  #addCall(call: SessionEntry, number: number): void {
    const { parentsOutside, hasForwardLinks } = this.#survey;
    const parent = number === NO_NODE && entryUsage(call) ? parentsOutside[this.#outside++] : undefined;
    if (hasForwardLinks && entryUsage(call)) this.#openPlaces.set(call, this.#place);
    this.#calls.add(call, number, parent);
  }

  /** Adds what can only be told at the end. */
  finish(facts: Omit<SessionFacts, "path" | "branches" | "models" | "usage">): void {
    const { header, links, summary } = this.#survey;
    const { path, host, text } = this.#options;
    this.#calls.finish(links);
    if (!this.#isChosen || !this.#batcher.wants("sessions")) return;
    const branches = links.branchCount;
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

  #addEntry({ id, parentId, type, role, time, byteLength }: EntryFacts, number: number): void {
    this.#isChosen = true;
    if (!this.#batcher.wants("entries")) return;
    const { header, depths, isOnCurrentBranch } = this.#survey;
    this.#batcher.add("entries", [
      header.id,
      this.#options.path,
      this.#place.line,
      this.#place.part,
      id ?? null,
      parentId,
      type,
      role,
      wholeTime(time),
      number === NO_NODE ? null : depths[number]!,
      isOnCurrentBranch[number] === 1,
      byteLength,
    ]);
  }

  #addMessage({ id, role }: EntryFacts, message: MessageFacts): void {
    this.#isChosen = true;
    if (!this.#batcher.wants("messages")) return;
    this.#batcher.add("messages", [
      this.#survey.header.id,
      this.#options.path,
      this.#place.line,
      this.#place.part,
      id ?? null,
      wholeTime(message.time),
      role,
      message.text,
      message.thinking,
      message.provider,
      message.model,
      message.stopReason,
      message.errorMessage,
      message.toolName,
      message.isError,
    ]);
  }

  #addToolCall({ id, time }: EntryFacts, message: MessageFacts, toolCall: ToolCallFacts, call: number): void {
    if (!this.#batcher.wants("tool_calls")) return;
    const { header, links, toolResults } = this.#survey;
    const result = toolResults.resultOf(call);
    const duration = result?.time === undefined || time === undefined ? -1 : result.time - time;
    this.#batcher.add("tool_calls", [
      header.id,
      this.#options.path,
      this.#place.line,
      this.#place.part,
      toolCall.contentIndex,
      id ?? null,
      result && result.number !== NO_NODE ? links.idAt(result.number) : null,
      toolCall.id,
      toolCall.name,
      toolCall.arguments,
      result?.isError ?? null,
      result?.bytes ?? null,
      duration >= 0 ? duration : null,
      wholeTime(message.time),
    ]);
  }

  #addUsage(call: Call, entry: SessionEntry | BareEntry): void {
    if (!this.#isTimeWanted(call.time) || !this.#isModelWanted(call)) return;
    this.#isChosen = true;
    if (!this.#batcher.wants("usage")) return;
    const { path } = this.#options;
    const { line, part } = this.#openPlaces.get(entry) ?? this.#place;
    this.#openPlaces.delete(entry);
    const { usage } = call;
    const { entryTime, responseId } = callIdentity(entry);
    this.#batcher.add("usage", [
      this.#survey.header.id,
      path,
      line,
      part,
      entryId(entry as SessionEntry) ?? null,
      wholeTime(call.time),
      wholeTime(entryTime),
      call.source,
      call.provider,
      call.model,
      responseId ?? null,
      usage.input,
      usage.output,
      usage.cacheRead,
      usage.cacheWrite,
      // Sums of huge numbers may have left the finite ones.
      Math.min(usage.totalTokens, Number.MAX_VALUE),
      Math.min(usage.costTotal, Number.MAX_VALUE),
      this.#copies[call.ordinal] === 1,
    ] satisfies Cell[]);
  }

  /** The model that an entry names, else the one in force at it. */
  #modelOf({ call, parentId }: EntryFacts, number: number): CallModel {
    const usage = call && entryUsage(call);
    const named = usage && namedModel(call, usage.source);
    if (named) return named;
    const { trail, links } = this.#survey;
    const at = number !== NO_NODE || parentId === null ? number : links.numberOf(parentId);
    return trail!.modelAt(at, links);
  }
}

/** Message times may have a fraction. */
function wholeTime(time: number | undefined): number | null {
  return time === undefined ? null : Math.trunc(time);
}
