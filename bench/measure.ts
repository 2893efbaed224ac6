/** Whole processes timed against each other: interleaved (A B C A B C …), so that whatever else the machine does falls on all of them. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Contender {
  name: string;
  /** A program and its arguments. Its stdout is one JSON document, the answer. */
  command: readonly [string, ...string[]];
  env?: Record<string, string>;
  /** Returns what the answer says in a few words; throws when it is not the one expected. */
  check: (answer: unknown) => string;
}

/** One run of one process. */
export interface Sample {
  /** From before the process is started until it has ended. */
  seconds: number;
  /** The largest resident set of the process, by its own accounting; null where GNU time is missing. */
  peakBytes: number | null;
}

export interface Measurement {
  name: string;
  /** The answer in words, or why there is none. */
  answer: string;
  failed: boolean;
  samples: Sample[];
}

const GNU_TIME = "/usr/bin/time";

/**
 * Runs every contender once to warm up and to check its answer, then `runs` times in turn. One that fails, or answers wrongly, is not run again: its
 * one sample stays, since how long it took to die, and with how much memory, is worth knowing.
 */
export function measure(contenders: readonly Contender[], runs: number): Measurement[] {
  const lanes = contenders.map((contender) => ({ contender, measurement: warmUp(contender) }));
  for (let run = 0; run < runs; run++) {
    for (const { contender, measurement } of lanes) {
      if (!measurement.failed) measurement.samples.push(runOnce(contender).sample);
    }
  }
  return lanes.map(({ measurement }) => measurement);
}

function warmUp(contender: Contender): Measurement {
  const { name, check } = contender;
  const { sample, stdout, failure } = runOnce(contender);
  try {
    if (failure !== undefined) throw new Error(failure);
    return { name, answer: check(JSON.parse(stdout)), failed: false, samples: [] };
  } catch (error) {
    return { name, answer: `failed: ${(error as Error).message}`, failed: true, samples: [sample] };
  }
}

function runOnce({ command, env }: Contender): { sample: Sample; stdout: string; failure?: string } {
  const folder = mkdtempSync(join(tmpdir(), "pi-sessions-bench-"));
  const report = join(folder, "time");
  const isTimed = existsSync(GNU_TIME);
  const [program, ...words] = isTimed ? ([GNU_TIME, "-f", "%M", "-o", report, ...command] as const) : command;
  const start = process.hrtime.bigint();
  const { stdout, stderr, status, error } = spawnSync(program, words, {
    env: { ...process.env, ...env },
    encoding: "utf8",
    maxBuffer: 1 << 29,
  });
  const seconds = Number(process.hrtime.bigint() - start) / 1e9;
  if (error) throw error;
  // A process that was killed has a line before the figure.
  const peakBytes = isTimed ? Number(readFileSync(report, "utf8").trim().split("\n").at(-1)) * 1024 : null;
  rmSync(folder, { recursive: true });
  const sample = { seconds, peakBytes };
  if (status === 0) return { sample, stdout };
  const reason = /^.*\b(?:Error|error|FATAL)\b.*$/m.exec(stderr)?.[0].trim() ?? stderr.trim().split("\n")[0];
  return { sample, stdout, failure: `exit ${status}, ${reason}` };
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((left, right) => left - right);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** `left` in terms of `right`, run by run: what a run's neighbours have in common cancels out. */
export function ratios(left: Measurement, right: Measurement): number[] {
  return left.samples.map((sample, run) => sample.seconds / right.samples[run]!.seconds);
}

/** A Markdown table of times, throughput over `bytes`, and peaks of memory. */
export function formatMeasurements(measurements: readonly Measurement[], bytes: number): string {
  const rows = measurements.map(({ name, answer, samples, failed }) => {
    const seconds = samples.map((sample) => sample.seconds);
    const middle = median(seconds);
    return [
      name,
      `${middle.toFixed(2)} s`,
      formatSpread(seconds, 2),
      failed ? "" : `${Math.round(bytes / 1e6 / middle)} MB/s`,
      formatPeak(samples),
      answer,
    ];
  });
  return formatTable(["", "median", "min to max", "throughput", "peak memory", "answer"], rows);
}

/** A Markdown table of how `left` compares with each of `rights`. */
export function formatRatios(pairs: readonly { left: Measurement; right: Measurement }[]): string {
  const rows = pairs.map(({ left, right }) => {
    if (left.failed || right.failed) return [`${left.name} / ${right.name}`, "", ""];
    const all = ratios(left, right);
    return [`${left.name} / ${right.name}`, median(all).toFixed(2), formatSpread(all, 2)];
  });
  return formatTable(["whole-process time", "median", "min to max"], rows);
}

function formatSpread(numbers: readonly number[], digits: number): string {
  return `${Math.min(...numbers).toFixed(digits)} to ${Math.max(...numbers).toFixed(digits)}`;
}

function formatPeak(samples: readonly Sample[]): string {
  const peaks = samples.flatMap(({ peakBytes }) => peakBytes ?? []);
  return peaks.length === 0 ? "unknown (no GNU time)" : `${Math.round(Math.max(...peaks) / 1e6)} MB`;
}

function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
