import type { BareEntry } from "../format/bare-entry.js";
import { isMessageEntry, isModelChangeEntry, type SessionEntry } from "../format/entry.js";
import type { JsonObject } from "../format/json.js";
import { type CallModel, readModel, readText } from "../format/model.js";
import { Column, type NumberColumn } from "../tree/column.js";

/** What a report needs of a session's tree: a `SessionIndex`, a `LinkTally` or a `PlainTally`. */
export interface Links {
  /** The number of an entry's parent; -1 for a root. */
  parentOf(number: number): number;
  /** The last entry with this id; -1 without one. */
  numberOf(id: string): number;
  /** How many entries have no children. */
  readonly branchCount: number;
}

// Places in a trail's models: not known yet, and none on the whole path.
export const UNKNOWN = 0;
export const NO_MODEL = 1;
const noModel: CallModel = { provider: null, model: null };

/** What a trail remembers of one part of a file, for another thread to go on with. */
export interface ModelTrailPart {
  /** By entry of the part: a place in `models`. */
  codes: Int32Array;
  models: CallModel[];
}

/** Numbers models, each different one once. Whoever reads one session after the other can use the same codes for all. */
export class ModelCodes {
  /** By code. */
  readonly models: CallModel[] = [noModel, noModel];
  readonly #codeOfModel = new Map<string, number>();
  #last = UNKNOWN;

  codeOf({ provider, model }: CallModel): number {
    const last = this.models[this.#last]!;
    if (this.#last !== UNKNOWN && last.provider === provider && last.model === model) return this.#last;
    const key = JSON.stringify([provider, model]);
    let code = this.#codeOfModel.get(key);
    if (code === undefined) {
      code = this.models.push({ provider, model }) - 1;
      this.#codeOfModel.set(key, code);
    }
    this.#last = code;
    return code;
  }
}

/**
 * Remembers which entries set the model for those after them on their path: model changes, and the answers of assistants.
 * Memory: 4 bytes an entry, and each different model once.
 */
export class ModelTrail {
  /** By entry number: the code of the model in force behind the entry; `UNKNOWN` until it is looked up, where the entry sets none. */
  readonly #codes: NumberColumn;
  readonly #models: ModelCodes;

  /** `codes` and `models`: where they are kept by somebody who adds some, too. */
  constructor(codes: NumberColumn = new Column(Int32Array), models = new ModelCodes()) {
    this.#codes = codes;
    this.#models = models;
  }

  /** Takes an entry in file order; `number` is its number in the tree, -1 for one that is not in it. */
  add(entry: SessionEntry, number: number): void {
    if (number < 0) return;
    while (number >= this.#codes.capacity) this.#codes.grow();
    const model = modelSetBy(entry);
    if (model) this.#codes.set(number, this.#models.codeOf(model));
  }

  /** As `add`, of a bare entry. */
  addBare(entry: BareEntry, number: number): void {
    const isAnswer = entry.usage !== undefined && entry.role === "assistant" && entry.model !== null;
    if (!isAnswer && entry.type !== "model_change") return;
    while (number >= this.#codes.capacity) this.#codes.grow();
    this.#codes.set(number, this.#models.codeOf(entry));
  }

  /** What it remembers of the first `size` entries. */
  part(size: number): ModelTrailPart {
    return {
      codes: Int32Array.from({ length: size }, (_, number) => this.codeAt(number)),
      models: this.#models.models,
    };
  }

  /** The code of the model in force behind an entry, as far as it is known: `UNKNOWN` where the entry sets none. */
  codeAt(number: number): number {
    // Entries behind the last that was added set no model.
    return number < 0 || number >= this.#codes.capacity ? UNKNOWN : this.#codes.get(number);
  }

  /** The model of a code. */
  modelOf(code: number): CallModel {
    return this.#models.models[code]!;
  }

  /** Takes what another trail remembers of the entries from number `first` on. */
  append({ codes, models }: ModelTrailPart, first: number): void {
    const own = models.map((model, code) => (code === UNKNOWN ? UNKNOWN : this.#models.codeOf(model)));
    for (const [at, code] of codes.entries()) {
      while (first + at >= this.#codes.capacity) this.#codes.grow();
      this.#codes.set(first + at, own[code]!);
    }
  }

  /** The model set by an entry, or by the nearest one before it on its path. Each entry is walked over once, however often it is asked for. */
  modelAt(start: number, links: Links): CallModel {
    let end = start;
    while (end >= 0 && this.codeAt(end) === UNKNOWN) end = links.parentOf(end);
    const code = end < 0 ? NO_MODEL : this.#codes.get(end);
    for (let passed = start; passed !== end; passed = links.parentOf(passed)) {
      if (passed < this.#codes.capacity) this.#codes.set(passed, code);
    }
    return this.modelOf(code);
  }
}

/** The model that an entry sets for what follows; undefined for one that sets none. */
function modelSetBy(entry: SessionEntry): CallModel | undefined {
  if (isModelChangeEntry(entry)) return { provider: readText(entry.provider), model: readText(entry.modelId) };
  if (!isMessageEntry(entry) || entry.message.role !== "assistant") return undefined;
  const model = readModel(entry.message as JsonObject);
  return model.model === null ? undefined : model;
}
