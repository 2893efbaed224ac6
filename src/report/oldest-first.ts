import { compareAge, type LineageFile, NO_FILE } from "./file-lineage.js";
import { NumberHeap } from "./number-heap.js";

/**
 * The numbers of all files, oldest first: a parent before its forks, then the earlier header time (an invalid one last), then the smaller path. Step by
 * step, of the files whose parent has its place, the earliest is next; where there is none, since files are the parents of each other, the earliest of all.
 */
export function orderOldestFirst(files: readonly LineageFile[], parents: Int32Array): Int32Array {
  const byAge = Int32Array.from(files.keys()).sort((a, b) => compareAge(files[a]!, files[b]!));
  const order = new FileOrder(byAge, parents);
  for (let age = 0; age < files.length; age++) if (order.isReady(age)) order.place(age, age);
  for (let age = 0; age < files.length; age++) if (!order.isPlaced(age)) order.place(age, files.length);
  return order.files;
}

/** An order in the making. Here a file is known by its age: its place among all when links to parents don't count. */
class FileOrder {
  /** The files that have their place, then zeros. */
  readonly files: Int32Array;
  #size = 0;
  readonly #byAge: Int32Array;
  readonly #placed: Uint8Array;
  readonly #parents: Int32Array;
  /** The forks of a file are a list: its first fork, then from each fork the next one. */
  readonly #firstFork: Int32Array;
  readonly #nextFork: Int32Array;
  /** Files that are next, since they were only waiting for their parent. */
  readonly #due = new NumberHeap();

  constructor(byAge: Int32Array, parents: Int32Array) {
    const { length } = byAge;
    const ages = new Int32Array(length);
    for (const [age, file] of byAge.entries()) ages[file] = age;
    this.files = new Int32Array(length);
    this.#byAge = byAge;
    this.#placed = new Uint8Array(length);
    this.#parents = byAge.map((file) => (parents[file] === NO_FILE ? NO_FILE : ages[parents[file]!]!));
    this.#firstFork = new Int32Array(length).fill(NO_FILE);
    this.#nextFork = new Int32Array(length);
    for (const [age, parent] of this.#parents.entries()) {
      if (parent === NO_FILE) continue;
      this.#nextFork[age] = this.#firstFork[parent]!;
      this.#firstFork[parent] = age;
    }
  }

  isPlaced(age: number): boolean {
    return this.#placed[age] === 1;
  }

  /** Whether a file has no place yet, and no parent that has to come first. */
  isReady(age: number): boolean {
    const parent = this.#parents[age]!;
    return !this.isPlaced(age) && (parent === NO_FILE || this.isPlaced(parent));
  }

  /** Places a file, and with it the forks, and forks of those, that are older than `next` and were only waiting for it. */
  place(file: number, next: number): void {
    for (let age: number | undefined = file; age !== undefined; age = this.#due.pop()) {
      this.files[this.#size++] = this.#byAge[age]!;
      this.#placed[age] = 1;
      for (let fork = this.#firstFork[age]!; fork !== NO_FILE; fork = this.#nextFork[fork]!) {
        if (fork < next && !this.isPlaced(fork)) this.#due.push(fork);
      }
    }
  }
}
