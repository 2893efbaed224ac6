/** Holds totals to what SQL computes over the same files: DuckDB reads the lines, finds the calls and their models, adds up, and tells the dates. */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { storeFolder, writeCorpus } from "../../bench/corpus.js";
import type { Sum, Truth } from "../../bench/truth.js";
import type { Usage } from "../../src/format/usage.js";
import type { GroupKey } from "../../src/report/group-calls.js";
import { type TotalsOptions, totals } from "../../src/scan/totals.js";
import { assertAgrees } from "../helpers/assert-agrees.js";
import { header, jsonl, type Line, usage } from "../helpers/entries.js";
import { projectRoot } from "../helpers/files.js";

interface Connection {
  runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): Record<string, unknown>[] }>;
}

const duckdb = join(projectRoot, "bench/peers/node_modules/@duckdb/node-api/lib/index.js");
const needsDuckdb = {
  skip: !existsSync(duckdb) && "DuckDB is not installed: npm install --prefix bench/peers --no-save",
};

let folder: string;
let stores: string[];
let truth: Truth;
let connection: Connection;

/** The rows of the last statement. */
async function query<Row>(sql: string): Promise<Row[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJson() as Row[];
}

// Sessions that the corpus does not hold

/** Two zones that change their clocks at other times of the year, one of them by half an hour. */
const ZONES = ["Europe/Berlin", "Australia/Lord_Howe"];

/** Moments around which days, weeks, months and hours are hard to tell. */
const MOMENTS = [
  "2025-10-26T01:00:00Z", // Berlin turns its clocks back,
  "2026-03-29T01:00:00Z", // and forth.
  "2025-10-04T15:30:00Z", // Lord Howe turns its clocks forth,
  "2026-04-04T15:00:00Z", // and back.
  "2025-12-31T23:00:00Z", // A new year in Berlin,
  "2026-01-01T00:00:00Z", // and in UTC.
  "2024-02-29T00:00:00Z",
  "2026-03-02T00:00:00Z", // The Monday of a month's first week.
];

/** Calls every few minutes around each moment, some of them to the millisecond. */
function clockSession(): Line[] {
  const lines: Line[] = [];
  for (const moment of MOMENTS) {
    const time = Date.parse(moment);
    const offsets = [-1, 0, 1, ...Array.from({ length: 30 }, (_, step) => (step - 15) * 13 * 60_000 + 7)];
    for (const offset of offsets) {
      const number = lines.length;
      lines.push({
        type: "message",
        id: number.toString(16).padStart(8, "0"),
        parentId: number === 0 ? null : (number - 1).toString(16).padStart(8, "0"),
        timestamp: new Date(time).toISOString(),
        message: {
          role: number % 5 === 3 ? "toolResult" : "assistant",
          toolName: `tool-${number % 3}`,
          provider: ["anthropic", "openai", undefined][number % 3],
          model: ["claude-sonnet-4-5", "gpt-5", "local/m"][number % 4],
          responseModel: number % 7 === 0 ? "answered" : undefined,
          usage: usage(number, 1, number / 1000),
          timestamp: time + offset,
        },
      });
    }
  }
  return [header({ id: "clock", cwd: "/home/u/clock" }), ...lines];
}

/** What files may leave out: cwd, times, ids, models, totals; and branches, on which summaries find their models. */
function gapsSession(): Line[] {
  const at = (day: number): string => `2026-02-${String(day).padStart(2, "0")}T12:00:00.000Z`;
  const call = (id: string, parentId: string | null, more: Line): Line => ({
    type: "message",
    id,
    parentId,
    timestamp: at(Number.parseInt(id, 16)),
    message: { role: "assistant", provider: "p", model: `m${id}`, usage: usage(1, 1, 1), ...more },
  });
  return [
    header({ id: "gaps", cwd: undefined }),
    { type: "usage", kind: "cache_warm", provider: "p", model: "warm", usage: { input: 5, cost: 0.5 } },
    { type: "compaction", id: "00000001", parentId: null, timestamp: "no time", usage: { output: 7 } },
    call("00000002", "00000001", {
      usage: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: { input: 0.25, output: 0.5 } },
    }),
    { type: "compaction", id: "00000003", parentId: "00000002", timestamp: at(3), usage: usage(9, 9, 9) },
    { type: "model_change", id: "00000004", parentId: "00000002", timestamp: at(4), provider: "q", modelId: "changed" },
    { type: "branch_summary", id: "00000005", parentId: "00000004", timestamp: at(5), usage: usage(10, 10, 10) },
    call("00000006", "00000003", { provider: undefined }),
    call("00000007", "00000006", { model: undefined }),
    call("00000008", "00000007", { role: "toolResult", usage: usage(11, 11, 11) }),
    call("00000009", "00000008", { role: "user", usage: usage(1e6, 1e6, 1e6) }),
    call("0000000a", "00000009", { usage: null }),
    { type: "branch_summary", id: "0000000b", parentId: "0000000a", timestamp: at(11), usage: usage(12, 12, 12) },
    { type: "custom", id: "0000000c", parentId: "0000000b", timestamp: at(12), usage: usage(1e6, 1e6, 1e6) },
  ];
}

// SQL

/** Statements that make the tables `files` and `calls` of all session files below some folders. */
function readingSql(stores: readonly string[]): string {
  const globs = stores.map((store) => `'${store.replaceAll("'", "''")}/**/*.jsonl'`).join(", ");
  const number = (path: string): string => `coalesce(TRY_CAST(usage->>'${path}' AS DOUBLE), 0)`;
  return `
    CREATE TABLE lines AS
      SELECT file, generate_subscripts(texts, 1) AS n, unnest(texts) AS line
      FROM (SELECT filename AS file, string_split(content, chr(10)) AS texts FROM read_text([${globs}]));

    -- On a damaged line, the first place from which the rest is one whole entry.
    CREATE TABLE recovered AS
      SELECT file, n, arg_max(rest, length(rest)) AS line
      FROM (
        SELECT file, n, unnest(list_transform(range(2, len(parts) + 1),
          lambda part: '{"type":"' || array_to_string(parts[part:], '{"type":"'))) AS rest
        FROM (SELECT file, n, string_split(line, '{"type":"') AS parts FROM lines WHERE NOT json_valid(line))
      )
      WHERE json_valid(rest) AND json_type(rest, '$.timestamp') = 'VARCHAR'
      GROUP BY file, n;

    CREATE TABLE objects AS
      SELECT file, n, json(line) AS o
      FROM (SELECT file, n, line FROM lines WHERE json_valid(line) UNION ALL FROM recovered)
      WHERE json_type(line, '$.type') = 'VARCHAR';

    CREATE TABLE files AS
      SELECT file, n AS header_line, o->>'id' AS session, o->>'cwd' AS project, (o->>'timestamp')::TIMESTAMPTZ AS created,
        coalesce((o->>'version')::INTEGER, 1) AS version,
        replace(coalesce(o->>'parentSession', o->>'branchedFrom'), chr(92), '/') AS parent
      FROM objects AS h
      WHERE o->>'type' = 'session'
        AND NOT EXISTS (FROM objects AS other WHERE other.file = h.file AND other.n < h.n AND json_type(other.o, '$.id') = 'VARCHAR');

    -- In version 1 each entry is the child of the one before it.
    CREATE TABLE entries AS
      SELECT file, n, o, o->>'type' AS type, o->>'$.message.role' AS role, version,
        CASE version WHEN 1 THEN place::VARCHAR ELSE o->>'id' END AS id,
        CASE version WHEN 1 THEN (place - 1)::VARCHAR ELSE o->>'parentId' END AS parent_id
      FROM (
        SELECT *, row_number() OVER (PARTITION BY file ORDER BY n) AS place
        FROM objects JOIN files USING (file) WHERE n > header_line
      );

    CREATE TABLE spending AS
      SELECT file, n, version, id, parent_id, role,
        TRY_CAST(o->>'timestamp' AS TIMESTAMPTZ) AS entry_time,
        coalesce(make_timestamptz((o->>'$.message.timestamp')::BIGINT * 1000), entry_time) AS time,
        CASE WHEN role = 'assistant' THEN role WHEN role = 'toolResult' THEN 'tool' WHEN type = 'usage' THEN 'usage:' || (o->>'kind') ELSE type END AS source,
        CASE role WHEN 'toolResult' THEN o->>'$.message.toolName' END AS tool,
        o->>'$.message.responseId' AS response,
        CASE type WHEN 'message' THEN o->'$.message.usage' ELSE o->'usage' END AS usage
      FROM entries
      WHERE json_type(CASE type WHEN 'message' THEN o->'$.message.usage' ELSE o->'usage' END) = 'OBJECT'
        AND (role IN ('assistant', 'toolResult') OR type IN ('compaction', 'branch_summary', 'usage'));

    CREATE TABLE naming AS
      SELECT file, n, id, parent_id,
        CASE WHEN type = 'message' THEN o->>'$.message.provider' ELSE o->>'provider' END AS provider,
        CASE type WHEN 'message' THEN coalesce(o->>'$.message.responseModel', o->>'$.message.model') WHEN 'model_change' THEN o->>'modelId' ELSE o->>'model' END AS model,
        coalesce(model IS NOT NULL AND (type = 'model_change' OR role = 'assistant'), false) AS is_setting
      FROM entries;

    -- From each call of a tool or a summary up its path, to the entry that set the model.
    CREATE TABLE in_force AS
      WITH RECURSIVE walk(file, n, next, provider, model, is_setting) AS (
        SELECT file, n, parent_id, NULL::VARCHAR, NULL::VARCHAR, false
        FROM spending WHERE source IN ('tool', 'compaction', 'branch_summary')
        UNION ALL
        SELECT walk.file, walk.n, above.parent_id, above.provider, above.model, above.is_setting
        FROM walk JOIN naming AS above ON above.file = walk.file AND above.id = walk.next
        WHERE NOT walk.is_setting
      )
      SELECT file, n, provider, model FROM walk WHERE is_setting;

    CREATE TABLE calls AS
      SELECT spending.* EXCLUDE (usage), session, project, created,
        named.provider AS provider, named.model AS bare_model, concat_ws('/', CASE WHEN named.model IS NOT NULL THEN named.provider END, named.model) AS full_model,
        nullif(full_model, '') AS model,
        ${number("input")} AS input_tokens, ${number("output")} AS output_tokens,
        ${number("cacheRead")} AS cache_read, ${number("cacheWrite")} AS cache_write,
        coalesce((usage->>'totalTokens')::DOUBLE, input_tokens + output_tokens + cache_read + cache_write) AS total_tokens,
        coalesce(TRY_CAST(usage->>'cost' AS DOUBLE), (usage->>'$.cost.total')::DOUBLE,
          ${["input", "output", "cacheRead", "cacheWrite"].map((part) => number(`$.cost.${part}`)).join(" + ")}) AS cost
      FROM spending JOIN files USING (file)
      LEFT JOIN (
        FROM in_force UNION ALL
        SELECT file, n, provider, model FROM naming SEMI JOIN spending USING (file, n)
        WHERE (file, n) NOT IN (SELECT (file, n) FROM spending WHERE source IN ('tool', 'compaction', 'branch_summary'))
      ) AS named USING (file, n);
  `;
}

/** Each key of totals in SQL. */
function keySql(key: GroupKey, zone: string): string {
  const local = `timezone('${zone}', time)`;
  switch (key) {
    case "hour":
      return `strftime(${local}, '%Y-%m-%dT%H:00')`;
    case "day":
      return `strftime(${local}, '%Y-%m-%d')`;
    case "week":
      return `strftime(date_trunc('week', ${local}), '%Y-%m-%d')`;
    case "month":
      return `strftime(${local}, '%Y-%m')`;
    default:
      return key;
  }
}

const SUMS = `
  count(*)::DOUBLE AS calls, coalesce(fsum(input_tokens), 0) AS "input", coalesce(fsum(output_tokens), 0) AS "output",
  coalesce(fsum(cache_read), 0) AS "cacheRead", coalesce(fsum(cache_write), 0) AS "cacheWrite",
  coalesce(fsum(total_tokens), 0) AS "totalTokens", coalesce(fsum(cost), 0) AS "costTotal"`;

interface SqlTotals {
  /** By the values of the keys, as JSON. */
  groups: Map<string, Usage>;
  total: Usage;
}

/** Groups and total of the calls in a table that satisfy a condition. */
async function addInSql(by: readonly GroupKey[], zone: string, where = "true", table = "calls"): Promise<SqlTotals> {
  const columns = by.map((key, at) => `${keySql(key, zone)} AS key_${at}`);
  const [total] = await query<Usage>(`SELECT ${SUMS} FROM ${table} WHERE ${where}`);
  if (by.length === 0) return { groups: new Map(), total: total! };
  const rows = await query<Usage & Record<string, string | null>>(
    `SELECT ${[...columns, SUMS].join(", ")} FROM ${table} WHERE ${where} GROUP BY ALL`,
  );
  const groups = rows.map((row): [string, Usage] => {
    const { calls, input, output, cacheRead, cacheWrite, totalTokens, costTotal, ...keys } = row;
    return [
      JSON.stringify(Object.values(keys)),
      { calls, input, output, cacheRead, cacheWrite, totalTokens, costTotal },
    ];
  });
  return { groups: new Map(groups), total: total! };
}

/** Fails unless totals with these options are what SQL gives under a condition. Returns how many calls there were. */
async function assertTotalsAsSql(options: TotalsOptions, where?: string, table?: string): Promise<number> {
  const { by = [], timeZone = "UTC" } = options;
  const at = `${JSON.stringify(options)} ${where ?? ""}`;
  const found = await totals({ stores, timeZone, dedupe: false, ...options });
  const right = await addInSql(by, timeZone, where, table);
  const groups = new Map(found.groups.map(({ key, ...sums }) => [JSON.stringify(Object.values(key)), sums]));
  assert.deepEqual([...groups.keys()].sort(), [...right.groups.keys()].sort(), at);
  for (const [key, sums] of right.groups) assertAgrees(groups.get(key), sums, `${at}: ${key}`);
  assertAgrees(found.total, right.total, at);
  return right.total.calls;
}

const micros = ({ costMicros, ...sums }: Sum) => ({ ...sums, costTotal: costMicros / 1e6 });

const inCorpus = (): string => `starts_with(file, '${stores[0]}')`;

// Tests

before(async () => {
  if (needsDuckdb.skip) return;
  folder = mkdtempSync(join(tmpdir(), "pi-sessions-test-"));
  const out = join(folder, "corpus");
  truth = writeCorpus({ shape: "many", bytes: 2_500_000, sessions: 130, seed: 7, out });
  const hard = join(folder, "hard");
  mkdirSync(hard);
  writeFileSync(join(hard, "clock.jsonl"), jsonl(...clockSession()));
  writeFileSync(join(hard, "gaps.jsonl"), jsonl(...gapsSession()));
  stores = [storeFolder(out), hard];
  const { DuckDBInstance } = (await import(pathToFileURL(duckdb).href)) as {
    DuckDBInstance: { create(): Promise<{ connect(): Promise<Connection> }> };
  };
  connection = await (await DuckDBInstance.create()).connect();
  await query(readingSql(stores));
});

after(() => {
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const KEYS: GroupKey[] = ["project", "session", "model", "provider", "day", "week", "month", "hour", "source", "tool"];

test("the SQL finds what the generator wrote", needsDuckdb, async () => {
  const { total } = await addInSql([], "UTC", inCorpus());
  assertAgrees(total, micros(truth.raw), "calls of the corpus");
  const sources = await query<{ source: string }>("SELECT DISTINCT source FROM calls ORDER BY source");
  assert.deepEqual(
    sources.map(({ source }) => source),
    ["assistant", "branch_summary", "compaction", "tool", "usage:cache_warm"],
  );
  const [damaged] = await query<{ lines: number }>("SELECT count(*)::DOUBLE AS lines FROM recovered");
  assert.ok(damaged!.lines > 0);
});

test("totals by each key are those of SQL", needsDuckdb, async () => {
  for (const key of KEYS) await assertTotalsAsSql({ by: [key] });
});

test(
  "totals by day, week, month and hour are those of SQL in zones that change their clocks",
  needsDuckdb,
  async () => {
    for (const timeZone of ZONES) {
      for (const key of ["day", "week", "month", "hour"] as const) await assertTotalsAsSql({ by: [key], timeZone });
    }
  },
);

test("totals by nested keys are those of SQL", needsDuckdb, async () => {
  const nested: GroupKey[][] = [
    ...KEYS.map((key, at) => [key, KEYS[(at + 3) % KEYS.length]!]),
    ["provider", "model"],
    ["session", "hour"],
    ["month", "project", "source"],
    ["tool", "model", "week", "session"],
  ];
  for (const by of nested) await assertTotalsAsSql({ by, timeZone: ZONES[1]! });
});

/** A moment as totals takes it. */
async function milliseconds(expression: string): Promise<number> {
  const [row] = await query<{ time: number }>(`SELECT epoch_ms(${expression})::DOUBLE AS time`);
  return row!.time;
}

test("totals within days of a zone are those of SQL, both ends included", needsDuckdb, async () => {
  let days = 0;
  for (const timeZone of ZONES) {
    const day = `timezone('${timeZone}', time)::DATE`;
    const [busiest] = await query<{ day: string }>(
      `SELECT mode(${day})::VARCHAR AS day FROM calls WHERE ${inCorpus()}`,
    );
    for (const date of [busiest!.day, "2025-10-26", "2026-03-29", "2025-10-05", "2026-04-05", "2026-01-01"]) {
      const since = await milliseconds(`timezone('${timeZone}', TIMESTAMP '${date}')`);
      const until = (await milliseconds(`timezone('${timeZone}', TIMESTAMP '${date}' + INTERVAL 1 DAY)`)) - 1;
      if ((await assertTotalsAsSql({ by: ["hour"], timeZone, since, until }, `${day} = DATE '${date}'`)) > 0) days++;
      await assertTotalsAsSql({ timeZone, since }, `${day} >= DATE '${date}'`);
      await assertTotalsAsSql({ timeZone, until }, `${day} <= DATE '${date}'`);
    }
  }
  assert.ok(days >= 8, `${days} days with calls`);
  const some = await query<{ ms: number }>(
    "SELECT epoch_ms(time)::DOUBLE AS ms FROM calls WHERE time IS NOT NULL USING SAMPLE 3 ROWS (reservoir, 7)",
  );
  for (const { ms } of some) {
    for (const edge of [ms - 1, ms, ms + 1]) {
      await assertTotalsAsSql({ since: edge }, `epoch_ms(time) >= ${edge}`);
      await assertTotalsAsSql({ until: edge }, `epoch_ms(time) <= ${edge}`);
    }
  }
});

test("totals of models, providers and projects are those of SQL", needsDuckdb, async () => {
  const cases: [TotalsOptions, string][] = [
    [{ models: ["claude-*"] }, "bare_model ILIKE 'claude-%' OR full_model ILIKE 'claude-%'"],
    [{ models: ["*SONNET*", "gpt-5"] }, "full_model ILIKE '%sonnet%' OR bare_model = 'gpt-5' OR full_model = 'gpt-5'"],
    [{ models: ["anthropic/*5"] }, "full_model ILIKE 'anthropic/%5'"],
    [{ providers: ["open*"] }, "provider ILIKE 'open%'"],
    [{ providers: ["p"], models: ["m*2"] }, "provider = 'p' AND bare_model LIKE 'm%2'"],
    [{ projects: ["/home/u/clock/"] }, "project = '/home/u/clock'"],
    [{ projects: ["/home/u/work", "/home/u/clo"] }, "starts_with(project, '/home/u/work/')"],
    [
      { projects: ["/home/u/work/project-1"], models: ["*"] },
      "project = '/home/u/work/project-1' AND model IS NOT NULL",
    ],
  ];
  for (const [options, where] of cases) {
    const calls = await assertTotalsAsSql({ by: ["session", "model"], ...options }, `coalesce(${where}, false)`);
    assert.ok(calls > 0, where);
  }
});

/**
 * Statements that make the table `owned`: of calls with one time and the same numbers in files that belong together, that of the oldest file. Neither the
 * corpus nor the other sessions hold two such calls that are not one.
 */
const owningSql = (): string => `
  CREATE TABLE links AS
    SELECT one.file AS file, other.file AS other
    FROM files AS one JOIN files AS other ON one.session = other.session OR one.parent = other.parent
      OR one.parent = other.session OR ends_with(one.parent, other.file[${stores[0]!.length + 1}:])
    UNION
    SELECT one.file, other.file
    FROM calls AS one JOIN calls AS other USING (id, entry_time) WHERE one.version > 1 AND other.version > 1;

  CREATE TABLE lineages AS
    WITH RECURSIVE reached(file, other) AS (
      SELECT file, file FROM files
      UNION
      SELECT reached.file, next.other
      FROM reached JOIN (FROM links UNION SELECT other, file FROM links) AS next ON next.file = reached.other
    )
    SELECT file, min(other) AS lineage FROM reached GROUP BY file;

  CREATE TABLE owned AS
    SELECT calls.* FROM calls JOIN lineages USING (file)
    QUALIFY row_number() OVER (
      PARTITION BY lineage, time, provider, model, response, input_tokens, output_tokens, cache_read, cache_write, total_tokens, cost
      ORDER BY created, file
    ) = 1;
`;

test("totals that count each call once are those of SQL", needsDuckdb, async () => {
  await query(owningSql());
  const { total } = await addInSql([], "UTC", inCorpus(), "owned");
  assertAgrees(total, micros(truth.total), "calls of the corpus");
  assert.ok(truth.duplicates.calls > 30);

  for (const by of [["project"], ["session"], ["source", "tool"], ["week", "model"]] as GroupKey[][]) {
    await assertTotalsAsSql({ by, dedupe: true, timeZone: ZONES[0]! }, "true", "owned");
  }
  // A filter never turns a copy back into a call.
  const since = Date.parse("2026-01-01T00:00:00Z");
  const where = `project = '/home/u/work/project-1' AND epoch_ms(time) >= ${since}`;
  const filtered = { dedupe: true, projects: ["/home/u/work/project-1"], since };
  assert.ok((await assertTotalsAsSql({ by: ["session", "day"], ...filtered }, where, "owned")) > 0);
  const { duplicates } = await totals({ stores, ...filtered });
  const [raw, once] = [await addInSql([], "UTC", where), await addInSql([], "UTC", where, "owned")];
  for (const key of Object.keys(duplicates) as (keyof Usage)[]) {
    assertAgrees(duplicates[key], raw.total[key] - once.total[key], `duplicates: ${key}`);
  }
});
