import { defaultStore } from "./default-store.js";
import type { FilterOptions } from "./tasks/task.js";

/** How far a scan has come. */
export interface ScanProgress {
  /** Files done. */
  done: number;
  /** Files found so far. */
  total: number;
  /** Bytes read so far. */
  bytes: number;
  /** Bytes in all files found so far. */
  totalBytes: number;
}

/** What every function that reads whole stores takes. */
export interface StoreOptions {
  /** Roots to look for sessions below; default: pi's own (see `defaultStore`). */
  stores?: readonly string[];
  /** Only sessions whose header cwd is one of these paths or below one. */
  projects?: readonly string[];
  /** Globs on the path below the store: files and folders that match are passed over. */
  exclude?: readonly string[];
  /** Only calls of these models: `model` or `provider/model`; `*` stands for anything; case does not matter. */
  models?: readonly string[];
  /** Only calls of these providers; `*` stands for anything; case does not matter. */
  providers?: readonly string[];
  /** Unix milliseconds, inclusive. */
  since?: number;
  /** Unix milliseconds, inclusive. */
  until?: number;
  /** IANA name; default the system's. */
  timeZone?: string;
  /** How many worker threads read files side by side; default the cores. A small store is read without any. */
  jobs?: number;
  /**
   * Whether this thread reads files, too, a few milliseconds at a time, instead of only waiting for one worker more: sooner where the process does nothing
   * else, as in a command. Default false.
   */
  shareThread?: boolean;
  onProgress?: (progress: ScanProgress) => void;
  signal?: AbortSignal;
}

/** A file that was passed over, and why. */
export interface SkippedFile {
  path: string;
  reason: string;
}

/** Throws a TypeError or RangeError for options that can't be meant. */
export function checkOptions({ stores, jobs, since, until }: StoreOptions): void {
  if (stores !== undefined && !Array.isArray(stores))
    throw new TypeError("Cannot scan: stores must be a list of paths");
  if (jobs !== undefined && !(Number.isInteger(jobs) && jobs >= 1)) {
    throw new RangeError(`Cannot scan: jobs must be a whole number of 1 or more, but is ${jobs}`);
  }
  for (const [name, time] of Object.entries({ since, until })) {
    if (time !== undefined && !Number.isFinite(time)) {
      throw new RangeError(`Cannot scan: ${name} must be Unix milliseconds, but is ${time}`);
    }
  }
}

export function storesOf({ stores }: StoreOptions): readonly string[] {
  return stores && stores.length > 0 ? stores : [defaultStore()];
}

/** The filters among the options, in a form that can be posted to a worker. */
export function callFilters({ projects, models, providers, since, until }: StoreOptions): FilterOptions {
  return { projects, models, providers, since, until };
}
