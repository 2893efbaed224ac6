/** Every command and statement of docs/clickhouse.md, on an old server, a cluster, and the current engine. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runCli } from "../cli/run-cli.js";
import { cluster, currentEngine, oldServer, type TestServer } from "../helpers/clickhouse-servers.js";
import { projectRoot } from "../helpers/files.js";
import { type Example, readExamples } from "./examples.js";

const examples = readExamples(readFileSync(join(projectRoot, "docs/clickhouse.md"), "utf8"));
const command = "node dist/cli/main.js ";
const isExport = ({ text }: Example) => text.startsWith(command);
const isForCluster = ({ text }: Example) => text.includes("--cluster");

/** Runs an export of the page on another server, and holds its output to the page. */
async function runExport({ text, output }: Example, url: string): Promise<void> {
  const words = text.trim().slice(command.length).split(" ");
  words[words.indexOf("--url") + 1] = url;
  words[words.indexOf("--store") + 1] = join(projectRoot, "fixtures/store");
  const { exitCode, stdout, stderr } = await runCli(words);
  assert.equal(exitCode, 0, stderr);
  assert.equal(stdout, output[0]!.text);
}

for (const { name, needs, start } of [oldServer, currentEngine]) {
  test(`docs/clickhouse.md says what ${name} does`, needs, async (context) => {
    const { nodes, stop } = await start();
    context.after(() => stop());
    const [server] = nodes as [TestServer];
    for (const example of examples) {
      if (isExport(example) && !isForCluster(example)) await runExport(example, server.url);
      if (example.language === "sql") assertSays(example, await server.ask(example.text));
    }
  });
}

test(`docs/clickhouse.md says what ${cluster.name} does`, cluster.needs, async (context) => {
  const { nodes, stop } = await cluster.start();
  context.after(() => stop());
  for (const example of examples.filter(isForCluster)) await runExport(example, nodes[0]!.url);
  for (const example of examples.filter(({ language, text }) => language === "sql" && !text.startsWith("ALTER"))) {
    for (const node of nodes) assertSays(example, await node.ask(example.text));
  }
});

/** Holds an answer to what stands below the statement. */
function assertSays({ output, line }: Example, rows: readonly string[][]): void {
  const text = rows.map((cells) => `${cells.join("\t")}\n`).join("");
  assert.equal(text, output[0]?.text ?? "", `line ${line}`);
}
