import { checkTask } from "./tasks/check-task.js";
import { copiesTask } from "./tasks/copies-task.js";
import { fingerprintsTask } from "./tasks/fingerprints-task.js";
import { headersTask } from "./tasks/headers-task.js";
import { lineageTask } from "./tasks/lineage-task.js";
import { listTask } from "./tasks/list-task.js";
import { missesTask } from "./tasks/misses-task.js";
import { parquetTask } from "./tasks/parquet-task.js";
import { rowsTask } from "./tasks/rows-task.js";
import { sizesTask } from "./tasks/sizes-task.js";
import { totalsTask } from "./tasks/totals-task.js";

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
  rows: rowsTask,
  parquet: parquetTask,
};

export type TaskName = keyof typeof tasks;
export type TaskOptions<Name extends TaskName> = Parameters<(typeof tasks)[Name]>[0];
export type TaskResult<Name extends TaskName> = ReturnType<ReturnType<(typeof tasks)[Name]>["finish"]>;
