/**
 * Times our commands on a whole store beside other tools, and prints the figures as Markdown:
 *
 *     node build/bench/compare.js --corpus FOLDER --runs 7
 *     node build/bench/compare.js --corpus FOLDER --runs 1 --only ccusage,tokscale
 *
 * FOLDER is a corpus of `build/bench/corpus.js`. `npm run build` and `npm ci --prefix bench/peers` come first.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { formatMeasurements, formatRatios, measure } from "./measure.js";
import { storeContenders } from "./peers.js";
import type { Truth } from "./truth.js";

/** Which times are divided by which. */
const PAIRS = [
  ["totals", "ccusage"],
  ["totals", "tokscale"],
  ["totals", "duckdb"],
  ["list", "pi 1.6.0"],
  ["totals", "newlines"],
  ["totals", "readline"],
] as const;

const { values } = parseArgs({
  options: { corpus: { type: "string" }, runs: { type: "string", default: "7" }, only: { type: "string" } },
});
if (values.corpus === undefined) throw new TypeError("Cannot compare: --corpus FOLDER is missing");
const truth = JSON.parse(readFileSync(join(values.corpus, "truth.json"), "utf8")) as Truth;
const contenders = storeContenders(values.corpus, truth);
const names = values.only?.split(",") ?? Object.keys(contenders);
const chosen = names.map((name) => {
  const contender = contenders[name];
  if (!contender) throw new RangeError(`Cannot compare "${name}": it is none of ${Object.keys(contenders).join(", ")}`);
  return contender;
});

const measurements = measure(chosen, Number(values.runs));
const byName = new Map(measurements.map((measurement) => [measurement.name, measurement]));
const pairs = PAIRS.flatMap(([leftName, rightName]) => {
  const [left, right] = [byName.get(leftName), byName.get(rightName)];
  return left && right ? [{ left, right }] : [];
});
const { shape, seed, bytes, sessions, entries } = truth;
console.log(
  `Corpus: ${shape}, seed ${seed}, ${bytes} bytes, ${sessions} sessions, ${entries} entries. Node ${process.version}.\n`,
);
console.log(formatMeasurements(measurements, bytes));
if (pairs.length > 0) console.log(`\n${formatRatios(pairs)}`);
