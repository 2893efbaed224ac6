import type { Option } from "commander";
import type { StoreOptions } from "../scan/store-options.js";
import type { ExitCode } from "./exit-code.js";
import type { CommonOptions } from "./options.js";
import type { Output } from "./output.js";

/** What a command is asked: the words behind its name, and the options, its own (`Own`) among them. */
export interface CommandRequest<Own = object> {
  words: string[];
  options: CommonOptions & Own;
  output: Output;
  /** Aborted by an interrupt. */
  signal: AbortSignal;
}

/** The word or words that a command takes: `<name>` must be there, `[name]` may be, `[names...]` may be many. */
export interface CommandArgument {
  name: string;
  summary: string;
}

/** One command of the command line: its words for the help, its own options, and what it does. */
export interface CommandDefinition<Own = object> {
  name: string;
  summary: string;
  argument?: CommandArgument;
  /** The options beside those of every command. */
  options?: () => Option[];
  /** Command lines without the program's name, each with what it is for. */
  examples: [line: string, purpose: string][];
  /** Prints the result and gives the exit code; throws when the request failed. */
  run(request: CommandRequest<Own>): Promise<ExitCode>;
}

/** What a request says to the library: the selection, and who is told of the progress and tells of an interrupt. */
export function libraryOptions({ options, output, signal }: CommandRequest): StoreOptions & { timeZone: string } {
  return { ...options.selection, shareThread: true, onProgress: output.showProgress, signal };
}
