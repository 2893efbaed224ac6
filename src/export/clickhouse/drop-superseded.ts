import type { RowCounts } from "../tables.js";
import type { Connection } from "./connection.js";
import { isRowTable, localName, qualify } from "./create-tables.js";
import { quoteText } from "./quote.js";
import { MANIFEST, type StoredTable } from "./stored-table.js";

/** The tables that hold the rows of a host. */
export interface RowPlace {
  /** All nodes. */
  servers: readonly Connection[];
  database: string;
  tables: readonly StoredTable[];
  isCluster: boolean;
  host: string;
}

/** Deleting rewrites what lies beside them: fewer superseded rows than this stay, and so do fewer than those that are shown. */
const MIN_ROWS = 1_000_000;

/**
 * Has the servers delete rows that nothing shows any more, once they are the greater part of a table. Servers do so when they get to it; nothing that
 * is shown changes by it, or waits for it. Rows of generations from `before` on are left alone: they may be of an export that is not finished.
 * `shown` tells how many rows of older ones each table shows.
 */
export async function dropSuperseded(
  { servers, database, tables, isCluster, host }: RowPlace,
  before: bigint,
  shown: RowCounts,
): Promise<void> {
  const [server] = servers as [Connection, ...Connection[]];
  const isOld = `host = ${quoteText(host)} AND generation < ${before}`;
  const nameOf = (table: string) => qualify(database, isCluster ? localName(table) : table);
  // A line of the manifest lies on the node where the rows lie that it shows.
  const isShown = `(path, generation) IN (SELECT path, max(generation) FROM ${nameOf(MANIFEST)} WHERE host = ${quoteText(host)} GROUP BY path)`;
  for (const { name } of tables.filter(isRowTable)) {
    const [row] = await server.select<{ rows: number | string }>(
      `SELECT count() AS rows FROM ${qualify(database, name)} WHERE ${isOld}`,
    );
    const needed = shown[name] ?? 0;
    if (Number(row?.rows ?? 0) - needed <= Math.max(MIN_ROWS, needed)) continue;
    for (const node of servers)
      await node.run(`ALTER TABLE ${nameOf(name)} DELETE WHERE ${isOld} AND NOT (${isShown})`);
  }
}
