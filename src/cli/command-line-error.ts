/** The command line is wrong: an option's value that can't be read, or two that contradict each other. */
export class CommandLineError extends Error {
  override readonly name = "CommandLineError";
}
