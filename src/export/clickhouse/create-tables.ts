import { ExportError } from "../../errors.js";
import type { TableName } from "../tables.js";
import type { Connection } from "./connection.js";
import { quoteName, quoteText } from "./quote.js";
import { readAbilities, type ServerAbilities } from "./server-version.js";
import { MANIFEST, type StoredTable, storedTables } from "./stored-table.js";
import { createView, viewName } from "./views.js";

/** A server that is to hold tables, and what it is to hold. */
interface Node {
  server: Connection;
  abilities: ServerAbilities;
  tables: readonly StoredTable[];
}

/** The table on a node that a Distributed table of this name stands in front of. */
export function localName(table: string): string {
  return `${table}_local`;
}

/**
 * Makes the database, its tables and its views where they are missing, on every server. With a cluster each table is in two: the rows of a node, and
 * a Distributed table in front that knows all nodes. Without, there is the table alone; views stand over the same names either way. Each step is done
 * on all servers before the next: a Distributed table can be asked only where every node has its part.
 *
 * @returns the tables as the first server has them, which may have been made when it was older, and what it can do.
 * @throws ExportError when the database holds other tables of these names.
 */
export async function createTables(
  servers: readonly Connection[],
  database: string,
  cluster: string | undefined,
): Promise<{ tables: StoredTable[]; abilities: ServerAbilities }> {
  const nodes: Node[] = [];
  for (const server of servers) {
    const abilities = readAbilities(await server.version());
    nodes.push({ server, abilities, tables: storedTables(abilities) });
  }
  for (const { server } of nodes) await refuseForeign(server, database, cluster !== undefined);
  for (const { server, tables } of nodes) {
    await server.run(`CREATE DATABASE IF NOT EXISTS ${quoteName(database)}`);
    for (const table of tables) await server.run(createTable(database, table, cluster !== undefined));
  }
  if (cluster !== undefined) {
    for (const { server, tables } of nodes) {
      for (const table of tables) await server.run(createDistributedTable(database, table, cluster));
    }
  }
  const [first] = nodes as [Node, ...Node[]];
  const tables = await readTables(first.server, database, first.tables);
  for (const { server, tables } of nodes) {
    // An old server takes a second to look through the longest of them, be it there or not.
    const names = await tableNames(server, database);
    for (const table of tables) {
      if (isRowTable(table) && !names.has(viewName(table.name))) await server.run(createView(database, table));
    }
  }
  return { tables, abilities: first.abilities };
}

export function createTable(database: string, table: StoredTable, isLocal: boolean): string {
  const name = isLocal ? localName(table.name) : table.name;
  const key = table.key.map(quoteName).join(", ");
  return `CREATE TABLE IF NOT EXISTS ${qualify(database, name)} (${columnList(table)}) ENGINE = ${table.engine} ORDER BY (${key})`;
}

/** All rows of a session go to one shard. */
export function createDistributedTable(database: string, table: StoredTable, cluster: string): string {
  const place = [cluster, database, localName(table.name)].map(quoteText).join(", ");
  return (
    `CREATE TABLE IF NOT EXISTS ${qualify(database, table.name)} (${columnList(table)}) ` +
    `ENGINE = Distributed(${place}, cityHash64(session_id))`
  );
}

export function qualify(database: string, table: string): string {
  return `${quoteName(database)}.${quoteName(table)}`;
}

export function isRowTable(table: StoredTable): table is StoredTable & { name: TableName } {
  return table.name !== MANIFEST;
}

function columnList({ columns }: StoredTable): string {
  return columns.map(({ name, type }) => `${quoteName(name)} ${type}`).join(", ");
}

/** The manifest is made first: tables of our names without one are not ours. */
async function refuseForeign(server: Connection, database: string, isCluster: boolean): Promise<void> {
  const names = await tableNames(server, database);
  const wasCluster = names.has(localName(MANIFEST));
  if (wasCluster || names.has(MANIFEST)) {
    if (wasCluster === isCluster) return;
    const advice = isCluster ? "name another one with --database" : "name it again, or another one with --database";
    throw foreign(database, `it was made ${isCluster ? "without" : "with"} --cluster; ${advice}`);
  }
  const ours = storedTables(readAbilities("")).flatMap((table) => {
    const view = isRowTable(table) ? [viewName(table.name)] : [];
    return [table.name, localName(table.name), ...view];
  });
  const taken = ours.find((name) => names.has(name));
  if (taken === undefined) return;
  throw foreign(database, `its table "${taken}" was not made by an export; name another one with --database`);
}

/** Of tables and views. */
async function tableNames(server: Connection, database: string): Promise<Set<string>> {
  const rows = await server.select<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = ${quoteText(database)}`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** The tables with the types that they were made with. */
async function readTables(
  server: Connection,
  database: string,
  tables: readonly StoredTable[],
): Promise<StoredTable[]> {
  const found = await server.select<{ table: string; name: string; type: string }>(
    `SELECT table, name, type FROM system.columns WHERE database = ${quoteText(database)}`,
  );
  return tables.map((table) => {
    const types = new Map(found.filter((column) => column.table === table.name).map(({ name, type }) => [name, type]));
    if (types.size !== table.columns.length || !table.columns.every(({ name }) => types.has(name))) {
      throw foreign(database, `its table "${table.name}" has other columns; name another one with --database`);
    }
    return { ...table, columns: table.columns.map((column) => ({ ...column, type: types.get(column.name)! })) };
  });
}

function foreign(database: string, reason: string): ExportError {
  return new ExportError("FOREIGN_TARGET", `Cannot export to database "${database}": ${reason}`);
}
