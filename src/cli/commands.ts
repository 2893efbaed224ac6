import { checkCommand } from "./check-command.js";
import type { CommandDefinition } from "./command.js";
import { contextCommand } from "./context-command.js";
import { exportCommand } from "./export-command.js";
import { lineageCommand } from "./lineage-command.js";
import { listCommand } from "./list-command.js";
import { missesCommand } from "./misses-command.js";
import { showCommand } from "./show-command.js";
import { sizeCommand } from "./size-command.js";
import { dailyCommand, monthlyCommand, totalsCommand, weeklyCommand } from "./totals-command.js";
import { treeCommand } from "./tree-command.js";

/** Every command, in the order of the help. */
export const commands: CommandDefinition[] = [
  listCommand,
  totalsCommand,
  dailyCommand,
  weeklyCommand,
  monthlyCommand,
  showCommand,
  treeCommand,
  contextCommand,
  lineageCommand,
  missesCommand,
  sizeCommand,
  exportCommand,
  checkCommand,
];
