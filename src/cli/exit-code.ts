/** What the process ends with. */
export const ExitCode = {
  /** Done; damaged lines and files that could not be read were skipped and counted. */
  done: 0,
  /** The request failed, or `check` found damage. */
  failed: 1,
  /** The command line is wrong. */
  badCommandLine: 2,
  /** A budget is exceeded. */
  overBudget: 3,
  interrupted: 130,
} as const;

export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
