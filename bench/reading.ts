/** Times the reading of single hard sessions, and of stores that are hard on memory. The corpora are made where they are not there yet. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SHAPES, type Shape, storeFolder, writeCorpus } from "./corpus.js";
import { type Contender, formatMeasurements, formatRatios, type Measurement, measure } from "./measure.js";
import { expectNumber, expectSum, ourCommand, peerScript, piScript, type Totals } from "./peers.js";
import type { Truth } from "./truth.js";

/** Where the corpora lie, and how often each process is timed. */
export interface ReadingOptions {
  folder: string;
  runs: number;
}

/** The figures as Markdown. */
export function compareReading(options: ReadingOptions): string {
  return [compareContext(options), compareLongLine(options), compareIndex(options)].join("\n\n");
}

/** What our own commands take on stores that are hard on memory, as Markdown. */
export function measureHardStores(options: ReadingOptions): string {
  return [measureStore(options, "small"), measureStore(options, "huge-one")].join("\n\n");
}

/** The context of a session whose bulk lies outside it. */
function compareContext(options: ReadingOptions): string {
  const { truth, file } = findCorpus(options.folder, "outside");
  const { entryIds } = truth.context!;
  const piCheck = (answer: unknown): string => {
    const { messages } = answer as { messages: number };
    expectNumber("messages", messages, entryIds.length);
    return `${messages} messages`;
  };
  return report(options, "Context of a session whose bulk lies outside it", truth, "context", [
    {
      name: "context",
      command: ourCommand("context", file, "--json"),
      check(answer) {
        const {
          messages,
          entryIds: ours,
          bytesRead,
        } = answer as {
          messages: unknown[];
          entryIds: string[];
          bytesRead: number;
        };
        if (ours.join() !== entryIds.join())
          throw new Error(`messages come from ${ours.join()}, not ${entryIds.join()}`);
        return `${messages.length} messages, from ${bytesRead} bytes`;
      },
    },
    { name: "pi 1.6.0", command: piScript("pi-context.mjs", "1.6.0", file), check: piCheck },
    { name: "pi 0.73.1", command: piScript("pi-context.mjs", "0.73.1", file), check: piCheck },
  ]);
}

/** A store with a line that is far too long to hold. */
function compareLongLine(options: ReadingOptions): string {
  const { truth, store, out } = findCorpus(options.folder, "line");
  return report(options, "List of a store that holds one long line", truth, "list", [
    {
      name: "list",
      command: ourCommand("list", "--store", store, "--json", "--no-catalog"),
      check(answer) {
        const [session] = (answer as { sessions: { messageCount: number; entryCount: number }[] }).sessions;
        expectNumber("messages", session!.messageCount, truth.messages);
        expectNumber("entries", session!.entryCount, truth.entries);
        return `${truth.entries} entries`;
      },
    },
    {
      name: "pi 1.6.0",
      command: piScript("pi-list.mjs", "1.6.0", out),
      check(answer) {
        const { messages } = answer as { messages: number };
        return `${messages} of ${truth.messages} messages`;
      },
    },
  ]);
}

/** The index of a session of a million entries. */
function compareIndex(options: ReadingOptions): string {
  const { truth, store, file } = findCorpus(options.folder, "entries");
  return report(options, "Index of a session of small entries", truth, "index", [
    {
      name: "index",
      command: [process.execPath, compiledScript("index-session.js"), file],
      check(answer) {
        const { entries } = answer as { entries: number };
        expectNumber("entries", entries, truth.entries);
        return `${entries} entries`;
      },
    },
    ...["split-lines.js", "stream-lines.js"].map((script) => ({
      name: script === "split-lines.js" ? "splitting" : "lineStream",
      command: [process.execPath, compiledScript(script), file] as const,
      check(answer: unknown) {
        const { lines } = answer as { lines: number };
        expectNumber("lines", lines, truth.entries + 1);
        return `${lines} lines`;
      },
    })),
    {
      name: "newlines",
      command: peerScript("newlines.mjs", store),
      check: (answer) => `${(answer as { newlines: number }).newlines} newlines`,
    },
  ]);
}

/** `list` and `totals` on a store of many small sessions, or of one of 2 GB. */
function measureStore(options: ReadingOptions, name: "small" | "huge-one"): string {
  const { truth, store } = findCorpus(options.folder, name);
  const flags = ["--store", store, "--json", "--no-catalog", "--timezone", "UTC"];
  const title = name === "small" ? "A store of many small sessions" : "A store of one huge session";
  return report(options, title, truth, "totals", [
    {
      name: "totals",
      command: ourCommand("totals", ...flags),
      check(answer) {
        const { total } = answer as { total: Totals };
        expectSum(total, truth.total);
        return `${total.calls} calls`;
      },
    },
    {
      name: "list",
      command: ourCommand("list", ...flags),
      check(answer) {
        const { sessions } = answer as { sessions: unknown[] };
        expectNumber("sessions", sessions.length, truth.sessions);
        return `${sessions.length} sessions`;
      },
    },
    {
      name: "newlines",
      command: peerScript("newlines.mjs", store),
      check: (answer) => `${(answer as { newlines: number }).newlines} newlines`,
    },
  ]);
}

/** One session of 2 GB. */
const HUGE_ONE = { shape: "huge", bytes: 2_000_000_000, sessions: 1 } as const;

/** A corpus by its shape, made when it is not there. */
function findCorpus(
  folder: string,
  name: Shape | "huge-one",
): { truth: Truth; out: string; store: string; file: string } {
  const out = join(folder, name);
  const options = name === "huge-one" ? HUGE_ONE : { shape: name, ...SHAPES[name] };
  const truth = existsSync(out)
    ? (JSON.parse(readFileSync(join(out, "truth.json"), "utf8")) as Truth)
    : writeCorpus({ ...options, seed: 1, out });
  const store = storeFolder(out);
  return { truth, out, store, file: join(store, truth.list[0]!.path) };
}

function compiledScript(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

function report(
  { runs }: ReadingOptions,
  title: string,
  truth: Truth,
  ours: string,
  contenders: readonly Contender[],
): string {
  const measurements = measure(contenders, runs);
  const left = measurements.find(({ name }) => name === ours) as Measurement;
  const pairs = measurements.filter((other) => other !== left).map((right) => ({ left, right }));
  const { bytes, sessions, entries } = truth;
  return [
    `### ${title}`,
    `${bytes} bytes, ${sessions} sessions, ${entries} entries. Node ${process.version}.`,
    formatMeasurements(measurements, bytes),
    formatRatios(pairs),
  ].join("\n\n");
}
