import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { ExportedFile } from "../export/export-target.js";
import { ParquetFile } from "../export/parquet-file.js";
import { ParquetFolder } from "../export/parquet-folder.js";
import type { WrittenFile } from "../export/parquet-rows.js";
import { Redactor } from "../export/redactor.js";
import type { TableName } from "../export/tables.js";
import { ExportManifest, type Segment } from "./export-manifest.js";
import { type ExportRequest, type ExportResult, joinBatches, sumCounts } from "./export-request.js";
import {
  findSessionsWithCopies,
  heldSessions,
  isExported,
  type SessionsWithCopies,
  type SessionToExport,
} from "./find-sessions-with-copies.js";
import { batchFiles, type RowScan, sumBytes } from "./row-scan.js";
import type { SkippedFile } from "./store-options.js";

/** The rows of so many bytes of session files are written together, and again when one of the files changes. */
const MIN_SEGMENT_BYTES = 8 * 1024 * 1024;
const MAX_SEGMENT_BYTES = 64 * 1024 * 1024;

/** In a small store there are this many segments for each worker, so that all are at work to the end. */
const SEGMENTS_PER_JOB = 12;

/**
 * Exports to a folder of Parquet files that is always whole (see `ParquetFolder`). If it was exported to with the same settings, only what changed since is written:
 * the segments with a file that is new, changed or gone, or in which a call became a copy, or stopped being one.
 */
export async function exportParquet(
  request: ExportRequest,
  scan: RowScan,
  { segmentBytes }: { segmentBytes?: number } = {},
): Promise<ExportResult> {
  const { out } = request.options;
  if (typeof out !== "string") throw new TypeError("Cannot export: out must be the path of a folder");
  const folder = await ParquetFolder.open(resolve(out), request.tables);
  let isDone = false;
  try {
    const known = await ExportManifest.read(folder, request.target.settings);
    const found = await findSessionsWithCopies(request.options, scan, known?.sessions);
    const maxBytes = segmentBytes ?? chooseSegmentBytes(found.sessions, scan);
    const plan = planSegments(found.sessions, known?.segments ?? [], maxBytes);
    const isSame =
      known !== undefined &&
      plan.written.length === 0 &&
      plan.kept.length === known.segments.length &&
      [...found.sessions, ...found.others].every(({ path }) => known.sessions.has(path));
    const { manifest, skipped } = isSame
      ? { manifest: known, ...joinBatches([], found.skipped) }
      : await writeGeneration(request, scan, folder, found, plan);
    if (isSame) await folder.linkTables();
    isDone = true;
    const { files } = manifest;
    return {
      tables: countRows(request.tables, files),
      files: files.map((file) => folder.pathOf(file)).sort(),
      skipped,
      ...sumCounts(Array.from(manifest.sessions.values(), ({ rows }) => rows)),
    };
  } finally {
    // Nothing may be written to a folder that is removed.
    if (!isDone) await scan.close();
    await folder.close(!isDone);
  }
}

function chooseSegmentBytes(sessions: readonly SessionToExport[], { jobs }: RowScan): number {
  const bytes = Math.ceil(sumBytes(sessions) / (jobs * SEGMENTS_PER_JOB));
  return Math.min(MAX_SEGMENT_BYTES, Math.max(MIN_SEGMENT_BYTES, bytes));
}

interface SegmentPlan {
  kept: Segment[];
  written: SessionToExport[][];
}

/** Segments of unchanged files are kept. Files that are new come last, those that changed longest ago first: a session that is at work stands among its like. */
function planSegments(
  sessions: readonly SessionToExport[],
  known: readonly Segment[],
  segmentBytes: number,
): SegmentPlan {
  const pending = new Map(sessions.map((session) => [session.path, session]));
  const kept: Segment[] = [];
  const rewritten: SessionToExport[][] = [];
  const take = ({ path }: ExportedFile): SessionToExport[] => {
    const session = pending.get(path);
    pending.delete(path);
    return session ? [session] : [];
  };
  for (const segment of known) {
    const isKept = segment.files.every((file) => isExported(file, pending.get(file.path)));
    const files = segment.files.flatMap(take);
    if (isKept) kept.push(segment);
    else if (files.length > 0) rewritten.push(files);
  }
  const fresh = [...pending.values()].sort((a, b) => a.mtimeMs - b.mtimeMs);
  const last = kept.at(-1);
  if (fresh.length > 0 && rewritten.length === 0 && last && sumBytes(last.files) < segmentBytes / 2) {
    kept.pop();
    const files = new Map(sessions.map((session) => [session.path, session]));
    rewritten.push(last.files.map(({ path }) => files.get(path)!));
  }
  return { kept, written: batchFiles([...rewritten.flat(), ...fresh], segmentBytes) };
}

async function writeGeneration(
  request: ExportRequest,
  scan: RowScan,
  folder: ParquetFolder,
  { sessions, others, copies, skipped }: SessionsWithCopies,
  { kept, written }: SegmentPlan,
): Promise<{ manifest: ExportManifest; skipped: SkippedFile[] }> {
  await folder.begin();
  for (const segment of kept) for (const file of segment.written) await folder.keep(file);
  const task = { ...request.task, copies, folder: folder.next, target: folder.path };
  const batches = written.map((batch) => batch.map(({ path, sizeBytes, mtimeMs }) => ({ path, sizeBytes, mtimeMs })));
  const results = await scan.run("parquet", task, batches);
  const joined = joinBatches(results, skipped);

  const isKept = new Set(kept.flatMap(({ files }) => files.map(({ path }) => path)));
  const held = heldSessions(sessions, ({ path }) => isKept.has(path), joined.read);
  const exported = new Map(
    sessions.map(({ path, sizeBytes, mtimeMs, state }) => [path, { path, sizeBytes, mtimeMs, state }]),
  );
  const segments = results.map(({ result }) => ({
    files: Array.from(result.files.keys(), (path) => exported.get(path)!),
    written: result.written,
  }));
  const all = [...kept, ...segments];
  const rows = countRows(
    request.tables,
    all.flatMap(({ written }) => written),
  );
  const empty = request.tables.filter((table) => rows[table] === 0).map((table) => writeEmptyFile(folder, table));
  const known = [...held.map(({ found }) => found), ...others];
  const manifest = new ExportManifest(all, empty, new Map(known.map((session) => [session.path, session])));
  const redactor = request.task.redact ? new Redactor() : undefined;
  request.options.signal?.throwIfAborted();
  const fresh = [...segments.flatMap((segment) => segment.written), ...empty];
  await folder.commit(fresh, manifest.write(request.target.settings, redactor?.redact));
  return { manifest, skipped: joined.skipped };
}

/** A table without rows has its columns all the same. */
function writeEmptyFile(folder: ParquetFolder, table: TableName): WrittenFile {
  const name = "month=unknown/empty.parquet";
  const path = join(folder.next, table, name);
  mkdirSync(dirname(path), { recursive: true });
  new ParquetFile(path, table).finish();
  return { table, name, rows: 0 };
}

function countRows(tables: readonly TableName[], files: readonly WrittenFile[]): Record<string, number> {
  const rows = Object.fromEntries(tables.map((table) => [table, 0]));
  for (const file of files) rows[file.table]! += file.rows;
  return rows;
}
