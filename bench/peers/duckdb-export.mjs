// DuckDB with the columns spelled out, each table by its own COPY: node duckdb-export.mjs STORE OUT. Damaged lines are lost, copies are told by id and time.
import { mkdirSync } from "node:fs";
import { DuckDBInstance } from "@duckdb/node-api";

const cost = "STRUCT(total DOUBLE)";
const usage = `STRUCT(input DOUBLE, output DOUBLE, "cacheRead" DOUBLE, "cacheWrite" DOUBLE, "totalTokens" DOUBLE, cost ${cost})`;
const message = `STRUCT(role VARCHAR, content JSON, "timestamp" DOUBLE, provider VARCHAR, model VARCHAR, "stopReason" VARCHAR, "errorMessage" VARCHAR,
  "toolName" VARCHAR, "toolCallId" VARCHAR, "isError" BOOLEAN, usage ${usage}, command VARCHAR, output VARCHAR)`;
const links = { type: "VARCHAR", id: "VARCHAR", parentId: "VARCHAR", timestamp: "VARCHAR" };
const header = { ...links, version: "BIGINT", cwd: "VARCHAR", parentSession: "VARCHAR", name: "VARCHAR" };

const [store, out] = process.argv.slice(2);
const connection = await (await DuckDBInstance.create()).connect();
const sql = {
  sessions: `
    SELECT arg_min(id, "timestamp") FILTER (type = 'session') AS session_id, filename AS path, any_value(cwd) AS cwd, last(name) AS name,
      any_value("parentSession") AS parent_session, any_value(version) AS version, min("timestamp")::TIMESTAMPTZ AS created,
      max("timestamp")::TIMESTAMPTZ AS modified, count(*) FILTER (type = 'message') AS message_count, count(*) FILTER (type <> 'session') AS entry_count
    FROM ${lines(header)}
    GROUP BY filename
    HAVING count(*) FILTER (type = 'session') > 0`,
  entries: `
    SELECT filename AS path, id AS entry_id, "parentId" AS parent_id, type, message.role AS role, "timestamp"::TIMESTAMPTZ AS "timestamp"
    FROM ${lines({ ...links, message: "STRUCT(role VARCHAR)" })}
    WHERE type <> 'session'`,
  messages: `
    SELECT filename AS path, id AS entry_id, epoch_ms(message."timestamp"::BIGINT) AS "timestamp", message.role AS role,
      left(CASE json_type(message.content) WHEN 'VARCHAR' THEN message.content ->> '$'
        ELSE coalesce(array_to_string(message.content ->> '$[*].text', chr(10)), message.command || chr(10) || message.output) END, 500) AS text,
      left(array_to_string(message.content ->> '$[*].thinking', chr(10)), 500) AS thinking,
      message.provider AS provider, message.model AS model, message."stopReason" AS stop_reason, left(message."errorMessage", 500) AS error_message,
      message."toolName" AS tool_name, message."isError" AS is_error
    FROM ${lines({ ...links, message })}
    WHERE type = 'message'`,
  tool_calls: `
    WITH messages AS (SELECT filename, id, "timestamp"::TIMESTAMPTZ AS time, message FROM ${lines({ ...links, message })} WHERE type = 'message'),
    calls AS (
      SELECT filename, id, time, unnest(from_json(message.content, '["JSON"]')) AS block
      FROM messages
      WHERE message.role = 'assistant' AND json_type(message.content) = 'ARRAY'),
    results AS (
      SELECT filename, message."toolCallId" AS tool_call_id, any_value(id) AS id, any_value(time) AS time, any_value(message."isError") AS is_error,
        any_value(strlen(array_to_string(message.content ->> '$[*].text', ''))) AS output_bytes
      FROM messages
      WHERE message.role = 'toolResult'
      GROUP BY ALL)
    SELECT calls.filename AS path, calls.id AS entry_id, results.id AS result_entry_id, block ->> 'id' AS tool_call_id, block ->> 'name' AS tool_name,
      left(block ->> 'arguments', 500) AS arguments, is_error, output_bytes, epoch_ms(results.time) - epoch_ms(calls.time) AS duration_ms, calls.time AS "timestamp"
    FROM calls
    LEFT JOIN results ON results.filename = calls.filename AND results.tool_call_id = (block ->> 'id')
    WHERE (block ->> 'type') = 'toolCall'`,
  usage: `
    WITH calls AS (
      SELECT filename, id, "timestamp"::TIMESTAMPTZ AS time, CASE type WHEN 'message' THEN message.usage ELSE usage END AS usage,
        CASE type WHEN 'message' THEN message.role WHEN 'usage' THEN 'usage:' || kind ELSE type END AS source,
        coalesce(message.provider, provider) AS provider, coalesce(message.model, model) AS model
      FROM ${lines({ ...links, provider: "VARCHAR", model: "VARCHAR", kind: "VARCHAR", usage, message: `STRUCT(role VARCHAR, provider VARCHAR, model VARCHAR, usage ${usage})` })}
      WHERE (type = 'message' AND message.role IN ('assistant', 'toolResult') AND message.usage IS NOT NULL)
        OR (type IN ('compaction', 'branch_summary', 'usage') AND usage IS NOT NULL))
    SELECT filename AS path, id AS entry_id, time AS "timestamp", source, provider, model, usage.input AS input, usage.output AS output,
      usage."cacheRead" AS cache_read, usage."cacheWrite" AS cache_write, usage."totalTokens" AS total_tokens, usage.cost.total AS cost_total,
      row_number() OVER (PARTITION BY id, time ORDER BY filename) > 1 AS is_copy
    FROM calls`,
};

const tables = {};
for (const [table, select] of Object.entries(sql)) {
  mkdirSync(out, { recursive: true });
  const reader = await connection.runAndReadAll(
    `COPY (${select}) TO '${quoted(`${out}/${table}.parquet`)}' (FORMAT parquet)`,
  );
  tables[table] = Number(reader.getRows()[0][0]);
}
console.log(JSON.stringify({ tables }));

function lines(columns) {
  const spec = Object.entries(columns).map(([name, type]) => `"${name}": '${type}'`);
  return `read_json('${quoted(store)}/**/*.jsonl', format = 'newline_delimited', columns = {${spec.join(", ")}}, ignore_errors = true,
    maximum_object_size = 1000000000, filename = true)`;
}

function quoted(path) {
  return path.replaceAll("'", "''");
}
