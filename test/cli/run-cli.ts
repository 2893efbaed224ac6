import type { CommandDefinition } from "../../src/cli/command.js";
import { commands } from "../../src/cli/commands.js";
import type { ExitCode } from "../../src/cli/exit-code.js";
import { runCommandLine } from "../../src/cli/program.js";
import { CapturedStream } from "./captured-output.js";

/** What tests take for the present: a Tuesday afternoon in Berlin. */
export const clock = { now: Date.parse("2026-03-10T15:30:00Z"), timeZone: "Europe/Berlin" };

export interface CliRun {
  exitCode: ExitCode;
  stdout: string;
  stderr: string;
}

interface Environment {
  known?: CommandDefinition[];
  signal?: AbortSignal;
  /** The width of the terminal that stdout then is. */
  columns?: number;
}

/** Runs a command line within this process. */
export async function runCli(words: string[], environment: Environment = {}): Promise<CliRun> {
  const { known = commands, signal = new AbortController().signal, columns } = environment;
  const stdout = new CapturedStream(columns);
  const stderr = new CapturedStream();
  const exitCode = await runCommandLine(words, known, { stdout, stderr, clock, colour: false, signal });
  return { exitCode, stdout: stdout.text, stderr: stderr.text };
}
