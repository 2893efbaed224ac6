import { emptyUsage, type Usage } from "../format/usage.js";

/** A sum on its way to another thread. */
export interface UsageParts {
  sum: Usage;
  /** What rounding took from each number of `sum`. */
  lost: Usage;
}

const numbers = Object.keys(emptyUsage()) as (keyof Usage)[];

/**
 * Sums usage. All numbers are added with Neumaier's compensation: millions of small costs stay exact to far below a cent, sums do not depend on order,
 * and what was added can be taken away again without a trace, beside absurdly large numbers too.
 */
export class UsageSum {
  readonly #sum = emptyUsage();
  readonly #lost = emptyUsage();

  add(usage: Usage): void {
    this.#addAll(usage, 1);
  }

  /** Adds what another sum came to. */
  merge({ sum, lost }: UsageParts): void {
    this.#addAll(sum, 1);
    this.#addAll(lost, 1);
  }

  /** Takes away what another sum came to, which must have been added before. */
  subtract({ sum, lost }: UsageParts): void {
    this.#addAll(sum, -1);
    this.#addAll(lost, -1);
  }

  /** What this sum came to, for another thread to go on with. */
  parts(): UsageParts {
    return { sum: { ...this.#sum }, lost: { ...this.#lost } };
  }

  total(): Usage {
    const total = emptyUsage();
    for (const number of numbers) total[number] = this.#sum[number] + this.#lost[number];
    return total;
  }

  #addAll(usage: Usage, sign: 1 | -1): void {
    this.#addTo("input", sign * usage.input);
    this.#addTo("output", sign * usage.output);
    this.#addTo("cacheRead", sign * usage.cacheRead);
    this.#addTo("cacheWrite", sign * usage.cacheWrite);
    this.#addTo("totalTokens", sign * usage.totalTokens);
    this.#addTo("costTotal", sign * usage.costTotal);
    this.#addTo("calls", sign * usage.calls);
  }

  #addTo(number: keyof Usage, value: number): void {
    if (value === 0) return;
    const before = this.#sum[number];
    const after = before + value;
    if (!Number.isFinite(after)) {
      // Numbers so large that their sum is none: the largest there is stands for it.
      this.#sum[number] = after > 0 ? Number.MAX_VALUE : -Number.MAX_VALUE;
      return;
    }
    this.#lost[number] += Math.abs(before) >= Math.abs(value) ? before - after + value : value - after + before;
    this.#sum[number] = after;
  }
}
