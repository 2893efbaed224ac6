import { type Call, modelName } from "./call.js";

export interface CallFilterOptions {
  /** `model` or `provider/model`; `*` stands for anything; case does not matter. */
  models?: readonly string[] | undefined;
  providers?: readonly string[] | undefined;
  /** Unix milliseconds, inclusive. A call without any time is left out when either is given. */
  since?: number | undefined;
  until?: number | undefined;
}

/** Whether any filter is set. */
export function filtersModels({ models, providers }: CallFilterOptions): boolean {
  return (models?.length ?? 0) > 0 || (providers?.length ?? 0) > 0;
}

/** Whether any filter may leave out a call. */
export function filtersCalls(options: CallFilterOptions): boolean {
  return filtersModels(options) || options.since !== undefined || options.until !== undefined;
}

/** A test for the models of calls. */
export function modelFilter({ models = [], providers = [] }: CallFilterOptions): (call: Call) => boolean {
  const ofModel = models.map(namePattern);
  const ofProvider = providers.map(namePattern);
  return (call) => {
    if (ofProvider.length > 0 && !ofProvider.some((matches) => matches(call.provider ?? ""))) return false;
    if (ofModel.length === 0) return true;
    const full = modelName(call);
    return full !== null && ofModel.some((matches) => matches(call.model!) || matches(full));
  };
}

/** A test for instants: within `since` and `until`, both inclusive; what has no time passes only without either. */
export function timeFilter({ since, until }: CallFilterOptions): (time: number | undefined) => boolean {
  if (since === undefined && until === undefined) return () => true;
  return (time) =>
    time !== undefined && time >= (since ?? Number.NEGATIVE_INFINITY) && time <= (until ?? Number.POSITIVE_INFINITY);
}

/** Matches whole names, in which `*` stands for anything, slashes included. */
function namePattern(pattern: string): (name: string) => boolean {
  const parts = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  const expression = new RegExp(`^${parts.join("[^]*")}$`, "iu");
  return (name) => expression.test(name);
}
