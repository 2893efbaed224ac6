// DuckDB with the columns spelled out: node duckdb.mjs STORE. One call per entry id and timestamp.
import { DuckDBInstance } from "@duckdb/node-api";

const usage = "STRUCT(cost STRUCT(total DOUBLE))";
const columns = `{type: 'VARCHAR', id: 'VARCHAR', timestamp: 'VARCHAR', message: 'STRUCT(role VARCHAR, usage ${usage})', usage: '${usage}'}`;
const store = process.argv[2].replaceAll("'", "''");
const connection = await (await DuckDBInstance.create()).connect();
const reader = await connection.runAndReadAll(`
  WITH calls AS (
    SELECT any_value(CASE type WHEN 'message' THEN message.usage ELSE usage END) AS usage
    FROM read_json('${store}/**/*.jsonl', format = 'newline_delimited', columns = ${columns}, ignore_errors = true,
      maximum_object_size = 1000000000)
    WHERE (type = 'message' AND message.role IN ('assistant', 'toolResult') AND message.usage IS NOT NULL)
      OR (type IN ('compaction', 'branch_summary', 'usage') AND usage IS NOT NULL)
    GROUP BY id, timestamp
  )
  SELECT count(*)::INTEGER AS calls, sum(usage.cost.total) AS "costTotal"
  FROM calls`);
console.log(JSON.stringify(reader.getRowObjectsJson()[0]));
