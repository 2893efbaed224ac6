import { writeSync } from "node:fs";
import { CHUNK_BYTES, readRangeSync } from "../read/read-chunks.js";

/** Writes a file from its beginning to its end, in large pieces. */
export class FileWriter {
  readonly #fd: number;
  #pieces: Buffer[] = [];
  #pending = 0;

  constructor(fd: number) {
    this.#fd = fd;
  }

  writeLine(value: unknown): void {
    this.#take(Buffer.from(`${JSON.stringify(value)}\n`));
  }

  /** Writes bytes of another file as a line. */
  copyLine(from: number, byteOffset: number, byteLength: number): void {
    for (let done = 0; done < byteLength; done += CHUNK_BYTES) {
      this.#take(readRangeSync(from, byteOffset + done, Math.min(CHUNK_BYTES, byteLength - done)));
    }
    this.#take(NEWLINE);
  }

  /** Hands on what is still held; to be called last. */
  flush(): void {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#pending = 0;
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#fd, bytes, written);
  }

  #take(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.#pending += bytes.length;
    if (this.#pending >= CHUNK_BYTES) this.flush();
  }
}

const NEWLINE = Buffer.from("\n");
