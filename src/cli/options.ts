import { isAbsolute, resolve, win32 } from "node:path";
import { Option } from "commander";
import type { StoreOptions } from "../scan/store-options.js";
import { CommandLineError } from "./command-line-error.js";
import { DATE_FORMS } from "./date-forms.js";
import { collect, parsePositiveInteger, parseText, parseTimeZone } from "./option-values.js";
import type { Clock, RangeEnd } from "./parse-date.js";

/** The options of every command, read. */
export interface CommonOptions {
  /** What the library takes: which stores, sessions, calls or entries, in which zone, and with how many files open. */
  selection: StoreOptions & { timeZone: string };
  /** The catalog's file; false for none, undefined for the default one. */
  catalog: string | false | undefined;
  json: boolean;
  jsonl: boolean;
  quiet: boolean;
  color: boolean;
}

/** The options of every command as commander hands them over. */
export interface RawOptions {
  store?: string[];
  project?: string[];
  exclude?: string[];
  model?: string[];
  provider?: string[];
  since?: string;
  until?: string;
  timezone?: string;
  jobs?: number;
  catalog?: string | false;
  json?: boolean;
  jsonl?: boolean;
  quiet?: boolean;
  color: boolean;
}

const GROUP = "Options of every command:";

export function commonOptions(): Option[] {
  return [
    new Option("--session-dir, --store <dir>", "where the sessions lie (repeatable)").argParser(collect),
    new Option("-p, --project <path>", "only sessions that worked in this folder or below it (repeatable)").argParser(
      collect,
    ),
    new Option("--exclude <glob>", "leave out files by their path below the store (repeatable)").argParser(collect),
    new Option("--model <name>", "only this model: model or provider/model, * for anything (repeatable)").argParser(
      collect,
    ),
    new Option("--provider <name>", "only this provider (repeatable)").argParser(collect),
    new Option("-s, --since <date>", `from here on: ${DATE_FORMS}`).argParser(parseText),
    new Option("-u, --until <date>", "up to here, itself included; the same forms").argParser(parseText),
    new Option("-z, --timezone <zone>", "IANA zone of days and dates (default: the system's)").argParser(parseTimeZone),
    new Option("--jobs <n>", "files read side by side").argParser(parsePositiveInteger),
    new Option("--catalog <file>", "where the catalog of known sessions is kept").argParser(parseText),
    new Option("--no-catalog", "read every session anew"),
    new Option("-j, --json", "one JSON document on stdout"),
    new Option("--quiet", "no warnings and no progress bar"),
    new Option("--no-color", "no colours (also: the variable NO_COLOR)"),
  ].map((option) => option.helpGroup(GROUP));
}

/** `--jsonl`, for commands whose output can be unbounded. */
export function jsonLinesOption(): Option {
  return new Option("--jsonl", "one JSON object a line on stdout, for output of any length");
}

/**
 * Makes sense of the options of every command.
 * Throws a CommandLineError for dates that can't be read and for a range whose end lies before its beginning.
 */
export async function readCommonOptions(raw: RawOptions, clock: Clock): Promise<CommonOptions> {
  const timeZone = raw.timezone ?? clock.timeZone;
  const since = await readDate("since", raw.since, { ...clock, timeZone });
  const until = await readDate("until", raw.until, { ...clock, timeZone });
  if (since !== undefined && until !== undefined && since > until) {
    throw new CommandLineError(`--since ${raw.since} lies after --until ${raw.until}: nothing is in this range`);
  }
  return {
    selection: {
      timeZone,
      ...(raw.store && { stores: raw.store }),
      ...(raw.project && { projects: raw.project.map(absolutePath) }),
      ...(raw.exclude && { exclude: raw.exclude }),
      ...(raw.model && { models: raw.model }),
      ...(raw.provider && { providers: raw.provider }),
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
      ...(raw.jobs !== undefined && { jobs: raw.jobs }),
    },
    catalog: raw.catalog,
    json: raw.json ?? false,
    jsonl: raw.jsonl ?? false,
    quiet: raw.quiet ?? false,
    color: raw.color,
  };
}

async function readDate(end: RangeEnd, text: string | undefined, clock: Clock): Promise<number | undefined> {
  if (text === undefined) return undefined;
  // Most commands are given no date, and need no calendar.
  const { parseDate } = await import("./parse-date.js");
  try {
    return parseDate(text, end, clock);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CommandLineError(`option '--${end} <date>': ${error.message}`, { cause: error });
  }
}

/** Sessions can come from a machine of another kind: a path that is absolute there stays as it is. */
function absolutePath(path: string): string {
  return isAbsolute(path) || win32.isAbsolute(path) ? path : resolve(path);
}
