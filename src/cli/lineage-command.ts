import { type LineageSession, lineage } from "../scan/lineage.js";
import { type CommandDefinition, libraryOptions } from "./command.js";
import { drawLineage } from "./draw-lineage.js";
import { ExitCode } from "./exit-code.js";
import { formatCost, formatQuantity } from "./format-number.js";
import { jsonLinesOption } from "./options.js";
import { passedOverWarning } from "./passed-over-warning.js";
import { shortenIds } from "./shorten-ids.js";
import { type Column, tableLines } from "./table.js";
import { cellText } from "./terminal-text.js";
import { timeFormatter } from "./time-formatter.js";
import { writeJson, writeJsonLines } from "./write-json.js";

export const lineageCommand: CommandDefinition = {
  name: "lineage",
  summary: "the forks: which session came from which, and what each added",
  options: () => [jsonLinesOption()],
  examples: [
    ["lineage", "every session that was forked or is a fork"],
    ["lineage -p . --since 4w", "of this folder, used in the last four weeks"],
    ["lineage --json", "all sessions with their parents, for scripts"],
  ],
  async run(request) {
    const { options, output } = request;
    const { sessions, skipped, damagedLines } = await lineage(libraryOptions(request));
    if (options.jsonl) await writeJsonLines(output, sessions);
    else if (options.json) await writeJson(output, { sessions });
    else {
      const related = relatedSessions(sessions);
      const emphasise = (line: string) => output.style("bold", line);
      for (const line of lineageLines(related, options.selection.timeZone, output.width, emphasise)) {
        await output.printLine(line);
      }
      output.note(aloneNote(sessions.length - related.length));
    }
    output.warn(passedOverWarning({ damagedLines, files: skipped.length }));
    return ExitCode.done;
  },
};

/** The sessions that are forks, or that forks among the others came from. */
function relatedSessions(sessions: LineageSession[]): LineageSession[] {
  const parents = new Set(sessions.map(({ parentPath }) => parentPath));
  return sessions.filter(
    ({ path, parentId, missingParent, copied }) =>
      parentId !== null || missingParent !== null || copied.calls > 0 || parents.has(path),
  );
}

/** How many sessions are not shown; undefined for none. */
function aloneNote(count: number): string | undefined {
  if (count === 0) return undefined;
  const alone = formatQuantity(
    count,
    "session that has no forks and is none",
    "sessions that have no forks and are none",
  );
  return `not shown: ${alone} (--json names all)`;
}

const columns: Column[] = [
  { head: "Own", align: "right" },
  { head: "Copied", align: "right" },
  { head: "Created", isExtra: true },
  { head: "Session", cut: "keep-start" },
];

/** A drawing of the forks as a table; none without sessions. Parents must come before their forks. */
export function lineageLines(
  sessions: LineageSession[],
  timeZone: string,
  width: number | undefined,
  emphasise: (line: string) => string,
): Iterable<string> {
  if (sessions.length === 0) return [];
  const formatTime = timeFormatter(timeZone);
  const shortIds = shortenIds(sessions.flatMap(({ id, parentId }) => (parentId === null ? [id] : [id, parentId])));
  const rows: string[][] = [];
  let own = 0;
  let copied = 0;
  for (const { session, lead, showsParent } of drawLineage(sessions)) {
    own += session.own.costTotal;
    copied += session.copied.costTotal;
    const parts = [shortIds.get(session.id)!];
    if (session.missingParent !== null) parts.push(`(its parent is gone: ${fileName(session.missingParent)})`);
    else if (session.parentId !== null && !showsParent) parts.push(`(fork of ${shortIds.get(session.parentId)})`);
    parts.push(session.title ?? "(no messages)");
    rows.push([
      formatCost(session.own.costTotal),
      formatCost(session.copied.costTotal),
      session.created === null ? "" : formatTime(Date.parse(session.created)),
      lead + parts.map(cellText).join("  "),
    ]);
  }
  const total = [formatCost(own), formatCost(copied), "", "Total"];
  return tableLines(columns, rows, { width, total, emphasise });
}

/** The last part of a path of any operating system. */
function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
