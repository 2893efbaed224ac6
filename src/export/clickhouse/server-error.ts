import { ExportError } from "../../errors.js";

/** Codes of Node.js for connections that break. */
const BROKEN = new Set([
  "ECONNRESET",
  "ECONNREFUSED",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "EAI_AGAIN",
]);
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "its name can't be looked up",
  ETIMEDOUT: "no answer",
  ENETUNREACH: "no way to its network",
  EHOSTUNREACH: "no way to it",
};

/** Codes of the server for what may go by: time-outs, too many queries, a shard that is away, and two that make one table at once. */
const PASSING = new Set([57, 82, 159, 202, 209, 210, 252, 279, 425]);
const REFUSED = new Set([192, 193, 194, 195, 516]);
const FORBIDDEN = new Set([164, 291, 497]);

/** What the client says when a server is silent. */
const TIMEOUT = "Timeout error.";
/** How much of a server's own words is repeated. */
const MAX_LENGTH = 300;

/** Whether the same request may do later. */
export function isTransient(error: unknown): boolean {
  const code = serverCode(error);
  return code === undefined ? isBroken(error) : PASSING.has(code);
}

/** One line that tells what a server did, and what to do. */
export function serverError(origin: string, error: unknown): ExportError {
  if (error instanceof ExportError) return error;
  return new ExportError("WRITE_FAILED", `Cannot export to "${origin}": ${describe(error)}`, error);
}

function describe(error: unknown): string {
  const code = serverCode(error);
  if (code === undefined) {
    const unreachable = UNREACHABLE[(error as NodeJS.ErrnoException).code ?? ""];
    if (unreachable) return `${unreachable}; see that the server runs, and that --url names its HTTP port`;
    if (firstLine(error) === TIMEOUT) return "the server does not answer; export again when it does";
    if (isBroken(error)) return "the server broke off; nothing half-written is shown, export again when it is back";
    return `${serverWords(error)}; see that --url names the HTTP port of a ClickHouse server`;
  }
  if (REFUSED.has(code))
    return "the server refuses the user or the password; set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD";
  if (FORBIDDEN.has(code))
    return `the user may not do this; grant it, or set CLICKHOUSE_USER to another: ${serverWords(error)}`;
  return `the server says: ${serverWords(error)}`;
}

function isBroken(error: unknown): boolean {
  const { code, message = "" } = error as NodeJS.ErrnoException;
  return BROKEN.has(code ?? "") || message.includes("socket hang up");
}

/** The number of a server's exception. Old servers say it in words only. */
function serverCode(error: unknown): number | undefined {
  const { code, message = "" } = error as { code?: unknown; message?: string };
  if (typeof code === "string" && /^\d+$/.test(code)) return Number(code);
  const [, words] = /^(?:Poco::Exception\. )?Code: (\d+)[,.]/.exec(message) ?? [];
  return words === undefined ? undefined : Number(words);
}

/** What a server says, without number, kind and version. */
function serverWords(error: unknown): string {
  const words = firstLine(error)
    .replace(/^(Poco::Exception\. )?Code: \d+[.,] (e\.code\(\) = \d+, )?(e\.displayText\(\) = )?/, "")
    .replace(/^DB::Exception: /, "")
    .replace(/, e\.what\(\) = .*$/, "");
  return words.length > MAX_LENGTH ? `${words.slice(0, MAX_LENGTH)}…` : words;
}

function firstLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split(/\s*\n/, 1)[0]!;
}
