/** The tasks of exports alone: with them come packages that no other command needs. */
export { parquetTask } from "./parquet-task.js";
export { rowsTask } from "./rows-task.js";
