/** What some paths end in, and whose paths those are. */
interface Ending {
  /** The files with the smallest and the second smallest path; `NO_FILE` without a second one. */
  smallest: number;
  second: number;
  /** The endings that are one part longer, by that part. Undefined while there is one file only: nothing has to be told apart yet. */
  longer: Map<string, Ending> | undefined;
}

const NO_FILE = -1;

/**
 * Finds the path that agrees with a name in most parts, counted from the end. It is a tree of endings, in which a file that is alone with its ending is not
 * followed further. Both `/` and `\` part a path. Takes time linear in the length of a path, however many paths end alike.
 *
 *     a.jsonl ─┬─ pond ─┬─ ada    /home/ada/pond/a.jsonl
 *              │        └─ bob    /home/bob/pond/a.jsonl
 *              └─ lake            /home/ada/lake/a.jsonl
 *     b.jsonl                     /home/ada/lake/b.jsonl
 */
export class PathEndings {
  readonly #paths: readonly string[];
  readonly #byLastPart = new Map<string, Ending>();

  /** `paths` by file number. */
  constructor(paths: readonly string[]) {
    this.#paths = paths;
    for (const file of paths.keys()) this.#add(file);
  }

  /**
   * The file, `self` aside, whose path agrees with `name` in most parts from the end on, and at least in the last one; of several, the one with the smallest
   * path. Undefined without one.
   */
  nearest(name: string, self: number): number | undefined {
    let nearest: number | undefined;
    let longer: Map<string, Ending> | undefined = this.#byLastPart;
    for (let end = name.length; longer !== undefined && end >= 0; ) {
      const start = partStart(name, end);
      const ending: Ending | undefined = longer.get(name.slice(start, end));
      if (ending === undefined) break;
      const other = ending.smallest === self ? ending.second : ending.smallest;
      if (other !== NO_FILE) nearest = other;
      longer = ending.longer;
      end = start - 1;
    }
    return nearest;
  }

  #add(file: number): void {
    const path = this.#paths[file]!;
    let longer = this.#byLastPart;
    for (let end = path.length; end >= 0; ) {
      const start = partStart(path, end);
      const part = path.slice(start, end);
      const ending = longer.get(part);
      if (ending === undefined) {
        longer.set(part, { smallest: file, second: NO_FILE, longer: undefined });
        return;
      }
      end = start - 1;
      ending.longer ??= this.#partOneBefore(ending.smallest, path.length - end);
      this.#offer(ending, file);
      longer = ending.longer;
    }
  }

  /** The endings below one that had a single file: that file's own, longer than the `known` characters at its end. */
  #partOneBefore(file: number, known: number): Map<string, Ending> {
    const path = this.#paths[file]!;
    const end = path.length - known;
    if (end < 0) return new Map();
    return new Map([[path.slice(partStart(path, end), end), { smallest: file, second: NO_FILE, longer: undefined }]]);
  }

  #offer(ending: Ending, file: number): void {
    const path = this.#paths[file]!;
    if (path < this.#paths[ending.smallest]!) {
      ending.second = ending.smallest;
      ending.smallest = file;
    } else if (ending.second === NO_FILE || path < this.#paths[ending.second]!) {
      ending.second = file;
    }
  }
}

/** Where the part of a path begins that ends before `end`. */
function partStart(path: string, end: number): number {
  let start = end;
  while (start > 0 && path[start - 1] !== "/" && path[start - 1] !== "\\") start--;
  return start;
}
