import { closeSync, openSync, readSync, utimesSync, writeSync } from "node:fs";

const BUFFER_BYTES = 1 << 20;

/** A file of the corpus being written, through one buffer that all files may share in turn. */
export class CorpusFile {
  /** How many bytes the file holds so far. */
  size = 0;
  private readonly descriptor: number;
  private filled = 0;

  constructor(
    readonly path: string,
    private readonly buffer: Buffer,
  ) {
    this.descriptor = openSync(path, "w+");
  }

  static makeBuffer(): Buffer {
    return Buffer.allocUnsafe(BUFFER_BYTES);
  }

  write(text: string): void {
    // A UTF-16 unit takes three bytes of UTF-8 at most.
    if (text.length * 3 > this.buffer.length - this.filled) this.flush();
    if (text.length * 3 > this.buffer.length) {
      this.size += writeWhole(this.descriptor, Buffer.from(text));
      return;
    }
    const bytes = this.buffer.write(text, this.filled);
    this.filled += bytes;
    this.size += bytes;
  }

  /** Appends the bytes from `start` to `end` of another file that has been flushed. */
  copy(source: CorpusFile, start: number, end: number): void {
    for (let from = start; from < end; ) {
      if (this.filled === this.buffer.length) this.flush();
      const want = Math.min(end - from, this.buffer.length - this.filled);
      const got = readSync(source.descriptor, this.buffer, this.filled, want, from);
      if (got === 0) throw new Error(`Cannot copy from "${source.path}": it ends at byte ${from}, ${end} was expected`);
      this.filled += got;
      this.size += got;
      from += got;
    }
  }

  flush(): void {
    writeWhole(this.descriptor, this.buffer.subarray(0, this.filled));
    this.filled = 0;
  }

  /** Closes the flushed file, and dates it `modified` (Unix milliseconds), so that the same seed also gives the same times. */
  close(modified: number): void {
    closeSync(this.descriptor);
    utimesSync(this.path, modified / 1000, modified / 1000);
  }
}

function writeWhole(descriptor: number, bytes: Uint8Array): number {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done);
  return bytes.length;
}
