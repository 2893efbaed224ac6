// What most scripts do: readline and JSON.parse, file after file: node readline.mjs STORE. One call per entry id and timestamp.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { findSessions } from "./find-sessions.mjs";

const totals = { calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, costTotal: 0 };
const seen = new Set();
for (const path of findSessions(process.argv[2])) {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    let entry;
    try {
      entry = JSON.parse(line);
    } catch {
      continue; // A damaged line is lost whole, as such scripts have it.
    }
    const usage = entry.type === "message" ? entry.message.usage : entry.type === "step" ? undefined : entry.usage;
    if (!usage || seen.has(`${entry.id} ${entry.timestamp}`)) continue;
    seen.add(`${entry.id} ${entry.timestamp}`);
    totals.calls += 1;
    totals.input += usage.input;
    totals.output += usage.output;
    totals.cacheRead += usage.cacheRead;
    totals.cacheWrite += usage.cacheWrite;
    totals.costTotal += usage.cost.total;
  }
}
console.log(JSON.stringify(totals));
