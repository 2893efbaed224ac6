/** Numbers from 0 on, each in one of some sets, that are joined two by two. */
export class DisjointSets {
  /** By number: another one of its set, nearer to the one that stands for all of them. */
  readonly #nearer: number[] = [];

  /** Adds the next number, in a set of its own. */
  add(): void {
    this.#nearer.push(this.#nearer.length);
  }

  join(one: number, other: number): void {
    this.#nearer[this.find(one)] = this.find(other);
  }

  /** The number that stands for the set of another. Halves the way for the next who asks, so no chain is walked twice. */
  find(number: number): number {
    const nearer = this.#nearer;
    let at = number;
    while (nearer[at] !== at) {
      nearer[at] = nearer[nearer[at]!]!;
      at = nearer[at]!;
    }
    return at;
  }
}
