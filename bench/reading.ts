/**
 * Times the reading of single hard sessions, and prints the figures as Markdown:
 *
 *     node build/bench/reading.js --runs 5
 *
 * The corpora are made on first use, in `--folder` (default `bench/corpus`), 1.3 GB in all. `npm run build` and `npm ci --prefix bench/peers` come first.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { SHAPES, type Shape, storeFolder, writeCorpus } from "./corpus.js";
import { type Contender, formatMeasurements, formatRatios, type Measurement, measure } from "./measure.js";
import { expectNumber, ourCommand, peerScript, piScript, projectRoot } from "./peers.js";
import type { Truth } from "./truth.js";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "5" },
    folder: { type: "string", default: join(projectRoot, "bench", "corpus") },
  },
});

compareContext();
compareLongLine();
compareIndex();

/** The context of a session whose bulk lies outside it. */
function compareContext(): void {
  const { truth, file } = findCorpus("outside");
  const { entryIds } = truth.context!;
  const piCheck = (answer: unknown): string => {
    const { messages } = answer as { messages: number };
    expectNumber("messages", messages, entryIds.length);
    return `${messages} messages`;
  };
  report("Context of a session whose bulk lies outside it", truth, "context", [
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
function compareLongLine(): void {
  const { truth, store, out } = findCorpus("line");
  report("List of a store that holds one long line", truth, "list", [
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
function compareIndex(): void {
  const { truth, store, file } = findCorpus("entries");
  report("Index of a session of small entries", truth, "index", [
    {
      name: "index",
      command: [process.execPath, compiledScript("index-session.js"), file],
      check(answer) {
        const { entries } = answer as { entries: number };
        expectNumber("entries", entries, truth.entries);
        return `${entries} entries`;
      },
    },
    {
      name: "splitting",
      command: [process.execPath, compiledScript("split-lines.js"), file],
      check(answer) {
        const { lines } = answer as { lines: number };
        expectNumber("lines", lines, truth.entries + 1);
        return `${lines} lines`;
      },
    },
    {
      name: "newlines",
      command: peerScript("newlines.mjs", store),
      check: (answer) => `${(answer as { newlines: number }).newlines} newlines`,
    },
  ]);
}

/** The corpus of a shape that is one session, made when it is not there. */
function findCorpus(shape: Shape): { truth: Truth; out: string; store: string; file: string } {
  const out = join(values.folder, shape);
  const truth = existsSync(out)
    ? (JSON.parse(readFileSync(join(out, "truth.json"), "utf8")) as Truth)
    : writeCorpus({ shape, ...SHAPES[shape], seed: 1, out });
  const store = storeFolder(out);
  return { truth, out, store, file: join(store, truth.list[0]!.path) };
}

function compiledScript(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

function report(title: string, truth: Truth, ours: string, contenders: readonly Contender[]): void {
  const measurements = measure(contenders, Number(values.runs));
  const left = measurements.find(({ name }) => name === ours) as Measurement;
  const pairs = measurements.filter((other) => other !== left).map((right) => ({ left, right }));
  const { bytes, entries } = truth;
  console.log(`## ${title}\n\n${bytes} bytes, ${entries} entries. Node ${process.version}.\n`);
  console.log(`${formatMeasurements(measurements, bytes)}\n\n${formatRatios(pairs)}\n`);
}
