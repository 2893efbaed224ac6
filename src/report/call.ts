import type { CallModel } from "../format/model.js";
import type { Usage, UsageSource } from "../format/usage.js";

/** One model call: an entry with usage, as a report sees it. */
export interface Call extends CallModel {
  /** Its place among the calls of its session, in file order from 0. */
  ordinal: number;
  /** The number of its entry in the tree; -1 for an entry without id. */
  number: number;
  /** The message's time, else the entry's, in Unix milliseconds; undefined when neither can be read. */
  time: number | undefined;
  source: UsageSource;
  /** The tool, for usage of tool results. */
  tool: string | null;
  usage: Usage;
}

/** A call's model in one word: `provider/model`, or the model alone without a provider; null without a model. */
export function modelName({ provider, model }: CallModel): string | null {
  if (model === null) return null;
  return provider === null ? model : `${provider}/${model}`;
}
