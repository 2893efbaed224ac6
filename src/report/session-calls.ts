import type { BareEntry } from "../format/bare-entry.js";
import { entryParentId, isMessageEntry, type SessionEntry } from "../format/entry.js";
import type { JsonObject } from "../format/json.js";
import { type CallModel, readModel, readText } from "../format/model.js";
import { formatIsoTime, parseIsoTime, readMessageTime } from "../format/time.js";
import { emptyUsage, entryUsage, readUsage, type UsageSource } from "../format/usage.js";
import type { PlainRun } from "../read/plain-tally.js";
import type { NumberColumn } from "../tree/column.js";
import { formatHexId, NO_HEX_ID, parseHexId } from "../tree/id-table.js";
import { type Call, modelName } from "./call.js";
import { type Links, type ModelCodes, ModelTrail, type ModelTrailPart, NO_MODEL, UNKNOWN } from "./model-trail.js";

/** Takes a call, and the entry that it stands in. Calls of bare entries are lent, as those are: whoever keeps one makes a copy. */
export type OnCall = (call: Call, entry: SessionEntry | BareEntry) => void;

/** A call that names no model: it is the one in force at the entry before it. */
interface OpenCall {
  call: Call;
  entry: SessionEntry;
  /** For an entry that is not in the tree: the number of the entry before it, if that was known when it came; else -1. */
  parent: number;
}

/** The calls of one part of a file, as far as they could not be handed on. */
export interface SessionCallsPart {
  count: number;
  open: OpenCall[];
  firstUses: [model: string, ordinal: number][];
  trail: ModelTrailPart;
}

/** What is known of a session's tree while calls are looked for. */
export interface CallsOptions {
  /** Whether ids may stand twice in the file. */
  mayRepeat: boolean;
  /** Where each entry's parent stands before it, its links so far: they tell the models in force at once. */
  links?: Links | undefined;
  /** Whoever follows the links, and adds up calls that `skip` passes over, keeps the codes of models, too (see `ModelTrail`). */
  tally?: { codes: NumberColumn; models: ModelCodes } | undefined;
}

/**
 * Finds the calls of one session, entry by entry, and hands each on as soon as its model is known: calls of tools and of summaries at the end, or at once
 * where the links are known. Lines with the same id and time are one call: the first counts. Memory: the calls that wait, and 4 bytes an entry.
 */
export class SessionCalls {
  readonly #onCall: OnCall;
  readonly #links: Links | undefined;
  /** Where no links are known yet, those that need no look-up. */
  readonly #chain: ModelChain | undefined;
  readonly #trail: ModelTrail;
  readonly #open: OpenCall[] = [];
  /** Ids and times of calls so far; undefined where no id can stand twice. */
  readonly #seen: Set<string> | undefined;
  /** By model: the first call of it. */
  readonly #firstUses = new Map<string, number>();
  #count = 0;
  /** The last call of another model than the one before it. */
  readonly #last: Pick<Call, "provider" | "model" | "ordinal"> = { provider: null, model: null, ordinal: 0 };
  /** The call of a bare entry. */
  readonly #lent: Call = {
    ordinal: 0,
    number: 0,
    time: undefined,
    source: "assistant",
    tool: null,
    usage: emptyUsage(),
    provider: null,
    model: null,
  };

  constructor({ mayRepeat, links, tally }: CallsOptions, onCall: OnCall) {
    this.#trail = new ModelTrail(tally?.codes, tally?.models);
    this.#seen = mayRepeat ? new Set() : undefined;
    this.#links = links;
    this.#chain = links || mayRepeat ? undefined : new ModelChain(this.#trail);
    this.#onCall = onCall;
  }

  /**
   * Takes the next entry, and its number in the tree. One without id has the number -1, and `parent` is then that of the nearest entry before it with
   * the id that it names as its parent, -1 without one.
   */
  add(entry: SessionEntry, number: number, parent = -1): void {
    this.#trail.add(entry, number);
    const known = this.#chain?.add(entry, number) ?? UNKNOWN;
    const found = entryUsage(entry);
    if (!found || this.#isRepeated(entry.id, parseIsoTime(entry.timestamp), number)) return;
    const message = isMessageEntry(entry) ? (entry.message as JsonObject) : undefined;
    const named = namedModel(entry, found.source);
    const call: Call = {
      ordinal: this.#count++,
      number,
      time: callTime(entry),
      source: found.source,
      tool: found.source === "tool" ? readText(message?.toolName) : null,
      usage: readUsage(found.stored),
      provider: named?.provider ?? null,
      model: named?.model ?? null,
    };
    if (!named && known !== UNKNOWN) {
      Object.assign(call, this.#trail.modelOf(known));
    } else if (!named) {
      const before = this.#entryBefore(call.number, entry, parent, this.#links);
      if (before === undefined) {
        this.#open.push({ call, entry, parent });
        return;
      }
      const { provider, model } = this.#trail.modelAt(before, this.#links!);
      call.provider = provider;
      call.model = model;
    }
    this.#handOn(call, entry);
  }

  /** As `add`, of a bare entry. */
  addBare(entry: BareEntry, number: number): void {
    this.#trail.addBare(entry, number);
    const known = this.#chain?.addBare(entry, number) ?? UNKNOWN;
    if (!entry.usage) return;
    if (this.#seen && this.#isRepeated(formatHexId(entry.idBits), entry.time, number)) return;
    const isAnswer = entry.role === "assistant";
    const call = this.#lend(entry, this.#count++, number);
    let model: CallModel = entry;
    if (!isAnswer && known !== UNKNOWN) {
      model = this.#trail.modelOf(known);
    } else if (!isAnswer) {
      if (!this.#links) {
        const kept = { ...call, usage: { ...call.usage }, provider: null, model: null };
        this.#open.push({ call: kept, entry: identifyingEntry(entry), parent: -1 });
        return;
      }
      model = this.#trail.modelAt(this.#links.parentOf(number), this.#links);
    }
    call.provider = model.provider;
    call.model = model.model;
    this.#handOn(call, entry);
  }

  /**
   * Passes over the calls of a run, which were added up elsewhere; the codes of their models were set there, too. Returns the ordinal of the first.
   */
  skip({ calls, newModels, firstUses }: Pick<PlainRun, "calls" | "newModels" | "firstUses">): number {
    const first = this.#count;
    this.#count += calls;
    for (let at = 0; at < 2 * newModels; at += 2) {
      const model = modelName(this.#trail.modelOf(firstUses[at]!));
      if (model !== null) this.#noteUse(model, first + firstUses[at + 1]!);
    }
    return first;
  }

  /** One of the calls that were passed over, lent. */
  skippedCall(entry: BareEntry, ordinal: number, number: number): Call {
    const call = this.#lend(entry, ordinal, number);
    call.provider = entry.provider;
    call.model = entry.model;
    return call;
  }

  /** The code of the model that an entry sets (see `ModelTrail`). */
  modelCode(number: number): number {
    return this.#trail.codeAt(number);
  }

  /** The call of a bare entry, but for its model. */
  #lend(entry: BareEntry, ordinal: number, number: number): Call {
    const isAnswer = entry.role === "assistant";
    const call = this.#lent;
    call.ordinal = ordinal;
    call.number = number;
    call.time = Number.isNaN(entry.messageTime) ? entry.time : entry.messageTime;
    call.source = isAnswer ? "assistant" : "tool";
    call.tool = isAnswer ? null : entry.tool;
    call.usage = entry.usage!;
    return call;
  }

  /** Hands on the calls that waited for the tree, whose links tell the models in force. */
  finish(links: Links): void {
    for (const { call, entry, parent } of this.#open) {
      const parentId = entryParentId(entry);
      const before = this.#entryBefore(call.number, entry, parent, links) ?? links.numberOf(parentId!);
      this.#handOn({ ...call, ...this.#trail.modelAt(before, links) }, entry);
    }
  }

  /** The number of the entry before one; -1 without one, and undefined where that can't be told yet. */
  #entryBefore(number: number, entry: SessionEntry, parent: number, links: Links | undefined): number | undefined {
    if (!links) return undefined;
    if (number >= 0) return links.parentOf(number);
    // One outside of the tree may name a parent that comes after it.
    return parent < 0 && entryParentId(entry) !== null ? undefined : parent;
  }

  /** What there is to know of the calls so far, where a part of a file is all that was read; `size` entries were in the tree. */
  part(size: number): SessionCallsPart {
    return { count: this.#count, open: this.#open, firstUses: [...this.#firstUses], trail: this.#trail.part(size) };
  }

  /** Goes on with the next part of the file, whose first entry in the tree has the number `first`. */
  take({ count, open, firstUses, trail }: SessionCallsPart, first: number): void {
    const shift = (number: number): number => (number < 0 ? number : number + first);
    for (const { call, entry, parent } of open) {
      const shifted = { ...call, number: shift(call.number), ordinal: call.ordinal + this.#count };
      this.#open.push({ call: shifted, entry, parent: shift(parent) });
    }
    for (const [model, ordinal] of firstUses) this.#noteUse(model, ordinal + this.#count);
    this.#trail.append(trail, first);
    this.#count += count;
  }

  /** How many calls wait for the tree. */
  get openCount(): number {
    return this.#open.length;
  }

  /** The models of the calls, in order of first use; known once all is finished. */
  models(): string[] {
    return [...this.#firstUses].sort(([, a], [, b]) => a - b).map(([model]) => model);
  }

  #handOn(call: Call, entry: SessionEntry | BareEntry): void {
    const last = this.#last;
    // Most calls are of the model of the call before, which was noted then.
    if (call.model !== last.model || call.provider !== last.provider || call.ordinal < last.ordinal) {
      last.model = call.model;
      last.provider = call.provider;
      last.ordinal = call.ordinal;
      const model = modelName(call);
      if (model !== null) this.#noteUse(model, call.ordinal);
    }
    this.#onCall(call, entry);
  }

  #noteUse(model: string, ordinal: number): void {
    if (!(this.#firstUses.get(model)! <= ordinal)) this.#firstUses.set(model, ordinal);
  }

  #isRepeated(id: unknown, time: number | undefined, number: number): boolean {
    // Without a time nothing tells that two lines are one call.
    if (!this.#seen || number < 0 || time === undefined) return false;
    const key = `${time} ${id}`;
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    return false;
  }
}

/** Follows the model in force along entries each of which names the one just before it as its parent: so do nearly all. */
class ModelChain {
  readonly #trail: ModelTrail;
  #lastId = NO_HEX_ID;
  /** The code of the model in force behind the last entry. */
  #lastCode = UNKNOWN;

  constructor(trail: ModelTrail) {
    this.#trail = trail;
  }

  /** Takes the next entry, which the trail has taken before. Returns the code of the model in force before it, `UNKNOWN` where that can't be told. */
  add(entry: SessionEntry, number: number): number {
    if (number < 0) return UNKNOWN;
    const parentId = entryParentId(entry);
    return this.#follow(parseHexId(entry.id), parentId === null ? undefined : parseHexId(parentId), number);
  }

  addBare({ idBits, hasParent, parentIdBits }: BareEntry, number: number): number {
    return this.#follow(idBits, hasParent ? parentIdBits : undefined, number);
  }

  #follow(id: number, parentId: number | undefined, number: number): number {
    const isNext = parentId !== NO_HEX_ID && parentId === this.#lastId;
    const before = parentId === undefined ? NO_MODEL : isNext ? this.#lastCode : UNKNOWN;
    const own = this.#trail.codeAt(number);
    this.#lastId = id;
    this.#lastCode = own === UNKNOWN ? before : own;
    return before;
  }
}

/** An entry that can be kept, with what tells a bare message from others. */
function identifyingEntry({ type, role, idBits, hasParent, parentIdBits, time, responseId }: BareEntry): SessionEntry {
  const parentId = hasParent ? formatHexId(parentIdBits) : null;
  const links = { type, id: formatHexId(idBits), parentId, timestamp: formatIsoTime(time) };
  return { ...links, message: { role, responseId } } as SessionEntry;
}

/** When a call was made, in Unix milliseconds: the message's time, else the entry's; undefined when neither can be read. */
export function callTime(entry: SessionEntry): number | undefined {
  const messageTime = isMessageEntry(entry) ? readMessageTime(entry.message.timestamp) : undefined;
  return messageTime ?? parseIsoTime(entry.timestamp);
}

/** The model that an entry with usage names itself; undefined for usage of tools and summaries, which runs on the model in force. */
export function namedModel(entry: SessionEntry, source: UsageSource): CallModel | undefined {
  if (source === "assistant") return readModel((entry as JsonObject).message as JsonObject);
  if (entry.type === "usage") return readModel(entry as JsonObject);
  return undefined;
}
