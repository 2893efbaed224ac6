import { Option } from "commander";
import type { Session } from "../report/session-summary.js";
import { listSessions } from "../scan/list-sessions.js";
import { type CommandDefinition, libraryOptions } from "./command.js";
import { ExitCode } from "./exit-code.js";
import { formatCost, formatCount } from "./format-number.js";
import { parsePositiveInteger } from "./option-values.js";
import { jsonLinesOption } from "./options.js";
import { passedOverWarning } from "./passed-over-warning.js";
import { shortenIds } from "./shorten-ids.js";
import { type Column, tableLines } from "./table.js";
import { cellText } from "./terminal-text.js";
import { timeFormatter } from "./time-formatter.js";
import { writeJson, writeJsonLines } from "./write-json.js";

interface ListOptions {
  sort: SessionSort;
  reverse?: true;
  limit?: number;
  named?: true;
}

/** Largest first; what is unknown last. */
const sorts = {
  modified: ({ modified }) => Date.parse(modified),
  created: ({ created }) => (created === null ? Number.NEGATIVE_INFINITY : Date.parse(created)),
  messages: ({ messageCount }) => messageCount,
  size: ({ sizeBytes }) => sizeBytes,
  cost: ({ usage }) => usage.costTotal,
} satisfies Record<string, (session: Session) => number>;

type SessionSort = keyof typeof sorts;

export const listCommand: CommandDefinition<ListOptions> = {
  name: "list",
  summary: "list sessions, newest first",
  options: () => [
    new Option("--sort <key>", "what comes first: the latest or the largest")
      .choices(Object.keys(sorts))
      .default("modified"),
    new Option("--reverse", "the other way round"),
    new Option("--limit <n>", "this many at most").argParser(parsePositiveInteger),
    new Option("--named", "only sessions that have a name"),
    jsonLinesOption(),
  ],
  examples: [
    ["list --limit 20", "the 20 sessions used last"],
    ["list --since 4w --sort cost", "the most expensive sessions of four weeks"],
    ["list -p . --named", "named sessions of this folder and those below"],
    ["list --json | jq '.sessions[].path'", "for scripts"],
  ],
  async run(request) {
    const { options, output } = request;
    const { sessions, skipped } = await listSessions(libraryOptions(request));
    const chosen = chooseSessions(sessions, options);
    if (options.jsonl) await writeJsonLines(output, chosen);
    else if (options.json) await writeJson(output, { sessions: chosen, skipped });
    else {
      for (const line of sessionLines(chosen, options.selection.timeZone, output.width, (head) =>
        output.style("bold", head),
      )) {
        await output.printLine(line);
      }
      if (chosen.length === 0) output.note("no sessions");
    }
    const damagedLines = sessions.reduce((sum, session) => sum + session.damagedLines, 0);
    output.warn(passedOverWarning({ damagedLines, files: skipped.length }));
    return ExitCode.done;
  },
};

/** Sessions come newest first; of equals that order stays. */
function chooseSessions(sessions: Session[], { sort, reverse, limit, named }: ListOptions): Session[] {
  const value = sorts[sort];
  const chosen = sessions.filter((session) => !named || session.name !== null);
  chosen.sort((a, b) => compareNumbers(value(b), value(a)));
  if (reverse) chosen.reverse();
  return chosen.slice(0, limit);
}

function compareNumbers(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const columns: Column[] = [
  { head: "ID", isExtra: true },
  { head: "Modified" },
  { head: "Messages", align: "right" },
  { head: "Tokens", align: "right" },
  { head: "Cost", align: "right" },
  { head: "Project", cut: "keep-end" },
  { head: "Session", cut: "keep-start" },
];

/** More of a first message is of no use in a list, whatever the width. */
const TITLE_LENGTH = 200;

/** The table of a list; none without sessions. */
export function sessionLines(
  sessions: Session[],
  timeZone: string,
  width: number | undefined,
  emphasise: (line: string) => string,
): Iterable<string> {
  if (sessions.length === 0) return [];
  const formatTime = timeFormatter(timeZone);
  const shortIds = shortenIds(sessions.map(({ id }) => id));
  const rows = sessions.map(({ id, modified, messageCount, usage, cwd, name, firstMessage }) => [
    cellText(shortIds.get(id)!),
    formatTime(Date.parse(modified)),
    formatCount(messageCount),
    formatCount(usage.totalTokens),
    formatCost(usage.costTotal),
    cellText(cwd ?? ""),
    cellText((name ?? firstMessage ?? "(no messages)").slice(0, TITLE_LENGTH)),
  ]);
  return tableLines(columns, rows, { width, emphasise });
}
