import type { ChangedFile, ExportedFile, TargetOptions } from "../export-target.js";
import type { Cell } from "../row-batch.js";
import { type RowCounts, type TableName, tables } from "../tables.js";
import type { Connection } from "./connection.js";
import { qualify } from "./create-tables.js";
import { quoteText } from "./quote.js";
import type { WrittenFile } from "./row-sender.js";
import { MANIFEST, rowsColumn } from "./stored-table.js";
import { isCurrent } from "./views.js";

interface Line {
  path: string;
  session_id: string;
  size_bytes: number | string;
  mtime_ms: string;
  state: string;
  settings: string;
}

/** What the database holds of one host: a line a file. Lines of other hosts are left alone. */
export class Manifest {
  /** Files as an export with these settings left them. */
  readonly exported = new Map<string, ExportedFile>();
  /** By path, the session id of every file that is shown, with whatever settings it was exported. */
  readonly #shown = new Map<string, string>();
  readonly #server: Connection;
  readonly #table: string;
  readonly #isCurrent: string;
  readonly #options: TargetOptions;

  constructor(server: Connection, database: string, options: TargetOptions) {
    this.#server = server;
    this.#table = qualify(database, MANIFEST);
    this.#isCurrent = `host = ${quoteText(options.host)} AND ${isCurrent(database)}`;
    this.#options = options;
  }

  async read(): Promise<void> {
    const lines = await this.#server.select<Line>(
      `SELECT path, session_id, size_bytes, mtime_ms, state, settings FROM ${this.#table} FINAL WHERE ${this.#isCurrent}`,
    );
    for (const { path, session_id, size_bytes, mtime_ms, state, settings } of lines) {
      this.#shown.set(path, session_id);
      if (settings !== this.#options.settings) continue;
      this.exported.set(path, { path, sizeBytes: Number(size_bytes), mtimeMs: Number(mtime_ms), state });
    }
  }

  /** Hands on the notes of the files in `exported`, some of them perhaps twice. */
  async readNotes(take: (note: string) => void): Promise<void> {
    if (this.exported.size === 0) return;
    const settings = quoteText(this.#options.settings);
    await this.#server.selectEach<{ note: string }>(
      `SELECT note FROM ${this.#table} FINAL WHERE ${this.#isCurrent} AND settings = ${settings}`,
      ({ note }) => take(note),
    );
  }

  /** The highest generation that any line of the host has. */
  async lastGeneration(): Promise<bigint> {
    const host = quoteText(this.#options.host);
    const [row] = await this.#server.select<{ last: string }>(
      `SELECT toString(max(generation)) AS last FROM ${this.#table} WHERE host = ${host}`,
    );
    return BigInt(row?.last ?? 0);
  }

  /** The new lines, as rows of the manifest's table: of changed files, and of those whose rows go, among them all that other settings left. */
  *lines(
    generation: bigint,
    changed: readonly ChangedFile[],
    removed: readonly string[],
    written: ReadonlyMap<string, WrittenFile>,
  ): Generator<Cell[]> {
    const { host, settings } = this.#options;
    const counts = (rows: WrittenFile["rows"]) => tables.map(({ name }) => rows[name] ?? 0);
    const gone = new Set(removed);
    for (const path of this.#shown.keys()) if (!this.exported.has(path)) gone.add(path);
    for (const { path, sizeBytes, mtimeMs, state, note } of changed) {
      gone.delete(path);
      const file = written.get(path);
      const sessionId = file?.sessionId ?? this.#shown.get(path) ?? "";
      const facts = [sizeBytes, String(mtimeMs), state, settings, note];
      yield [host, path, sessionId, generation.toString(), 0, ...facts, ...counts(file?.rows ?? {})];
    }
    for (const path of gone) {
      yield [
        host,
        path,
        this.#shown.get(path) ?? "",
        generation.toString(),
        1,
        0,
        "0",
        "",
        settings,
        "",
        ...counts({}),
      ];
    }
  }

  /** By table: how many rows of this host it shows, copies included; of generations below one, if there is one. */
  async countRows(before?: bigint): Promise<RowCounts> {
    const sums = this.#options.tables.map((name) => `sum(${rowsColumn(name)}) AS ${name}`);
    const also = before === undefined ? "" : ` AND generation < ${before}`;
    const [row] = await this.#server.select<Record<TableName, number | string>>(
      `SELECT ${sums.join(", ")} FROM ${this.#table} FINAL WHERE ${this.#isCurrent}${also}`,
    );
    return Object.fromEntries(this.#options.tables.map((name) => [name, Number(row?.[name] ?? 0)]));
  }
}
