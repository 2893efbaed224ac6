import { type Dirent, lstatSync, readdir as readFolder, type Stats } from "node:fs";
import { access, constants, realpath, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import fastGlob from "fast-glob";
import { StoreError } from "../errors.js";
import { describeFailure } from "./describe-failure.js";
import type { SkippedFile, StoreOptions } from "./store-options.js";
import { storesOf } from "./store-options.js";

/** A file that may be a session. */
export interface SessionFile {
  /** As found below the store that was given, links and all. */
  path: string;
  sizeBytes: number;
  /** Unix milliseconds. */
  mtimeMs: number;
}

export interface FoundFiles {
  /** By path. */
  files: SessionFile[];
  /** Folders and links that could not be followed. */
  skipped: SkippedFile[];
}

/**
 * Finds all files below the stores whose names end in `.jsonl`, in nested folders too. fast-glob walks the folders without following links; links
 * are resolved here, so that each real file comes once, under the first of its paths, and loops end. A link to a folder that holds the store is not
 * followed. What can't be looked into is reported. `onFound` is told of each file at once. Memory: the files found.
 *
 * @throws StoreError for a store that is no folder, or one that can't be read.
 */
export async function findSessionFiles(
  options: StoreOptions,
  onFound: (file: SessionFile) => void = () => {},
): Promise<FoundFiles> {
  const search = new FileSearch(await exclusion(options.exclude ?? []), onFound);
  for (const store of storesOf(options)) {
    await search.addStore(store);
    options.signal?.throwIfAborted();
  }
  return search.finish();
}

class FileSearch {
  readonly #isExcluded: ((pathBelowStore: string) => boolean) | undefined;
  readonly #onFound: (file: SessionFile) => void;
  /** By real path. */
  readonly #files = new Map<string, SessionFile>();
  readonly #skipped: SkippedFile[] = [];
  /** The folder whose tree is being walked, as it was found and where it really is. */
  #walking = { path: "", real: "" };
  /** Real paths of the folders whose trees were walked. */
  readonly #walked: string[] = [];

  constructor(isExcluded: ((pathBelowStore: string) => boolean) | undefined, onFound: (file: SessionFile) => void) {
    this.#isExcluded = isExcluded;
    this.#onFound = onFound;
  }

  async addStore(store: string): Promise<void> {
    const root = await realpath(store).catch((cause: unknown) => {
      throw new StoreError("NO_SUCH_STORE", `Cannot read the store "${store}": there is no such folder`, store, cause);
    });
    if (!(await stat(root)).isDirectory()) {
      throw new StoreError("NO_SUCH_STORE", `Cannot read the store "${store}": it is no folder`, store);
    }
    await access(root, constants.R_OK | constants.X_OK).catch((cause: unknown) => {
      throw new StoreError(
        "NO_SUCH_STORE",
        `Cannot read the store "${store}": ${describeFailure(cause)}`,
        store,
        cause,
      );
    });
    // Links are taken once the folders proper are done, so that a real file keeps its real path.
    const links = [{ path: store, real: root }];
    for (let folder = links.shift(); folder; folder = links.shift()) {
      if (this.#walked.some((walked) => isWithin(folder!.real, walked))) continue;
      this.#walked.push(folder.real);
      for (const link of await this.#walk(folder, store)) {
        const target = await this.#resolve(link);
        if (target && !isWithin(root, target)) links.push({ path: link, real: target });
      }
    }
  }

  finish(): FoundFiles {
    const byPath = (a: { path: string }, b: { path: string }): number =>
      a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
    return { files: [...this.#files.values()].sort(byPath), skipped: this.#skipped.sort(byPath) };
  }

  /** Takes the files of one tree of folders; returns the links in it, by path. */
  async #walk(folder: { path: string; real: string }, store: string): Promise<string[]> {
    const links: string[] = [];
    this.#walking = folder;
    // fast-glob names what it finds with slashes alone; joining and normalizing each path would take longer than finding it.
    const root = join(folder.path, "_").slice(0, -1);
    const realRoot = join(folder.real, "_").slice(0, -1);
    const found = fastGlob.stream("**/*", {
      cwd: folder.real,
      dot: true,
      followSymbolicLinks: false,
      objectMode: true,
      onlyFiles: false,
      fs: { readdir: this.#readFolder as typeof readFolder },
    }) as AsyncIterable<fastGlob.Entry>;
    for await (const { path: slashed, dirent } of found) {
      const below = sep === "/" ? slashed : slashed.replaceAll("/", sep);
      const path = `${root}${below}`;
      if (this.#isExcluded?.(relative(store, path))) continue;
      if (dirent.isSymbolicLink()) links.push(path);
      else if (dirent.isFile() && path.endsWith(".jsonl"))
        this.#takeFile(path, realRoot === root ? path : `${realRoot}${below}`);
    }
    return links.sort();
  }

  /** Takes the file behind a link; returns the real path of the folder behind one. */
  async #resolve(link: string): Promise<string | undefined> {
    let real: string;
    let stats: Stats;
    try {
      real = await realpath(link);
      stats = await stat(real);
    } catch (error) {
      if (link.endsWith(".jsonl")) this.#skip(link, error);
      return undefined;
    }
    if (stats.isDirectory()) return real;
    if (stats.isFile() && link.endsWith(".jsonl")) this.#take(link, real, stats);
    return undefined;
  }

  /**
   * fast-glob could bring the stats along, but then one file that has none, gone or closed, would cost its whole folder. Asking for them takes a few
   * microseconds, many times less than waiting for an answer.
   */
  #takeFile(path: string, real: string): void {
    let stats: Stats;
    try {
      stats = lstatSync(real);
    } catch (error) {
      this.#skip(path, error);
      return;
    }
    this.#take(path, real, stats);
  }

  #take(path: string, real: string, { size, mtimeMs }: { size: number; mtimeMs: number }): void {
    if (this.#files.has(real)) return;
    const file = { path, sizeBytes: size, mtimeMs };
    this.#files.set(real, file);
    this.#onFound(file);
  }

  #skip(path: string, error: unknown): void {
    this.#skipped.push({ path, reason: describeFailure(error) });
  }

  /** `fs.readdir` for fast-glob, in which a folder that can't be read is an empty one, and reported. */
  readonly #readFolder = (
    path: string,
    options: { withFileTypes: true },
    done: (error: null, entries: Dirent[]) => void,
  ): void => {
    readFolder(path, options, (error, entries) => {
      if (error) this.#skip(join(this.#walking.path, relative(this.#walking.real, path)), error);
      done(null, error ? [] : entries);
    });
  };
}

/** Whether `path` is `folder` or lies below it; both real. */
function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** A glob excludes the paths that it matches, and all that lies below them. */
async function exclusion(globs: readonly string[]): Promise<((path: string) => boolean) | undefined> {
  if (globs.length === 0) return undefined;
  const { default: picomatch } = await import("picomatch");
  const matches = picomatch([...globs], { dot: true });
  return (path) => {
    const parts = path.split(sep);
    return parts.some((_, at) => matches(parts.slice(0, at + 1).join("/")));
  };
}
