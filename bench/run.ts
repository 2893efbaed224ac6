/**
 * Runs all benchmarks of whole processes and writes what came out, as Markdown:
 *
 *     node build/bench/run.js --runs 7 --out bench/RESULTS.md
 *     node build/bench/run.js --runs 1 --only totals,list,newlines     # print some figures of the store comparison
 *
 * The corpora are made in `--folder` (default `bench/corpus`) on first use, 4 GB in all. `npm run build` and `npm install --prefix bench/peers --no-save` come first.
 */
import { existsSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { compareStore } from "./compare.js";
import { SHAPES, writeCorpus } from "./corpus.js";
import { compareExport } from "./export.js";
import { projectRoot } from "./peers.js";
import { compareReading, measureHardStores } from "./reading.js";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "7" },
    folder: { type: "string", default: join(projectRoot, "bench", "corpus") },
    only: { type: "string" },
    out: { type: "string" },
  },
});
const runs = Number(values.runs);
const { folder } = values;

const corpus = join(folder, "many");
if (!existsSync(corpus)) writeCorpus({ shape: "many", ...SHAPES.many, seed: 1, out: corpus });
const store = compareStore(corpus, runs, values.only?.split(","));
if (values.only !== undefined) console.log(store.markdown);
else print(writeResults());

function writeResults(): string {
  // Few runs of what takes long: the ratios there are far from any limit.
  const few = { folder, runs: Math.min(runs, 3) };
  const tables = compareExport(corpus, few.runs);
  return `# Results

Written by \`node build/bench/run.js\`, on ${cpus().length} cores of ${cpus()[0]?.model ?? "an unknown processor"}; ${runs} runs of each process in turn. [README.md](README.md) tells what
is measured, and by which rules the other tools count.

## What the numbers do not show

The files lie in the page cache: on a cold disk all tools wait for the same bytes. The sessions are made up, their text repeats. The tools do not do the
same work: where one can do less it is asked for less, and its answer is held to its own rule. Wall time includes the start of the process. The machine is shared with others, so
single times mean little: ratios are taken run by run, between neighbours in time, and their median is what counts.

## A store of 400 MB

${store.markdown}

## The same store as Parquet

${tables.markdown}

## Single hard sessions

${compareReading(few)}

## Stores that are hard on memory

${measureHardStores(few)}

## Verdict

${[...store.verdicts, ...tables.verdicts].map((verdict) => `- ${verdict}`).join("\n")}
`;
}

function print(results: string): void {
  if (values.out === undefined) console.log(results);
  else writeFileSync(values.out, results);
}
