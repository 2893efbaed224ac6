/** Exports to databases that are killed at random moments: the file holds the last export that was done, or the next one, whole; and one more goes through. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { type DatabaseEngine, databaseEngines, needsSqlite, readTable } from "../helpers/databases.js";
import { projectRoot, scratchFolder } from "../helpers/files.js";
import { changedFile, rowBatch } from "../helpers/row-batches.js";

/** How many exporters are killed with each engine. */
const KILLS = Number(process.env.PI_SESSIONS_KILLS ?? 28) / 2;

const child = join(projectRoot, "build/test/export/children/export-forever.js");

/** Runs an exporter and kills it; returns the last generation that it said was done, 0 without any. */
async function runAndKill(engine: DatabaseEngine, path: string, first: number, withinMs: number): Promise<number> {
  const exporter = spawn(process.execPath, [child, engine.name, path, String(first)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let said = "";
  for await (const chunk of exporter.stdout) {
    if (said === "") setTimeout(() => exporter.kill("SIGKILL"), Math.random() * withinMs);
    said += String(chunk);
  }
  assert.match(said, /^ready\n/, "the exporter did not begin");
  return Number(said.split("\n").slice(1, -1).at(-1) ?? 0);
}

/** The generation that a file holds, all of it; 0 for none. */
async function readGeneration(engine: DatabaseEngine, path: string): Promise<number> {
  if (!existsSync(path)) return 0;
  const tables = await engine.query(
    path,
    engine.name === "sqlite" ? "SELECT name FROM sqlite_schema" : "SELECT table_name FROM information_schema.tables",
  );
  if (tables.length === 0) return 0;
  const sessions = await readTable(engine, path, "sessions");
  const messages = await readTable(engine, path, "messages");
  const generation = Number(sessions[0]!.version);
  const files = ["/0", "/1", "/2", "/3"].filter((file) => file !== `/${generation % 4}`);
  assert.deepEqual(
    sessions.map(({ path, version }) => ({ path, version })),
    files.map((path) => ({ path, version: generation })),
  );
  assert.equal(messages.length, 3 * 400);
  assert.deepEqual([...new Set(messages.map(({ path }) => path))], files);
  assert.deepEqual([...new Set(messages.map(({ text }) => text))], [`${generation} `.repeat(50)]);
  const manifest = await engine.query(path, "SELECT path, state FROM _exported_files ORDER BY path");
  assert.deepEqual(
    manifest,
    files.map((path) => ({ path, state: String(generation) })),
  );
  return generation;
}

for (const engine of databaseEngines) {
  const { skip } = engine.name === "sqlite" ? needsSqlite : { skip: false as const };
  test(`${engine.name}: an export that is killed leaves the last one or is done, and the next one goes through`, {
    skip,
  }, async (context) => {
    const folder = scratchFolder(context);
    let done = 0;
    let path = join(folder, "0.db");
    for (let kill = 0; kill < KILLS; kill++) {
      // Half of them are killed during their first export.
      const isNew = kill % 2 === 0;
      if (isNew) {
        path = join(folder, `${kill}.db`);
        done = 0;
      }
      const said = await runAndKill(engine, path, done + 1, isNew ? 150 : 600);
      const found = await readGeneration(engine, path);
      const least = Math.max(said, done);
      assert.ok(found === least || found === least + 1, `said ${said}, done ${done}, found ${found}`);
      done = found;
    }
    const target = await engine.open(path, { tables: ["sessions", "messages"], host: "pond", settings: "s" });
    await target.write(rowBatch("messages", "/last", [{}]));
    await target.finish([changedFile("/last")], [...target.exported.keys()]);
    assert.equal((await readTable(engine, path, "messages")).length, 1);
    const left = readdirSync(folder).filter((name) => name.includes(basename(path)));
    assert.deepEqual(left, [basename(path)], "nothing else is left of it");
  });
}
