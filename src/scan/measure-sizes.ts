import { type LargeEntry, type SizeGroup, SizeGroups } from "../report/size-groups.js";
import { chooseFiles } from "./choose-files.js";
import { byPath } from "./list-sessions.js";
import { withOpenSession } from "./open-session.js";
import { readBuffer } from "./run-batch.js";
import { scanFiles } from "./scan-files.js";
import type { SkippedFile, StoreOptions } from "./store-options.js";
import { measureOpenSession } from "./tasks/sizes-task.js";

export interface SizesOptions extends StoreOptions {
  /** How many of the largest entries are named. Default 20. */
  limit?: number;
}

export interface Sizes {
  /** Most bytes first. */
  groups: SizeGroup[];
  /** Largest first. */
  largest: LargeEntry[];
  skipped: SkippedFile[];
}

const LARGEST = 20;

/** Counts where the bytes of the sessions that the filters choose are. Memory: the list of files, a sum a group. */
export async function measureSizes({ limit = LARGEST, ...options }: SizesOptions = {}): Promise<Sizes> {
  const sizes = new SizeGroups(limit);
  const { isChosen, skipped: passedOver } = await chooseFiles(options);
  const known = new Set(passedOver.map(({ path }) => path));
  for await (const { result, skipped } of scanFiles({ ...options, isChosen, name: "sizes", task: { limit } })) {
    sizes.merge(result);
    passedOver.push(...skipped.filter(({ path }) => !known.has(path)));
  }
  return { ...sizes.parts(), skipped: passedOver.sort(byPath) };
}

/** As `measureSizes`, of one session. Throws a `SessionFormatError` for a file that is none. */
export function measureSession(path: string, { limit = LARGEST }: { limit?: number } = {}): Sizes {
  const shared = { buffer: readBuffer(), onBytes: () => {} };
  const sizes = withOpenSession({ path, sizeBytes: 0, mtimeMs: 0 }, shared, (session) =>
    measureOpenSession(session, limit),
  );
  return { ...sizes.parts(), skipped: [] };
}
