/**
 * Holds `totals --by …` to the truth about a corpus, key by key, and prints what differs:
 *
 *     node build/bench/check-totals.js --corpus FOLDER
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { storeFolder } from "./corpus.js";
import { expectSum, ourCommand, type Totals } from "./peers.js";
import { GROUP_KEYS, type GroupKey, type Truth } from "./truth.js";

const { values } = parseArgs({ options: { corpus: { type: "string" } } });
if (values.corpus === undefined) throw new TypeError("Cannot check totals: --corpus FOLDER is missing");
const store = storeFolder(values.corpus);
const truth = JSON.parse(readFileSync(join(values.corpus, "truth.json"), "utf8")) as Truth;

for (const groupKey of GROUP_KEYS) {
  const differences = findDifferences(groupKey);
  console.log(`${groupKey}: ${differences.length === 0 ? `right, ${truth.by[groupKey].length} groups` : "WRONG"}`);
  for (const difference of differences.slice(0, 5)) console.log(`  ${difference}`);
  if (differences.length > 0) process.exitCode = 1;
}

function findDifferences(groupKey: GroupKey): string[] {
  const [program, ...words] = ourCommand("totals", "--by", groupKey, "--store", store, "--json", "--timezone", "UTC");
  const { stdout } = spawnSync(program, [...words, "--no-catalog"], { encoding: "utf8", maxBuffer: 1 << 29 });
  const { groups } = JSON.parse(stdout) as { groups: (Totals & { key: Record<string, string | null> })[] };
  const found = new Map(groups.map((group) => [group.key[groupKey]!, group]));
  const differences: string[] = [];
  for (const { key, ...sum } of truth.by[groupKey]) {
    try {
      expectSum(found.get(key!) ?? { calls: 0 }, sum);
    } catch (error) {
      differences.push(`${key}: ${(error as Error).message}`);
    }
    found.delete(key!);
  }
  return [...differences, ...[...found.keys()].map((key) => `${key}: not in the corpus`)];
}
