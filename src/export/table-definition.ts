import type { ColumnType, Table } from "./tables.js";

/** The statement that makes a table, a column a line. `constraints` come last. */
export function createTableStatement(
  { name, columns }: Table,
  types: Record<ColumnType, string>,
  constraints: readonly string[],
): string {
  const lines = columns.map((column) => `${column.name} ${types[column.type]}${column.nullable ? "" : " NOT NULL"}`);
  return `CREATE TABLE ${name} (\n  ${[...lines, ...constraints].join(",\n  ")}\n)`;
}
