import { emptyUsage } from "../../src/format/usage.js";
import type { Call } from "../../src/report/call.js";

/** A call that cost nothing and tells nothing but what is given. */
export function callOf(more: Partial<Call>): Call {
  const usage = { ...emptyUsage(), calls: 1 };
  return {
    ordinal: 0,
    number: -1,
    time: undefined,
    source: "assistant",
    tool: null,
    provider: null,
    model: null,
    usage,
    ...more,
  };
}
