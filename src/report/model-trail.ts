import { isMessageEntry, isModelChangeEntry, type SessionEntry } from "../format/entry.js";
import type { JsonObject } from "../format/json.js";
import { Column } from "../tree/column.js";
import type { CallModel } from "./call.js";

/** What a report needs of a session's tree; `SessionIndex` and `LinkTally` both are one. */
export interface Links {
  /** The number of an entry's parent; -1 for a root. */
  parentOf(number: number): number;
  /** The last entry with this id; -1 without one. */
  numberOf(id: string): number;
  /** How many entries have no children. */
  readonly branchCount: number;
}

// Places in a trail's models: not known yet, and none on the whole path.
const UNKNOWN = 0;
const NO_MODEL = 1;
const noModel: CallModel = { provider: null, model: null };

/** What a trail remembers of one part of a file, for another thread to go on with. */
export interface ModelTrailPart {
  /** By entry of the part: a place in `models`. */
  codes: Int32Array;
  models: CallModel[];
}

/**
 * Remembers which entries set the model for those after them on their path: model changes, and the answers of assistants.
 * Memory: 4 bytes an entry, and each different model once.
 */
export class ModelTrail {
  /** By entry number: the place in `#models` of the model in force behind the entry; `UNKNOWN` until it is looked up, where the entry sets none. */
  readonly #codes = new Column(Int32Array);
  readonly #models: CallModel[] = [noModel, noModel];
  readonly #codeOfModel = new Map<string, number>();

  /** Takes an entry in file order; `number` is its number in the tree, -1 for one that is not in it. */
  add(entry: SessionEntry, number: number): void {
    if (number < 0) return;
    while (number >= this.#codes.capacity) this.#codes.grow();
    const model = modelSetBy(entry);
    if (model) this.#codes.set(number, this.#codeOf(model));
  }

  /** What it remembers of the first `size` entries. */
  part(size: number): ModelTrailPart {
    return { codes: Int32Array.from({ length: size }, (_, number) => this.#codes.get(number)), models: this.#models };
  }

  /** Takes what another trail remembers of the entries from number `first` on. */
  append({ codes, models }: ModelTrailPart, first: number): void {
    const own = models.map((model, code) => (code === UNKNOWN ? UNKNOWN : this.#codeOf(model)));
    for (const [at, code] of codes.entries()) {
      while (first + at >= this.#codes.capacity) this.#codes.grow();
      this.#codes.set(first + at, own[code]!);
    }
  }

  /** The model set by an entry, or by the nearest one before it on its path. Each entry is walked over once, however often it is asked for. */
  modelAt(start: number, links: Links): CallModel {
    let end = start;
    while (end >= 0 && this.#codes.get(end) === UNKNOWN) end = links.parentOf(end);
    const code = end < 0 ? NO_MODEL : this.#codes.get(end);
    for (let passed = start; passed !== end; passed = links.parentOf(passed)) this.#codes.set(passed, code);
    return this.#models[code]!;
  }

  #codeOf(model: CallModel): number {
    const newest = this.#models.length - 1;
    const { provider, model: name } = this.#models[newest]!;
    // A change to no model at all is a change, and not the code 0.
    if (newest > 0 && provider === model.provider && name === model.model) return newest;
    const key = JSON.stringify([model.provider, model.model]);
    let code = this.#codeOfModel.get(key);
    if (code === undefined) {
      code = this.#models.push(model) - 1;
      this.#codeOfModel.set(key, code);
    }
    return code;
  }
}

/** The model that an entry sets for what follows; undefined for one that sets none. */
function modelSetBy(entry: SessionEntry): CallModel | undefined {
  if (isModelChangeEntry(entry)) return { provider: readText(entry.provider), model: readText(entry.modelId) };
  if (!isMessageEntry(entry) || entry.message.role !== "assistant") return undefined;
  const model = readModel(entry.message as JsonObject);
  return model.model === null ? undefined : model;
}

/** The model that a message names: the one that answered, else the one that was asked. */
export function readModel({ provider, model, responseModel }: JsonObject): CallModel {
  return { provider: readText(provider), model: readText(responseModel) ?? readText(model) };
}

/** A non-empty string; null for anything else. */
export function readText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
