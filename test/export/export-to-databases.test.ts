/** Whole exports into SQLite and DuckDB files, held to the plain reader and to totals; and what redaction leaves in each format. */
import assert from "node:assert/strict";
import { appendFileSync, cpSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { toUSVString } from "node:util";
import { EXPORT_FORMATS, type ExportFormat } from "../../src/scan/export-request.js";
import { exportSessions } from "../../src/scan/export-sessions.js";
import { totals } from "../../src/scan/totals.js";
import { assertRedacted, credentials, storeOfCredentials } from "../helpers/credentials.js";
import { type DatabaseEngine, databaseEngines, needsSqlite, readTable, testEngines } from "../helpers/databases.js";
import { assistant, entry, header, jsonl, toolResult, usage, user } from "../helpers/entries.js";
import { fixture, scratchFolder } from "../helpers/files.js";
import { rowsPlainly } from "../helpers/plain-rows.js";
import { allTables, type Row } from "../helpers/row-batches.js";
import { makeStore, readStorePlainly, settleTimes, spoilFiles, writeFiles } from "../helpers/stores.js";

/** Each table holds the rows that the plain reader makes of the store. Ids that it makes for entries of version 1 are other ones. */
async function assertHolds(engine: DatabaseEngine, path: string, store: string): Promise<void> {
  const expected = rowsPlainly(readStorePlainly(store), "pond", (path) => statSync(path).mtimeMs);
  for (const table of allTables) {
    const found = await readTable(engine, path, table);
    const rows = expected[table].map((row, at) =>
      Object.fromEntries(
        Object.entries(row).map(([name, cell]) => {
          if (typeof cell !== "string") return [name, cell];
          return [name, cell.startsWith("made-") ? found[at]?.[name] : toUSVString(cell)];
        }),
      ),
    );
    assert.deepEqual(found, rows, table);
  }
}

const calls = (id: string, count: number) =>
  Array.from({ length: count }, (_, at) =>
    assistant(`${id}${at}`, at === 0 ? null : `${id}${at - 1}`, `answer ${at} \ud800 \0 𝄞 \u2028`, {
      provider: "p",
      model: `m${at % 2}`,
      usage: usage(100 + at, 10, at / 8),
    }),
  );

testEngines(
  "exportSessions to ENGINE: holds the rows of the plain reader, again after appends, edits, deletions and forks",
  async (engine, context) => {
    const folder = scratchFolder(context);
    const store = join(folder, "store");
    cpSync(fixture("store"), store, { recursive: true });
    const parent = join(store, "--home-u--", "parent.jsonl");
    writeFiles(store, {
      "--home-u--/parent.jsonl": jsonl(header({ id: "parent" }), ...calls("a", 6)),
      "--home-u--/gone.jsonl": jsonl(header({ id: "gone" }), ...calls("b", 3)),
      "--home-u--/edited.jsonl": jsonl(header({ id: "edited" }), user("1", null, "as it was")),
    });
    const path = join(folder, "export.db");
    const run = async (out: string) =>
      await exportSessions({
        stores: [store],
        format: engine.name,
        out,
        host: "pond",
        signal: new AbortController().signal,
      });
    const first = await run(path);
    assert.deepEqual(first.files, [path]);
    await assertHolds(engine, path, store);

    appendFileSync(parent, jsonl(...calls("c", 2)));
    writeFileSync(
      join(store, "--home-u--", "edited.jsonl"),
      jsonl(header({ id: "edited" }), user("1", null, "as it is")),
    );
    rmSync(join(store, "--home-u--", "gone.jsonl"));
    writeFiles(store, {
      "--home-u--/fork.jsonl": jsonl(header({ id: "fork", parentSession: parent }), ...calls("a", 6), ...calls("d", 1)),
      // Older than its parent's copy: calls of another file become copies.
      "--a--/old.jsonl": jsonl(header({ id: "old", timestamp: "2020-01-01T00:00:00.000Z" }), ...calls("c", 1)),
    });
    const second = await run(path);
    await assertHolds(engine, path, store);
    const fresh = join(folder, "fresh.db");
    assert.deepEqual(second.tables, (await run(fresh)).tables);
    for (const table of allTables) {
      assert.deepEqual(await readTable(engine, path, table), await readTable(engine, fresh, table));
    }
  },
);

/** A session, and a fork of it that was told first; each with a call of its own. */
function storeOfForks(context: TestContext): { store: string; parent: string; fork: string } {
  const store = makeStore(context, {
    "--home-u--/parent.jsonl": jsonl(header({ id: "parent" }), ...calls("a", 6)),
    "--home-u--/fork.jsonl": jsonl(header({ id: "fork", parentSession: "/gone/parent.jsonl" }), ...calls("b", 1)),
  });
  const [parent, fork] = ["parent", "fork"].map((name) => join(store, "--home-u--", `${name}.jsonl`)) as [
    string,
    string,
  ];
  settleTimes([parent, fork]);
  return { store, parent, fork };
}

testEngines("exportSessions to ENGINE: opens no file again that is as it was", async (engine, context) => {
  const folder = scratchFolder(context);
  const { store, parent, fork } = storeOfForks(context);
  const [path, fresh] = [join(folder, "export.db"), join(folder, "fresh.db")];
  const run = (out: string) => exportSessions({ stores: [store], format: engine.name, out, host: "pond" });
  await run(path);
  appendFileSync(fork, `${jsonl(...calls("a", 6))}{"torn`);
  const anew = await run(fresh);
  assert.equal(anew.damagedLines, 1);
  spoilFiles([parent]);
  const again = await run(path);
  assert.deepEqual(again, { ...anew, files: [path] });
  const usage = await readTable(engine, path, "usage");
  assert.equal(usage.filter(({ is_copy }) => is_copy).length, 6);
  for (const table of allTables) {
    assert.deepEqual(await readTable(engine, path, table), await readTable(engine, fresh, table), table);
  }

  settleTimes([fork]);
  await run(path);
  spoilFiles([fork]);
  assert.deepEqual(await run(path), again);
});

testEngines("exportSessions to ENGINE: reads files again whose notes are damaged", async (engine, context) => {
  const { store, fork } = storeOfForks(context);
  const path = join(scratchFolder(context), "export.db");
  const run = () => exportSessions({ stores: [store], format: engine.name, out: path, host: "pond" });
  await run();
  const [table, column] = engine.name === "sqlite" ? ["_exported_files", "note"] : ["_notes", "piece"];
  // What is found then in place of the calls is others.
  await engine.run(path, `UPDATE ${table} SET ${column} = replace(${column}, 'A', 'B')`);
  appendFileSync(fork, jsonl(...calls("a", 6)));
  await run();
  await assertHolds(engine, path, store);
  await engine.run(path, `UPDATE ${table} SET ${column} = '{}'`);
  await run();
  await assertHolds(engine, path, store);
  const [{ notes } = {}] = await engine.query(path, `SELECT count(*) AS notes FROM ${table} WHERE ${column} = '{}'`);
  assert.equal(notes, 0, "there are whole ones again");
});

testEngines("exportSessions to ENGINE: gives the sums of totals by model and month", async (engine, context) => {
  const path = join(scratchFolder(context), "export.db");
  const stores = [fixture("store")];
  await exportSessions({ stores, format: engine.name, out: path });
  const { groups } = await totals({ stores, by: ["model", "month"], timeZone: "UTC" });
  const expected = groups.map(({ key, calls, input, costTotal }) => [
    `${key.model} ${key.month}`,
    { calls, input, costTotal },
  ]);
  const month = engine.monthOf("timestamp");
  const found = await engine.query(
    path,
    `SELECT CASE WHEN provider IS NULL THEN model ELSE provider || '/' || model END AS model, ${month} AS month,
      count(*) AS calls, sum(input) AS input, sum(cost_total) AS costTotal
      FROM usage WHERE NOT is_copy GROUP BY 1, 2`,
  );
  const sums = new Map(found.map(({ model, month, ...sums }) => [`${model} ${month}`, sums]));
  assert.equal(sums.size, expected.length);
  for (const [key, { calls, input, costTotal }] of expected as [string, Record<string, number>][]) {
    const sum = sums.get(key) as Record<string, number> | undefined;
    assert.ok(sum, key);
    assert.deepEqual([sum.calls, sum.input], [calls, input], key);
    assert.ok(Math.abs(sum.costTotal! - costTotal!) <= 1e-9 * costTotal!, key);
  }
});

/** All that an export says, as one text. */
async function readExport(format: ExportFormat, out: string): Promise<string> {
  const [sqlite, duckdb] = databaseEngines as [DatabaseEngine, DatabaseEngine];
  const engine = format === "sqlite" ? sqlite : duckdb;
  let said = format === "parquet" ? readFileSync(join(out, ".current/notes.txt"), "latin1") : "";
  if (format === "sqlite" || format === "duckdb") {
    const manifest = await engine.query(out, `SELECT * FROM ${format === "sqlite" ? "_exported_files" : "_notes"}`);
    said += JSON.stringify(manifest);
  }
  for (const table of allTables) {
    if (format === "jsonl" || format === "csv") {
      said += readFileSync(join(out, `${table}.${format}`), "utf8");
      continue;
    }
    const rows: Row[] | Record<string, unknown>[] =
      format === "parquet"
        ? await duckdb.query(":memory:", `SELECT * FROM read_parquet('${out}/${table}/**/*.parquet')`)
        : await readTable(engine, out, table);
    for (const row of rows) said += `${Object.values(row).join("\n")}\n`;
  }
  return said;
}

for (const format of EXPORT_FORMATS.filter((format) => format !== "clickhouse")) {
  const { skip } = format === "sqlite" ? needsSqlite : { skip: false as const };
  test(`exportSessions redacts every string in ${format}, before previews are cut`, { skip }, async (context) => {
    const store = storeOfCredentials(context);
    const folder = scratchFolder(context);
    for (const text of ["preview", "full"] as const) {
      const out = join(folder, text);
      await exportSessions({ stores: [store], format, out, text, redact: true });
      const said = await readExport(format, out);
      assertRedacted(said);
    }
    const out = join(folder, "open");
    await exportSessions({ stores: [store], format, out, text: "full" });
    assert.ok((await readExport(format, out)).includes(credentials[0]!.secret), "without redaction all is there");
  });
}

test("exportSessions redacts credentials that the beginning of a long line ends in", async (context) => {
  const { secret } = credentials.find(({ kind }) => kind === "private-key")!;
  const token = credentials[2]!.secret;
  // Of a line that is too long to hold, previews are made of the first 1,024 code points of each string.
  const outputs = [400, 900, 1000].map((before) => {
    const rest = "more of it\n".repeat(100_000);
    return `${"word ".repeat(before / 5)}${token}\n${secret}\n${rest}`;
  });
  const store = makeStore(context, {
    "--home-u--/long.jsonl": jsonl(
      header({ id: "long" }),
      user("1", null, outputs[0]),
      toolResult("2", "1", outputs[1]!, { toolCallId: "t" }),
      entry("message", "3", "2", { message: { role: "bashExecution", command: "x", output: outputs[2] } }),
    ),
  });
  for (const text of ["preview", "full"] as const) {
    const out = scratchFolder(context);
    await exportSessions({ stores: [store], format: "jsonl", out, text, redact: true });
    const said = await readExport("jsonl", out);
    for (const part of [token.slice(0, 20), token.slice(-20), ...secret.split("\n").slice(1, -1)]) {
      assert.ok(!said.includes(part), `${part} in ${text}`);
    }
  }
});

test("exportSessions that redacts writes all rows anew when the rules are of another release", async (context) => {
  const store = makeStore(context, { "a.jsonl": jsonl(header({ id: "a" }), user("1", null, "x")) });
  const out = scratchFolder(context);
  const options = { stores: [store], format: "parquet", out, tables: ["messages"], redact: true } as const;
  const { files } = await exportSessions(options);
  assert.deepEqual((await exportSessions(options)).files, files);
  const rules = createRequire(import.meta.url)("@secretlint/secretlint-rule-preset-recommend/package.json");
  const { version } = rules;
  context.after(() => (rules.version = version));
  rules.version = "11.999.0";
  const anew = (await exportSessions(options)).files;
  assert.equal(
    anew.some((path) => files.includes(path)),
    false,
  );
});
