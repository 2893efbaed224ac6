import { createRequire } from "node:module";
import { Command, CommanderError } from "commander";
import { StoreError } from "../errors.js";
import { describeFailure } from "../scan/describe-failure.js";
import type { CommandDefinition } from "./command.js";
import { CommandLineError } from "./command-line-error.js";
import { ExitCode } from "./exit-code.js";
import { nearestName } from "./nearest-name.js";
import { commonOptions, type RawOptions, readCommonOptions } from "./options.js";
import { Output, OutputError, type OutputStream } from "./output.js";
import type { Clock } from "./parse-date.js";
import { bodyText, cellText } from "./terminal-text.js";

/** What the command line runs in. */
export interface Surroundings {
  stdout: OutputStream;
  stderr: OutputStream;
  clock: Clock;
  /** Whether the environment lets output be coloured. */
  colour: boolean;
  /** Aborted by an interrupt. */
  signal: AbortSignal;
}

const NAME = "pi-sessions";
const HELP_WIDTH = 100;

/**
 * Runs the command that the words name, and gives the exit code. Nothing is thrown: whatever fails is one clear line on stderr.
 * The words are those behind the program's name.
 */
export async function runCommandLine(
  words: string[],
  commands: CommandDefinition[],
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { stdout, stderr, clock, colour, signal } = surroundings;
  let output = new Output({ stdout, stderr, colour, quiet: false });
  let exitCode: ExitCode = ExitCode.done;
  let help = "";
  const program = buildProgram(commands, async (definition, positional, raw) => {
    const options = await readCommonOptions(raw, clock);
    output = new Output({ stdout, stderr, colour: colour && options.color, quiet: options.quiet });
    exitCode = await definition.run({ words: positional, options: { ...raw, ...options }, output, signal });
  });
  for (const each of [program, ...program.commands]) {
    each.configureOutput({
      writeOut: (text) => (help += text),
      writeErr: (text) => (help += text),
      // What is wrong is thrown as well, and printed below.
      outputError: () => {},
      getOutHelpWidth: () => stdout.columns ?? HELP_WIDTH,
      getErrHelpWidth: () => stderr.columns ?? HELP_WIDTH,
    });
  }

  try {
    try {
      await program.parseAsync(commandWords(words, commands), { from: "user" });
    } catch (error) {
      if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
      await output.print(help);
    }
    await output.finish();
    return exitCode;
  } catch (error) {
    output.clearProgress();
    if (signal.aborted) return ExitCode.interrupted;
    if (error instanceof OutputError && error.isReaderGone) return ExitCode.done;
    if (error instanceof CommanderError && error.code === "commander.help") {
      output.printError(help.trimEnd());
      return ExitCode.badCommandLine;
    }
    output.error(bodyText(errorText(error)));
    return error instanceof CommanderError || error instanceof CommandLineError
      ? ExitCode.badCommandLine
      : ExitCode.failed;
  }
}

/** The words for commander, which takes any first word for a command when help is asked for. Throws a CommandLineError for an unknown command. */
function commandWords(words: string[], commands: CommandDefinition[]): string[] {
  const [first, ...rest] = words;
  if (first === "help") return commandWords([...rest, "--help"], commands);
  const names = commands.map(({ name }) => name);
  if (first !== undefined && !first.startsWith("-") && !names.includes(first)) {
    throw new CommandLineError(`unknown command '${first}'; did you mean ${nearestName(first, names)}?`);
  }
  return words;
}

function errorText(error: unknown): string {
  const { syscall, path } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && path !== undefined) return `Cannot read "${cellText(path)}": ${describeFailure(error)}`;
  const message = error instanceof Error ? error.message.replace(/^error: /, "") : String(error);
  if (!(error instanceof StoreError) || error.candidates.length === 0) return message;
  return [message, ...error.candidates.map((path) => `  ${cellText(path)}`)].join("\n");
}

function buildProgram(
  commands: CommandDefinition[],
  run: (definition: CommandDefinition, words: string[], raw: RawOptions) => Promise<void>,
): Command {
  const program = new Command(NAME)
    .description("List, total, read and check the sessions of the pi coding agent.")
    .version(readVersion(), "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand(false)
    .showSuggestionAfterError(false)
    .addHelpText("after", `\nA command's own help, with examples: ${NAME} <command> --help`);
  throwWithSuggestion(program);

  for (const definition of commands) {
    const command = program
      .command(definition.name)
      .summary(definition.summary)
      .description(definition.summary)
      .showSuggestionAfterError(false)
      .helpOption("-h, --help", "print this help")
      .addHelpText("after", exampleText(definition));
    if (definition.argument) command.argument(definition.argument.name, definition.argument.summary);
    for (const option of [...(definition.options?.() ?? []), ...commonOptions()]) command.addOption(option);
    throwWithSuggestion(command);
    command.action(() => run(definition, command.args, command.opts<RawOptions>()));
  }
  return program;
}

/** Errors are thrown instead of ending the process, that about an unknown flag with the nearest known one. */
function throwWithSuggestion(command: Command): void {
  command.exitOverride((error) => {
    if (error.code !== "commander.unknownOption") throw error;
    const [, flag = ""] = /'(.*)'/s.exec(error.message) ?? [];
    const known = knownFlags(command);
    const hint = known.includes(flag)
      ? "options go behind the command"
      : `did you mean ${nearestName(flag.split("=", 1)[0]!, known)}?`;
    throw new CommandLineError(`${error.message}; ${hint}`);
  });
}

/** Flags that a command knows; before a command, those that could have been meant for one. */
function knownFlags(command: Command): string[] {
  const options = command.parent ? command.options : [...command.options, ...commonOptions()];
  // A single dash and letter is near to anything: such flags are suggested by their long names.
  return [
    "--help",
    ...options.flatMap(({ long, short }) => [long, short?.startsWith("--") ? short : undefined]),
  ].filter((flag) => flag !== undefined && flag !== null);
}

function exampleText({ examples }: CommandDefinition): string {
  const lines = examples.map(([line, purpose]) => [`${NAME} ${line}`, purpose] as const);
  const width = Math.max(...lines.map(([line]) => line.length));
  return `\nExamples:\n${lines.map(([line, purpose]) => `  ${line.padEnd(width)}  # ${purpose}`).join("\n")}`;
}

function readVersion(): string {
  // The package by its own name: its file lies at another depth when it is built for the tests.
  const { version }: { version: string } = createRequire(import.meta.url)(`${NAME}/package.json`);
  return version;
}
