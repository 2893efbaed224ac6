import type { CallModel } from "../format/model.js";
import type { UsageSource } from "../format/usage.js";
import { emptyUsage } from "../format/usage.js";
import type { PlainRun } from "../read/plain-tally.js";
import type { Call } from "./call.js";

/** What some calls of a file have in common. */
type CallKind = Pick<Call, "source" | "tool" | "provider" | "model">;

/** The calls of a file on their way to another thread. */
export interface KeptCallsParts {
  kinds: CallKind[];
  /** By ordinal: the place of the call's kind in `kinds`. */
  kindOf: Uint32Array;
  /** By ordinal: `CALL_NUMBERS` numbers, the first of which is the time, NaN without one. */
  numbers: Float64Array;
}

const CALL_NUMBERS = 7;

/** Bytes that a call takes. */
const CALL_BYTES = 8 * CALL_NUMBERS + 4;

/** Keeps the calls of a file, in any order, until it is known which of them count. Memory: 60 bytes a call, and up to twice that while it grows. */
export class KeptCalls {
  #kinds: CallKind[] = [];
  readonly #placeOfKind = new Map<string, number>();
  #last: { kind: CallKind; place: number } | undefined;
  #kindOf = new Uint32Array(16);
  #numbers = new Float64Array(16 * CALL_NUMBERS);
  #size = 0;

  add(call: Call): void {
    const { ordinal, time } = call;
    this.#makeRoom(ordinal);
    this.#kindOf[ordinal] = this.#placeOf(call);
    const { input, output, cacheRead, cacheWrite, totalTokens, costTotal } = call.usage;
    const first = ordinal * CALL_NUMBERS;
    this.#numbers[first] = time ?? Number.NaN;
    this.#numbers[first + 1] = input;
    this.#numbers[first + 2] = output;
    this.#numbers[first + 3] = cacheRead;
    this.#numbers[first + 4] = cacheWrite;
    this.#numbers[first + 5] = totalTokens;
    this.#numbers[first + 6] = costTotal;
  }

  /** Takes calls that were added up elsewhere, all of assistants; `first` is the ordinal of the first, `models` has the models of their codes. */
  addRun({ calls, numbers, callModels }: PlainRun, first: number, models: readonly CallModel[]): void {
    if (calls === 0) return;
    this.#makeRoom(first + calls - 1);
    this.#numbers.set(numbers.subarray(0, calls * CALL_NUMBERS), first * CALL_NUMBERS);
    let place = 0;
    for (let call = 0; call < calls; call++) {
      const code = callModels[call]!;
      if (call === 0 || code !== callModels[call - 1])
        place = this.#placeOf({ source: "assistant", tool: null, ...models[code]! });
      this.#kindOf[first + call] = place;
    }
  }

  /** Begins with another file; the room stays. */
  clear(): void {
    this.#kinds = [];
    this.#placeOfKind.clear();
    this.#last = undefined;
    this.#size = 0;
  }

  parts(): KeptCallsParts {
    const size = this.#size;
    return {
      kinds: this.#kinds,
      kindOf: this.#kindOf.slice(0, size),
      numbers: this.#numbers.slice(0, size * CALL_NUMBERS),
    };
  }

  #placeOf({ source, tool, provider, model }: CallKind): number {
    const last = this.#last?.kind;
    const isLast = last?.model === model && last.provider === provider && last.source === source && last.tool === tool;
    if (isLast) return this.#last!.place;
    const name = JSON.stringify([source, tool, provider, model]);
    let place = this.#placeOfKind.get(name);
    if (place === undefined) {
      place = this.#kinds.push({ source, tool, provider, model }) - 1;
      this.#placeOfKind.set(name, place);
    }
    this.#last = { kind: this.#kinds[place]!, place };
    return place;
  }

  #makeRoom(ordinal: number): void {
    this.#size = Math.max(this.#size, ordinal + 1);
    if (this.#size <= this.#kindOf.length) return;
    const kindOf = new Uint32Array(2 * this.#size);
    kindOf.set(this.#kindOf);
    this.#kindOf = kindOf;
    const numbers = new Float64Array(2 * this.#size * CALL_NUMBERS);
    numbers.set(this.#numbers);
    this.#numbers = numbers;
  }
}

/** Hands on some of the kept calls, by their ordinals; each is lent until the next one. They have no number in the tree. */
export function readKeptCalls(parts: KeptCallsParts, ordinals: Iterable<number>, onCall: (call: Call) => void): void {
  const { kinds, kindOf, numbers } = parts;
  const usage = { ...emptyUsage(), calls: 1 };
  const kind: CallKind = { source: "assistant" satisfies UsageSource, tool: null, provider: null, model: null };
  const call: Call = { ...kind, ordinal: 0, number: -1, time: undefined, usage };
  for (const ordinal of ordinals) {
    const first = ordinal * CALL_NUMBERS;
    const time = numbers[first]!;
    const { source, tool, provider, model } = kinds[kindOf[ordinal]!]!;
    call.source = source;
    call.tool = tool;
    call.provider = provider;
    call.model = model;
    call.ordinal = ordinal;
    call.time = Number.isNaN(time) ? undefined : time;
    usage.input = numbers[first + 1]!;
    usage.output = numbers[first + 2]!;
    usage.cacheRead = numbers[first + 3]!;
    usage.cacheWrite = numbers[first + 4]!;
    usage.totalTokens = numbers[first + 5]!;
    usage.costTotal = numbers[first + 6]!;
    onCall(call);
  }
}

/** How much memory kept calls take, in bytes. */
export function sizeOfKeptCalls({ kindOf }: KeptCallsParts): number {
  return kindOf.length * CALL_BYTES;
}
