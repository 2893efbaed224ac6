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
  return hardStores.map((name) => measureStore(options, name)).join("\n\n");
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

const hardStores = ["many", "many-5", "small", "huge-one"] as const;

const titles = {
  many: "The store of 400 MB",
  "many-5": "The same at five times the size",
  small: "A store of many small sessions",
  "huge-one": "A store of one huge session",
} as const;

/** `list` and `totals` on a store that is hard on memory. */
function measureStore(options: ReadingOptions, name: (typeof hardStores)[number]): string {
  const { truth, store } = findCorpus(options.folder, name);
  const flags = ["--store", store, "--json", "--no-catalog", "--timezone", "UTC"];
  return report(options, titles[name], truth, "totals", [
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

/** Corpora of other sizes than their shapes have by default. */
const OTHER_SIZES = {
  "huge-one": { shape: "huge", bytes: 2_000_000_000, sessions: 1 },
  "many-5": { shape: "many", bytes: 5 * SHAPES.many.bytes, sessions: 5 * SHAPES.many.sessions },
} as const;

/** A corpus by its shape, made when it is not there. */
function findCorpus(
  folder: string,
  name: Shape | keyof typeof OTHER_SIZES,
): { truth: Truth; out: string; store: string; file: string } {
  const out = join(folder, name);
  const options = isOtherSize(name) ? OTHER_SIZES[name] : { shape: name, ...SHAPES[name] };
  const truth = existsSync(out)
    ? (JSON.parse(readFileSync(join(out, "truth.json"), "utf8")) as Truth)
    : writeCorpus({ ...options, seed: 1, out });
  const store = storeFolder(out);
  return { truth, out, store, file: join(store, truth.list[0]!.path) };
}

function isOtherSize(name: string): name is keyof typeof OTHER_SIZES {
  return Object.hasOwn(OTHER_SIZES, name);
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
