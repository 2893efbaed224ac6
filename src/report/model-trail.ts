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
  /** By entry number: the place of the model in `#models`, 0 for an entry that sets none. */
  readonly #codes = new Column(Int32Array);
  readonly #models: CallModel[] = [noModel];
  readonly #codeOfModel = new Map<string, number>();
  /** Entries that were walked over already, and the code of the model found. */
  readonly #found = new Map<number, number>();

  /** Takes an entry in file order; `number` is its number in the tree, -1 for one that is not in it. */
  add(entry: SessionEntry, number: number): void {
    if (number < 0) return;
    while (number >= this.#codes.capacity) this.#codes.grow();
    const model = modelSetBy(entry);
    if (model) this.#codes.set(number, this.#codeOf(model));
  }

  /** What it remembers of the first `size` entries. */
  part(size: number): ModelTrailPart {
    return { codes: Int32Array.from({ length: size }, (_, number) => this.#codeAt(number)), models: this.#models };
  }

  /** Takes what another trail remembers of the entries from number `first` on. */
  append({ codes, models }: ModelTrailPart, first: number): void {
    const own = models.map((model, code) => (code === 0 ? 0 : this.#codeOf(model)));
    for (const [at, code] of codes.entries()) {
      while (first + at >= this.#codes.capacity) this.#codes.grow();
      this.#codes.set(first + at, own[code]!);
    }
  }

  /** The model set by an entry, or by the nearest one before it on its path. Each entry is walked over once, however often it is asked for. */
  modelAt(start: number, links: Links): CallModel {
    const walked: number[] = [];
    let code = 0;
    for (let number = start; number >= 0 && code === 0; number = links.parentOf(number)) {
      code = this.#codeAt(number) || (this.#found.get(number) ?? 0);
      walked.push(number);
    }
    if (walked.length > 1) for (const passed of walked) this.#found.set(passed, code);
    return this.#models[code]!;
  }

  #codeAt(number: number): number {
    return number < this.#codes.capacity ? this.#codes.get(number) : 0;
  }

  #codeOf(model: CallModel): number {
    const last = this.#models.at(-1)!;
    if (last.provider === model.provider && last.model === model.model) return this.#models.length - 1;
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
