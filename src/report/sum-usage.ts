import { emptyUsage, type Usage } from "../format/usage.js";

/** A sum on its way to another thread. */
export interface UsageParts {
  sum: Usage;
  costLost: number;
}

/**
 * Sums usage. Costs are added with Neumaier's compensation, so that millions of small ones stay exact to far below a cent; tokens are whole numbers,
 * which doubles add exactly.
 */
export class UsageSum {
  readonly #sum = emptyUsage();
  /** What rounding has taken from `#sum.costTotal` so far. */
  #costLost = 0;

  get calls(): number {
    return this.#sum.calls;
  }

  add(usage: Usage): void {
    const sum = this.#sum;
    sum.input += usage.input;
    sum.output += usage.output;
    sum.cacheRead += usage.cacheRead;
    sum.cacheWrite += usage.cacheWrite;
    sum.totalTokens += usage.totalTokens;
    sum.calls += usage.calls;
    this.#addCost(usage.costTotal);
  }

  /** Adds what another sum came to; what rounding took from it comes along. */
  merge({ sum, costLost }: UsageParts): void {
    this.add(sum);
    this.#costLost += costLost;
  }

  /** What this sum came to, for another thread to go on with. */
  parts(): UsageParts {
    return { sum: { ...this.#sum }, costLost: this.#costLost };
  }

  total(): Usage {
    return { ...this.#sum, costTotal: this.#sum.costTotal + this.#costLost };
  }

  #addCost(cost: number): void {
    const before = this.#sum.costTotal;
    const after = before + cost;
    this.#costLost += before >= cost ? before - after + cost : cost - after + before;
    this.#sum.costTotal = after;
  }
}
