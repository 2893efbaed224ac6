import { filtersModels } from "../report/call-filter.js";
import { listAll } from "./list-sessions.js";
import type { StoreOptions } from "./store-options.js";

/**
 * A test for the paths of sessions that the filters choose: by header cwd, `modified`, and the models of their calls. Those need a reading of their
 * own, which is left out when no filter is set. Memory: the paths chosen.
 */
export async function chooseFiles(options: StoreOptions): Promise<(path: string) => boolean> {
  const { projects = [], since, until } = options;
  const isFiltered = projects.length > 0 || since !== undefined || until !== undefined || filtersModels(options);
  if (!isFiltered) return () => true;
  const chosen = new Set<string>();
  const { onProgress: _, ...quietly } = options;
  for await (const { path } of listAll(quietly)) chosen.add(path);
  return (path) => chosen.has(path);
}
