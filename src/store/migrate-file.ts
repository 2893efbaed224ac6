import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  openSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { migrateHeader } from "../migrate/migrate-header.js";
import { copySession } from "./copy-session.js";
import { writeFileAtomically } from "./write-file-atomically.js";

/** How long another process is given for the last step, once it has kept the original. */
const RENAME_PATIENCE_MS = 500;

/** Someone else has put another file in the place of the one that was read. */
class AlreadyReplaced extends Error {}

/**
 * Rewrites a session of version 1 or 2 as version 3, atomically. The original stays as `<file>.bak` (`<file>.bak.2` and so on, when there is one from
 * before). Of several processes that do this at once, one does it, and the others find it done.
 *
 * @throws SessionFormatError for a file that is no session, and the system's error when it can't be written; it is untouched then.
 */
export function migrateFile(path: string): void {
  const file = realpathSync(path);
  const from = openSync(file, "r");
  try {
    const original = fstatSync(from);
    writeFileAtomically(
      file,
      (writer) => copySession(from, file, writer, { header: migrateHeader, keepOthers: true }),
      { mode: original.mode, beforeRename: () => keepOriginal(file, original) },
    );
  } catch (error) {
    if (!(error instanceof AlreadyReplaced)) throw error;
  } finally {
    closeSync(from);
  }
}

/** The backup is a second name of the original. Only one process can give it that name, so it also decides who goes on to rename. */
function keepOriginal(file: string, original: Stats): void {
  for (let count = 1; ; count++) {
    const backup = count === 1 ? `${file}.bak` : `${file}.bak.${count}`;
    if (linkOrCopy(file, backup)) {
      if (!isSameFile(statSync(backup), original)) throwIfReplaced(file, original);
      return;
    }
    if (isSameFile(statSync(backup), original)) {
      waitForRename(file, original);
      return;
    }
  }
}

/** Returns false when the name is taken. */
function linkOrCopy(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return false;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "ENOSYS" && code !== "EMLINK") throw error;
  }
  // A file system without second names.
  try {
    copyFileSync(file, name, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Another process has named the backup: it will rename next, unless it died in between. Then it is for this one to go on. */
function waitForRename(file: string, original: Stats): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (const end = Date.now() + RENAME_PATIENCE_MS; Date.now() < end; ) {
    throwIfReplaced(file, original);
    Atomics.wait(pause, 0, 0, 5);
  }
}

function throwIfReplaced(file: string, original: Stats): void {
  if (!isSameFile(statSync(file), original)) throw new AlreadyReplaced();
}

function isSameFile(a: Stats, b: Stats): boolean {
  return a.ino === b.ino && a.dev === b.dev;
}
