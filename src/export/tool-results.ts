import { createHash } from "node:crypto";
import { Column } from "../tree/column.js";

/** What a tool gave back. */
export interface ToolResult {
  /** The number of its entry in the tree; -1 for one that is not in it. */
  number: number;
  /** The entry's time in Unix milliseconds; undefined when it is absent or invalid. */
  time: number | undefined;
  /** Null when the file does not tell. */
  isError: boolean | null;
  /** The UTF-8 bytes of its text. */
  bytes: number;
}

/** In place of the number of a result's entry: the call has no result. */
const NO_RESULT = -2;

const errorCodes: readonly (boolean | null)[] = [null, false, true];

/** Longer ids are known by their hash. */
const MAX_ID_LENGTH = 100;

/**
 * Tells which result belongs to which tool call of a session, both fed in file order. Ids may stand twice, as some providers count from 0 in each answer: a result
 * belongs to the nearest call before it that has its id, else to the nearest after it, and of several results of one call the first counts.
 * Memory: about 120 bytes a call.
 */
export class ToolResults {
  /** By id: the call that came last. */
  readonly #latest = new Map<string, number>();
  /** By id: the first result that came before any call. */
  readonly #waiting = new Map<string, ToolResult>();
  #size = 0;

  // By call, of its result.
  readonly #numbers = new Column(Int32Array);
  readonly #times = new Column(Float64Array);
  readonly #errors = new Column(Uint8Array);
  readonly #bytes = new Column(Float64Array);

  /** Adds the next call. An id that is no string has no result. */
  addCall(id: unknown): void {
    const call = this.#size++;
    if (call === this.#numbers.capacity) this.#grow();
    this.#numbers.set(call, NO_RESULT);
    if (typeof id !== "string") return;
    const key = idKey(id);
    this.#latest.set(key, call);
    const waiting = this.#waiting.get(key);
    if (!waiting) return;
    this.#waiting.delete(key);
    this.#setResult(call, waiting);
  }

  addResult(id: unknown, result: ToolResult): void {
    if (typeof id !== "string") return;
    const key = idKey(id);
    const call = this.#latest.get(key);
    if (call !== undefined) {
      if (this.#numbers.get(call) === NO_RESULT) this.#setResult(call, result);
    } else if (!this.#waiting.has(key)) {
      this.#waiting.set(key, result);
    }
  }

  /** The result of a call, by the number of calls that were added before it; undefined without one. */
  resultOf(call: number): ToolResult | undefined {
    if (call >= this.#size || this.#numbers.get(call) === NO_RESULT) return undefined;
    const time = this.#times.get(call);
    return {
      number: this.#numbers.get(call),
      time: Number.isNaN(time) ? undefined : time,
      isError: errorCodes[this.#errors.get(call)]!,
      bytes: this.#bytes.get(call),
    };
  }

  #setResult(call: number, { number, time, isError, bytes }: ToolResult): void {
    this.#numbers.set(call, number);
    this.#times.set(call, time ?? Number.NaN);
    this.#errors.set(call, errorCodes.indexOf(isError));
    this.#bytes.set(call, bytes);
  }

  #grow(): void {
    this.#numbers.grow();
    this.#times.grow();
    this.#errors.grow();
    this.#bytes.grow();
  }
}

function idKey(id: string): string {
  return id.length <= MAX_ID_LENGTH ? id : createHash("sha256").update(id).digest("base64");
}
