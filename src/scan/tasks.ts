import { checkTask } from "./tasks/check-task.js";
import { copiesTask } from "./tasks/copies-task.js";
import { fingerprintsTask } from "./tasks/fingerprints-task.js";
import { headersTask } from "./tasks/headers-task.js";
import { lineageTask } from "./tasks/lineage-task.js";
import { listTask } from "./tasks/list-task.js";
import { missesTask } from "./tasks/misses-task.js";
import { sizesTask } from "./tasks/sizes-task.js";
import { totalsTask } from "./tasks/totals-task.js";

type ExportTasks = typeof import("./tasks/export-tasks.js");

/** Loaded once they are wanted. */
let exportTasks: ExportTasks | undefined;

/**
 * The reports that a worker can run, by name: a function can't be posted to a worker. Each makes one result of a batch of files, which does not depend
 * on their order.
 */
export const tasks = {
  list: listTask,
  totals: totalsTask,
  copies: copiesTask,
  lineage: lineageTask,
  misses: missesTask,
  check: checkTask,
  sizes: sizesTask,
  headers: headersTask,
  fingerprints: fingerprintsTask,
  rows: (...options: Parameters<ExportTasks["rowsTask"]>) => exportTasks!.rowsTask(...options),
  parquet: (...options: Parameters<ExportTasks["parquetTask"]>) => exportTasks!.parquetTask(...options),
};

/** Loads what a task needs beyond the others: to be awaited before it is run. */
export async function loadTask(name: TaskName): Promise<void> {
  if (name === "rows" || name === "parquet") exportTasks ??= await import("./tasks/export-tasks.js");
}

export type TaskName = keyof typeof tasks;
export type TaskOptions<Name extends TaskName> = Parameters<(typeof tasks)[Name]>[0];
export type TaskResult<Name extends TaskName> = ReturnType<ReturnType<(typeof tasks)[Name]>["finish"]>;
