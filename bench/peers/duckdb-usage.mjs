// What the usage table of an export adds up to: node duckdb-usage.mjs FILES, a glob of Parquet files.
import { DuckDBInstance } from "@duckdb/node-api";

const files = process.argv[2].replaceAll("'", "''");
const connection = await (await DuckDBInstance.create()).connect();
const reader = await connection.runAndReadAll(`
  SELECT count(*)::INTEGER AS calls, sum(input) AS input, sum(output) AS output, sum(cache_read) AS "cacheRead", sum(cache_write) AS "cacheWrite",
    sum(cost_total) AS "costTotal"
  FROM read_parquet('${files}')
  WHERE NOT is_copy`);
console.log(JSON.stringify(reader.getRowObjectsJson()[0]));
