/** Every command and statement of docs/clickhouse.md, on an old server, a cluster, and the current engine. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { runCli } from "../cli/run-cli.js";
import {
  needsEngine,
  needsServer,
  type Stoppable,
  startCluster,
  startEngine,
  startServer,
  type TestServer,
} from "../helpers/clickhouse-servers.js";
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

async function runPage(context: TestContext, server: TestServer & Stoppable): Promise<void> {
  context.after(() => server.stop());
  for (const example of examples) {
    if (isExport(example) && !isForCluster(example)) await runExport(example, server.url);
    if (example.language !== "sql") continue;
    const rows = await server.ask(example.text);
    const text = rows.map((cells) => `${cells.join("\t")}\n`).join("");
    assert.equal(text, example.output[0]?.text ?? "", `line ${example.line}`);
  }
}

test("docs/clickhouse.md says what an old server does", needsServer, async (context) => {
  await runPage(context, await startServer());
});

test("docs/clickhouse.md says what the current engine does", needsEngine, async (context) => {
  await runPage(context, await startEngine());
});

test("docs/clickhouse.md says what a cluster does", needsServer, async (context) => {
  const { nodes, stop } = await startCluster();
  context.after(() => stop());
  for (const example of examples.filter(isForCluster)) await runExport(example, nodes[0].url);
  for (const example of examples.filter(({ language, text }) => language === "sql" && !text.startsWith("ALTER"))) {
    const [first, second] = await Promise.all(nodes.map((node) => node.ask(example.text)));
    assert.deepEqual(first, second);
    const text = first!.map((cells) => `${cells.join("\t")}\n`).join("");
    assert.equal(text, example.output[0]!.text, `line ${example.line}`);
  }
});
