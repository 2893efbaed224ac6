import { type FileHandle, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { exportError, FolderClaim } from "./export-folder.js";
import type { RowBatch } from "./row-batch.js";
import type { Exported, RowFormat, RowSink } from "./row-sink.js";
import { tables as allTables, type TableName } from "./tables.js";
import { isTemporary, temporaryPath } from "./temporary-path.js";

/** A file on its way, under a name that no reader takes for an export. */
interface OpenFile {
  handle: FileHandle;
  temporary: string;
  path: string;
  rows: number;
}

/** Opens a sink that writes one file a table into a folder; the files get their names when all are whole. */
export async function openTextFolder(
  folder: string,
  format: RowFormat,
  tables: readonly TableName[],
): Promise<RowSink> {
  const claim = await FolderClaim.take(folder, format.extension);
  const sink = new TextFolderSink(folder, format, tables, claim);
  try {
    await sink.open();
    return sink;
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

class TextFolderSink implements RowSink {
  readonly #folder: string;
  readonly #format: RowFormat;
  readonly #tables: readonly TableName[];
  readonly #claim: FolderClaim;
  readonly #files = new Map<TableName, OpenFile>();

  constructor(folder: string, format: RowFormat, tables: readonly TableName[], claim: FolderClaim) {
    this.#folder = folder;
    this.#format = format;
    this.#tables = tables;
    this.#claim = claim;
  }

  async open(): Promise<void> {
    await this.#guard(async () => {
      await this.#sweep();
      for (const table of this.#tables) {
        const name = this.#nameOf(table);
        const temporary = temporaryPath(this.#folder, name);
        const handle = await open(temporary, "wx");
        this.#files.set(table, { handle, temporary, path: join(this.#folder, name), rows: 0 });
        await handle.write(this.#format.head(table));
      }
    });
  }

  async write(batch: RowBatch): Promise<void> {
    await this.#guard(async () => {
      const file = this.#files.get(batch.table)!;
      await writeAll(file.handle, this.#format.rows(batch));
      file.rows += batch.count;
    });
  }

  async finish(): Promise<Exported> {
    return await this.#guard(async () => {
      for (const { handle } of this.#files.values()) {
        await handle.sync();
        await handle.close();
      }
      for (const { temporary, path } of this.#files.values()) await rename(temporary, path);
      for (const { name } of allTables) {
        if (!this.#files.has(name)) await rm(join(this.#folder, this.#nameOf(name)), { force: true });
      }
      await this.#claim.release(false);
      const rows = Array.from(this.#files, ([table, file]) => [table, file.rows]);
      const files = Array.from(this.#files.values(), ({ path }) => path);
      return { tables: Object.fromEntries(rows) as Exported["tables"], files };
    });
  }

  async abort(): Promise<void> {
    for (const { handle, temporary } of this.#files.values()) {
      // Closed already, or gone: there is nothing left to undo then.
      await handle.close().catch(() => {});
      await rm(temporary, { force: true }).catch(() => {});
    }
    await this.#claim.release(true);
  }

  /** Removes what killed exports left. */
  async #sweep(): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (isTemporary(name)) await rm(join(this.#folder, name), { force: true });
    }
  }

  #nameOf(table: TableName): string {
    return `${table}.${this.#format.extension}`;
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw exportError(this.#folder, error);
    }
  }
}

async function writeAll(handle: FileHandle, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, at);
    at += bytesWritten;
  }
}
