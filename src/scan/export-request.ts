import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { TEXT_MODES, type TextMode } from "../export/cell-text.js";
import type { TargetOptions } from "../export/export-target.js";
import { redactionSettings } from "../export/redactor.js";
import type { Exported } from "../export/row-sink.js";
import { tables as allTables, type TableName } from "../export/tables.js";
import type { TextWriter } from "../export/text-stream-sink.js";
import { byPath } from "./list-sessions.js";
import type { ReadRows } from "./read-session-rows.js";
import type { BatchResult } from "./run-batch.js";
import { callFilters, type SkippedFile, type StoreOptions } from "./store-options.js";
import type { RowsPart, RowsTaskOptions } from "./tasks/rows-task.js";

export const EXPORT_FORMATS = ["jsonl", "csv", "parquet", "sqlite", "duckdb", "clickhouse"] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export interface ExportOptions extends StoreOptions {
  format: ExportFormat;
  /** Default: all five. */
  tables?: readonly TableName[];
  /** A folder for `jsonl`, `csv` and `parquet`, a file for `sqlite` and `duckdb`; or what takes the text of one table as `jsonl` or `csv`. */
  out?: string | TextWriter;
  /** Of ClickHouse servers, as in `http://host:8123`. */
  urls?: readonly string[];
  /** Default `default`. */
  database?: string;
  /** The cluster of the servers that the tables are spread over. */
  cluster?: string;
  user?: string;
  password?: string;
  /** What rows say of the machine. Default its name. */
  host?: string;
  /** How much of texts, thinking and arguments is exported: nothing, the first 500 code points of each (the default), or all. */
  text?: TextMode;
  /** Whether credentials in texts, arguments and outputs are replaced by markers. */
  redact?: boolean;
}

/** The counts are of all files whose rows there are, be they read now or by an export before. */
export interface ExportResult extends Exported, ReadRows {
  skipped: SkippedFile[];
}

/** An export that is ready to go. */
export interface ExportRequest {
  options: ExportOptions;
  tables: readonly TableName[];
  target: TargetOptions;
  task: Omit<RowsTaskOptions, "copies">;
}

/** Makes sense of the options. Throws a RangeError or TypeError for what can't be meant, an ExportError where the rules of redaction are missing. */
export function readExportRequest(options: ExportOptions): ExportRequest {
  const { format, host = hostname(), text = "preview", redact = false, signal } = options;
  requireOneOf("format", EXPORT_FORMATS, format);
  requireOneOf("text", TEXT_MODES, text);
  const known = allTables.map(({ name }) => name);
  for (const table of options.tables ?? []) requireOneOf("tables", known, table);
  const tables = known.filter((name) => options.tables?.includes(name) ?? true);
  if (tables.length === 0) throw new RangeError("Cannot export: no table is wanted");
  const filters = callFilters(options);
  const columns = allTables.map((table) => table.columns);
  const redaction = redact && redactionSettings();
  const settings = JSON.stringify({ columns, tables, host, text, redaction, filters });
  return {
    options,
    tables,
    target: { tables, host, settings: createHash("sha256").update(settings).digest("base64url"), signal },
    task: { ...filters, host, tables, text, redact },
  };
}

function requireOneOf(option: string, known: readonly string[], value: string): void {
  if (known.includes(value)) return;
  throw new RangeError(`Cannot export: ${option} can be ${known.join(", ")}, but is "${value}"`);
}

/** What came of reading files for rows. */
export interface ReadFiles {
  /** By absolute path: those whose rows were handed on. */
  read: Map<string, ReadRows>;
  skipped: SkippedFile[];
}

/** Puts together what came of batches; `skipped` are files that were passed over before. */
export function joinBatches(
  results: readonly { result: RowsPart; skipped: BatchResult<"rows">["skipped"] }[],
  skipped: readonly SkippedFile[],
): ReadFiles {
  const read = new Map(results.flatMap(({ result }) => [...result.files]));
  return { read, skipped: [...skipped, ...results.flatMap(({ skipped }) => skipped)].sort(byPath) };
}

/** What there is to say of the files whose rows a target holds. */
export function sumCounts(files: Iterable<ReadRows | undefined>): ReadRows {
  const sum = { damagedLines: 0, cutEntries: 0 };
  for (const file of files) {
    sum.damagedLines += file?.damagedLines ?? 0;
    sum.cutEntries += file?.cutEntries ?? 0;
  }
  return sum;
}
