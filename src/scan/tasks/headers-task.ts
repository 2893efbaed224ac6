import { projectFilter } from "../project-filter.js";
import { readHeaderSync } from "../read-header.js";
import type { FilterOptions, Task } from "./task.js";

/** The headers of the sessions, read no further than that. */
export function headersTask(options: FilterOptions): Task<{ path: string; id: string }[]> {
  const isProjectWanted = projectFilter(options);
  const headers: { path: string; id: string }[] = [];
  return {
    scan(session) {
      const header = readHeaderSync(session);
      if (isProjectWanted(header)) headers.push({ path: session.path, id: header.id });
    },
    finish: () => headers,
  };
}
