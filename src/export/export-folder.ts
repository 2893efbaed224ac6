import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { ExportError } from "../errors.js";

/** Tells the folders that exports were written to from all others. */
const MARKER = ".pi-sessions-export.json";

/** What the names of files on their way look like. */
const TEMPORARY = /^\..*\.[0-9a-f]{12}\.tmp$/;

/** What a folder was when it was claimed: not there, without anything, or with an export. */
export type Claim = "missing" | "empty" | "exported";

/**
 * Makes a folder for an export, or takes one that an export of the same format was written to.
 *
 * @throws ExportError when there is something else, or the folder can't be made.
 */
export async function claimFolder(folder: string, format: string): Promise<Claim> {
  let isMade: boolean;
  let names: string[];
  try {
    isMade = await makeFolder(folder);
    names = await readdir(folder);
    // One that was killed as it began left no more than a temporary file.
    if (names.every(isTemporary)) {
      await writeMarker(folder, format);
      return isMade ? "missing" : "empty";
    }
  } catch (error) {
    throw exportError(folder, error);
  }
  const found = await readMarker(folder);
  if (found === format) return "exported";
  const what = found === undefined ? "is not empty, and no export wrote it" : `holds an export as ${found}`;
  throw new ExportError("FOREIGN_TARGET", `Cannot export to "${folder}": it ${what}; name a new or empty folder`);
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

/** Makes a folder again what it was when it was claimed, for an export that came to nothing. Never throws. */
export async function releaseFolder(folder: string, claim: Claim): Promise<void> {
  if (claim === "exported") return;
  await rm(join(folder, MARKER), { force: true }).catch(() => {});
  // If something else lies there by now, the folder stays.
  if (claim === "missing") await rmdir(folder).catch(() => {});
}

/** Says that a folder holds an export. */
async function writeMarker(folder: string, format: string): Promise<void> {
  const temporary = temporaryPath(folder, MARKER);
  await writeFile(temporary, `${JSON.stringify({ format })}\n`);
  await rename(temporary, join(folder, MARKER));
}

/** A path for a file that is on its way to a name in a folder: no reader takes it for an export. */
export function temporaryPath(folder: string, name: string): string {
  return join(folder, `.${name}.${randomBytes(6).toString("hex")}.tmp`);
}

/** Whether a name is one of a file that was on its way. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
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
