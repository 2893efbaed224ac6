import { Option } from "commander";
import type { LargeEntry, SizeGroup } from "../report/size-groups.js";
import { measureSession, measureSizes } from "../scan/measure-sizes.js";
import { type CommandDefinition, libraryOptions } from "./command.js";
import { ExitCode } from "./exit-code.js";
import { formatCount, formatShare } from "./format-number.js";
import { parsePositiveInteger } from "./option-values.js";
import { passedOverWarning } from "./passed-over-warning.js";
import { optionalSessionArgument, sessionPath } from "./session-argument.js";
import { type Column, tableLines } from "./table.js";
import { cellText } from "./terminal-text.js";
import { writeJson } from "./write-json.js";

interface SizeOptions {
  limit?: number;
}

export const sizeCommand: CommandDefinition<SizeOptions> = {
  name: "size",
  summary: "where the bytes are, largest first",
  argument: optionalSessionArgument,
  options: () => [
    new Option("--limit <n>", "how many of the largest entries to name (default: 20)").argParser(parsePositiveInteger),
  ],
  examples: [
    ["size", "the whole store"],
    ["size latest --limit 5", "the newest session, and its five largest entries"],
    ["size -p . --json", "the sessions of this folder, for scripts"],
  ],
  async run(request) {
    const { words, options, output } = request;
    const limit = options.limit === undefined ? {} : { limit: options.limit };
    const { groups, largest, skipped } =
      words.length === 0
        ? await measureSizes({ ...libraryOptions(request), ...limit })
        : measureSession(await sessionPath(request), limit);
    if (options.json) await writeJson(output, { groups, largest });
    else {
      const emphasise = (line: string) => output.style("bold", line);
      for (const line of sizeLines(groups, largest, output.width, emphasise)) await output.printLine(line);
    }
    output.warn(passedOverWarning({ damagedLines: 0, files: skipped.length }));
    return ExitCode.done;
  },
};

const groupColumns: Column[] = [
  { head: "What", cut: "keep-start" },
  { head: "Entries", align: "right" },
  { head: "Bytes", align: "right" },
  { head: "Share", align: "right" },
];

const largestColumns: Column[] = [
  { head: "Bytes", align: "right" },
  { head: "Line", align: "right" },
  { head: "Entry" },
  { head: "File", cut: "keep-end" },
];

/** Two tables: the bytes by kind of entry, and the largest entries. */
export function* sizeLines(
  groups: SizeGroup[],
  largest: LargeEntry[],
  width: number | undefined,
  emphasise: (line: string) => string,
): Generator<string> {
  let entries = 0;
  let bytes = 0;
  for (const group of groups) {
    entries += group.entries;
    bytes += group.bytes;
  }
  const groupRows = groups.map(({ key, ...group }) => [
    cellText([key.type, key.customType, key.role, key.tool].filter((part) => part !== undefined).join(" ")),
    formatCount(group.entries),
    formatCount(group.bytes),
    formatShare(group.bytes / bytes),
  ]);
  const total = ["Total", formatCount(entries), formatCount(bytes), ""];
  yield* tableLines(groupColumns, groupRows, { width, total, emphasise });
  if (largest.length === 0) return;
  yield "";
  const largestRows = largest.map((entry) => [
    formatCount(entry.bytes),
    String(entry.line),
    cellText(entry.entryId ?? "(none)"),
    cellText(entry.path),
  ]);
  yield* tableLines(largestColumns, largestRows, { width, emphasise });
}
