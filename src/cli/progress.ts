import { Presets, SingleBar } from "cli-progress";
import { formatBytes, formatCount } from "./format-number.js";

/** How far work has come: files and bytes. */
export interface Progress {
  done: number;
  total: number;
  bytes: number;
  totalBytes: number;
}

/** Work that takes less than this shows no bar, in milliseconds. */
const SHOWN_AFTER = 300;
const BAR_WIDTH = 24;

/** A bar on a terminal, from the moment that work turns out to take a while until `clear` is called. */
export class ProgressBar {
  readonly #stream: NodeJS.WritableStream;
  readonly #startedAt = Date.now();
  #bar: SingleBar | undefined;

  constructor(stream: NodeJS.WritableStream) {
    this.#stream = stream;
  }

  update({ done, total, bytes, totalBytes }: Progress): void {
    const files = { done, total };
    if (this.#bar) {
      this.#bar.setTotal(totalBytes);
      this.#bar.update(bytes, files);
    } else if (Date.now() - this.#startedAt >= SHOWN_AFTER) {
      this.#bar = new SingleBar(
        {
          stream: this.#stream,
          format: formatProgress,
          etaBuffer: 100,
          clearOnComplete: true,
          // True leaves the terminal's own wrapping as it is: a process that is killed could not set it back.
          linewrap: true,
          emptyOnZero: true,
        },
        Presets.legacy,
      );
      this.#bar.start(totalBytes, bytes, files);
    }
  }

  /** Takes the bar away, so that the next line can be printed in its place. */
  clear(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }
}

/** `[=======-----] 1.2 GiB of 4.5 GiB, 120 of 3,000 files, 0:42 left` */
export function formatProgress(
  _options: unknown,
  { progress, value, total, eta }: { progress: number; value: number; total: number; eta: number | string },
  files: { done: number; total: number },
): string {
  const full = Math.round(progress * BAR_WIDTH);
  const bar = `[${"=".repeat(full)}${"-".repeat(BAR_WIDTH - full)}]`;
  const amount = `${formatBytes(value)} of ${formatBytes(total)}, ${formatCount(files.done)} of ${formatCount(files.total)} files`;
  // Before anything is known cli-progress gives a word for the time left.
  return typeof eta === "number" && eta > 0 ? `${bar} ${amount}, ${formatDuration(eta)} left` : `${bar} ${amount}`;
}

/** Seconds as `0:05`, `12:34`, `1:02:03`. */
function formatDuration(seconds: number): string {
  const pad = (part: number) => String(part).padStart(2, "0");
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}` : `${minutes}:${pad(seconds % 60)}`;
}
