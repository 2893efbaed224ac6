import { isMessageEntry, type SessionEntry } from "../format/entry.js";
import type { JsonObject } from "../format/json.js";
import { parseIsoTime, readMessageTime } from "../format/time.js";
import { entryUsage, readUsage, type UsageSource } from "../format/usage.js";
import { type Call, modelName } from "./call.js";
import { type Links, ModelTrail, readModel, readText } from "./model-trail.js";

/** A call that names no model: it is the one in force at the entry before it. */
interface OpenCall {
  call: Call;
  parentId: string | null;
}

/**
 * Finds the calls of one session, entry by entry, and hands each on as soon as its model is known: calls of tools and of summaries at the end.
 * Lines with the same id and time are one call: the first counts. Memory: the calls that wait, and 4 bytes an entry.
 */
export class SessionCalls {
  readonly #links: Links;
  readonly #onCall: (call: Call, entry: SessionEntry) => void;
  readonly #trail = new ModelTrail();
  readonly #open: (OpenCall & { entry: SessionEntry })[] = [];
  /** Ids and times of calls so far; undefined where no id can stand twice. */
  readonly #seen: Set<string> | undefined;
  /** By model: the first call of it. */
  readonly #firstUses = new Map<string, number>();
  #count = 0;

  /** `mayRepeat`: whether ids may stand twice in the file. `onCall` also gets the entry, for what a call does not tell. */
  constructor(links: Links, mayRepeat: boolean, onCall: (call: Call, entry: SessionEntry) => void) {
    this.#links = links;
    this.#seen = mayRepeat ? new Set() : undefined;
    this.#onCall = onCall;
  }

  /** Takes the next entry, and its number in the tree (-1 when it has no id). */
  add(entry: SessionEntry, number: number): void {
    this.#trail.add(entry, number);
    const found = entryUsage(entry);
    if (!found || this.#isRepeated(entry, number)) return;
    const message = isMessageEntry(entry) ? (entry.message as JsonObject) : undefined;
    const named = namedModel(entry, found.source);
    const call: Call = {
      ordinal: this.#count++,
      number,
      time: readMessageTime(message?.timestamp) ?? parseIsoTime(entry.timestamp),
      source: found.source,
      tool: found.source === "tool" ? readText(message?.toolName) : null,
      usage: readUsage(found.stored),
      provider: named?.provider ?? null,
      model: named?.model ?? null,
    };
    if (named) this.#handOn(call, entry);
    else this.#open.push({ call, entry, parentId: entry.parentId });
  }

  /** Hands on the calls that waited for the tree. */
  finish(): void {
    for (const { call, entry, parentId } of this.#open) {
      const before = call.number >= 0 ? this.#links.parentOf(call.number) : this.#find(parentId);
      this.#handOn({ ...call, ...this.#trail.modelAt(before, this.#links) }, entry);
    }
  }

  /** The models of the calls, in order of first use; known once all is finished. */
  models(): string[] {
    return [...this.#firstUses].sort(([, a], [, b]) => a - b).map(([model]) => model);
  }

  #handOn(call: Call, entry: SessionEntry): void {
    const model = modelName(call);
    if (model !== null && !(this.#firstUses.get(model)! <= call.ordinal)) this.#firstUses.set(model, call.ordinal);
    this.#onCall(call, entry);
  }

  #find(id: unknown): number {
    return typeof id === "string" ? this.#links.numberOf(id) : -1;
  }

  #isRepeated(entry: SessionEntry, number: number): boolean {
    const time = parseIsoTime(entry.timestamp);
    // Without a time nothing tells that two lines are one call.
    if (!this.#seen || number < 0 || time === undefined) return false;
    const key = `${time} ${entry.id}`;
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    return false;
  }
}

/** The model that an entry with usage names itself; undefined for usage of tools and summaries, which runs on the model in force. */
function namedModel(entry: SessionEntry, source: UsageSource): ReturnType<typeof readModel> | undefined {
  if (source === "assistant") return readModel((entry as JsonObject).message as JsonObject);
  if (entry.type === "usage") return readModel(entry as JsonObject);
  return undefined;
}
