/** Times our commands on a whole store beside other tools. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { formatMeasurements, formatRatios, measure, median, ratios } from "./measure.js";
import { storeContenders } from "./peers.js";
import type { Truth } from "./truth.js";

/** Which times are divided by which, and what the ratio must be at most, if anything is asked of it. */
const PAIRS = [
  { left: "totals", right: "ccusage", limit: 0.45 },
  { left: "totals", right: "tokscale", limit: 0.55 },
  { left: "totals", right: "duckdb", limit: 1 },
  { left: "list", right: "pi 1.6.0", limit: 0.2 },
  { left: "totals", right: "newlines", limit: 3 },
  { left: "totals", right: "readline", limit: undefined },
] as const;

/** Figures as Markdown, and for each ratio that something is asked of a line that says whether it holds. */
export interface Comparison {
  markdown: string;
  verdicts: string[];
}

/** Compares on a corpus; `only` names some of the contenders. */
export function compareStore(corpus: string, runs: number, only?: readonly string[]): Comparison {
  const truth = JSON.parse(readFileSync(join(corpus, "truth.json"), "utf8")) as Truth;
  const contenders = storeContenders(corpus, truth);
  const chosen = (only ?? Object.keys(contenders)).map((name) => {
    const contender = contenders[name];
    if (contender) return contender;
    throw new RangeError(`Cannot compare "${name}": it is none of ${Object.keys(contenders).join(", ")}`);
  });

  const measurements = measure(chosen, runs);
  const byName = new Map(measurements.map((measurement) => [measurement.name, measurement]));
  const pairs = PAIRS.flatMap(({ left: leftName, right: rightName, limit }) => {
    const [left, right] = [byName.get(leftName), byName.get(rightName)];
    return left && right ? [{ left, right, limit }] : [];
  });
  const { shape, seed, bytes, sessions, entries } = truth;
  const markdown = [
    `Corpus: ${shape}, seed ${seed}, ${bytes} bytes, ${sessions} sessions, ${entries} entries. Node ${process.version}.`,
    formatMeasurements(measurements, bytes),
    ...(pairs.length > 0 ? [formatRatios(pairs)] : []),
  ].join("\n\n");
  const verdicts = pairs.flatMap(({ left, right, limit }) => {
    if (limit === undefined || left.failed || right.failed) return [];
    const ratio = median(ratios(left, right));
    const word = ratio <= limit ? "holds" : "does not hold";
    return `\`${left.name}\` / ${right.name}: ${ratio.toFixed(2)}, asked for at most ${limit}: ${word}.`;
  });
  return { markdown, verdicts };
}
