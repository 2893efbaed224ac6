/** What SQLite and DuckDB files have in common as targets of an export, each read back by its own engine. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import fc from "fast-check";
import { ExportError } from "../../src/errors.js";
import type { ExportedFile, TargetOptions } from "../../src/export/export-target.js";
import { findTable, type TableName } from "../../src/export/tables.js";
import { type DatabaseEngine, databaseEngines, needsSqlite, readTable, testEngines } from "../helpers/databases.js";
import { scratchFolder } from "../helpers/files.js";
import { allTables, changedFile, exportedFile, notesOf, type Row, rowBatch } from "../helpers/row-batches.js";

const options: TargetOptions = { tables: allTables, host: "pond", settings: "as ever" };

/** Rows of one file, by table. */
type FileRows = Partial<Record<TableName, Row[]>>;

interface Change {
  changed?: Record<string, FileRows>;
  removed?: string[];
}

/** Exports the rows of some files. */
async function exportRows(
  engine: DatabaseEngine,
  path: string,
  { changed = {}, removed = [] }: Change,
  more: Partial<TargetOptions> = {},
): Promise<Partial<Record<TableName, number>>> {
  const target = await engine.open(path, { ...options, ...more });
  for (const [file, fileRows] of Object.entries(changed)) {
    for (const [table, rows] of Object.entries(fileRows)) {
      // In two batches, as large files come in many.
      const half = Math.ceil(rows.length / 2);
      await target.write(rowBatch(table as TableName, file, rows.slice(0, half)));
      if (half < rows.length) {
        const rest = rows.slice(half).map((row, at) => ({ line: half + at + 2, ...row }));
        await target.write(rowBatch(table as TableName, file, rest));
      }
    }
  }
  return await target.finish(
    Object.keys(changed).map((file) => changedFile(file)),
    removed,
  );
}

async function readAll(engine: DatabaseEngine, path: string): Promise<Record<string, Row[]>> {
  const read: Record<string, Row[]> = {};
  for (const table of allTables) read[table] = await readTable(engine, path, table);
  return read;
}

/** What `readAll` gives of these files: each cell of each row, spelled out. */
function rowsOf(files: Record<string, FileRows>): Record<string, Row[]> {
  const expected: Record<string, Row[]> = {};
  for (const table of allTables) {
    const { columns, key } = findTable(table);
    const rows = Object.entries(files).flatMap(([file, fileRows]) => {
      const { count, columns: cells } = rowBatch(table, file, fileRows[table] ?? []);
      return Array.from({ length: count }, (_, at) =>
        Object.fromEntries(columns.map(({ name }, column) => [name, cells[column]![at]!])),
      );
    });
    expected[table] = rows.sort((one, other) => {
      const column = key.find((name) => one[name] !== other[name]);
      return column === undefined || one[column]! < other[column]! ? -1 : 1;
    });
  }
  return expected;
}

const texts = [
  "plain",
  "",
  null,
  "nul \0 within",
  "\0",
  "line\nbreaks\r\nand\ttabs",
  "separators \u2028 and \u2029",
  "astral 𝄞 😀, replaced \ufffd, last \uffff\u{10ffff}",
  "'single', \"double\", `back`, \\ -- ; DROP TABLE messages; /*",
  "%s $x {} ?1 $1 :a",
  "e\u0301 is no \u00e9",
  "long ".repeat(50_000),
];
const times = [
  0,
  -1,
  1,
  999,
  Date.UTC(1969, 11, 31),
  Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  Date.UTC(9999, 11, 31, 23, 59, 59, 999),
  null,
];
const numbers = [0, 0.1, 5e-324, 1.7976931348623157e308, 2 ** 53, 2 ** 53 + 2, 123_456.789];
const integers = [0, -1, 2 ** 31, 2 ** 32 + 1, Number.MAX_SAFE_INTEGER];
const take = <T>(values: readonly T[], at: number): T => values[at % values.length]!;

function variousRows(): FileRows {
  const places = Array.from({ length: 24 }, (_, at) => at);
  return {
    sessions: [
      {
        host: "h\0st",
        cwd: "/home/ü\n",
        name: null,
        version: 3,
        created: Date.UTC(2026, 0, 1),
        modified: times[5]!,
        size_bytes: Number.MAX_SAFE_INTEGER,
        first_message: "'; --",
      },
    ],
    messages: places.map((at) => ({
      text: take(texts, at),
      thinking: take(texts, at + 5),
      timestamp: take(times, at),
      is_error: take([true, false, null], at),
    })),
    entries: places.map((at) => ({
      type: "message",
      bytes: take(integers, at),
      depth: at % 3 === 0 ? null : at,
      on_current_branch: at % 2 === 0,
      timestamp: take(times, at + 1),
    })),
    tool_calls: places.map((at) => ({
      content_index: at,
      arguments: JSON.stringify({ text: take(texts, at) }),
      output_bytes: take(integers, at),
      duration_ms: at % 4 === 0 ? null : at,
    })),
    usage: places.map((at) => ({
      source: "assistant",
      model: take(["one", "two", null], at),
      timestamp: Date.UTC(2026, at % 5, 1 + at, 0, 0, 0, at % 7 === 0 ? 0 : -1),
      input: take(numbers, at),
      cost_total: at / 7,
      is_copy: at % 2 === 1,
    })),
  };
}

testEngines("ENGINE: each cell comes back as it was", async (engine, context) => {
  const path = join(scratchFolder(context), "new folder", "it's.db");
  const files = { "/a.jsonl": variousRows(), "/b'\".jsonl": variousRows() };
  const counts = await exportRows(engine, path, { changed: files });
  assert.deepEqual(counts, { sessions: 2, entries: 48, messages: 48, tool_calls: 48, usage: 48 });
  assert.deepEqual(await readAll(engine, path), rowsOf(files));
  assert.deepEqual(readdirSync(join(path, "..")), ["it's.db"], "nothing else is left there");
});

testEngines("ENGINE: sums by model and month are those of the rows", async (engine, context) => {
  const path = join(scratchFolder(context), "export.db");
  const rows = Array.from({ length: 3000 }, (_, at) => ({
    source: "assistant",
    model: `m${at % 3}`,
    timestamp: Date.UTC(2025, 10, 1) + at * 3_600_000 - 1,
    input: at,
    cost_total: at / 4,
  }));
  await exportRows(engine, path, { changed: { "/a.jsonl": { usage: rows } } });
  const expected = new Map<string, { calls: number; input: number; cost: number }>();
  for (const { model, timestamp, input, cost_total } of rows) {
    const key = `${model} ${new Date(timestamp).toISOString().slice(0, 7)}`;
    const { calls, input: sum, cost } = expected.get(key) ?? { calls: 0, input: 0, cost: 0 };
    expected.set(key, { calls: calls + 1, input: sum + input, cost: cost + cost_total });
  }
  const month = engine.monthOf("timestamp");
  const found = await engine.query(
    path,
    `SELECT model, ${month} AS month, count(*) AS calls, sum(input) AS input, sum(cost_total) AS cost FROM usage GROUP BY 1, 2`,
  );
  const sums = found.map(({ model, month, ...sums }) => [`${model} ${month}`, sums] as const);
  assert.deepEqual(new Map(sums), expected);
  assert.equal(expected.size, 1 + 5 * 3, "one row is a millisecond before the first of five months");
});

test("duckdb: what killed exports left beside the file goes, and nothing else", async (context) => {
  const folder = scratchFolder(context);
  const [, duckdb] = databaseEngines as [DatabaseEngine, DatabaseEngine];
  const path = join(folder, "export.db");
  await exportRows(duckdb, path, {});
  mkdirSync(`${path}.tmp`);
  writeFileSync(join(`${path}.tmp`, "duckdb_temp_storage_DEFAULT-0.tmp"), "x");
  writeFileSync(join(folder, ".export.db.0123456789ab.tmp"), "x");
  const others = [".other.db.0123456789ab.tmp", ".export.db.notes.tmp"];
  for (const name of others) writeFileSync(join(folder, name), "x");
  await exportRows(duckdb, path, {});
  assert.deepEqual(readdirSync(folder).sort(), [...others, "export.db"].sort());
  mkdirSync(`${path}.tmp`);
  writeFileSync(join(`${path}.tmp`, "mine"), "x");
  await exportRows(duckdb, path, {});
  assert.deepEqual(readdirSync(`${path}.tmp`), ["mine"]);
});

testEngines("ENGINE: texts of many megabytes come back, among small ones", async (engine, context) => {
  const path = join(scratchFolder(context), "export.db");
  const rows = Array.from({ length: 40 }, (_, at) => ({ text: `${at} `.repeat(at % 10 === 0 ? 4_000_000 : 10) }));
  await exportRows(engine, path, { changed: { "/a.jsonl": { messages: rows } } });
  const found = await engine.query(path, "SELECT line, length(text) AS length FROM messages ORDER BY line");
  assert.deepEqual(
    found.map(({ length }) => length),
    rows.map(({ text }) => text.length),
  );
});

const arbitraryRows = fc.array(
  fc.record({ entry_id: fc.string({ maxLength: 3 }), timestamp: fc.option(fc.integer({ min: 0, max: 1e12 })) }),
  { maxLength: 4 },
);
const arbitraryFile: fc.Arbitrary<FileRows> = fc.record({
  sessions: fc.constant([{ host: "pond" }]),
  entries: arbitraryRows,
  usage: arbitraryRows,
});
const arbitraryChange = fc.record({
  changed: fc.dictionary(fc.constantFrom("/a", "/b", "/c", "/d"), arbitraryFile, { maxKeys: 3 }),
  removed: fc.uniqueArray(fc.constantFrom("/a", "/b", "/c", "/d"), { maxLength: 2 }),
});

testEngines("ENGINE: exports one after the other hold the rows of a fresh one", async (engine, context) => {
  const folder = scratchFolder(context);
  let runs = 0;
  const hold = fc.asyncProperty(fc.array(arbitraryChange, { minLength: 1, maxLength: 5 }), async (changes) => {
    const path = join(folder, `${runs++}.db`);
    let files: Record<string, FileRows> = {};
    for (const change of changes) {
      const removed = change.removed.filter((file) => file in files && !(file in change.changed));
      files = { ...files, ...change.changed };
      for (const file of removed) delete files[file];
      const expected = rowsOf(files);
      const counts = await exportRows(engine, path, { changed: change.changed, removed });
      assert.deepEqual(await readAll(engine, path), expected);
      assert.deepEqual(counts, Object.fromEntries(allTables.map((table) => [table, expected[table]!.length])));
    }
    const target = await engine.open(path, options);
    assert.deepEqual([...target.exported.keys()].sort(), Object.keys(files).sort());
    await target.abort();
  });
  await fc.assert(hold, { numRuns: engine.name === "sqlite" ? 25 : 8 });
});

testEngines("ENGINE: what was exported is told next time, and nothing with other settings", async (engine, context) => {
  const path = join(scratchFolder(context), "export.db");
  const file: ExportedFile = {
    path: "/ü\u2028.jsonl",
    sizeBytes: 2 ** 40 + 1,
    mtimeMs: 1_767_322_800_123.25,
    state: "s\0'",
  };
  const target = await engine.open(path, options);
  assert.equal(target.exported.size, 0);
  await target.write(rowBatch("entries", file.path, [{}, {}]));
  const note = "0123456789".repeat(500_000);
  await target.finish([{ ...file, note }, changedFile("/none.jsonl")], []);

  const again = await engine.open(path, options);
  assert.deepEqual(
    [...again.exported.values()].sort((one) => (one.path === file.path ? 1 : -1)),
    [exportedFile("/none.jsonl"), file],
  );
  assert.deepEqual(await notesOf(again), [note, "note of /none.jsonl"]);
  assert.deepEqual(await again.finish([], []), { sessions: 0, entries: 2, messages: 0, tool_calls: 0, usage: 0 });

  const other = await engine.open(path, { ...options, settings: "other", tables: ["sessions", "usage"] });
  assert.equal(other.exported.size, 0);
  assert.deepEqual(await notesOf(other), []);
  assert.deepEqual(await other.finish([], []), { sessions: 0, usage: 0 });
  await assert.rejects(engine.query(path, "SELECT * FROM entries"), "a table that is no longer wanted is gone");
});

testEngines(
  "ENGINE: an export that is aborted leaves the last one, and the first one no file",
  async (engine, context) => {
    const folder = scratchFolder(context);
    const path = join(folder, "export.db");
    const files = { "/a.jsonl": { entries: [{}, {}] } };
    const rows = Array.from({ length: 5000 }, () => ({ entry_id: "new" }));

    const first = await engine.open(path, options);
    await first.write(rowBatch("entries", "/a.jsonl", rows));
    await first.abort();
    await first.abort();
    assert.deepEqual(readdirSync(folder), []);

    await exportRows(engine, path, { changed: files });
    const controller = new AbortController();
    const second = await engine.open(path, { ...options, signal: controller.signal });
    await second.write(rowBatch("entries", "/a.jsonl", rows));
    const reason = new Error("enough");
    controller.abort(reason);
    await assert.rejects(second.write(rowBatch("entries", "/b.jsonl", rows)), reason);
    await assert.rejects(second.finish([changedFile("/a.jsonl")], []), reason);
    await second.abort();
    assert.deepEqual(await readAll(engine, path), rowsOf(files));
    await assert.rejects(engine.open(path, { ...options, signal: controller.signal }), reason);
    assert.deepEqual(readdirSync(folder), ["export.db"]);
  },
);

testEngines(
  "ENGINE: a second export at the same time is refused, and the first one is not disturbed",
  async (engine, context) => {
    const path = join(scratchFolder(context), "export.db");
    await exportRows(engine, path, {});
    const first = await engine.open(path, options);
    await assert.rejects(engine.open(path, options), {
      code: "WRITE_FAILED",
      message: /another export to it is running, process \d+; wait/,
    });
    await first.write(rowBatch("entries", "/a.jsonl", [{}]));
    await first.finish([changedFile("/a.jsonl")], []);
    assert.deepEqual(await readAll(engine, path), rowsOf({ "/a.jsonl": { entries: [{}] } }));
  },
);

testEngines("ENGINE: nothing is touched while another export has the lock", async (engine, context) => {
  const folder = scratchFolder(context);
  const path = join(folder, "export.db");
  const lock = join(folder, ".export.db.export.lock");
  writeFileSync(lock, String(process.ppid));
  writeFileSync(join(folder, ".export.db.0123456789ab.tmp"), "");
  const before = readdirSync(folder);
  await assert.rejects(engine.open(path, options), {
    code: "WRITE_FAILED",
    message: /another export to it is running/,
  });
  assert.deepEqual(readdirSync(folder), before);
  writeFileSync(lock, "4194305");
  const target = await engine.open(path, options);
  assert.equal(readFileSync(lock, "utf8"), String(process.pid));
  await target.finish([], []);
  assert.ok(existsSync(path) && !existsSync(lock));
});

testEngines("ENGINE: what is no export is refused in one line, and left alone", async (engine, context) => {
  const folder = scratchFolder(context);
  const foreign = join(folder, "foreign.db");
  const other = databaseEngines.find(({ name }) => name !== engine.name)!;
  const paths = ["text", "short", "noise"].map((name) => join(folder, name));
  writeFileSync(paths[0]!, "dear diary\n".repeat(1000));
  writeFileSync(paths[1]!, "x");
  writeFileSync(paths[2]!, Buffer.alloc(20_000, 7));
  await engine.run(foreign, "CREATE TABLE sessions (path VARCHAR)");
  paths.push(foreign);
  if (!needsSqlite.skip) {
    const path = join(folder, "other.db");
    await exportRows(other, path, {});
    paths.push(path);
  }
  for (const path of paths) {
    const before = readFileSync(path);
    const names = readdirSync(folder);
    await assert.rejects(engine.open(path, options), (error: unknown) => {
      assert.ok(error instanceof ExportError);
      assert.equal(error.code, "FOREIGN_TARGET", path);
      assert.match(
        error.message,
        /^Cannot export to ".*": it is something else than an export as \w+; name another file$/,
      );
      return true;
    });
    assert.deepEqual(readFileSync(path), before, path);
    assert.deepEqual(readdirSync(folder), names);
  }
});

testEngines("ENGINE: a place that can't be written is told in one line", async (engine, context) => {
  const folder = scratchFolder(context);
  writeFileSync(join(folder, "file"), "");
  mkdirSync(join(folder, "folder"));
  const paths = [join(folder, "file", "export.db"), join(folder, "folder"), "/proc/export.db", "/proc/new/export.db"];
  for (const path of paths) {
    await assert.rejects(engine.open(path, options), (error: unknown) => {
      assert.ok(error instanceof ExportError, path);
      assert.match(error.message, /^Cannot export to ".*": [^\n]+$/);
      return true;
    });
  }
  assert.deepEqual(readdirSync(folder, { recursive: true }), ["file", "folder"]);
});

/** A folder with room for so many bytes; undefined, and the test skipped, when none can be had. */
function smallDisk(context: TestContext, bytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), "pi-sessions-disk-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder]).status === 0;
  context.after(() => {
    if (mounted) spawnSync("umount", [folder]);
    rmdirSync(folder);
  });
  if (mounted) return folder;
  context.skip("a small file system can't be mounted here: that takes root on Linux");
  return undefined;
}

testEngines("ENGINE: a full disk is told in one line, and leaves the last export", async (engine, context) => {
  const folder = smallDisk(context, 8 * 1024 * 1024);
  if (folder === undefined) return;
  const path = join(folder, "export.db");
  // Nothing that compression could make small.
  const noise = (seed: number) =>
    Array.from({ length: 1000 }, (_, at) => String(Math.sin(seed * 1000 + at)).slice(3)).join("");
  const large = { entries: Array.from({ length: 1000 }, (_, at) => ({ entry_id: noise(at) })) };
  const full = {
    code: "WRITE_FAILED",
    message: `Cannot export to "${path}": the disk is full; make room and export again`,
  };
  await assert.rejects(exportThenAbort(engine, path, { "/large.jsonl": large }), full);
  assert.deepEqual(readdirSync(folder), [], "a first export that failed leaves nothing");

  const files = { "/a.jsonl": variousRows() };
  await exportRows(engine, path, { changed: files });
  await assert.rejects(exportThenAbort(engine, path, { "/a.jsonl": {}, "/large.jsonl": large }), full);
  assert.deepEqual(await readAll(engine, path), rowsOf(files));
  await exportRows(engine, path, { changed: { "/a.jsonl": {} } });
  assert.deepEqual(await readAll(engine, path), rowsOf({}));
  rmSync(path);
});

test("duckdb: a disk without room for what memory does not hold is full, too", async (context) => {
  const folder = smallDisk(context, 1024 * 1024);
  if (folder === undefined) return;
  const [, duckdb] = databaseEngines as [DatabaseEngine, DatabaseEngine];
  const path = join(folder, "export.db");
  const target = await duckdb.open(path, options);
  const fill = async (): Promise<void> => {
    for (let at = 0; at < 20_000; at++) {
      const first_message = randomBytes(2000).toString("hex");
      await target.write(rowBatch("sessions", `/${at}`, [{ first_message }]));
    }
  };
  await assert.rejects(fill, {
    code: "WRITE_FAILED",
    message: `Cannot export to "${path}": the disk is full; make room and export again`,
  });
  await target.abort();
  assert.deepEqual(readdirSync(folder), []);
});

/** As the export command does: what fails is aborted. */
async function exportThenAbort(engine: DatabaseEngine, path: string, files: Record<string, FileRows>): Promise<void> {
  const target = await engine.open(path, options);
  try {
    for (const [file, { entries = [] }] of Object.entries(files)) {
      for (let start = 0; start < entries.length; start += 50) {
        const rows = entries.slice(start, start + 50).map((row, at) => ({ line: start + at, ...row }));
        await target.write(rowBatch("entries", file, rows));
      }
    }
    await target.finish(
      Object.keys(files).map((file) => changedFile(file)),
      [],
    );
  } catch (error) {
    await target.abort();
    throw error;
  }
}
