import type { DisjointSets } from "./disjoint-sets.js";
import { PathEndings } from "./path-endings.js";

/** What of a session file tells where it came from. */
export interface LineageFile {
  /** Absolute; no two files have the same. */
  path: string;
  /** The session id. */
  id: string;
  /** The parent as the header names it: a path of any machine, or a session id. */
  parent: string | null;
  /** The header's time in Unix milliseconds; null when it is absent or invalid. */
  created: number | null;
}

/** In place of a file's number: there is none. */
export const NO_FILE = -1;

/** File systems allow no longer names. */
const MAX_FILE_NAME = 255;

/**
 * The number of each file's parent, `NO_FILE` without one in the store. A header means the file at the path that it names; else the one of the same file
 * name, taking the path that agrees in most parts from the end (the smallest of several); else the one whose session id stands at the end of the file name,
 * as pi names files, or is what the header names. A file is never its own parent; files may well be the parents of each other.
 */
export function findParents(files: readonly LineageFile[]): Int32Array {
  const parents = new Int32Array(files.length).fill(NO_FILE);
  const naming = [...files.keys()].filter((file) => files[file]!.parent !== null);
  if (naming.length === 0) return parents;

  const byPath = new Map(files.map(({ path }, file) => [path, file]));
  const lost = naming.filter((file) => {
    const parent = byPath.get(files[file]!.parent!);
    if (parent === undefined || parent === file) return true;
    parents[file] = parent;
    return false;
  });
  if (lost.length === 0) return parents;

  const endings = new PathEndings(files.map(({ path }) => path));
  const ids = new SessionIds(files);
  for (const file of lost) {
    const named = files[file]!.parent!;
    parents[file] = endings.nearest(named, file) ?? ids.named(named, file) ?? NO_FILE;
  }
  return parents;
}

/** Whether a file's header names a parent that is not in the store. A file that names itself misses nothing. */
export function missesParent({ path, id, parent }: LineageFile, parentFile: number): boolean {
  return parent !== null && parentFile === NO_FILE && parent !== path && parent !== id;
}

/** Earlier header times first and invalid ones last, then smaller paths first. */
export function compareAge(one: LineageFile, other: LineageFile): number {
  const time = one.created ?? Number.POSITIVE_INFINITY;
  const otherTime = other.created ?? Number.POSITIVE_INFINITY;
  if (time !== otherTime) return time < otherTime ? -1 : 1;
  return comparePaths(one, other);
}

function comparePaths(one: LineageFile, other: LineageFile): number {
  return one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}

/** Finds files by session id. */
class SessionIds {
  /** By session id: the files, the smallest path first and no more than two, since one is enough beside the file that asks. */
  readonly #byId = new Map<string, number[]>();

  constructor(files: readonly LineageFile[]) {
    for (const [file, { id }] of files.entries()) {
      const known = this.#byId.get(id);
      if (known === undefined) this.#byId.set(id, [file]);
      else this.#byId.set(id, [...known, file].sort((a, b) => comparePaths(files[a]!, files[b]!)).slice(0, 2));
    }
  }

  /** The file, `self` aside, whose id is the name of a parent, or stands behind a `_` in its file name; the longest such id. */
  named(name: string, self: number): number | undefined {
    const whole = this.#other(name, self);
    const fileName = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
    if (whole !== undefined || !fileName.endsWith(".jsonl") || fileName.length > MAX_FILE_NAME) return whole;
    const stem = fileName.slice(0, -".jsonl".length);
    for (let at = stem.indexOf("_"); at !== -1; at = stem.indexOf("_", at + 1)) {
      const found = at + 1 < stem.length ? this.#other(stem.slice(at + 1), self) : undefined;
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #other(id: string, self: number): number | undefined {
    return this.#byId.get(id)?.find((file) => file !== self);
  }
}

/** Joins files that belong together as far as their headers tell: with their parents, by a missing parent of the same name, and by session id. */
export function joinLineages(files: readonly LineageFile[], parents: Int32Array, sets: DisjointSets): void {
  const byId = new Map<string, number>();
  const byMissing = new Map<string, number>();
  const joinBy = (known: Map<string, number>, key: string, file: number): void => {
    const other = known.get(key);
    if (other === undefined) known.set(key, file);
    else sets.join(file, other);
  };
  for (const [file, { id, parent }] of files.entries()) {
    joinBy(byId, id, file);
    if (parents[file] !== NO_FILE) sets.join(file, parents[file]!);
    else if (parent !== null) joinBy(byMissing, parent, file);
  }
}
