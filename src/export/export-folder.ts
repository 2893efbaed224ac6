import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ExportError } from "../errors.js";
import { ExportLock } from "./export-lock.js";
import { isTemporary, temporaryPath } from "./temporary-path.js";

/** Tells the folders that exports were written to from all others. */
const MARKER = ".pi-sessions-export.json";

const LOCK = ".export.lock";

/** A folder that belongs to one export until it is released. */
export class FolderClaim {
  readonly #folder: string;
  readonly #lock: ExportLock;
  /** Whether there was no folder. */
  readonly #isMade: boolean;
  /** Whether there was no export in it. */
  readonly #isNew: boolean;

  private constructor(folder: string, lock: ExportLock, isMade: boolean, isNew: boolean) {
    this.#folder = folder;
    this.#lock = lock;
    this.#isMade = isMade;
    this.#isNew = isNew;
  }

  /**
   * Makes a folder for an export, or takes one that an export of the same format was written to.
   *
   * @throws ExportError when there is something else, another export is running, or the folder can't be made.
   */
  static async take(folder: string, format: string): Promise<FolderClaim> {
    try {
      const isMade = await makeFolder(folder);
      await holdsExport(folder, format); // Not even a lock goes into a folder that is none of ours.
      const lock = await ExportLock.take(folder, join(folder, LOCK));
      try {
        const isNew = !(await holdsExport(folder, format));
        if (isNew) await writeMarker(folder, format);
        return new FolderClaim(folder, lock, isMade, isNew);
      } catch (error) {
        await lock.release();
        throw error;
      }
    } catch (error) {
      throw exportError(folder, error);
    }
  }

  /** Lets other exports in. Makes the folder again what it was, if the export came to nothing and nothing of it is left. Never throws. */
  async release(isAborted: boolean): Promise<void> {
    const isUndone = isAborted && this.#isNew && (await isBare(this.#folder).catch(() => false));
    if (isUndone) await rm(join(this.#folder, MARKER), { force: true }).catch(() => {});
    await this.#lock.release();
    // If something else lies there by now, the folder stays.
    if (isUndone && this.#isMade) await rmdir(this.#folder).catch(() => {});
  }
}

/** Whether a folder holds an export; throws when there is something else. One that was killed as it began left no more than a lock and a temporary file. */
async function holdsExport(folder: string, format: string): Promise<boolean> {
  const hasNothing = await isBare(folder);
  const found = await readMarker(folder); // In this order: an export that ends meanwhile made its marker before its files.
  if (found === format) return true;
  if (found === undefined && hasNothing) return false;
  const what = found === undefined ? "is not empty, and no export wrote it" : `holds an export as ${found}`;
  throw new ExportError("FOREIGN_TARGET", `Cannot export to "${folder}": it ${what}; name a new or empty folder`);
}

/** Whether there is nothing in a folder but what exports put there beside their rows. */
async function isBare(folder: string): Promise<boolean> {
  return (await readdir(folder)).every((name) => name === LOCK || name === MARKER || isTemporary(name));
}

/** Makes a folder and those above it, as far as they are missing; returns whether it was. Node's own `recursive` never ends below /proc, where nothing can be made. */
export async function makeFolder(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    return true;
  } catch (error) {
    const above = dirname(folder);
    const isAboveMissing = (error as NodeJS.ErrnoException).code === "ENOENT" && above !== folder;
    if (isAboveMissing && (await makeFolder(above))) return await makeFolder(folder);
    if (await isFolder(folder)) return false;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}

/** Says that a folder holds an export. */
async function writeMarker(folder: string, format: string): Promise<void> {
  const temporary = temporaryPath(folder, MARKER);
  await writeFile(temporary, `${JSON.stringify({ format })}\n`);
  await rename(temporary, join(folder, MARKER));
}

async function readMarker(folder: string): Promise<string | undefined> {
  try {
    const { format } = JSON.parse(await readFile(join(folder, MARKER), "utf8")) as { format?: unknown };
    return typeof format === "string" ? format : undefined;
  } catch {
    return undefined; // Whatever it is, it is no marker.
  }
}

/** Why a target can't be written, in one line. */
export function exportError(target: string, cause: unknown): ExportError {
  if (cause instanceof ExportError) return cause;
  return new ExportError("WRITE_FAILED", `Cannot export to "${target}": ${describeFailure(cause)}`, cause);
}

/** Why a file is left alone that an export as `engine` was to be written to. */
export function foreignFileError(engine: string, path: string, cause?: unknown): ExportError {
  const message = `Cannot export to "${path}": it is something else than an export as ${engine}; name another file`;
  return new ExportError("FOREIGN_TARGET", message, cause);
}

function describeFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  switch (code) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return "permission denied";
    case "ENOSPC":
    case "EDQUOT":
      return "the disk is full; make room and export again";
    case "ENOTDIR":
    case "EEXIST":
      return "it is no folder";
    default:
      return message;
  }
}
