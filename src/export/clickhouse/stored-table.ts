import { type TableColumn, type TableName, tables } from "../tables.js";
import type { ServerAbilities } from "./server-version.js";

/** A column as the server stores it. */
export interface StoredColumn {
  name: string;
  /** Its type in SQL. */
  type: string;
  /** The column of a row batch that it is written from; null for what is the same in all rows of an export. */
  source: number | null;
}

/** A table of an export as the server stores it. */
export interface StoredTable {
  name: TableName | typeof MANIFEST;
  columns: readonly StoredColumn[];
  /** What rows are sorted by: those equal in all of it are one. */
  key: readonly string[];
  /** In what engine. */
  engine: string;
}

/**
 * The table that tells which files the tables hold, by host and path: a row of another table counts when its generation is the one that stands here.
 * A newer generation replaces an older one.
 */
export const MANIFEST = "exported_files";

/** Columns with few different values. */
const repetitive = new Set(["host", "type", "role", "source", "provider", "model", "stop_reason", "tool_name"]);

/**
 * The five tables and the manifest, as a server of such abilities stores them. Every row has the host that it came from and the generation of the
 * export that wrote it: rows of an export that did not finish never get in the way of those that are shown. Every time stands twice: as a time, whole
 * seconds on old servers and null where its type can't hold it, and exactly, in Unix milliseconds.
 */
export function storedTables(abilities: ServerAbilities): StoredTable[] {
  return [manifestTable(), ...tables.map(({ name }) => storedTable(name, abilities))];
}

function storedTable(name: TableName, abilities: ServerAbilities): StoredTable {
  const { columns, key } = tables.find((table) => table.name === name)!;
  const stored = columns.flatMap((column, source) => storedColumns(column, source, abilities));
  const host = stored.find((column) => column.name === "host");
  const rest = stored.filter((column) => column !== host);
  const [sessionId, path, ...others] = rest as [StoredColumn, StoredColumn, ...StoredColumn[]];
  return {
    name,
    columns: [
      { name: "host", type: abilities.hasLowCardinality ? "LowCardinality(String)" : "String", source: null },
      sessionId,
      path,
      ...others,
      { name: "generation", type: "UInt64", source: null },
    ],
    key: ["host", "session_id", ...key, "generation"],
    engine: "ReplacingMergeTree",
  };
}

function manifestTable(): StoredTable {
  const names = ["session_id", "generation", "removed", "size_bytes", "mtime_ms", "state", "settings", "note"];
  const types = ["String", "UInt64", "UInt8", "UInt64", "String", "String", "String", "String"];
  const columns = [
    { name: "host", type: "String" },
    { name: "path", type: "String" },
    ...names.map((name, at) => ({ name, type: types[at]! })),
    ...tables.map(({ name }) => ({ name: rowsColumn(name), type: "UInt64" })),
  ];
  return {
    name: MANIFEST,
    columns: columns.map((column) => ({ ...column, source: null })),
    key: ["host", "path"],
    engine: "ReplacingMergeTree(generation)",
  };
}

/** The column of the manifest that holds how many rows a file has in a table. */
export function rowsColumn(table: TableName): string {
  return `${table}_rows`;
}

function storedColumns(
  { name, type, nullable }: TableColumn,
  source: number,
  abilities: ServerAbilities,
): StoredColumn[] {
  const orNull = (stored: string) => (nullable ? `Nullable(${stored})` : stored);
  switch (type) {
    case "string": {
      const plain = orNull("String");
      const stored = repetitive.has(name) && abilities.hasLowCardinality ? `LowCardinality(${plain})` : plain;
      return [{ name, type: stored, source }];
    }
    case "int64":
      return [{ name, type: orNull("Int64"), source }];
    case "double":
      return [{ name, type: orNull("Float64"), source }];
    case "boolean":
      return [{ name, type: orNull(abilities.hasBool ? "Bool" : "UInt8"), source }];
    case "timestamp":
      return [
        abilities.hasDateTime64
          ? { name, type: "Nullable(DateTime64(3, 'UTC'))", source }
          : { name, type: "Nullable(DateTime('UTC'))", source },
        { name: `${name}_ms`, type: orNull("Int64"), source },
      ];
  }
}
