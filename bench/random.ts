/** A small seeded source of numbers (mulberry32): the same seed gives the same numbers everywhere. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed | 0;
  }

  /** 32 random bits, as a number from 0 to 2^32 - 1. */
  bits(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** From 0 up to, not including, 1. */
  fraction(): number {
    return this.bits() / 0x1_0000_0000;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.fraction() * (high - low + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(items: readonly T[]): T {
    return items[Math.floor(this.fraction() * items.length)]!;
  }

  /** A size with a heavy tail: log-normal around `median`, a whole number of at least 1. */
  size(median: number, spread: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.fraction())) * Math.cos(2 * Math.PI * this.fraction());
    return Math.max(1, Math.round(median * Math.exp(spread * normal)));
  }

  /** `digits` hex digits, 8 at most. */
  hex(digits: number): string {
    return hex8(this.bits()).slice(0, digits);
  }
}

/** A 32-bit number as 8 hex digits. */
export function hex8(bits: number): string {
  return (bits >>> 0).toString(16).padStart(8, "0");
}
