import type { JsonObject } from "./json.js";

/** The model that a call went to: `model` is the one that answered, where the file tells. */
export interface CallModel {
  provider: string | null;
  model: string | null;
}

/** The model that a message names: the one that answered, else the one that was asked. */
export function readModel({ provider, model, responseModel }: JsonObject): CallModel {
  return { provider: readText(provider), model: readText(responseModel) ?? readText(model) };
}

/** A non-empty string; null for anything else. */
export function readText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
