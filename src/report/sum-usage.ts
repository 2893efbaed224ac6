import type { Usage } from "../format/usage.js";

/** A sum on its way to another thread: each number of `Usage`, then what rounding took from each. */
export type UsageParts = Float64Array;

/** The places of the numbers in a sum. */
const INPUT = 0;
const OUTPUT = 1;
const CACHE_READ = 2;
const CACHE_WRITE = 3;
const TOTAL_TOKENS = 4;
const COST_TOTAL = 5;
const CALLS = 6;
const NUMBERS = 7;

/**
 * Sums usage. All numbers are added with Neumaier's compensation: millions of small costs stay exact to far below a cent, sums do not depend on order,
 * and what was added can be taken away again without a trace, beside absurdly large numbers too.
 */
export class UsageSum {
  readonly #parts: UsageParts = new Float64Array(2 * NUMBERS);

  add(usage: Usage): void {
    this.#addTo(INPUT, usage.input);
    this.#addTo(OUTPUT, usage.output);
    this.#addTo(CACHE_READ, usage.cacheRead);
    this.#addTo(CACHE_WRITE, usage.cacheWrite);
    this.#addTo(TOTAL_TOKENS, usage.totalTokens);
    this.#addTo(COST_TOTAL, usage.costTotal);
    this.#addTo(CALLS, usage.calls);
  }

  /** Adds what another sum came to. */
  merge(parts: UsageParts): void {
    for (let place = 0; place < NUMBERS; place++) {
      this.#addTo(place, parts[place]!);
      this.#addTo(place, parts[place + NUMBERS]!);
    }
  }

  /** Takes away what another sum came to, which must have been added before. */
  subtract(parts: UsageParts): void {
    for (let place = 0; place < NUMBERS; place++) {
      this.#addTo(place, -parts[place]!);
      this.#addTo(place, -parts[place + NUMBERS]!);
    }
  }

  /** What this sum came to, for another thread to go on with. */
  parts(): UsageParts {
    return this.#parts.slice();
  }

  total(): Usage {
    const total = (place: number): number =>
      Math.min(this.#parts[place]! + this.#parts[place + NUMBERS]!, Number.MAX_VALUE);
    return {
      input: total(INPUT),
      output: total(OUTPUT),
      cacheRead: total(CACHE_READ),
      cacheWrite: total(CACHE_WRITE),
      totalTokens: total(TOTAL_TOKENS),
      costTotal: total(COST_TOTAL),
      calls: total(CALLS),
    };
  }

  #addTo(place: number, value: number): void {
    if (value === 0) return;
    const before = this.#parts[place]!;
    const after = before + value;
    if (!Number.isFinite(after)) {
      // Numbers so large that their sum is none: the largest there is stands for it.
      this.#parts[place] = after > 0 ? Number.MAX_VALUE : -Number.MAX_VALUE;
      return;
    }
    this.#parts[place + NUMBERS]! +=
      Math.abs(before) >= Math.abs(value) ? before - after + value : value - after + before;
    this.#parts[place] = after;
  }
}
