/** Whole exports as files, read back by other readers: DuckDB, and the reader that belongs to the Parquet writer. */
import assert from "node:assert/strict";
import fs, {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { type TestContext, test } from "node:test";
import { pathToFileURL } from "node:url";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { csvFormat } from "../../src/export/csv-format.js";
import { findTable, type TableName } from "../../src/export/tables.js";
import { openTextFolder } from "../../src/export/text-folder-sink.js";
import { exportParquet } from "../../src/scan/export-parquet.js";
import { type ExportOptions, type ExportResult, readExportRequest } from "../../src/scan/export-request.js";
import { exportSessions } from "../../src/scan/export-sessions.js";
import { RowScan } from "../../src/scan/row-scan.js";
import { needsEngine, startEngine } from "../helpers/clickhouse-servers.js";
import { assistant, at, entry, header, jsonl, type Line, toolResult, usage, user } from "../helpers/entries.js";
import { fixture, projectRoot, scratchFolder } from "../helpers/files.js";
import { forkedStore } from "../helpers/forked-stores.js";
import type { PlainStoreFile } from "../helpers/plain-reader.js";
import { type PlainRow, type PlainTables, rowsPlainly } from "../helpers/plain-rows.js";
import { allTables } from "../helpers/row-batches.js";
import { makeStore, readStorePlainly, settleTimes, spoilFiles, writeFiles } from "../helpers/stores.js";

interface Connection {
  runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): Record<string, unknown>[] }>;
  closeSync(): void;
}

const duckdb = join(projectRoot, "bench/peers/node_modules/@duckdb/node-api/lib/index.js");
const needsDuckdb = {
  skip: !existsSync(duckdb) && "DuckDB is not installed: npm install --prefix bench/peers --no-save",
};

async function connect(context: TestContext): Promise<(sql: string) => Promise<PlainRow[]>> {
  const { DuckDBInstance } = await import(pathToFileURL(duckdb).href);
  const connection: Connection = await (await DuckDBInstance.create()).connect();
  context.after(() => connection.closeSync());
  await connection.runAndReadAll("SET TimeZone = 'UTC'");
  return async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson() as PlainRow[];
}

const rowsOfStore = (store: string): PlainTables =>
  rowsPlainly(readStorePlainly(store), "pond", (path) => statSync(path).mtimeMs);

/** The rows as DuckDB gives them in JSON: large numbers as text, times in ms. */
function asJson(table: TableName, rows: readonly PlainRow[]): PlainRow[] {
  const { columns } = findTable(table);
  return rows.map((row) =>
    Object.fromEntries(
      columns.map(({ name, type }) => {
        const cell = row[name] ?? null;
        return [name, cell !== null && (type === "int64" || type === "timestamp") ? String(cell) : cell];
      }),
    ),
  );
}

/** Holds rows to others, but for the ids that the plain reader makes for entries of version 1, which are other ones. */
function assertRows(found: readonly PlainRow[], expected: readonly PlainRow[], table: TableName): void {
  const isMade = (cell: unknown): boolean => typeof cell === "string" && cell.startsWith("made-");
  const masked = found.map((row, at) =>
    Object.fromEntries(
      Object.entries(row).map(([name, cell]) => [name, isMade(expected[at]?.[name]) ? "made-" : cell]),
    ),
  );
  const others = expected.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, isMade(cell) ? "made-" : cell])),
  );
  assert.deepEqual(masked, others, table);
}

function selectList(table: TableName): string {
  const { columns } = findTable(table);
  return columns
    .map(({ name, type }) => (type === "timestamp" ? `epoch_ms("${name}") AS "${name}"` : `"${name}"`))
    .join();
}

function orderOf(table: TableName): string {
  return findTable(table)
    .key.map((name) => `"${name}"`)
    .join();
}

/** Sessions with what is hard on formats: signs of formulas, quotes, NULs, line breaks, names of prototypes and of other folders, large and tiny numbers, times of all months. */
function hostileStore(context: TestContext): string {
  const months = Array.from({ length: 30 }, (_, month) => new Date(Date.UTC(2024, month, 15)).toISOString());
  const calls = months.map((timestamp, number) =>
    entry("message", `0000010${number.toString(16).padStart(2, "0")}`, null, {
      timestamp,
      message: { role: "assistant", provider: "__proto__", model: "../../m", usage: usage(2 ** 53 - 1, 1e300, 1e-12) },
    }),
  );
  return makeStore(context, {
    "--a--/..\n'\"=1.jsonl": jsonl(
      header({ id: "=cmd|' /C calc'!A0", cwd: "__proto__", parentSession: '"../x"', version: 1e300 }),
      user("1", null, '=HYPERLINK("x")'),
      user("2", "1", " \t+1"),
      user("3", "2", 'a "quoted",\r\nfield\0 with \u{1f438} and \ud800'),
      user("4", "3", ""),
      assistant("5", "4", "-1", {
        stopReason: "＝x",
        content: [{ type: "toolCall", id: "@t", name: "__proto__", arguments: { __proto: [] } }],
      }),
      toolResult("6", "5", "é", { toolCallId: "@t", isError: true }),
      entry("session_info", "7", "6", { name: "-2+3", timestamp: "yesterday" }),
      ...calls,
    ),
    "--b--/empty.jsonl": jsonl(header({ id: "b", timestamp: "0001-01-01T00:00:00Z" })),
    "--b--/last.jsonl": jsonl(header({ id: "c", timestamp: "9999-12-31T23:59:59.999Z" }), user("1", null, "end")),
  });
}

for (const [name, makeFolder] of [
  ["the fixtures' store", () => fixture("store")],
  ["hostile names and values", hostileStore],
] as const) {
  test(
    `exportSessions writes Parquet that DuckDB reads as the plain reader's rows: ${name}`,
    needsDuckdb,
    async (context) => {
      const [store, out] = [makeFolder(context), scratchFolder(context)];
      const query = await connect(context);
      const expected = rowsOfStore(store);
      const result = await exportSessions({ stores: [store], format: "parquet", out, host: "pond" });
      for (const table of allTables) {
        const from = `read_parquet('${out}/${table}/**/*.parquet', hive_partitioning = true)`;
        const rows = await query(`SELECT ${selectList(table)} FROM ${from} ORDER BY ${orderOf(table)}`);
        assertRows(rows, asJson(table, expected[table]), table);
        assert.equal(result.tables[table], expected[table].length);
        const time = findTable(table).timeColumn;
        const [strays] = await query(
          `SELECT count(*)::INTEGER AS n FROM ${from} WHERE month <> coalesce(strftime("${time}", '%Y-%m'), 'unknown') AND year("${time}") BETWEEN 1000 AND 9999`,
        );
        assert.deepEqual(strays, { n: 0 });
      }
      const types = await query(`DESCRIBE SELECT * FROM '${out}/usage/**/*.parquet'`);
      const typeOf = Object.fromEntries(types.map(({ column_name, column_type }) => [column_name, column_type]));
      assert.equal(typeOf.line, "BIGINT");
      assert.equal(typeOf.timestamp, "TIMESTAMP WITH TIME ZONE");
      assert.equal(typeOf.cost_total, "DOUBLE");
      assert.equal(typeOf.is_copy, "BOOLEAN");
      assert.equal(
        result.files.every((path) => existsSync(path)),
        true,
      );
    },
  );

  test(`exportSessions writes JSON Lines of the plain reader's rows: ${name}`, async (context) => {
    const [store, out] = [makeFolder(context), scratchFolder(context)];
    const expected = rowsOfStore(store);
    await exportSessions({ stores: [store], format: "jsonl", out, host: "pond" });
    for (const table of allTables) {
      const { columns, key } = findTable(table);
      const lines = readFileSync(join(out, `${table}.jsonl`), "utf8").split("\n");
      assert.equal(lines.pop(), "");
      const rows = lines.map((line) => JSON.parse(line) as PlainRow);
      for (const row of rows) {
        for (const { name, type } of columns) {
          if (type === "timestamp" && row[name] !== null) row[name] = Date.parse(row[name] as string);
        }
      }
      const place = (row: PlainRow): string => key.map((name) => String(row[name]).padStart(9, "0")).join();
      const sort = (all: PlainRow[]): PlainRow[] => all.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
      assertRows(sort(rows), sort(expected[table]), table);
    }
  });

  test(
    `exportSessions writes CSV that DuckDB reads as the plain reader's rows: ${name}`,
    needsDuckdb,
    async (context) => {
      const [store, out] = [makeFolder(context), scratchFolder(context)];
      const query = await connect(context);
      const expected = rowsOfStore(store);
      await exportSessions({ stores: [store], format: "csv", out, host: "pond" });
      const types = {
        string: "VARCHAR",
        int64: "BIGINT",
        double: "DOUBLE",
        boolean: "BOOLEAN",
        timestamp: "TIMESTAMPTZ",
      };
      for (const table of allTables) {
        const { columns } = findTable(table);
        const spec = columns.map(({ name, type }) => `'${name}': '${types[type]}'`).join();
        const from = `read_csv('${out}/${table}.csv', columns = {${spec}}, header = true, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false, strict_mode = true)`;
        const rows = await query(`SELECT ${selectList(table)} FROM ${from} ORDER BY ${orderOf(table)}`);
        const neutral = expected[table].map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([name, cell]) => [
              name,
              typeof cell === "string" && /^[\s\0]*[-=+@＝]/.test(cell) ? `'${cell}` : cell,
            ]),
          ),
        );
        assertRows(rows, asJson(table, neutral), table);
      }
    },
  );
}

test("exportSessions writes Parquet that the current ClickHouse engine reads", needsEngine, async (context) => {
  const [store, out] = [hostileStore(context), scratchFolder(context)];
  const expected = rowsOfStore(store);
  await exportSessions({ stores: [store], format: "parquet", out, host: "pond" });
  const engine = await startEngine();
  context.after(() => engine.stop());
  for (const table of allTables) {
    const [[count] = []] = await engine.ask(`SELECT count() FROM file('${out}/${table}/**/*.parquet', Parquet)`);
    assert.equal(Number(count), expected[table].length, table);
  }
  const [found] = await engine.ask(
    `SELECT max(input), max(cost_total), toUnixTimestamp64Milli(max(timestamp)), countIf(is_copy) FROM file('${out}/usage/**/*.parquet', Parquet)`,
  );
  const largest = (name: string): number => Math.max(...expected.usage.map((row) => Number(row[name])));
  const copies = expected.usage.filter(({ is_copy }) => is_copy).length;
  assert.deepEqual(found!.map(Number), [largest("input"), largest("cost_total"), largest("timestamp"), copies]);
});

test("exportSessions tells copies as totals does, in every store of forks", async (context) => {
  const folder = scratchFolder(context);
  await fc.assert(
    fc.asyncProperty(forkedStore(), async (files) => {
      const store = join(folder, "store");
      rmSync(store, { recursive: true, force: true });
      mkdirSync(store, { recursive: true });
      const written = writeForks(store, files);
      const lines: string[] = [];
      const out = async (text: string): Promise<void> => void lines.push(text);
      await exportSessions({ stores: [store], format: "jsonl", tables: ["usage"], out, host: "pond" });
      const rows = lines
        .join("")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line) as PlainRow);
      const describe = (all: readonly PlainRow[]): string[] =>
        all.map(({ path, line, is_copy }) => `${path}:${line} ${is_copy}`).sort();
      assert.deepEqual(describe(rows), describe(rowsPlainly(written, "pond").usage));
    }),
    { numRuns: 60 },
  );
});

test("exportSessions leaves a copy a copy, whatever the filters let through", async (context) => {
  const first = [user("1", null, "x"), assistant("2", "1", "y", { model: "one", usage: usage(1, 1, 1) })];
  const store = makeStore(context, {
    "a.jsonl": jsonl(header({ id: "a", cwd: "/a" }), ...first),
    "b.jsonl": jsonl(
      header({ id: "b", cwd: "/b", timestamp: at(60), parentSession: "/old/a.jsonl" }),
      ...first,
      assistant("ff", "2", "z", { model: "two", usage: usage(2, 2, 2) }),
    ),
  });
  const readUsage = async (filters: Partial<ExportOptions>): Promise<unknown[]> => {
    const lines: string[] = [];
    const out = async (text: string): Promise<void> => void lines.push(text);
    await exportSessions({ stores: [store], format: "jsonl", tables: ["usage"], out, ...filters });
    const rows = lines.join("").split("\n").slice(0, -1);
    return rows
      .map((line) => JSON.parse(line) as PlainRow)
      .map(({ session_id, model, is_copy }) => [session_id, model, is_copy]);
  };
  assert.deepEqual(await readUsage({ projects: ["/b"] }), [
    ["b", "one", true],
    ["b", "two", false],
  ]);
  assert.deepEqual(await readUsage({ projects: ["/b"], models: ["one"] }), [["b", "one", true]]);
  assert.deepEqual(await readUsage({ since: Date.parse(at(100)) }), [["b", "two", false]]);
});

/** Puts a store of forks, whose paths are absolute, below a folder; headers that name them name the new paths. */
function writeForks(store: string, files: readonly PlainStoreFile[]): PlainStoreFile[] {
  return files.map(({ path, file }) => {
    const placed = join(store, path);
    mkdirSync(dirname(placed), { recursive: true });
    writeFileSync(placed, file.bytes);
    return { path: placed, file };
  });
}

// Parquet, again and again

/** What the reader of Parquet files lacks. */
const compressors = { GZIP: (bytes: Uint8Array): Uint8Array => gunzipSync(bytes) };

/** All rows of a Parquet folder, by table, in an order of their own. */
async function readParquet(out: string): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of allTables) {
    const rows: string[] = [];
    if (!existsSync(join(out, table))) continue;
    for (const name of readdirSync(join(out, table), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".parquet")) continue;
      const file = await asyncBufferFromFile(join(out, table, name));
      for (const row of await parquetReadObjects({ file, compressors })) {
        rows.push(JSON.stringify(row, (_, cell) => (typeof cell === "bigint" ? Number(cell) : cell)));
      }
    }
    found[table] = rows.sort();
  }
  return found;
}

type Change =
  | { does: "append"; file: number; lines: number }
  | { does: "edit"; file: number }
  | { does: "delete"; file: number }
  | { does: "fork"; file: number; kept: number }
  | { does: "nothing" };

const change = (): fc.Arbitrary<Change> =>
  fc.oneof(
    fc.record({ does: fc.constant("append" as const), file: fc.nat(9), lines: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ does: fc.constant("edit" as const), file: fc.nat(9) }),
    fc.record({ does: fc.constant("delete" as const), file: fc.nat(9) }),
    fc.record({ does: fc.constant("fork" as const), file: fc.nat(9), kept: fc.nat(6) }),
    fc.record({ does: fc.constant("nothing" as const) }),
  );

/** A store that changes step by step. */
class ChangingStore {
  readonly #folder: string;
  readonly #files = new Map<string, Line[]>();
  #drawn = 0;
  #time = Date.parse("2026-03-01T00:00:00Z");

  constructor(folder: string) {
    this.#folder = folder;
    for (let file = 0; file < 3; file++) this.#create(undefined, this.#calls(4));
  }

  apply(change: Change): void {
    if (change.does === "nothing" || this.#files.size === 0) return;
    const names = [...this.#files.keys()];
    const name = names[change.file % names.length]!;
    const lines = this.#files.get(name)!;
    switch (change.does) {
      case "append":
        this.#write(name, [...lines, ...this.#calls(change.lines)]);
        break;
      case "edit":
        this.#write(
          name,
          lines.map((line, at) => (at === 1 ? this.#calls(1)[0]! : line)),
        );
        break;
      case "delete":
        this.#files.delete(name);
        rmSync(join(this.#folder, name));
        break;
      case "fork":
        this.#create(join(this.#folder, name), [...lines.slice(1, 1 + change.kept), ...this.#calls(1)]);
    }
  }

  #create(parentSession: string | undefined, lines: Line[]): void {
    const number = this.#files.size + ++this.#drawn;
    // An older fork takes the calls from the session that it names, and from its other forks.
    const timestamp = at(number % 2 === 0 ? -number : number);
    this.#write(`${number}.jsonl`, [header({ id: `s${number}`, parentSession, timestamp }), ...lines]);
  }

  #calls(count: number): Line[] {
    return Array.from({ length: count }, () => {
      const id = (++this.#drawn).toString(16).padStart(8, "0");
      return assistant(id, null, `said ${id}`, { usage: usage(this.#drawn, 1, 0.5) });
    });
  }

  #write(name: string, lines: Line[]): void {
    this.#files.set(name, lines);
    writeFiles(this.#folder, { [name]: jsonl(...lines) });
    // Some clocks are too coarse for a test.
    this.#time += 1000;
    utimesSync(join(this.#folder, name), new Date(this.#time), new Date(this.#time));
  }
}

/** Exports to Parquet in segments of some files each. */
async function exportInSegments(options: ExportOptions): Promise<ExportResult> {
  const scan = new RowScan(options);
  try {
    return await exportParquet(readExportRequest(options), scan, { segmentBytes: 3000 });
  } finally {
    await scan.close();
  }
}

test("exportSessions to Parquet again gives the rows of a fresh export, after appends, edits, deletions and forks", async (context) => {
  const folder = scratchFolder(context);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(change(), { maxLength: 3 }), { minLength: 1, maxLength: 4 }), async (rounds) => {
      const [store, out, fresh] = ["store", "out", "fresh"].map((name) => join(folder, String(run), name)) as [
        string,
        string,
        string,
      ];
      run++;
      const changing = new ChangingStore(store);
      const options = { stores: [store], format: "parquet", host: "pond" } as const;
      await exportInSegments({ ...options, out });
      for (const [round, changes] of rounds.entries()) {
        for (const change of changes) changing.apply(change);
        const again = await exportInSegments({ ...options, out });
        const anew = await exportSessions({ ...options, out: join(fresh, String(round)) });
        assert.deepEqual(again.tables, anew.tables);
        assert.deepEqual(await readParquet(out), await readParquet(join(fresh, String(round))));
      }
    }),
    { numRuns: 25 },
  );
});

test("exportSessions to Parquet again writes nothing when nothing changed, and anew with other settings", async (context) => {
  const out = scratchFolder(context);
  const options = { stores: [fixture("store")], format: "parquet", out, host: "pond" } as const;
  const first = await exportSessions(options);
  assert.deepEqual([first.damagedLines, first.skipped.length], [3, 1]);
  assert.deepEqual(await exportSessions(options), first);
  const { files } = first;
  const other = await exportSessions({ ...options, text: "none", tables: ["usage", "messages"] });
  assert.deepEqual(Object.keys(other.tables), ["messages", "usage"]);
  assert.deepEqual(
    readdirSync(out).filter((name) => !name.startsWith(".")),
    ["messages", "usage"],
  );
  assert.equal(
    other.files.some((path) => files.includes(path)),
    false,
  );
  assert.equal(
    files.some((path) => existsSync(path)),
    false,
  );
});

test("exportSessions to Parquet opens no file again that is as it was, and those again whose notes are damaged", async (context) => {
  const folder = scratchFolder(context);
  const [store, out, fresh] = ["store", "out", "fresh"].map((name) => join(folder, name)) as [string, string, string];
  const changing = new ChangingStore(store);
  const options = { stores: [store], format: "parquet", host: "pond" } as const;
  await exportInSegments({ ...options, out });
  const notes = join(out, ".generations/1/notes.txt");
  assert.ok(existsSync(notes));
  writeFileSync(notes, readFileSync(notes, "utf8").replaceAll("A", "B"));
  changing.apply({ does: "fork", file: 0, kept: 2 });
  await exportInSegments({ ...options, out });
  await exportInSegments({ ...options, out: fresh });
  const expected = await readParquet(fresh);
  assert.deepEqual(await readParquet(out), expected);

  const paths = readdirSync(store).map((name) => join(store, name));
  settleTimes(paths);
  await exportInSegments({ ...options, out });
  spoilFiles(paths);
  assert.deepEqual((await exportInSegments({ ...options, out })).skipped, []);
  assert.deepEqual(await readParquet(out), expected);
});

test("exportSessions to Parquet writes only the segments in which something changed", async (context) => {
  const folder = scratchFolder(context);
  const [store, out] = [join(folder, "store"), join(folder, "out")];
  const changing = new ChangingStore(store);
  const options = { stores: [store], format: "parquet", out, host: "pond" } as const;
  const { files } = await exportInSegments(options);
  changing.apply({ does: "append", file: 0, lines: 1 });
  const again = await exportInSegments(options);
  const kept = again.files.filter((path) => files.includes(path));
  assert.equal(kept.length > 0 && kept.length < files.length, true, `${kept.length} of ${files.length}`);
});

test("exportSessions to Parquet again makes good what was taken out of its folder", async (context) => {
  const out = scratchFolder(context);
  const options = { stores: [fixture("store")], format: "parquet", out, host: "pond" } as const;
  const { files } = await exportSessions(options);
  const whole = await readParquet(out);
  for (const path of [files[0]!, join(out, "usage"), join(out, ".current"), join(out, ".generations")]) {
    rmSync(path, { recursive: true });
    await exportSessions(options);
    assert.deepEqual(await readParquet(out), whole, path);
  }
});

test("exportSessions to Parquet keeps what has become the current export, whatever fails then", async (context) => {
  const out = scratchFolder(context);
  const options = { stores: [fixture("store")], format: "parquet", out, host: "pond" } as const;
  await exportSessions({ ...options, text: "none" });
  const { fsyncSync } = fs;
  context.mock.method(fs, "fsyncSync", (fd: number) => {
    if (readlinkSync(join(out, ".current")).endsWith("2")) throw Object.assign(new Error("EIO"), { syscall: "fsync" });
    fsyncSync(fd);
  });
  syncBuiltinESMExports();
  await assert.rejects(exportSessions(options), { code: "WRITE_FAILED" });
  context.mock.restoreAll();
  syncBuiltinESMExports();
  const left = await readParquet(out);
  assert.match(left.messages!.join(""), /tide clock/);
  await exportSessions(options);
  assert.deepEqual(await readParquet(out), left);
});

// An export that ends midway

/** What writes to the disk, by module. */
const writing = {
  fs: ["mkdirSync", "openSync", "writeSync"],
  promises: ["mkdir", "writeFile", "rename", "rm", "symlink", "link", "copyFile", "open"],
} as const;

/** Runs `work` in a world where, from the `nth` write on (from 0), nothing reaches the disk any more. Returns how many writes there were before. */
async function dieAt(nth: number, work: () => Promise<unknown>): Promise<number> {
  let writes = 0;
  const restore: (() => void)[] = [];
  for (const [module, names] of [
    [fs as unknown as Record<string, unknown>, writing.fs],
    [fs.promises as unknown as Record<string, unknown>, writing.promises],
  ] as const) {
    for (const name of names) {
      const real = module[name] as (...words: unknown[]) => unknown;
      restore.push(() => (module[name] = real));
      module[name] = (...words: unknown[]): unknown => {
        if (writes >= nth) {
          const error = Object.assign(new Error("ENOSPC: no space left on device, write"), {
            code: "ENOSPC",
            syscall: "write",
          });
          if (module === (fs as unknown)) throw error;
          return Promise.reject(error);
        }
        writes++;
        return real(...words);
      };
    }
  }
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const undo of restore) undo();
    syncBuiltinESMExports();
  }
  return writes;
}

test("exportSessions to Parquet that dies at any write leaves the last export, and the next one finishes the work", async (context) => {
  const folder = scratchFolder(context);
  const [store, out] = [join(folder, "store"), join(folder, "out")];
  const changing = new ChangingStore(store);
  const options = { stores: [store], format: "parquet", out, host: "pond", tables: ["sessions", "usage"] } as const;
  await exportInSegments(options);
  let last = await readParquet(out);
  let isDone = false;
  for (let nth = 0; !isDone && nth < 300; nth++) {
    changing.apply({ does: "edit", file: nth });
    isDone = await dieAt(nth, () => exportInSegments(options)).then(
      () => true,
      () => false,
    );
    // A process that was killed left its lock.
    if (existsSync(join(out, ".export.lock"))) writeFileSync(join(out, ".export.lock"), "4194305");
    const left = await readParquet(out);
    await exportInSegments(options);
    const now = await readParquet(out);
    assert.notDeepEqual(now, last);
    const isNew = left.usage!.join() === now.usage!.join();
    assert.deepEqual(left, isNew ? now : last, `at write ${nth}`);
    assert.equal(readdirSync(join(out, ".generations")).length, 1);
    last = now;
  }
  assert.equal(isDone, true);
});

test("exportSessions says in one line that the disk is full, and leaves the last export", async (context) => {
  for (const format of ["parquet", "jsonl", "csv"] as const) {
    const out = join(scratchFolder(context), "out");
    const options = { stores: [fixture("store")], format, out, host: "pond" } as const;
    await exportSessions({ ...options, text: "none" });
    const before = readdirSync(out, { recursive: true }).sort();
    await assert.rejects(
      dieAt(6, () => exportSessions(options)),
      { code: "WRITE_FAILED", message: `Cannot export to "${out}": the disk is full; make room and export again` },
    );
    if (format === "parquet") await exportSessions({ ...options, text: "none" });
    else
      assert.deepEqual(
        readdirSync(out, { recursive: true })
          .filter((name) => !/\.(tmp|lock)$/.test(String(name)))
          .sort(),
        before,
      );
  }
});

test("exportSessions refuses folders that hold something else, and formats, tables and texts that there are none of", async (context) => {
  const folder = scratchFolder(context);
  writeFileSync(join(folder, "messages.csv"), "mine");
  const options = { stores: [fixture("store")], out: folder } as const;
  for (const format of ["parquet", "jsonl", "csv"] as const) {
    await assert.rejects(exportSessions({ ...options, format }), {
      code: "FOREIGN_TARGET",
      message: `Cannot export to "${folder}": it is not empty, and no export wrote it; name a new or empty folder`,
    });
  }
  assert.deepEqual(readdirSync(folder), ["messages.csv"]);
  const out = join(folder, "new");
  await exportSessions({ ...options, out, format: "csv" });
  await assert.rejects(exportSessions({ ...options, out, format: "jsonl" }), { code: "FOREIGN_TARGET" });
  await assert.rejects(exportSessions({ ...options, out: join(folder, "messages.csv"), format: "csv" }), {
    code: "WRITE_FAILED",
  });
  await assert.rejects(exportSessions({ ...options, format: "xml" as never }), RangeError);
  await assert.rejects(exportSessions({ ...options, format: "csv", tables: ["calls" as never] }), RangeError);
  await assert.rejects(exportSessions({ ...options, format: "csv", text: "some" as never }), RangeError);
});

for (const format of ["parquet", "jsonl", "csv"] as const) {
  test(`exportSessions to ${format} touches nothing while another export has the folder`, async (context) => {
    const out = scratchFolder(context);
    const options = { stores: [fixture("store")], format, out, host: "pond" } as const;
    const lock = join(out, ".export.lock");
    writeFileSync(lock, String(process.ppid));
    writeFileSync(join(out, ".usage.0123456789ab.tmp"), "on its way");
    const before = readdirSync(out);
    await assert.rejects(exportSessions(options), {
      code: "WRITE_FAILED",
      message: /: another export to it is running/,
    });
    assert.deepEqual(readdirSync(out), before);
    writeFileSync(lock, "4194305");
    await exportSessions(options);
    assert.ok(!existsSync(lock));
  });

  test(`exportSessions to ${format} twice at once: one is refused, and the next one goes through`, async (context) => {
    const folder = scratchFolder(context);
    const options = { stores: [fixture("store")], format, out: join(folder, "both"), host: "pond" } as const;
    const both = await Promise.allSettled([exportSessions(options), exportSessions(options)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    const { tables } = await exportSessions({ ...options, out: join(folder, "alone") });
    assert.deepEqual((await exportSessions(options)).tables, tables);
  });
}

test("exportSessions takes a folder again in which an export failed between two of its tables", async (context) => {
  const out = join(scratchFolder(context), "out");
  const sink = await openTextFolder(out, csvFormat, ["messages", "usage"]);
  mkdirSync(join(out, "usage.csv")); // What nothing can be renamed to.
  await assert.rejects(sink.finish(), { code: "WRITE_FAILED" });
  await sink.abort();
  rmdirSync(join(out, "usage.csv"));
  assert.deepEqual(readdirSync(out).sort(), [".pi-sessions-export.json", "messages.csv"]);
  await exportSessions({ stores: [fixture("store")], format: "csv", out });
});

test("exportSessions that is aborted leaves the last export", async (context) => {
  const out = join(scratchFolder(context), "out");
  const options = { stores: [fixture("store")], host: "pond", out } as const;
  const gone = AbortSignal.abort(new Error("enough"));
  for (const format of ["parquet", "csv"] as const) {
    const place = join(out, format);
    await exportSessions({ ...options, format, out: place });
    const before = readdirSync(place, { recursive: true }).sort();
    await assert.rejects(exportSessions({ ...options, format, out: place, signal: gone }), /enough/);
    assert.deepEqual(readdirSync(place, { recursive: true }).sort(), before);
  }
});
