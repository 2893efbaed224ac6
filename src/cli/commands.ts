import type { CommandDefinition } from "./command.js";
import { listCommand } from "./list-command.js";
import { dailyCommand, monthlyCommand, totalsCommand, weeklyCommand } from "./totals-command.js";

/** Every command, in the order of the help. */
export const commands: CommandDefinition[] = [listCommand, totalsCommand, dailyCommand, weeklyCommand, monthlyCommand];
