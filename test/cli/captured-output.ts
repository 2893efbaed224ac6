import { Writable } from "node:stream";
import { Output, type OutputOptions, type OutputStream } from "../../src/cli/output.js";

/** A stream that keeps what is written to it; a terminal when it is given a width. */
export class CapturedStream extends Writable implements OutputStream {
  isTTY?: boolean;
  columns?: number;
  readonly chunks: string[] = [];

  constructor(columns?: number) {
    super({ decodeStrings: false });
    if (columns !== undefined) {
      this.isTTY = true;
      this.columns = columns;
    }
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.chunks.push(chunk);
    done();
  }

  get text(): string {
    return this.chunks.join("");
  }
}

/** An output that keeps what is printed, on streams that are no terminals unless `options` say so. */
export function capturedOutput(options: Partial<OutputOptions> = {}) {
  const stdout = new CapturedStream();
  const stderr = new CapturedStream();
  return { output: new Output({ stdout, stderr, colour: true, quiet: false, ...options }), stdout, stderr };
}
