import type { SessionEntry } from "../format/entry.js";
import { entryUsage } from "../format/usage.js";
import { Column } from "../tree/column.js";
import { type Call, modelName } from "./call.js";
import type { Links } from "./model-trail.js";
import { bounded, PromptPrices, type PromptUsage, promptTokens, readPromptUsage } from "./prompt-prices.js";
import { callTime, namedModel } from "./session-calls.js";

/** Why a prefix was not in the cache, as far as the file tells: another model, another branch before, too long a pause, or nothing of these. */
export type MissReason = "model" | "branch" | "idle" | "unknown";

/** A call that paid again for what the turn before had sent. */
export interface MissedCall {
  /** The call's place among those of its session. */
  ordinal: number;
  entryId: string;
  /** Unix milliseconds; undefined when the file doesn't tell. */
  time: number | undefined;
  model: string | null;
  missedTokens: number;
  /** US dollars. */
  missedCost: number;
  reason: MissReason;
}

/** Caches hold prompts in blocks: so much may be read again without anything being wrong. */
const ALLOWED_TOKENS = 1024;

/** An assistant call with a prompt. */
interface Turn {
  /** The number of its entry. */
  number: number;
  /** The entry number of the turn before it in the file; -1 for the first. */
  before: number;
  model: string | null;
  usage: PromptUsage;
  /** When its prompt was sent last, by itself or to keep the cache warm. */
  sentAt: number | undefined;
}

// In place of a turn, by entry: not looked up yet, and none.
const UNKNOWN = 0;
const NO_TURN = -1;

/**
 * Finds the turns of one session that paid again for what the turn before had in its prompt. The turn before is the nearest earlier assistant call on its
 * path that had a prompt at all (failed ones have none). The tokens that this one could have read from the cache, but did not, are those of the shorter
 * of the two prompts, less what it read; up to 1,024 of them are no miss, more are one in full. Between the two, a compaction or branch summary excuses
 * it, and a call that kept the cache warm (a `usage` entry of that kind and model) ends a pause.
 *
 * Takes linear time, whatever the tree. Memory: 4 bytes an entry, and about 350 a turn.
 */
export class CacheMissFinder {
  /** The models that read from a cache or wrote to one in a call that names them. Of others, nothing is known of caching. */
  readonly cachingModels = new Set<string | null>();
  readonly #ttlMs: number;
  readonly #turns: Turn[] = [];
  /** By entry: the place of the turn at it or nearest above it in `#turns`, counted from 1; `UNKNOWN`; or `NO_TURN`. */
  readonly #turnOf = new Column(Int32Array);
  /** By entry: when the cache of which model was kept warm. */
  readonly #warmings = new Map<number, Pick<Turn, "model" | "sentAt">>();
  readonly #prices = new PromptPrices();
  /** The entry number of the last turn so far. */
  #lastTurn = -1;
  /** The calls that were asked about, with the numbers of their entries. */
  readonly #asked: (Pick<MissedCall, "ordinal" | "entryId" | "time"> & { number: number })[] = [];

  /** A pause of more than `ttlMs` lets a cache go cold. */
  constructor(ttlMs: number) {
    this.#ttlMs = ttlMs;
  }

  /** Takes every entry in file order; `number` is its number in the tree, -1 for one that is not in it. */
  addEntry(entry: SessionEntry, number: number): void {
    while (number >= this.#turnOf.capacity) this.#turnOf.grow();
    const { type } = entry;
    if (type === "compaction" || type === "branch_summary") {
      if (number >= 0) this.#turnOf.set(number, NO_TURN);
      return;
    }
    const found = entryUsage(entry);
    const named = found && namedModel(entry, found.source);
    if (!named) return;
    const model = modelName(named);
    const usage = readPromptUsage(found.stored);
    this.#prices.add(model, usage);
    if (usage.cacheRead > 0 || usage.cacheWrite > 0) this.cachingModels.add(model);
    if (number < 0 || promptTokens(usage) === 0) return;
    const sentAt = callTime(entry);
    if (found.source === "assistant") {
      this.#turnOf.set(number, this.#turns.push({ number, before: this.#lastTurn, model, usage, sentAt }));
      this.#lastTurn = number;
    } else if (found.source === "usage:cache_warm") {
      this.#warmings.set(number, { model, sentAt });
    }
  }

  /** Asks about a call of this session: only such ones are found. */
  addCall(call: Call, { id }: SessionEntry): void {
    const { ordinal, number, time, source } = call;
    if (source === "assistant" && number >= 0) this.#asked.push({ ordinal, number, time, entryId: id });
  }

  /** The misses among the calls that were asked about; known once all entries went by. `links` are those of the session's tree. */
  finish(links: Links): MissedCall[] {
    const misses: MissedCall[] = [];
    for (const { number, ...asked } of this.#asked) {
      const turn = this.#turns[this.#turnOf.get(number) - 1];
      // A call without a prompt is no turn; one that is found there is another's.
      if (turn?.number !== number) continue;
      const before = this.#turnAt(links.parentOf(number), links);
      if (!before) continue;
      const { model, usage } = turn;
      const missedTokens = Math.min(promptTokens(before.usage), promptTokens(usage)) - usage.cacheRead;
      if (missedTokens <= ALLOWED_TOKENS) continue;
      const missedCost = bounded(missedTokens * this.#prices.extraPrice(model, usage));
      const reason = this.#reasonOf(turn, before);
      misses.push({ ...asked, model, missedTokens, missedCost, reason });
    }
    return misses;
  }

  /** The turn at an entry, or the nearest one above it. Each entry is walked over once, however often it is asked for. */
  #turnAt(start: number, links: Links): Turn | undefined {
    const walked: number[] = [];
    let number = start;
    for (; number >= 0 && this.#turnOf.get(number) === UNKNOWN; number = links.parentOf(number)) walked.push(number);
    let place = number < 0 ? NO_TURN : this.#turnOf.get(number);
    for (const passed of walked.reverse()) {
      const warming = this.#warmings.get(passed);
      const turn = this.#turns[place - 1];
      if (warming && turn && warming.model === turn.model) {
        place = this.#turns.push({ ...turn, sentAt: warming.sentAt });
      }
      this.#turnOf.set(passed, place);
    }
    return this.#turns[place - 1];
  }

  #reasonOf(turn: Turn, before: Turn): MissReason {
    if (turn.model !== before.model) return "model";
    if (turn.before !== before.number) return "branch";
    const pauseMs = (turn.sentAt ?? Number.NaN) - (before.sentAt ?? Number.NaN);
    return pauseMs > this.#ttlMs ? "idle" : "unknown";
  }
}
