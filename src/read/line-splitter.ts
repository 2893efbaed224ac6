/**
 * Takes the lines of a file, in order. The bytes are lent for the length of the call: they lie in the chunk that was pushed, or in a buffer that is
 * used again. Plain arguments instead of an object a line, since a store has tens of millions of lines.
 */
export interface LineSink {
  /** One line: `bytes[start, end)`, without its newline. `terminated` is false when the file ends without one. */
  line(bytes: Buffer, start: number, end: number, line: number, byteOffset: number, terminated: boolean): void;
  /** A piece of a line above `maxLineBytes`; `byteOffset` is where the line begins, `last` marks its last piece. */
  longLine(
    bytes: Buffer,
    start: number,
    end: number,
    line: number,
    byteOffset: number,
    last: boolean,
    terminated: boolean,
  ): void;
  /** Where it is there, it may take whole lines of `bytes[start, end)` at once; the bytes are lent likewise. */
  lines?(bytes: Buffer, start: number, end: number, line: number, byteOffset: number): LineRun;
}

/** Lines that were taken at once. */
export interface LineRun {
  count: number;
  /** Where the last one ends, behind its newline. */
  end: number;
}

const NEWLINE = 0x0a;

/**
 * Splits bytes into lines at `\n`, whatever the size of the chunks they come in. A line that lies within one chunk is handed on in place; one that
 * straddles chunks is gathered in a buffer that grows to at most `maxLineBytes`; one above that is handed on piece by piece, never joined.
 * Every byte is copied once at most, so the time is linear in the length of a line.
 */
export class LineSplitter {
  readonly #sink: LineSink;
  readonly #maxLineBytes: number;
  /** The front of a line whose newline has not come yet. */
  #pending: Buffer = Buffer.allocUnsafe(0);
  #pendingLength = 0;
  /** Whether the current line went over `maxLineBytes`, so that its front has been handed on already. */
  #isLong = false;
  #line = 1;
  #lineStart: number;
  #bytes: number;

  /** `from` is where the bytes begin in the file (at the start of line `line`), for readers that go on from a known place. */
  constructor(
    sink: LineSink,
    maxLineBytes: number,
    from: { line: number; byteOffset: number } = { line: 1, byteOffset: 0 },
  ) {
    if (!(maxLineBytes >= 1)) throw new RangeError(`Cannot split lines: maxLineBytes is ${maxLineBytes}`);
    this.#sink = sink;
    this.#maxLineBytes = maxLineBytes;
    this.#line = from.line;
    this.#lineStart = from.byteOffset;
    this.#bytes = from.byteOffset;
  }

  /** The file offset up to which bytes were pushed. */
  get byteOffset(): number {
    return this.#bytes;
  }

  /** Takes the next bytes of the file. The chunk may be used again once this returns. */
  push(chunk: Buffer): void {
    let start = 0;
    for (;;) {
      if (this.#sink.lines && this.#pendingLength === 0 && !this.#isLong) {
        const { count, end } = this.#sink.lines(chunk, start, chunk.length, this.#line, this.#bytes + start);
        this.#line += count;
        start = end;
        this.#lineStart = this.#bytes + start;
      }
      const newline = chunk.indexOf(NEWLINE, start);
      if (newline < 0) break;
      this.#endLine(chunk, start, newline, true);
      start = newline + 1;
      this.#line++;
      this.#lineStart = this.#bytes + start;
    }
    if (start < chunk.length) this.#keep(chunk, start, chunk.length);
    this.#bytes += chunk.length;
  }

  /** Ends the file: hands on a last line that has no newline. */
  end(): void {
    if (this.#bytes > this.#lineStart) this.#endLine(this.#pending, 0, 0, false);
    this.#lineStart = this.#bytes;
  }

  #endLine(bytes: Buffer, start: number, end: number, terminated: boolean): void {
    const length = this.#pendingLength + end - start;
    if (this.#isLong || length > this.#maxLineBytes) {
      if (this.#pendingLength > 0) this.#handOnPending();
      this.#sink.longLine(bytes, start, end, this.#line, this.#lineStart, true, terminated);
      this.#isLong = false;
    } else if (this.#pendingLength > 0) {
      this.#append(bytes, start, end);
      this.#pendingLength = 0;
      this.#sink.line(this.#pending, 0, length, this.#line, this.#lineStart, terminated);
    } else {
      this.#sink.line(bytes, start, end, this.#line, this.#lineStart, terminated);
    }
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    if (!this.#isLong && this.#pendingLength + end - start <= this.#maxLineBytes) {
      this.#append(chunk, start, end);
      return;
    }
    this.#isLong = true;
    if (this.#pendingLength > 0) this.#handOnPending();
    this.#sink.longLine(chunk, start, end, this.#line, this.#lineStart, false, false);
  }

  #handOnPending(): void {
    const length = this.#pendingLength;
    this.#pendingLength = 0;
    this.#sink.longLine(this.#pending, 0, length, this.#line, this.#lineStart, false, false);
  }

  #append(bytes: Buffer, start: number, end: number): void {
    const length = this.#pendingLength + end - start;
    if (length > this.#pending.length) {
      const grown = Buffer.allocUnsafeSlow(
        Math.min(this.#maxLineBytes, Math.max(length, this.#pending.length * 2, 4096)),
      );
      this.#pending.copy(grown, 0, 0, this.#pendingLength);
      this.#pending = grown;
    }
    bytes.copy(this.#pending, this.#pendingLength, start, end);
    this.#pendingLength = length;
  }
}
