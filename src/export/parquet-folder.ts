import { existsSync } from "node:fs";
import {
  copyFile,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  rmdir,
  symlink,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import pLimit from "p-limit";
import { ExportError } from "../errors.js";
import { syncFolder } from "../sync-folder.js";
import { exportError, FolderClaim } from "./export-folder.js";
import type { WrittenFile } from "./parquet-rows.js";
import { tables as allTables, type TableName } from "./tables.js";

const FORMAT = "parquet";
const GENERATIONS = ".generations";
const CURRENT = ".current";

const SYNCED_AT_ONCE = 16;

/**
 * A folder of Parquet files that is always whole. All files of one export are a generation, and the folders of the tables are links that lead to the current one:
 *
 *     usage      -> .current/usage
 *     .current   -> .generations/7
 *     .generations/7/usage/month=2026-01/0123456789abcdef.parquet
 *
 * A new generation is written beside the current one, takes the files that stay by hard links, and becomes the current one by the renaming of a single link: whenever
 * the process is killed, whoever reads the folders finds one export, whole. What was left on the way is removed by the next export.
 */
export class ParquetFolder {
  readonly path: string;
  readonly #tables: readonly TableName[];
  /** The number of the current generation; 0 without one. */
  readonly #current: number;
  readonly #claim: FolderClaim;
  /** Whether the next generation has become the current one. */
  #isCommitted = false;

  private constructor(folder: string, tables: readonly TableName[], current: number, claim: FolderClaim) {
    this.path = folder;
    this.#tables = tables;
    this.#current = current;
    this.#claim = claim;
  }

  /**
   * Opens a folder for one export at a time, and makes it if need be.
   *
   * @throws ExportError for a folder that holds something else, can't be written, or is being written by another export.
   */
  static async open(folder: string, tables: readonly TableName[]): Promise<ParquetFolder> {
    const claim = await FolderClaim.take(folder, FORMAT);
    return await guard(folder, async () => {
      const opened = new ParquetFolder(folder, tables, await readCurrent(folder), claim);
      try {
        await mkdir(join(folder, GENERATIONS), { recursive: true });
        await opened.#sweep();
        return opened;
      } catch (error) {
        await opened.close(true);
        throw error;
      }
    });
  }

  /** Where the next generation is written. */
  get next(): string {
    return this.#generation(this.#current + 1);
  }

  /** The path of a file, by way of its table's folder. */
  pathOf({ table, name }: WrittenFile): string {
    return join(this.path, table, name);
  }

  /** A file beside the tables of the current generation; undefined when there is none. */
  async read(name: string): Promise<Buffer | undefined> {
    if (this.#current === 0) return undefined;
    return await readFile(join(this.#generation(this.#current), name)).catch(() => undefined);
  }

  /** Begins the next generation. */
  async begin(): Promise<void> {
    await guard(this.path, async () => {
      for (const table of this.#tables) await mkdir(join(this.next, table), { recursive: true });
    });
  }

  /** Takes a file of the current generation into the next. */
  async keep({ table, name }: WrittenFile): Promise<void> {
    await guard(this.path, async () => {
      const from = join(this.#generation(this.#current), table, name);
      const to = join(this.next, table, name);
      await mkdir(dirname(to), { recursive: true });
      // Not every file system has hard links.
      await link(from, to).catch(() => copyFile(from, to));
    });
  }

  /** Whether a file of the current generation is there. */
  has({ table, name }: WrittenFile): boolean {
    return existsSync(join(this.#generation(this.#current), table, name));
  }

  /** Makes the links by which tables are found, where they are missing. */
  async linkTables(): Promise<void> {
    await guard(this.path, async () => {
      for (const table of this.#tables) {
        const path = join(this.path, table);
        const stats = await lstat(path).catch(() => undefined);
        if (!stats) await symlink(join(CURRENT, table), path, "dir");
        else if (!stats.isSymbolicLink()) {
          const message = `Cannot export to "${this.path}": "${table}" there is no longer a link; name an empty folder`;
          throw new ExportError("FOREIGN_TARGET", message);
        }
      }
    });
  }

  /** Makes the next generation the current one: `written` are its new files, `files` go beside its tables. */
  async commit(written: readonly WrittenFile[], files: Record<string, string | Iterable<string>>): Promise<void> {
    await guard(this.path, async () => {
      const { next } = this;
      for (const [name, content] of Object.entries(files)) await writeFile(join(next, name), content, { flush: true });
      await this.linkTables();
      await this.#sync(written);
      const link = join(this.path, `${CURRENT}.tmp`);
      await rm(link, { force: true });
      await symlink(join(GENERATIONS, String(this.#current + 1)), link, "dir");
      await rename(link, join(this.path, CURRENT));
      this.#isCommitted = true;
      syncFolder(this.path);
    });
    // The export is done: what can't be removed now, the next one removes.
    await this.#sweep(this.#current + 1).catch(() => {});
  }

  /** Ends the export, whether or not it came to a `commit`. Never throws. */
  async close(isAborted: boolean): Promise<void> {
    const isUndone = isAborted && !this.#isCommitted;
    if (isUndone) {
      await rm(this.next, { recursive: true, force: true }).catch(() => {});
      await rmdir(join(this.path, GENERATIONS)).catch(() => {}); // The last generation is there, if there was one.
    }
    await this.#claim.release(isUndone);
  }

  /** Waits until the next generation is on the disk. */
  async #sync(written: readonly WrittenFile[]): Promise<void> {
    const limit = pLimit(SYNCED_AT_ONCE);
    const paths = written.map(({ table, name }) => join(this.next, table, name));
    await Promise.all(paths.map((path) => limit(syncFile, path)));
    for (const entry of await readdir(this.next, { withFileTypes: true, recursive: true })) {
      if (entry.isDirectory()) syncFolder(join(entry.parentPath, entry.name));
    }
    syncFolder(this.next);
  }

  /** Removes what is of no use: all generations but one, and links to tables that it does not have. */
  async #sweep(current = this.#current): Promise<void> {
    await guard(this.path, async () => {
      const generations = join(this.path, GENERATIONS);
      for (const name of await readdir(generations)) {
        if (name !== String(current)) await rm(join(generations, name), { recursive: true, force: true });
      }
      for (const { name } of allTables) {
        const path = join(this.path, name);
        const isLink = await lstat(path).then(
          (stats) => stats.isSymbolicLink(),
          () => false,
        );
        if (isLink && !(await isThere(join(generations, String(current), name)))) await rm(path, { force: true });
      }
    });
  }

  #generation(number: number): string {
    return join(this.path, GENERATIONS, String(number));
  }
}

async function guard<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw exportError(folder, error);
  }
}

async function readCurrent(folder: string): Promise<number> {
  const target = await readlink(join(folder, CURRENT)).catch(() => "");
  const [, number] = /(\d+)$/.exec(target) ?? [];
  return Number(number ?? 0);
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

async function syncFile(path: string): Promise<void> {
  const handle = await open(path, "r+");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
