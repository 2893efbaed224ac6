import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "../sync-folder.js";
import { FileWriter } from "./file-writer.js";

export interface WriteFileOptions {
  /** The permissions of the file; default those of any new file. */
  mode?: number;
  /** Runs when all is written and on the disk, just before the file gets its name. */
  beforeRename?: () => void;
}

/**
 * Writes a file that is there whole or not at all, whenever the process dies: under another name in the same folder (one that no reader takes for a
 * session), synced, then renamed; the folder is synced too. When anything throws, a file that had the name before is untouched.
 */
export function writeFileAtomically(
  path: string,
  write: (writer: FileWriter) => void,
  { mode = 0o666, beforeRename }: WriteFileOptions = {},
): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    const fd = openSync(temporary, "wx", mode);
    try {
      const writer = new FileWriter(fd);
      write(writer);
      writer.flush();
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    beforeRename?.();
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}
