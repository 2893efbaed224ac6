import { isMessageEntry, isModelChangeEntry, type SessionEntry } from "../format/entry.js";
import type { JsonObject } from "../format/json.js";
import { parseIsoTime, readMessageTime } from "../format/time.js";
import { entryUsage, readUsage } from "../format/usage.js";
import type { SessionIndex } from "../tree/session-index.js";
import type { Call, CallModel } from "./call.js";

/** A call whose model may still have to be found on its path. */
interface OpenCall extends Call {
  /** Where the way to the model begins, for usage that names none: the entry's parent. */
  parentId: string | null;
  namesModel: boolean;
}

/**
 * Gathers the calls of one session, entry by entry. Lines with the same id and time are one call: the first counts.
 * Memory: the calls, and a number an entry that sets a model.
 */
export class SessionCalls {
  readonly #calls: OpenCall[] = [];
  readonly #seen = new Set<string>();
  /** By entry number: the model that the entry sets for those after it. */
  readonly #models = new Map<number, CallModel>();

  /** Takes the next entry, and its number in the index (-1 when it has no id). */
  add(entry: SessionEntry, number: number): void {
    const set = modelSetBy(entry);
    if (set && number >= 0) this.#models.set(number, set);
    const found = entryUsage(entry);
    if (!found || this.#isRepeated(entry, number)) return;
    const message = isMessageEntry(entry) ? (entry.message as JsonObject) : undefined;
    const named = found.source === "assistant" ? modelOf(message!) : modelOfUsageEntry(entry);
    this.#calls.push({
      number,
      time: readMessageTime(message?.timestamp) ?? parseIsoTime(entry.timestamp),
      source: found.source,
      tool: found.source === "tool" ? textOf(message?.toolName) : null,
      usage: readUsage(found.stored),
      provider: named?.provider ?? null,
      model: named?.model ?? null,
      parentId: entry.parentId,
      namesModel: named !== undefined,
    });
  }

  /** All calls in file order; the index tells the way to the models that tools and summaries ran on. */
  finish(index: SessionIndex): Call[] {
    const trail = new ModelTrail(index, this.#models);
    return this.#calls.map(({ parentId, namesModel, ...call }) => {
      if (namesModel) return call;
      const from = call.number >= 0 ? index.parentOf(call.number) : parentId === null ? -1 : index.numberOf(parentId);
      return { ...call, ...trail.modelAt(from) };
    });
  }

  #isRepeated(entry: SessionEntry, number: number): boolean {
    if (number < 0) return false;
    const key = `${parseIsoTime(entry.timestamp)} ${entry.id}`;
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    return false;
  }
}

const noModel: CallModel = { provider: null, model: null };

/** Finds the nearest model that an entry or one before it on its path sets; each entry is walked over once, however many calls ask. */
class ModelTrail {
  readonly #index: SessionIndex;
  readonly #set: ReadonlyMap<number, CallModel>;
  readonly #found = new Map<number, CallModel>();

  constructor(index: SessionIndex, set: ReadonlyMap<number, CallModel>) {
    this.#index = index;
    this.#set = set;
  }

  modelAt(start: number): CallModel {
    const walked: number[] = [];
    let model: CallModel | undefined;
    let number = start;
    while (number >= 0 && !(model = this.#set.get(number) ?? this.#found.get(number))) {
      walked.push(number);
      number = this.#index.parentOf(number);
    }
    model ??= noModel;
    for (const passed of walked) this.#found.set(passed, model);
    return model;
  }
}

/** The model that an entry sets for what follows: of a model change, or of an assistant's answer. */
function modelSetBy(entry: SessionEntry): CallModel | undefined {
  if (isModelChangeEntry(entry)) return { provider: entry.provider, model: entry.modelId };
  if (!isMessageEntry(entry) || entry.message.role !== "assistant") return undefined;
  const model = modelOf(entry.message as JsonObject);
  return model.model === null ? undefined : model;
}

function modelOf(message: JsonObject): CallModel {
  return {
    provider: textOf(message.provider),
    model: textOf(message.responseModel) ?? textOf(message.model),
  };
}

function modelOfUsageEntry(entry: SessionEntry): CallModel | undefined {
  if (entry.type !== "usage") return undefined;
  const { provider, model } = entry as unknown as JsonObject;
  return { provider: textOf(provider), model: textOf(model) };
}

/** A non-empty string; null for anything else. */
function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
