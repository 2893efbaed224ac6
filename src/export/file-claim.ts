import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { makeFolder } from "./export-folder.js";
import { ExportLock } from "./export-lock.js";

/** A file that belongs to one export until it is released. Its lock lies beside it. */
export class FileClaim {
  /** Whether there was no file. */
  readonly isNew: boolean;
  readonly #path: string;
  readonly #lock: ExportLock;
  #isReleased = false;

  private constructor(path: string, lock: ExportLock) {
    this.#path = path;
    this.#lock = lock;
    this.isNew = !existsSync(path); // Only now: an export that ran till then may have made it.
  }

  /** Throws an ExportError when another export is running, and what the system says when the folder can't be made. */
  static async take(path: string): Promise<FileClaim> {
    await makeFolder(dirname(path));
    return new FileClaim(path, await ExportLock.take(path, join(dirname(path), `.${basename(path)}.export.lock`)));
  }

  /** Lets other exports in. A new file goes if the export came to nothing, with the journals of its database, whose names end in `journals`. Never throws. */
  async release(isAborted: boolean, journals: readonly string[]): Promise<void> {
    if (this.#isReleased) return;
    this.#isReleased = true;
    if (isAborted && this.isNew) {
      // What can't be removed, the next export takes for one that was killed.
      for (const end of ["", ...journals]) await rm(this.#path + end, { force: true }).catch(() => {});
    }
    await this.#lock.release();
  }
}
