import { Option } from "commander";
import { type CacheMisses, findCacheMisses } from "../scan/find-cache-misses.js";
import { type CommandDefinition, libraryOptions } from "./command.js";
import { ExitCode } from "./exit-code.js";
import { formatCost, formatCount } from "./format-number.js";
import { parseMinutes, parsePositiveInteger } from "./option-values.js";
import { jsonLinesOption } from "./options.js";
import { passedOverWarning } from "./passed-over-warning.js";
import { shortenIds } from "./shorten-ids.js";
import { shortenModels } from "./shorten-models.js";
import { type Column, tableLines } from "./table.js";
import { cellText } from "./terminal-text.js";
import { timeFormatter } from "./time-formatter.js";
import { writeJson, writeJsonLines } from "./write-json.js";

interface MissesOptions {
  cacheTtl?: number;
  limit?: number;
}

export const missesCommand: CommandDefinition<MissesOptions> = {
  name: "misses",
  summary: "turns that paid again for a prefix that the turn before had cached",
  options: () => [
    new Option("--cache-ttl <minutes>", "a longer pause lets a cache go cold (default: 5)").argParser(parseMinutes),
    new Option("--limit <n>", "this many misses at most; the total is of all").argParser(parsePositiveInteger),
    jsonLinesOption(),
  ],
  examples: [
    ["misses --since 7d", "of the last week, the dearest first"],
    ["misses --cache-ttl 60", "where the cache is kept for an hour"],
    ["misses --json | jq '.misses[] | select(.reason == \"model\")'", "those that a change of model brought"],
  ],
  async run(request) {
    const { options, output } = request;
    const { cacheTtl, limit } = options;
    const found = await findCacheMisses({
      ...libraryOptions(request),
      ...(cacheTtl !== undefined && { cacheTtlMinutes: cacheTtl }),
    });
    const { total, skipped, damagedLines } = found;
    const misses = found.misses.slice(0, limit);
    if (options.jsonl) await writeJsonLines(output, misses);
    else if (options.json) await writeJson(output, { misses, total });
    else {
      const emphasise = (line: string) => output.style("bold", line);
      for (const line of missLines({ misses, total }, options.selection.timeZone, output.width, emphasise)) {
        await output.printLine(line);
      }
      if (total.count === 0) output.note("no cache misses");
    }
    output.warn(passedOverWarning({ damagedLines, files: skipped.length }));
    return ExitCode.done;
  },
};

const columns: Column[] = [
  { head: "When" },
  { head: "Cost", align: "right" },
  { head: "Tokens", align: "right" },
  { head: "Reason" },
  { head: "Session", isExtra: true },
  { head: "Entry" },
  { head: "Model", cut: "keep-start" },
];

/** The table of misses; none without them. */
export function missLines(
  { misses, total }: Pick<CacheMisses, "misses" | "total">,
  timeZone: string,
  width: number | undefined,
  emphasise: (line: string) => string,
): Iterable<string> {
  if (total.count === 0) return [];
  const formatTime = timeFormatter(timeZone);
  const shortIds = shortenIds(misses.map(({ id }) => id));
  const models = shortenModels(misses.flatMap(({ model }) => model ?? []));
  const rows = misses.map(({ timestamp, missedCost, missedTokens, reason, id, entryId, model }) => [
    timestamp === null ? "(none)" : formatTime(Date.parse(timestamp)),
    formatCost(missedCost),
    formatCount(missedTokens),
    reason,
    cellText(shortIds.get(id)!),
    cellText(entryId),
    model === null ? "(none)" : cellText(models.get(model)!),
  ]);
  const totalRow = ["Total", formatCost(total.missedCost), formatCount(total.missedTokens), "", "", "", ""];
  return tableLines(columns, rows, { width, total: totalRow, emphasise });
}
