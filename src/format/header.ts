import { isJsonObject } from "./json.js";

/** The version that this library writes, and that every older one is read as. */
export const CURRENT_SESSION_VERSION = 3;

/**
 * The first line of a session file. It is metadata and no part of the tree.
 * Version 1 files also carry `provider`, `modelId` and `thinkingLevel`, and `branchedFrom` where later ones say `parentSession`.
 */
export interface SessionHeader {
  type: "session";
  id: string;
  version?: number;
  timestamp?: string;
  cwd?: string;
  /** Path of the file that this session was forked from; it may be gone, or be of another machine. */
  parentSession?: string;
  branchedFrom?: string;
  provider?: string;
  modelId?: string;
  thinkingLevel?: string;
  [key: string]: unknown;
}

/** Whether a parsed line is a session header: an object with `type: "session"` and a string `id`. */
export function isSessionHeader(value: unknown): value is SessionHeader {
  return isJsonObject(value) && value.type === "session" && typeof value.id === "string";
}

/** The version that a header declares; what is no whole number of 1 or more is read as 1. */
export function headerVersion(header: SessionHeader): number {
  const { version } = header;
  return Number.isInteger(version) && version! >= 1 ? version! : 1;
}

/** The parent that a header names: `parentSession`, else version 1's `branchedFrom`; null when neither is a non-empty string. */
export function headerParent(header: SessionHeader): string | null {
  for (const parent of [header.parentSession, header.branchedFrom]) {
    if (typeof parent === "string" && parent !== "") return parent;
  }
  return null;
}

/** The working directory that a header names; null when it is no string. */
export function headerCwd(header: SessionHeader): string | null {
  return typeof header.cwd === "string" ? header.cwd : null;
}
