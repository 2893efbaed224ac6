import { open, readFile, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ExportError } from "../errors.js";
import { temporaryPath } from "./temporary-path.js";

/** A lock gets the number of its process a moment after it is made: so often, with such pauses, it is read before it counts as left by one that died. */
const ATTEMPTS = 50;
const PAUSE_MS = 10;

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
    else await removeDead(path, owner);
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
 * Removes the lock of a process that has died. Of several that found it, one may have made its own by now: what is removed is looked at once more, where nobody
 * else gets at it.
 */
async function removeDead(path: string, owner: number): Promise<void> {
  const aside = temporaryPath(dirname(path), basename(path));
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  if ((await readOwner(aside)) === owner) await rm(aside);
  else await rename(aside, path);
}

/** The process that a lock names; 0 when there is none. */
async function readOwner(path: string): Promise<number> {
  return Number.parseInt(await readFile(path, "utf8").catch(() => ""), 10) || 0;
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
