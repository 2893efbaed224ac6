import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { TEXT_MODES, type TextMode } from "../export/cell-text.js";
import { csvFormat } from "../export/csv-format.js";
import type { ExportedFile, ExportTarget, TargetOptions } from "../export/export-target.js";
import { jsonlFormat } from "../export/jsonl-format.js";
import type { RowBatch } from "../export/row-batch.js";
import type { Exported, RowFormat, RowSink } from "../export/row-sink.js";
import { tables as allTables, type TableName } from "../export/tables.js";
import { openTextFolder } from "../export/text-folder-sink.js";
import { openTextStream, type TextWriter } from "../export/text-stream-sink.js";
import { CopyFinder } from "./copy-finder.js";
import { byPath } from "./list-sessions.js";
import { batchFiles, scanRows } from "./row-scan.js";
import { StoreScan } from "./scan-files.js";
import { callFilters, type SkippedFile, type StoreOptions } from "./store-options.js";
import type { FoundSession } from "./tasks/fingerprints-task.js";
import type { RowsTaskOptions } from "./tasks/rows-task.js";

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

export interface ExportResult extends Exported {
  skipped: SkippedFile[];
  /** In the files that were read for rows. */
  damagedLines: number;
  /** Entries with a string longer than V8 can hold, of which cells hold the beginning. */
  cutEntries: number;
}

/** An export that is ready to go. */
interface Request {
  options: ExportOptions;
  tables: readonly TableName[];
  target: TargetOptions;
  task: Omit<RowsTaskOptions, "copies">;
}

const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_FILES = 64;

/** What runs each format. */
const formats: Record<ExportFormat, (request: Request) => Promise<ExportResult>> = {
  jsonl: (request) => exportText(request, jsonlFormat),
  csv: (request) => exportText(request, csvFormat),
  parquet: () => Promise.reject(new RangeError("Cannot export: parquet is not there yet")),
  sqlite: (request) =>
    exportToTarget(request, async (path, options) => {
      const { openSqliteTarget } = await loadTarget("sqlite");
      return await openSqliteTarget!(path, options);
    }),
  duckdb: (request) =>
    exportToTarget(request, async (path, options) => {
      const { openDuckdbTarget } = await loadTarget("duckdb");
      return await openDuckdbTarget!(path, options);
    }),
  clickhouse: exportToClickhouse,
};

/**
 * Exports the sessions of the stores as rows of five tables (see docs/export.md). `since`, `until`, `models` and `providers` choose rows: by their own time, and by the
 * model that their entry names or that was in force; a session stays when anything of it does. Which calls are copies does not depend on the filters.
 *
 * Parquet folders and databases take only what changed since the last export with the same settings, and hold the same rows as a fresh one; `jsonl` and `csv` are
 * written anew. Nothing half-written is ever taken for whole: an export that fails leaves the last one as it was.
 * Memory: the list of files, about 30 bytes a call to tell copies, for each worker the index of one session and some MB of rows.
 *
 * @throws StoreError for a store that is no folder, ExportError for a target that can't be written, RangeError or TypeError for options that can't be meant;
 * the reason of `signal` when it aborts.
 *
 * @example
 * import { exportSessions } from "pi-sessions";
 *
 * const { tables } = await exportSessions({ stores: ["fixtures/store"], format: "jsonl", tables: ["usage"], out: async (text) => console.log(text) });
 * console.log(tables.usage);
 */
export async function exportSessions(options: ExportOptions): Promise<ExportResult> {
  return await formats[checkedFormat(options)](readRequest(options));
}

function checkedFormat({ format, text }: ExportOptions): ExportFormat {
  if (!EXPORT_FORMATS.includes(format)) {
    throw new RangeError(`Cannot export: format must be one of ${EXPORT_FORMATS.join(", ")}, but is ${format}`);
  }
  if (text !== undefined && !TEXT_MODES.includes(text)) {
    throw new RangeError(`Cannot export: text must be one of ${TEXT_MODES.join(", ")}, but is ${text}`);
  }
  return format;
}

function readRequest(options: ExportOptions): Request {
  const { host = hostname(), text = "preview", redact = false, signal } = options;
  const wanted = new Set<string>(options.tables ?? allTables.map(({ name }) => name));
  const tables = allTables.map(({ name }) => name).filter((name) => wanted.delete(name));
  for (const name of wanted) throw new RangeError(`Cannot export: there is no table "${name}"`);
  if (tables.length === 0) throw new RangeError("Cannot export: no table is wanted");
  const filters = callFilters(options);
  const settings = JSON.stringify({
    columns: allTables.map(({ columns }) => columns),
    tables,
    host,
    text,
    redact,
    filters,
  });
  return {
    options,
    tables,
    target: { tables, host, settings: hash(settings), signal },
    task: { ...filters, host, tables, text, redact },
  };
}

async function exportText(request: Request, format: RowFormat): Promise<ExportResult> {
  const { out } = request.options;
  if (out === undefined) throw new TypeError("Cannot export: out is missing");
  const [table] = request.tables;
  if (typeof out !== "string" && request.tables.length !== 1) {
    throw new RangeError("Cannot export: one stream takes the rows of one table");
  }
  const found = await findSessions(request);
  const sink =
    typeof out === "string"
      ? await openTextFolder(resolve(out), format, request.tables)
      : await openTextStream(out, format, table!);
  return await exportToSink(request, sink, found);
}

async function exportToSink(
  request: Request,
  sink: RowSink,
  { sessions, copies, skipped }: Found,
): Promise<ExportResult> {
  try {
    const read = await readRows(request, sessions, copies, (batch) => sink.write(batch));
    return { ...(await sink.finish()), ...read, skipped: [...skipped, ...read.skipped].sort(byPath) };
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

async function exportToClickhouse(request: Request): Promise<ExportResult> {
  const { urls = [], database = "default", cluster, user, password } = request.options;
  if (urls.length === 0) throw new TypeError("Cannot export: urls is missing");
  const { openClickhouseTarget } = await loadTarget("clickhouse");
  const target = await openClickhouseTarget!({ urls, database, cluster, user, password }, request.target);
  return await fillTarget(request, target, []);
}

async function exportToTarget(
  request: Request,
  open: (path: string, options: TargetOptions) => Promise<ExportTarget>,
): Promise<ExportResult> {
  const { out } = request.options;
  if (typeof out !== "string") throw new TypeError("Cannot export: out must be the path of a file");
  const path = resolve(out);
  return await fillTarget(request, await open(path, request.target), [path]);
}

/** Gives a target the rows of what changed since it was written. */
async function fillTarget(request: Request, target: ExportTarget, files: string[]): Promise<ExportResult> {
  try {
    const { sessions, copies, skipped } = await findSessions(request);
    const current = new Map(sessions.map((session) => [session.path, exportedFile(session, copies)]));
    const changed = sessions.filter(({ path }) => !isSame(current.get(path)!, target.exported.get(path)));
    const read = await readRows(request, changed, copies, (batch) => target.write(batch));
    const exported = read.read.map((path) => current.get(path)!);
    const gone = new Set(target.exported.keys());
    const failed = new Set(changed.map(({ path }) => path));
    for (const path of read.read) failed.delete(path);
    for (const path of current.keys()) if (!failed.has(path)) gone.delete(path);
    const tables = await target.finish(exported, [...gone]);
    return { tables, files, ...read, skipped: [...skipped, ...read.skipped].sort(byPath) };
  } catch (error) {
    await target.abort();
    throw error;
  }
}

/** The modules of databases, each loaded when it is asked for. */
async function loadTarget(name: string): Promise<Record<string, (...args: unknown[]) => Promise<ExportTarget>>> {
  return (await import(`../export/${name}-target.js`)) as never;
}

function exportedFile(
  { path, sizeBytes, mtimeMs }: FoundSession,
  copies: ReadonlyMap<string, Uint32Array>,
): ExportedFile {
  const found = copies.get(path);
  return { path, sizeBytes, mtimeMs, state: found ? hash(found) : "" };
}

function isSame(one: ExportedFile, other: ExportedFile | undefined): boolean {
  return one.sizeBytes === other?.sizeBytes && one.mtimeMs === other.mtimeMs && one.state === other.state;
}

function hash(data: string | Uint32Array): string {
  return createHash("sha256").update(data).digest("hex").slice(0, 32);
}

interface Found {
  /** Those of wanted projects. */
  sessions: FoundSession[];
  /** By absolute path, for files that hold copies: which of their calls are. */
  copies: ReadonlyMap<string, Uint32Array>;
  skipped: SkippedFile[];
}

/** Looks for all sessions, and tells their calls from copies. */
async function findSessions({ options }: Request): Promise<Found> {
  const finder = new CopyFinder();
  const sessions: FoundSession[] = [];
  const passedOver: SkippedFile[] = [];
  const scan = new StoreScan(options);
  try {
    for await (const { result, skipped } of scan.run("fingerprints", callFilters(options))) {
      passedOver.push(...skipped);
      finder.add(result);
      for (const session of result)
        if (session.isWanted) sessions.push({ ...session, fingerprints: new Int32Array(0) });
    }
  } finally {
    await scan.close();
  }
  return { sessions: sessions.sort(byPath), copies: finder.findCopies(), skipped: passedOver };
}

interface RowsRead {
  /** Absolute paths. */
  read: string[];
  skipped: SkippedFile[];
  damagedLines: number;
  cutEntries: number;
}

async function readRows(
  { options, task }: Request,
  sessions: readonly FoundSession[],
  copies: ReadonlyMap<string, Uint32Array>,
  write: (batch: RowBatch) => Promise<void>,
): Promise<RowsRead> {
  const { jobs, signal, onProgress } = options;
  const files = sessions.map(({ path, sizeBytes, mtimeMs }) => ({ path, sizeBytes, mtimeMs }));
  const results = await scanRows({
    name: "rows",
    task: { ...task, copies },
    batches: batchFiles(files, BATCH_BYTES, BATCH_FILES),
    onPart: (part) => write(part as RowBatch),
    ...(jobs !== undefined && { jobs }),
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  });
  const sum: RowsRead = { read: [], skipped: [], damagedLines: 0, cutEntries: 0 };
  for (const { result, skipped } of results) {
    sum.read.push(...result.files);
    sum.skipped.push(...skipped);
    sum.damagedLines += result.damagedLines;
    sum.cutEntries += result.cutEntries;
  }
  return sum;
}
