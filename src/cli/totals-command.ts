import { Option } from "commander";
import type { Usage } from "../format/usage.js";
import { GROUP_KEYS, GROUP_SORTS, type GroupKey, type GroupSort, type UsageGroup } from "../report/group-calls.js";
import { totals } from "../scan/totals.js";
import { type CommandDefinition, libraryOptions } from "./command.js";
import { ExitCode } from "./exit-code.js";
import { formatCost, formatCount, formatShare } from "./format-number.js";
import { choiceListParser, parseDollars, parsePositiveInteger } from "./option-values.js";
import { passedOverWarning } from "./passed-over-warning.js";
import { shortenModels } from "./shorten-models.js";
import { type Column, tableLines } from "./table.js";
import { cellText } from "./terminal-text.js";
import { writeJson } from "./write-json.js";

interface TotalsOptions {
  by?: GroupKey[];
  sort?: GroupSort;
  order?: "asc" | "desc";
  limit?: number;
  /** False for `--no-dedupe`. */
  dedupe: boolean;
  budget?: number;
  cache?: true;
}

export const totalsCommand: CommandDefinition<TotalsOptions> = defineTotals(
  "totals",
  "tokens and cost, by any keys",
  [],
  [
    ["totals --since 2026-03-01", "everything since the first of March"],
    ["totals --by project,model", "what each model cost in each project"],
    ["totals --by session --sort cost --limit 10 --json", "the ten most expensive sessions, for scripts"],
    ["totals --since today --budget 20", "exit code 3 when today cost more than 20 dollars"],
  ],
);

export const dailyCommand = defineTotals(
  "daily",
  "tokens and cost by day",
  ["day"],
  [
    ["daily --since 28d", "four weeks, day by day"],
    ["daily --by model --since yesterday", "the models of each day"],
  ],
);

export const weeklyCommand = defineTotals(
  "weekly",
  "tokens and cost by week, from Monday on",
  ["week"],
  [["weekly --since 6m", "half a year, week by week"]],
);

export const monthlyCommand = defineTotals(
  "monthly",
  "tokens and cost by month",
  ["month"],
  [
    ["monthly --by project", "the projects of each month"],
    ["monthly --timezone UTC --json", "for scripts"],
  ],
);

/** `totals` under a name that stands for keys to group by first. */
function defineTotals(
  name: string,
  summary: string,
  firstKeys: GroupKey[],
  examples: [string, string][],
): CommandDefinition<TotalsOptions> {
  return {
    name,
    summary,
    options: totalsOptions,
    examples,
    async run(request) {
      const { options, output } = request;
      const by = [...new Set([...firstKeys, ...(options.by ?? [])])];
      const { sort, order, limit, dedupe, budget } = options;
      const found = await totals({
        ...libraryOptions(request),
        by,
        dedupe,
        ...(sort && { sort }),
        ...(order && { order }),
        ...(limit && { limit }),
      });
      if (options.json) {
        const groups = options.cache ? found.groups.map(withCacheShare) : found.groups;
        await writeJson(output, { ...found, groups });
      } else {
        const lines = usageLines(found.groups, found.total, {
          withCache: options.cache ?? false,
          width: output.width,
          emphasise: (line) => output.style("bold", line),
        });
        for (const line of lines) await output.printLine(line);
      }
      output.note(duplicatesNote(found.duplicates));
      output.warn(passedOverWarning({ damagedLines: found.damagedLines, files: found.skipped }));
      if (budget === undefined || found.total.costTotal <= budget) return ExitCode.done;
      output.warn(`over budget: ${formatCost(found.total.costTotal)} of ${formatCost(budget)}`);
      return ExitCode.overBudget;
    },
  };
}

function totalsOptions(): Option[] {
  return [
    new Option(
      "--by <keys>",
      `what to group by, nested in this order: ${GROUP_KEYS.join(", ")} (comma list, repeatable)`,
    ).argParser(choiceListParser(GROUP_KEYS)),
    new Option("--sort <key>", "order of the groups (default: key where time is first, else cost)").choices(
      GROUP_SORTS,
    ),
    new Option("--order <direction>", "(default: asc by key, else desc)").choices(["asc", "desc"]),
    new Option("--limit <n>", "this many groups at most; the total is of all").argParser(parsePositiveInteger),
    new Option("--no-dedupe", "count calls again that forks copied"),
    new Option("--budget <usd>", "exit with 3 when the total cost is above it").argParser(parseDollars),
    new Option("--cache", "add the share of prompt tokens that were read from the cache"),
  ];
}

/** What was left out, since it was paid once; undefined for nothing. */
function duplicatesNote({ calls, costTotal }: Usage): string | undefined {
  if (calls === 0) return undefined;
  const copies = calls === 1 ? "copy of a call" : "copies of calls";
  return `left out: ${formatCount(calls)} ${copies} in forked sessions, ${formatCost(costTotal)} (--no-dedupe counts them again)`;
}

function withCacheShare(group: UsageGroup): UsageGroup & { cacheShare: number } {
  return { ...group, cacheShare: cacheShare(group) };
}

/** The share of prompt tokens that were read from the cache; 0 without any. */
function cacheShare({ input, cacheRead, cacheWrite }: Usage): number {
  const prompt = input + cacheRead + cacheWrite;
  return prompt > 0 ? cacheRead / prompt : 0;
}

const numberColumns: [head: string, cell: (usage: Usage) => string][] = [
  ["Calls", ({ calls }) => formatCount(calls)],
  ["Input", ({ input }) => formatCount(input)],
  ["Output", ({ output }) => formatCount(output)],
  ["Cache read", ({ cacheRead }) => formatCount(cacheRead)],
  ["Cache write", ({ cacheWrite }) => formatCount(cacheWrite)],
  ["Total", ({ totalTokens }) => formatCount(totalTokens)],
  ["Cost", ({ costTotal }) => formatCost(costTotal)],
];

interface UsageLinesOptions {
  withCache: boolean;
  width: number | undefined;
  emphasise: (line: string) => string;
}

/** The table of totals: the keys, the numbers, and a row of the total. */
export function usageLines(
  groups: UsageGroup[],
  total: Usage,
  { withCache, width, emphasise }: UsageLinesOptions,
): Iterable<string> {
  const keys = Object.keys(groups[0]?.key ?? {}) as GroupKey[];
  const models = shortenModels(groups.flatMap(({ key }) => key.model ?? []));
  const numbers = withCache
    ? [...numberColumns, ["Cached", (usage: Usage) => formatShare(cacheShare(usage))] as const]
    : numberColumns;
  const keyCell = (group: UsageGroup, key: GroupKey): string => {
    const value = group.key[key];
    if (value === null || value === undefined) return "(none)";
    return cellText(key === "model" ? models.get(value)! : value);
  };
  const columns: Column[] = [
    ...(keys.length > 0 ? keys.map(keyColumn) : [{ head: "" }]),
    ...numbers.map(([head]): Column => ({ head, align: "right", isExtra: head.startsWith("Cache ") })),
  ];
  const rows = groups.map((group) => [
    ...keys.map((key) => keyCell(group, key)),
    ...numbers.map(([, cell]) => cell(group)),
  ]);
  const totalRow = ["Total", ...keys.slice(1).map(() => ""), ...numbers.map(([, cell]) => cell(total))];
  return tableLines(columns, rows, { width, total: totalRow, emphasise });
}

function keyColumn(key: GroupKey): Column {
  const head = key[0]!.toUpperCase() + key.slice(1);
  return { head, cut: key === "project" ? "keep-end" : "keep-start" };
}
