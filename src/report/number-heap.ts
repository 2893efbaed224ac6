/** Gives back numbers, the smallest first: a binary heap, in which the children of place `n` are at `2n + 1` and `2n + 2` and no smaller. */
export class NumberHeap {
  readonly #numbers: number[] = [];

  push(number: number): void {
    const numbers = this.#numbers;
    let place = numbers.push(number) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (numbers[above]! <= number) break;
      numbers[place] = numbers[above]!;
      place = above;
    }
    numbers[place] = number;
  }

  /** Takes out the smallest number; undefined when there is none. */
  pop(): number | undefined {
    const numbers = this.#numbers;
    const smallest = numbers[0];
    const last = numbers.pop();
    if (last === undefined || numbers.length === 0) return last;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below + 1 < numbers.length && numbers[below + 1]! < numbers[below]!) below++;
      if (below >= numbers.length || numbers[below]! >= last) break;
      numbers[place] = numbers[below]!;
      place = below;
    }
    numbers[place] = last;
    return smallest;
  }
}
