import { readFileSync, renameSync } from "node:fs";
import { open, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ExportError } from "../errors.js";
import { temporaryPath } from "./temporary-path.js";

/** A lock gets the number of its process a moment after it is made: so often, with such pauses, it is read before it counts as left by one that died. */
const ATTEMPTS = 50;
const PAUSE_MS = 10;

/** How long those that found a lock of a dead process may take to replace it. */
const SETTLE_MS = 500;

/** The locks of this process. Another one may well have had its number: in a container the next process often has that of the one before. */
const heldHere = new Set<string>();

/** Keeps other exports away from a target, by a file with the number of the process. A lock whose process has died holds no longer. */
export class ExportLock {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /**
   * Takes the lock at `path`, in a folder that is there.
   *
   * @throws ExportError when another export has it.
   */
  static async take(target: string, path: string): Promise<ExportLock> {
    // A folder may have several names.
    const real = join(await realpath(dirname(path)), basename(path));
    if (heldHere.has(real)) throw heldError(target, real, process.pid);
    heldHere.add(real);
    try {
      await makeLock(target, real);
      return new ExportLock(real);
    } catch (error) {
      heldHere.delete(real);
      throw error;
    }
  }

  /** Never throws. */
  async release(): Promise<void> {
    if (!heldHere.delete(this.#path)) return;
    await rm(this.#path, { force: true }).catch(() => {}); // The next export finds that its process has died.
  }
}

async function makeLock(target: string, path: string): Promise<void> {
  for (let attempt = 0; !(await tryToMake(path)); attempt++) {
    const owner = await readOwner(path);
    if (owner !== process.pid && isAlive(owner)) throw heldError(target, path, owner);
    if (owner === 0 && attempt < ATTEMPTS) await setTimeout(PAUSE_MS);
    else if (await takeOver(path, owner)) return;
  }
}

/** Whether there was no lock. */
async function tryToMake(path: string): Promise<boolean> {
  const handle = await open(path, "wx").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") return undefined;
    throw error;
  });
  if (!handle) return false;
  try {
    await handle.writeFile(String(process.pid));
    return true;
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

/**
 * Puts this process in place of one that has died; whether that worked. Several may have found it dead: each replaces what it found, unless another one was
 * sooner, and the last one has it. So it is looked at again once all that found it must be done.
 */
async function takeOver(path: string, owner: number): Promise<boolean> {
  const own = temporaryPath(dirname(path), basename(path));
  await writeFile(own, String(process.pid));
  try {
    // Without a pause between: what was found a while ago may be somebody's by now.
    if (readOwnerNow(path) === owner) renameSync(own, path);
  } finally {
    await rm(own, { force: true });
  }
  await setTimeout(SETTLE_MS);
  return (await readOwner(path)) === process.pid;
}

function readOwnerNow(path: string): number | undefined {
  try {
    return ownerOf(readFileSync(path, "utf8"));
  } catch {
    return undefined; // It was released.
  }
}

/** The process that a lock names; 0 when there is none. */
async function readOwner(path: string): Promise<number> {
  return ownerOf(await readFile(path, "utf8").catch(() => ""));
}

function ownerOf(lock: string): number {
  return Number.parseInt(lock, 10) || 0;
}

function isAlive(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function heldError(target: string, path: string, owner: number): ExportError {
  const message = `Cannot export to "${target}": another export to it is running, process ${owner}; wait for it, or remove "${path}" if that is none`;
  return new ExportError("WRITE_FAILED", message);
}
