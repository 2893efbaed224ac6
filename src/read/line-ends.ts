/**
 * Keeps the first and the last `windowBytes` of a long line whose pieces pass by: what recovery looks at, should the line turn out to be damaged.
 * For lines that can't be read a second time.
 */
export class LineEnds {
  readonly #windowBytes: number;
  #head: Buffer = Buffer.allocUnsafe(0);
  /** A ring that holds the byte at line offset `i` at `i % windowBytes`; it grows to `windowBytes` as the line does. */
  #ring: Buffer = Buffer.allocUnsafe(0);
  #length = 0;

  constructor(windowBytes: number) {
    this.#windowBytes = windowBytes;
  }

  push(piece: Buffer): void {
    const before = this.#length;
    this.#length += piece.length;
    this.#ring = grow(this.#ring, before, Math.min(this.#length, this.#windowBytes));
    for (let from = Math.max(0, piece.length - this.#windowBytes); from < piece.length; ) {
      const at = (before + from) % this.#windowBytes;
      from += piece.copy(this.#ring, at, from, from + Math.min(piece.length - from, this.#windowBytes - at));
    }
    // Just when the ring is about to wrap for the first time, what it held so far is the head.
    if (before < this.#windowBytes) {
      this.#head = grow(this.#head, before, Math.min(this.#length, this.#windowBytes));
      piece.copy(this.#head, before, 0, this.#windowBytes - before);
    }
  }

  /** The first `windowBytes` of the line. */
  head(): Buffer {
    return this.#head.subarray(0, Math.min(this.#length, this.#windowBytes));
  }

  /** The last `windowBytes` of the line, and where in the line they begin. */
  tail(): { bytes: Buffer; offset: number } {
    if (this.#length <= this.#windowBytes) return { bytes: this.head(), offset: 0 };
    const at = this.#length % this.#windowBytes;
    return {
      bytes: Buffer.concat([this.#ring.subarray(at, this.#windowBytes), this.#ring.subarray(0, at)]),
      offset: this.#length - this.#windowBytes,
    };
  }
}

/** A buffer of at least `size` bytes that begins with the first `used` bytes of `buffer`; doubling keeps the copying linear. */
function grow(buffer: Buffer, used: number, size: number): Buffer {
  if (size <= buffer.length) return buffer;
  const grown = Buffer.allocUnsafeSlow(Math.max(size, buffer.length * 2, 4096));
  buffer.copy(grown, 0, 0, used);
  return grown;
}
