import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ExportError } from "../errors.js";

/** Names the folders that exports were written to, so that none is taken for another's. */
export const MARKER = ".pi-sessions-export.json";

/**
 * Makes a folder for an export, or takes one that an export of the same format was written to.
 *
 * @throws ExportError when there is something else, or the folder can't be made.
 */
export async function claimFolder(folder: string, format: string): Promise<void> {
  let names: string[];
  try {
    await mkdir(folder, { recursive: true });
    names = await readdir(folder);
  } catch (error) {
    throw exportError(folder, error);
  }
  if (names.length === 0) return;
  const found = await readMarker(folder);
  if (found === format) return;
  const what = found === undefined ? "is not empty, and no export wrote it" : `holds an export as ${found}`;
  throw new ExportError("FOREIGN_TARGET", `Cannot export to "${folder}": it ${what}; name a new or empty folder`);
}

/** What a marker file says. */
export function markerText(format: string): string {
  return `${JSON.stringify({ format })}\n`;
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
