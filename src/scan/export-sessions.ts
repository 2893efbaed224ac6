import { resolve } from "node:path";
import { csvFormat } from "../export/csv-format.js";
import type { ExportTarget } from "../export/export-target.js";
import { jsonlFormat } from "../export/jsonl-format.js";
import { Redactor } from "../export/redactor.js";
import type { RowBatch } from "../export/row-batch.js";
import type { RowFormat, RowSink } from "../export/row-sink.js";
import { openTextFolder } from "../export/text-folder-sink.js";
import { openTextStream } from "../export/text-stream-sink.js";
import { exportParquet } from "./export-parquet.js";
import {
  type ExportFormat,
  type ExportOptions,
  type ExportRequest,
  type ExportResult,
  joinBatches,
  type ReadFiles,
  readExportRequest,
  sumCounts,
} from "./export-request.js";
import {
  findSessionsWithCopies,
  heldSessions,
  isExported,
  type SessionsWithCopies,
  type SessionToExport,
} from "./find-sessions-with-copies.js";
import { batchFiles, RowScan } from "./row-scan.js";
import { readNotes, writeNote } from "./session-note.js";
import { checkOptions } from "./store-options.js";

const BATCH_BYTES = 4 * 1024 * 1024;
const BATCH_FILES = 64;

/** What runs each format. */
const formats: Record<ExportFormat, (request: ExportRequest, scan: RowScan) => Promise<ExportResult>> = {
  jsonl: (request, scan) => exportText(request, scan, jsonlFormat),
  csv: (request, scan) => exportText(request, scan, csvFormat),
  parquet: (request, scan) => exportParquet(request, scan),
  sqlite: (request, scan) =>
    exportToFile(request, scan, async (path) => {
      const { openSqliteTarget } = await import("../export/sqlite-target.js");
      return await openSqliteTarget(path, request.target);
    }),
  duckdb: (request, scan) =>
    exportToFile(request, scan, async (path) => {
      const { openDuckdbTarget } = await import("../export/duckdb-target.js");
      return await openDuckdbTarget(path, request.target);
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
 * @throws StoreError for a store that is no folder, ExportError for a target that can't be written or that another export writes, RangeError or
 * TypeError for options that can't be meant; the reason of `signal` when it aborts.
 *
 * @example
 * import { exportSessions } from "pi-sessions";
 *
 * const { tables } = await exportSessions({ stores: ["fixtures/store"], format: "jsonl", tables: ["usage"], out: async (text) => console.log(text) });
 * console.log(tables.usage);
 */
export async function exportSessions(options: ExportOptions): Promise<ExportResult> {
  checkOptions(options);
  const request = readExportRequest(options);
  const scan = new RowScan(options);
  try {
    return await formats[options.format](request, scan);
  } finally {
    await scan.close();
  }
}

async function exportText(request: ExportRequest, scan: RowScan, format: RowFormat): Promise<ExportResult> {
  const { out } = request.options;
  if (out === undefined) throw new TypeError("Cannot export: out is missing");
  const [table] = request.tables;
  if (typeof out !== "string" && request.tables.length !== 1) {
    throw new RangeError("Cannot export: one stream takes the rows of one table");
  }
  const sink: RowSink =
    typeof out === "string"
      ? await openTextFolder(resolve(out), format, request.tables)
      : await openTextStream(out, format, table!);
  try {
    const found = await findSessionsWithCopies(request.options, scan);
    const { read, skipped } = await readRows(request, scan, found, (batch) => sink.write(batch));
    return { ...(await sink.finish()), skipped, ...sumCounts(read.values()) };
  } catch (error) {
    await scan.close();
    await sink.abort();
    throw error;
  }
}

async function exportToClickhouse(request: ExportRequest, scan: RowScan): Promise<ExportResult> {
  const { urls = [], database = "default", cluster, user, password } = request.options;
  if (urls.length === 0) throw new TypeError("Cannot export: urls is missing");
  const { openClickhouseTarget } = await import("../export/clickhouse-target.js");
  const target = await openClickhouseTarget({ urls, database, cluster, user, password }, request.target);
  return await fillTarget(request, scan, target, []);
}

async function exportToFile(
  request: ExportRequest,
  scan: RowScan,
  open: (path: string) => Promise<ExportTarget>,
): Promise<ExportResult> {
  const { out } = request.options;
  if (typeof out !== "string") throw new TypeError("Cannot export: out must be the path of a file");
  const path = resolve(out);
  return await fillTarget(request, scan, await open(path), [path]);
}

/** Gives a target the rows of what changed since it was written. */
async function fillTarget(
  request: ExportRequest,
  scan: RowScan,
  target: ExportTarget,
  files: string[],
): Promise<ExportResult> {
  try {
    const known = await readNotes((take) => target.readNotes(take));
    const found = await findSessionsWithCopies(request.options, scan, known);
    const stays = (session: SessionToExport): boolean =>
      known.has(session.path) && isExported(session, target.exported.get(session.path));
    const changed = found.sessions.filter((session) => !stays(session));
    const { read, skipped } = await readRows(request, scan, { ...found, sessions: changed }, (batch) =>
      target.write(batch),
    );
    const held = heldSessions(found.sessions, stays, read);
    const isHeld = new Set(held.map(({ path }) => path));
    const removed = [...target.exported.keys()].filter((path) => !isHeld.has(path));
    const redactor = request.task.redact ? new Redactor() : undefined;
    const exported = held
      .filter(({ path }) => read.has(path))
      .map(({ path, sizeBytes, mtimeMs, state, found }) => ({
        ...{ path, sizeBytes, mtimeMs, state },
        get note() {
          return writeNote(found, redactor?.redact);
        },
      }));
    const counts = sumCounts(held.map(({ found }) => found.rows));
    return { tables: await target.finish(exported, removed), files, skipped, ...counts };
  } catch (error) {
    await scan.close();
    await target.abort();
    throw error;
  }
}

async function readRows(
  { task }: ExportRequest,
  scan: RowScan,
  { sessions, copies, skipped }: SessionsWithCopies,
  write: (batch: RowBatch) => Promise<void>,
): Promise<ReadFiles> {
  const batches = batchFiles(sessions, BATCH_BYTES, BATCH_FILES).map((batch) =>
    batch.map(({ path, sizeBytes, mtimeMs }) => ({ path, sizeBytes, mtimeMs })),
  );
  const results = await scan.run("rows", { ...task, copies }, batches, (part) => write(part as RowBatch));
  return joinBatches(results, skipped);
}
