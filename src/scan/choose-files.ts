import { filtersModels } from "../report/call-filter.js";
import { listAll } from "./list-sessions.js";
import type { SkippedFile, StoreOptions } from "./store-options.js";

export interface ChosenFiles {
  isChosen: (path: string) => boolean;
  /** Files passed over while the filters were asked. */
  skipped: SkippedFile[];
}

/**
 * A test for the paths of sessions that the filters choose: by header cwd, `modified`, and the models of their calls. Those need a reading of their
 * own, which is left out when no filter is set. Memory: the paths chosen.
 */
export async function chooseFiles(options: StoreOptions): Promise<ChosenFiles> {
  const { projects = [], since, until } = options;
  const isFiltered = projects.length > 0 || since !== undefined || until !== undefined || filtersModels(options);
  if (!isFiltered) return { isChosen: () => true, skipped: [] };
  const chosen = new Set<string>();
  const { onProgress: _, ...quietly } = options;
  const skipped: SkippedFile[] = [];
  const onSkipped = (file: SkippedFile): void => {
    skipped.push(file);
  };
  for await (const { path } of listAll({ ...quietly, onSkipped })) chosen.add(path);
  return { isChosen: (path) => chosen.has(path), skipped };
}
