import { Option } from "commander";
import { TEXT_MODES, type TextMode } from "../export/cell-text.js";
import { type TableName, tables } from "../export/tables.js";
import { clickhouseCredentials } from "../scan/default-store.js";
import { EXPORT_FORMATS, type ExportFormat, type ExportOptions } from "../scan/export-request.js";
import { type CommandDefinition, libraryOptions } from "./command.js";
import { CommandLineError } from "./command-line-error.js";
import { ExitCode } from "./exit-code.js";
import { formatCount, formatQuantity } from "./format-number.js";
import { choiceListParser, choiceParser, parseText } from "./option-values.js";
import type { Output } from "./output.js";
import { passedOverWarning } from "./passed-over-warning.js";
import { tableLines } from "./table.js";
import { cellText } from "./terminal-text.js";
import { writeJson } from "./write-json.js";

interface ExportFlags {
  format?: ExportFormat;
  tables?: TableName[];
  out?: string;
  url?: string[];
  database?: string;
  cluster?: string;
  host?: string;
  text: TextMode;
  redact?: true;
}

/** Formats that are text, which one table of can go to stdout. */
const textFormats: readonly ExportFormat[] = ["jsonl", "csv"];

export const exportCommand: CommandDefinition<ExportFlags> = {
  name: "export",
  summary: "rows for analytics, as files or into a database",
  options: () => [
    new Option("--format <name>", `what to write: ${EXPORT_FORMATS.join(", ")}`).argParser(
      choiceParser(EXPORT_FORMATS),
    ),
    new Option("--tables <names>", "which tables, a comma list (default: all five)").argParser(
      choiceListParser(tables.map(({ name }) => name)),
    ),
    new Option(
      "--out <path>",
      "a folder for jsonl, csv and parquet, a file for sqlite and duckdb; - for one table on stdout",
    ).argParser(parseText),
    new Option("--url <url>", "a ClickHouse server, as in http://localhost:8123 (repeatable)").argParser(collectUrls),
    new Option("--database <name>", "the database there").argParser(parseText),
    new Option("--cluster <name>", "the cluster whose nodes share the rows").argParser(parseText),
    new Option("--host <name>", "what rows say of the machine (default: its name)").argParser(parseText),
    new Option("--text <mode>", "how much of what was said: none, preview (500 code points) or full")
      .argParser(choiceParser(TEXT_MODES))
      .default("preview"),
    new Option("--redact", "put markers in place of credentials"),
  ],
  examples: [
    ["export --format parquet --out sessions", "all tables, for DuckDB, Spark and the like; again for what changed"],
    ["export --format csv --tables usage --out - --since 28d > usage.csv", "four weeks of calls, for a spreadsheet"],
    ["export --format duckdb --out sessions.duckdb --text full", "a database with all that was said"],
    ["export --format clickhouse --url http://localhost:8123 --database sessions", "into a server"],
  ],
  async run(request) {
    const { options, output } = request;
    const target = readTarget(options, output);
    const { host, text, redact } = options;
    const { exportSessions } = await import("../scan/export-sessions.js");
    const { tables, files, ...read } = await exportSessions({
      ...libraryOptions(request),
      ...target,
      ...(options.tables && { tables: options.tables }),
      ...(host && { host }),
      ...(redact && { redact }),
      text,
    });
    if (options.json) await writeJson(output, { tables, files });
    else if (options.out !== "-") {
      const rows = Object.entries(tables).map(([name, count]) => [name, formatCount(count)]);
      const columns = [{ head: "Table" }, { head: "Rows", align: "right" as const }];
      const emphasise = (line: string): string => output.style("bold", line);
      for (const line of tableLines(columns, rows, { width: output.width, emphasise })) await output.printLine(line);
      output.note(`exported to ${cellText(options.out ?? options.url!.join(", "))}`);
    }
    output.warn(passedOverWarning({ damagedLines: read.damagedLines, files: read.skipped.length }));
    if (read.cutEntries > 0) {
      const entries = formatQuantity(read.cutEntries, "entry is", "entries are");
      output.warn(`${entries} too long to hold: the rows have the beginning of what is said there`);
    }
    return ExitCode.done;
  },
};

/** Where the rows go. Throws a CommandLineError for flags that don't fit together. */
function readTarget(
  { format, out, url, database, cluster, tables, json }: ExportFlags & { json: boolean },
  output: Output,
): Pick<ExportOptions, "format" | "out" | "urls" | "database" | "cluster" | "user" | "password"> {
  if (format === undefined) throw new CommandLineError(`export needs --format: ${EXPORT_FORMATS.join(", ")}`);
  if (format === "clickhouse") {
    if (out !== undefined) throw new CommandLineError("--out is not for --format clickhouse: it takes --url");
    if (url === undefined) throw new CommandLineError("--format clickhouse needs --url, as in http://localhost:8123");
    return {
      format,
      urls: url,
      ...(database !== undefined && { database }),
      ...(cluster !== undefined && { cluster }),
      ...clickhouseCredentials(),
    };
  }
  for (const [flag, value] of Object.entries({ url, database, cluster })) {
    if (value !== undefined) throw new CommandLineError(`--${flag} is for --format clickhouse alone`);
  }
  if (out === undefined) throw new CommandLineError(`--format ${format} needs --out`);
  if (out !== "-") return { format, out };
  if (!textFormats.includes(format)) throw new CommandLineError(`--out - is for ${textFormats.join(" and ")} alone`);
  if (tables?.length !== 1) throw new CommandLineError("--out - takes one table: name it with --tables");
  if (json) throw new CommandLineError("--out - and --json both print to stdout: choose one");
  return { format, out: (text) => output.print(text) };
}

/** Addresses of servers. Names and passwords in them could be read by everyone on the machine; no part of one that may hold a password is repeated. */
function collectUrls(value: string, previous: string[] | undefined): string[] {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw new CommandLineError("--url must be as in http://localhost:8123");
  if (url.username !== "" || url.password !== "") {
    throw new CommandLineError("--url takes no user and no password: set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD");
  }
  return [...(previous ?? []), value];
}
