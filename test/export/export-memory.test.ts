/** What an export takes of memory, by the process's own account. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { assistant, header, jsonl, type Line, toolResult, usage, user } from "../helpers/entries.js";
import { scratchFolder } from "../helpers/files.js";

const cli = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));
const MONTHS = 120;

/** Sessions of some MB whose entries go through all months, time and again: every file of every table is open from beginning to end. */
function writeMonths(store: string, sessions: number, entries: number): void {
  mkdirSync(store);
  const said = "lorem ipsum dolor sit amet ".repeat(20);
  for (let session = 0; session < sessions; session++) {
    const lines: Line[] = [];
    for (let number = 0; number < entries; number++) {
      const id = (session * entries + number).toString(16).padStart(8, "0");
      const parent = (lines.at(-1)?.id as string | undefined) ?? null;
      const content = [
        { type: "text", text: said + id },
        { type: "toolCall", id, name: "bash", arguments: { said } },
      ];
      const line = [
        () => user(id, parent, said + id),
        () => assistant(id, parent, "", { content, usage: usage(1, 2, 3) }),
        () => toolResult(id, parent, said, { toolCallId: parent }),
      ][number % 3]!();
      const time = Date.UTC(2016, (number * 7) % MONTHS, 2);
      (line.message as Line).timestamp = time;
      lines.push({ ...line, timestamp: new Date(time).toISOString() });
    }
    const created = new Date(Date.UTC(2016, session % MONTHS, 2)).toISOString();
    writeFileSync(join(store, `${session}.jsonl`), jsonl(header({ id: `s${session}`, timestamp: created }), ...lines));
  }
}

test("export to Parquet takes less than 300 MB with 120 months open in each table", {
  skip: process.platform === "win32",
}, (context) => {
  const folder = scratchFolder(context);
  const store = join(folder, "store");
  writeMonths(store, 24, 1200);
  const script = `
    process.on("exit", () => console.error(JSON.stringify(process.resourceUsage().maxRSS)));
    process.argv.push("main.js", "export", "--format", "parquet", "--out", ${JSON.stringify(join(folder, "out"))}, "--store", ${JSON.stringify(store)}, "--json", "--quiet", "--jobs", "2");
    await import(${JSON.stringify(cli)});`;
  const printed = execFileSync("sh", ["-c", '"$0" --input-type=module --eval "$1" 2>&1', process.execPath, script], {
    encoding: "utf8",
    maxBuffer: 1 << 24,
  });
  const lines = printed.trim().split("\n");
  const { tables } = JSON.parse(lines.slice(0, -1).join("\n")) as { tables: Record<string, number> };
  assert.deepEqual(tables, { sessions: 24, entries: 28_800, messages: 28_800, tool_calls: 9600, usage: 9600 });
  assert.equal(Number(lines.at(-1)) * 1024 < 300e6, true, `${lines.at(-1)} KB`);
});
