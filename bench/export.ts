/**
 * Times `export --format parquet` on the store of 400 MB beside DuckDB's own five `COPY (SELECT … FROM read_json(…)) TO` of the same rows:
 *
 *     node build/bench/export.js --runs 5 [--folder bench/corpus]
 *
 * Each run writes anew. Answers are checked first, the sums of usage by DuckDB reading the files that were written.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SHAPES, storeFolder, writeCorpus } from "./corpus.js";
import {
  type Contender,
  formatMeasurements,
  formatRatios,
  type Measurement,
  measure,
  median,
  ratios,
} from "./measure.js";
import { expectNumber, expectSum, ourCommand, peerScript, projectRoot, type Totals } from "./peers.js";
import type { Truth } from "./truth.js";

/** What is asked of the export: wall time in terms of DuckDB's, and bytes of memory. */
const MAX_RATIO = 2;
const MAX_PEAK = 300e6;

interface Answer {
  tables: Record<"sessions" | "entries" | "messages" | "tool_calls" | "usage", number>;
}

/** The figures as Markdown, and a line for each thing that is asked that says whether it holds. */
export function compareExport(corpus: string, runs: number): { markdown: string; verdicts: string[] } {
  const truth = JSON.parse(readFileSync(join(corpus, "truth.json"), "utf8")) as Truth;
  const folder = mkdtempSync(join(tmpdir(), "pi-sessions-bench-export-"));
  try {
    const [ours, theirs] = measure(exportContenders(storeFolder(corpus), truth, folder), runs) as [
      Measurement,
      Measurement,
    ];
    const markdown = [
      formatMeasurements([ours, theirs], truth.bytes),
      formatRatios([{ left: ours, right: theirs }]),
    ].join("\n\n");
    return { markdown, verdicts: ours.failed || theirs.failed ? [] : findVerdicts(ours, theirs) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function findVerdicts(ours: Measurement, theirs: Measurement): string[] {
  const ratio = median(ratios(ours, theirs));
  const peak = Math.max(...ours.samples.map(({ peakBytes }) => peakBytes ?? 0));
  const word = (holds: boolean): string => (holds ? "holds" : "does not hold");
  return [
    `\`export\` / DuckDB: ${ratio.toFixed(2)}, asked for at most ${MAX_RATIO}: ${word(ratio <= MAX_RATIO)}.`,
    `\`export\`, peak memory: ${Math.round(peak / 1e6)} MB, asked for less than ${MAX_PEAK / 1e6} MB: ${word(peak < MAX_PEAK)}.`,
  ];
}

function exportContenders(store: string, truth: Truth, folder: string): Contender[] {
  const usage = (glob: string): Totals => {
    const [program, ...words] = peerScript("duckdb-usage.mjs", glob);
    return JSON.parse(execFileSync(program, words, { encoding: "utf8" })) as Totals;
  };
  const [ours, theirs] = [join(folder, "ours"), join(folder, "duckdb")];
  const calls = truth.total.calls + truth.duplicates.calls;
  return [
    {
      name: "export",
      command: anew(
        ours,
        ...ourCommand(
          "export",
          "--format",
          "parquet",
          "--text",
          "preview",
          "--out",
          ours,
          "--store",
          store,
          "--json",
          "--quiet",
        ),
      ),
      check(answer) {
        const { tables } = answer as Answer;
        expectNumber("sessions", tables.sessions, truth.sessions);
        expectNumber("entries", tables.entries, truth.entries);
        expectNumber("messages", tables.messages, truth.messages);
        expectNumber("usage", tables.usage, calls);
        expectSum(usage(`${ours}/usage/**/*.parquet`), truth.total);
        return `${countRows(tables)} rows`;
      },
    },
    {
      name: "duckdb",
      command: anew(theirs, ...peerScript("duckdb-export.mjs", store, theirs)),
      check(answer) {
        const { tables } = answer as Answer;
        expectNumber("sessions", tables.sessions, truth.sessions);
        expectNumber("usage", tables.usage, calls);
        expectSum(usage(`${theirs}/usage.parquet`), truth.simple.byIdAndTime);
        return `${countRows(tables)} rows: copies under new ids counted again, no tree, files that are no sessions among the entries`;
      },
    },
  ];
}

/** A command behind the removal of what the run before wrote. */
function anew(out: string, ...command: string[]): [string, ...string[]] {
  return ["sh", "-c", 'rm -rf "$0" && exec "$@"', out, ...command];
}

function countRows(tables: Answer["tables"]): number {
  return Object.values(tables).reduce((sum, rows) => sum + rows, 0);
}

if (process.argv[1] === join(projectRoot, "build", "bench", "export.js")) {
  const { values } = parseArgs({
    options: {
      runs: { type: "string", default: "5" },
      folder: { type: "string", default: join(projectRoot, "bench", "corpus") },
    },
  });
  const corpus = join(values.folder, "many");
  if (!existsSync(corpus)) writeCorpus({ shape: "many", ...SHAPES.many, seed: 1, out: corpus });
  const { markdown, verdicts } = compareExport(corpus, Number(values.runs));
  console.log([markdown, ...verdicts].join("\n\n"));
}
