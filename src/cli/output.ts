import type { Writable } from "node:stream";
import { styleText } from "node:util";
import { type Progress, ProgressBar } from "./progress.js";

type TextStyle = Parameters<typeof styleText>[0];

/** A stream that may be a terminal. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number };

export interface OutputOptions {
  stdout: OutputStream;
  stderr: OutputStream;
  /** Whether colours are wanted where a stream is a terminal. */
  colour: boolean;
  /** Print neither warnings nor progress. */
  quiet: boolean;
}

/** The standard output could not be written. */
export class OutputError extends Error {
  override readonly name = "OutputError";
  /** Whether the reader just went away, as `head` does when it has enough. */
  readonly isReaderGone: boolean;

  constructor(cause: NodeJS.ErrnoException) {
    super(`Cannot write the output: ${cause.message}`, { cause });
    this.isReaderGone = cause.code === "EPIPE" || cause.code === "ERR_STREAM_DESTROYED";
  }
}

const FLUSH_LENGTH = 1 << 16;

/** Where a command prints: results to stdout, warnings and progress to stderr. Never both in one line of a terminal. */
export class Output {
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;
  readonly #quiet: boolean;
  readonly #colour: boolean;
  #pending: string[] = [];
  #pendingLength = 0;
  #remarks: string[] = [];
  #progress: ProgressBar | undefined;

  constructor({ stdout, stderr, colour, quiet }: OutputOptions) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#quiet = quiet;
    this.#colour = colour;
  }

  /** Columns of the terminal that results go to; undefined when they don't go to one. */
  get width(): number | undefined {
    return this.#stdout.isTTY ? this.#stdout.columns || 80 : undefined;
  }

  /** Text for stdout, coloured or set off if stdout is a terminal. */
  style(format: TextStyle, text: string): string {
    return this.#styleFor(this.#stdout, format, text);
  }

  /** Prints to stdout. The promise is done when more may be printed: memory stays flat as long as it is awaited. Throws an OutputError. */
  async print(text: string): Promise<void> {
    this.#pending.push(text);
    this.#pendingLength += text.length;
    if (this.#pendingLength >= FLUSH_LENGTH) await this.#flush();
  }

  async printLine(line: string): Promise<void> {
    await this.print(`${line}\n`);
  }

  /** Ends the output: the rest of what was printed, then what there is to say about it. */
  async finish(): Promise<void> {
    await this.#flush();
    for (const remark of this.#remarks) this.printError(remark);
    this.#remarks = [];
  }

  async #flush(): Promise<void> {
    this.clearProgress();
    if (this.#pending.length === 0) return;
    const text = this.#pending.join("");
    this.#pending = [];
    this.#pendingLength = 0;
    await new Promise<void>((resolve, reject) => {
      this.#stdout.write(text, (error) => (error ? reject(new OutputError(error)) : resolve()));
    });
  }

  /** A line on stderr, behind the results, about what was done all the same; undefined for nothing to say. */
  warn(line: string | undefined): void {
    if (line !== undefined) this.note(`${this.#styleFor(this.#stderr, "yellow", "warning")}: ${line}`);
  }

  /** A line on stderr, behind the results, that sums them up; undefined for nothing to say. */
  note(line: string | undefined): void {
    if (line !== undefined && !this.#quiet) this.#remarks.push(line);
  }

  /** A line on stderr about why the request failed, at once. */
  error(line: string): void {
    this.printError(`${this.#styleFor(this.#stderr, "red", "error")}: ${line}`);
  }

  printError(line: string): void {
    this.clearProgress();
    this.#stderr.write(`${line}\n`);
  }

  /** Shows how far the work has come: the `onProgress` of what takes long. */
  readonly showProgress = (progress: Progress): void => {
    if (this.#quiet || !this.#stderr.isTTY) return;
    this.#progress ??= new ProgressBar(this.#stderr);
    this.#progress.update(progress);
  };

  clearProgress(): void {
    this.#progress?.clear();
    this.#progress = undefined;
  }

  #styleFor(stream: OutputStream, format: TextStyle, text: string): string {
    return this.#colour && stream.isTTY ? styleText(format, text, { validateStream: false }) : text;
  }
}
