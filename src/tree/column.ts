type NumberArray = Uint8Array | Int32Array | Float64Array;

/** Numbers of entries, where they are kept is no matter: see `Column`. */
export interface NumberColumn {
  readonly capacity: number;
  get(entry: number): number;
  set(entry: number, value: number): void;
  grow(): void;
}

const PAGE_BITS = 14;
const PAGE_SIZE = 1 << PAGE_BITS;
const PAGE_MASK = PAGE_SIZE - 1;

/** How many numbers a new column has room for. */
const FIRST_CAPACITY = 32;

/**
 * One number for each entry, such as its parent's. It grows page by page, and only the first page is ever copied (while it is small): there is
 * no moment with an old and a new copy of everything, and what stays unused is at most half, and at most a page.
 */
export class Column<A extends NumberArray> implements NumberColumn {
  readonly #Page: new (
    length: number,
  ) => A;
  readonly #pages: A[];
  #capacity = FIRST_CAPACITY;

  /** A column of zeros; `Page` is the typed array that its numbers fit in. */
  constructor(Page: new (length: number) => A) {
    this.#Page = Page;
    this.#pages = [new Page(FIRST_CAPACITY)];
  }

  /** How many numbers it has room for. */
  get capacity(): number {
    return this.#capacity;
  }

  /** The number of an entry, which must be below the capacity. */
  get(entry: number): number {
    return this.#pages[entry >>> PAGE_BITS]![entry & PAGE_MASK]!;
  }

  /** Sets the number of an entry, which must be below the capacity. */
  set(entry: number, value: number): void {
    this.#pages[entry >>> PAGE_BITS]![entry & PAGE_MASK] = value;
  }

  /** Sets the numbers of as many entries as there are values, from one on; all must be below the capacity. */
  setAll(first: number, values: NumberArray): void {
    for (let done = 0; done < values.length; ) {
      const at = (first + done) & PAGE_MASK;
      const count = Math.min(values.length - done, PAGE_SIZE - at);
      this.#pages[(first + done) >>> PAGE_BITS]!.set(values.subarray(done, done + count), at);
      done += count;
    }
  }

  /** The numbers of the first `size` entries, which must be below the capacity, in a buffer of their own. */
  slice(size: number): A {
    const numbers = new this.#Page(size);
    for (let first = 0; first < size; first += PAGE_SIZE) {
      numbers.set(this.#pages[first >>> PAGE_BITS]!.subarray(0, size - first), first);
    }
    return numbers;
  }

  /** Makes room for more entries; their numbers are 0. */
  grow(): void {
    if (this.#capacity < PAGE_SIZE) {
      const larger = new this.#Page(this.#capacity * 2);
      larger.set(this.#pages[0]!);
      this.#pages[0] = larger;
      this.#capacity *= 2;
    } else {
      this.#pages.push(new this.#Page(PAGE_SIZE));
      this.#capacity += PAGE_SIZE;
    }
  }
}
