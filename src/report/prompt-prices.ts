import { isJsonObject, type JsonObject } from "../format/json.js";
import { readAmount } from "../format/usage.js";

/** What a call's prompt came to: tokens by how they were paid for, and US dollars, where the file tells. */
export interface PromptUsage {
  input: number;
  cacheRead: number;
  cacheWrite: number;
  inputCost: number | undefined;
  cacheReadCost: number | undefined;
  cacheWriteCost: number | undefined;
}

/** The part of a usage object that is about the prompt. */
export function readPromptUsage(stored: JsonObject): PromptUsage {
  const cost = isJsonObject(stored.cost) ? stored.cost : {};
  return {
    input: readAmount(stored.input) ?? 0,
    cacheRead: readAmount(stored.cacheRead) ?? 0,
    cacheWrite: readAmount(stored.cacheWrite) ?? 0,
    inputCost: readAmount(cost.input),
    cacheReadCost: readAmount(cost.cacheRead),
    cacheWriteCost: readAmount(cost.cacheWrite),
  };
}

/** The tokens of a prompt, read from the cache or not. */
export function promptTokens({ input, cacheRead, cacheWrite }: PromptUsage): number {
  return bounded(input + cacheRead + cacheWrite);
}

/** The largest number in place of one that is too large. */
export function bounded(amount: number): number {
  return Math.min(amount, Number.MAX_VALUE);
}

/**
 * What a token read from a cache costs by the price of one that is not, where no call tells: a tenth, as in the price lists of nearly all providers
 * that cache prompts.
 */
const USUAL_READ_SHARE = 0.1;

/** Tokens, and what was paid for them. */
class PaidTokens {
  #tokens = 0;
  #dollars = 0;

  add(tokens: number, dollars: number | undefined): void {
    if (tokens === 0 || dollars === undefined) return;
    this.#tokens = bounded(this.#tokens + tokens);
    this.#dollars = bounded(this.#dollars + dollars);
  }

  /** US dollars a token; undefined without tokens. */
  get price(): number | undefined {
    return this.#tokens > 0 ? bounded(this.#dollars / this.#tokens) : undefined;
  }
}

/**
 * What prompt tokens cost in one session, by what its calls paid: price lists are no part of a session, and change. Memory: a few numbers a model.
 */
export class PromptPrices {
  /** By model: its tokens at full price, and those read from the cache. */
  readonly #models = new Map<string | null, { input: PaidTokens; cacheRead: PaidTokens }>();

  add(model: string | null, { input, inputCost, cacheRead, cacheReadCost }: PromptUsage): void {
    let paid = this.#models.get(model);
    if (!paid) this.#models.set(model, (paid = { input: new PaidTokens(), cacheRead: new PaidTokens() }));
    paid.input.add(input, inputCost);
    paid.cacheRead.add(cacheRead, cacheReadCost);
  }

  /**
   * What a call paid more for a token that it did not read from the cache than for one that it did, in US dollars; never below 0. The former is the mean of
   * its plain and its written tokens, since nobody says which ones were which. The latter is the call's own; if it read none, that of the session's other
   * calls of the model; if none of them did, a tenth of the plain price.
   */
  extraPrice(model: string | null, usage: PromptUsage): number {
    const paid = new PaidTokens();
    paid.add(usage.input, usage.inputCost ?? 0);
    paid.add(usage.cacheWrite, usage.cacheWriteCost ?? 0);
    const price = paid.price ?? 0;
    return Math.max(0, price - this.#readPrice(model, usage, price));
  }

  #readPrice(model: string | null, usage: PromptUsage, paidPrice: number): number {
    const cacheRead = new PaidTokens();
    cacheRead.add(usage.cacheRead, usage.cacheReadCost);
    const input = new PaidTokens();
    input.add(usage.input, usage.inputCost);
    const known = this.#models.get(model);
    const plainPrice = input.price ?? known?.input.price ?? paidPrice;
    return cacheRead.price ?? known?.cacheRead.price ?? USUAL_READ_SHARE * plainPrice;
  }
}
