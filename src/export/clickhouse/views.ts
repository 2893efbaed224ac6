import { type TableName, tables } from "../tables.js";
import { quoteName } from "./quote.js";
import { MANIFEST, type StoredTable } from "./stored-table.js";

/** How many forks a fork of a fork may be away from a session and still be known as of its family. */
const FORK_DEPTH = 4;

/** The name of the view that shows the rows of a table once. */
export function viewName(table: TableName): string {
  return `${table}_once`;
}

/** The statement that makes the view of a table, over tables of these names in a database. */
export function createView(database: string, table: StoredTable & { name: TableName }): string {
  const columns = table.columns.map(({ name }) => name).filter((name) => name !== "generation");
  const view = `${quoteName(database)}.${quoteName(viewName(table.name))}`;
  return `CREATE VIEW IF NOT EXISTS ${view} AS ${new ViewQueries(database).once(table.name, columns)}`;
}

/** A condition on rows of any table: they are of the last finished export of their file. */
export function isCurrent(database: string): string {
  return new ViewQueries(database).isCurrent;
}

/** What tells the copies of a row on several hosts, and which host's are shown. */
interface CopyRule {
  /** Rows that agree in these are copies when they come from several hosts. */
  alike: readonly string[];
  /** What a host is ranked by; the least wins. */
  rank: readonly string[];
  /** Columns that the rank reads beside. */
  reads?: readonly string[];
}

const copyRules: Record<Exclude<TableName, "usage">, CopyRule> = {
  // The host that has most of the session.
  sessions: { alike: ["session_id"], rank: ["-max(entry_count)"], reads: ["entry_count"] },
  entries: { alike: ["session_id", "line", "line_part", "entry_id", "timestamp_ms"], rank: ["0"] },
  messages: { alike: ["session_id", "line", "line_part", "entry_id", "timestamp_ms"], rank: ["0"] },
  tool_calls: { alike: ["session_id", "line", "line_part", "content_index", "entry_id", "timestamp_ms"], rank: ["0"] },
};

/** What calls that are copies of one entry agree in; none of it may be missing. */
const ENTRY = ["entry_id", "entry_timestamp_ms"];
const IS_ENTRY = "entry_id IS NOT NULL AND entry_timestamp_ms IS NOT NULL";

/** What other copies of a call agree in. */
const CALL = [
  ...["timestamp_ms", "provider", "model", "response_id"],
  ...["input", "output", "cache_read", "cache_write", "total_tokens", "cost_total"],
];

/**
 * The queries of the views, in SQL that servers from 18.16 to current ones take. All of them can stand over Distributed tables: subqueries are
 * `GLOBAL`, so that each shard is asked about all of them, and `FINAL` goes to the shards, where all rows of a key are.
 *
 * An alias never has the name of a column that the same query reads: old servers would put its expression in the column's place.
 */
class ViewQueries {
  readonly #database: string;
  /** Of any table: whether its rows are those of the last finished export of their file. */
  readonly isCurrent: string;

  constructor(database: string) {
    this.#database = database;
    this.isCurrent =
      "(host, path, generation) GLOBAL IN (SELECT host, path, max(generation) " +
      `FROM ${this.#name(MANIFEST)} GROUP BY host, path HAVING argMax(removed, generation) = 0)`;
  }

  /** Rows of a table without those of other exports, of batches that were sent twice, and of copies. */
  once(table: TableName, columns: readonly string[]): string {
    if (table === "usage") return this.#usageOnce(columns);
    const key = placeColumns(table);
    const shared = `SELECT session_id FROM ${this.#name(MANIFEST)} GROUP BY session_id HAVING uniqExact(host) > 1`;
    const { alike, rank, reads = [] } = copyRules[table];
    const candidates = this.#current(table, distinct(key, alike, reads), `session_id GLOBAL IN (${shared})`);
    return this.#current(table, columns, isNoneOf(key, copies(key, candidates, alike, rank)));
  }

  /**
   * The calls that their exporter did not know for copies, without those that only a look at several hosts shows for copies: of those of one entry, the
   * one of the session created first is shown; of those of one family that agree in time, model, response and all numbers, as many as the file with most
   * of them holds.
   */
  #usageOnce(columns: readonly string[]): string {
    const key = placeColumns("usage");
    const own = "is_copy = 0";
    const reads = [...ENTRY, ...CALL];
    const entries = this.#current(
      "usage",
      distinct(key, ENTRY),
      `${own} AND ${IS_ENTRY} AND ${this.#isShared("entry_timestamp_ms")}`,
    );
    const created = this.#current("sessions", ["host", "path", "created_ms"]);
    const aged = `SELECT * FROM (${entries}) AS calls ANY LEFT JOIN (${created}) AS files USING (host, path)`;
    const again = copies(key, aged, ENTRY, ["min(created_ms IS NULL)", "min(ifNull(created_ms, 0))", "min(path)"]);
    const calls = this.#current(
      "usage",
      distinct(key, reads, ["session_id", "is_copy"]),
      `(${this.#isShared("timestamp_ms")} OR ${this.#isShared("entry_timestamp_ms")})`,
    );
    const forked =
      `SELECT *, if(ancestor != '', ancestor, session_id) AS kin FROM (${calls}) AS calls ` +
      `ANY LEFT JOIN (${this.#ancestors()}) AS ancestors USING (session_id)`;
    const surplus = surplusCalls(key, joinFamilies(forked), ["family", ...CALL]);
    return this.#current("usage", columns, `${own} AND ${isNoneOf(key, again)} AND ${isNoneOf(key, surplus)}`);
  }

  /** Whether calls of several hosts have the same time: few have, so that little is left to compare. */
  #isShared(time: string): string {
    const times = this.#current("usage", [time, "host"], `${time} IS NOT NULL`);
    return `${time} GLOBAL IN (SELECT ${time} FROM (${times}) GROUP BY ${time} HAVING min(host) != max(host))`;
  }

  /** By session id: the id of the session that it was forked from, over several forks. */
  #ancestors(): string {
    const parents = this.#parents();
    let query = `SELECT child AS session_id, parent AS up1 FROM (${parents})`;
    for (let depth = 1; depth < FORK_DEPTH; depth++) {
      query =
        `SELECT session_id, if(parent != '', parent, up${depth}) AS up${depth + 1} FROM (${query}) AS known ` +
        `ANY LEFT JOIN (SELECT child AS up${depth}, parent FROM (${parents})) AS higher USING (up${depth})`;
    }
    return `SELECT session_id, up${FORK_DEPTH} AS ancestor FROM (${query})`;
  }

  /** By session id: the id of the session that the header names by path, or by the id in a file's name; else the name, which forks of a missing one share. */
  #parents(): string {
    const forks = this.#current(
      "sessions",
      ["session_id", "assumeNotNull(parent_session) AS origin"],
      "parent_session != ''",
    );
    const paths = `SELECT path AS origin, min(session_id) AS known FROM (${this.#current("sessions", ["path", "session_id"])}) GROUP BY path`;
    const ids = this.#current("sessions", ["session_id"]);
    const named = String.raw`replaceRegexpOne(origin, '^(.*[/\\\\])?[^_/\\\\]*_([^/\\\\]*)\\.jsonl$', '\\2')`;
    return (
      `SELECT session_id AS child, min(multiIf(known != '', known, ${named} GLOBAL IN (${ids}), ${named}, origin)) AS parent ` +
      `FROM (${forks}) AS forks ANY LEFT JOIN (${paths}) AS paths USING (origin) GROUP BY session_id`
    );
  }

  #current(table: TableName, columns: readonly string[], condition = ""): string {
    const also = condition && ` AND ${condition}`;
    return `SELECT ${columns.join(", ")} FROM ${this.#name(table)} FINAL WHERE ${this.isCurrent}${also}`;
  }

  #name(table: string): string {
    return `${quoteName(this.#database)}.${quoteName(table)}`;
  }
}

/** The columns that tell the rows of a table apart over all hosts. */
function placeColumns(table: TableName): string[] {
  return ["host", ...tables.find(({ name }) => name === table)!.key];
}

function distinct(...columns: (readonly string[])[]): string[] {
  return [...new Set(columns.flat())];
}

function isNoneOf(key: readonly string[], query: string): string {
  return `(${key.join(", ")}) GLOBAL NOT IN (${query})`;
}

/** Calls with their families: kin that have an entry in common are of one. */
function joinFamilies(calls: string): string {
  const group = ENTRY.join(", ");
  const shared = `SELECT ${group}, min(kin) AS first_kin FROM (${calls}) WHERE ${IS_ENTRY} GROUP BY ${group} HAVING min(kin) != max(kin)`;
  // An inner join would give one holder of each entry on new servers, all of them on old ones.
  const joined =
    `SELECT kin, min(first_kin) AS elder FROM (${calls}) AS holders ` +
    `ANY LEFT JOIN (${shared}) AS shared USING (${group}) WHERE first_kin != '' GROUP BY kin`;
  return (
    `SELECT *, if(elder != '', elder, kin) AS family FROM (${calls}) AS known ` +
    `ANY LEFT JOIN (${joined}) AS joined USING (kin)`
  );
}

/** The keys of rows that are copies of another host's. */
function copies(key: readonly string[], rows: string, alike: readonly string[], rank: readonly string[]): string {
  const group = alike.join(", ");
  // One row for each kind and host, then one for each kind that several hosts hold, with the host that wins.
  const byHost =
    `SELECT ${group}, host, (${[...rank, "host"].join(", ")}) AS standing, ` +
    `groupArray((${key.join(", ")})) AS places FROM (${rows}) GROUP BY ${group}, host`;
  const winner = `arraySort(groupArray(standing))[1].${rank.length + 1}`;
  const byKind =
    `SELECT ${winner} AS winner, groupArray(host) AS hosts, groupArray(places) AS lists ` +
    `FROM (${byHost}) GROUP BY ${group} HAVING count() > 1`;
  const losers = `SELECT holder, held FROM (${byKind}) ARRAY JOIN hosts AS holder, lists AS held WHERE holder != winner`;
  const place = key.map((_, at) => `place.${at + 1}`).join(", ");
  return `SELECT ${place} FROM (SELECT arrayJoin(held) AS place FROM (${losers}))`;
}

/**
 * The keys of calls that are copies, though their entries have other ids: of those alike that several hosts hold, there are as many as the file with
 * most of them has. Entries are kept or not on all hosts alike, so that of one that is kept, one call is left by the rule about ids.
 */
function surplusCalls(key: readonly string[], calls: string, alike: readonly string[]): string {
  const group = alike.join(", ");
  // An entry without an id or a time is its place.
  const places = key.map((column) => `if(${IS_ENTRY}, ${column.startsWith("line") ? "0" : "''"}, ${column})`);
  const entry = `(if(${IS_ENTRY}, assumeNotNull(entry_id), ''), if(${IS_ENTRY}, assumeNotNull(entry_timestamp_ms), 0), ${places.join(", ")})`;
  const own = "is_copy = 0";
  const byFile =
    `SELECT ${group}, host, path, count() AS held, groupArrayIf(${entry}, ${own}) AS entries, ` +
    `groupArrayIf((${key.join(", ")}), ${own}) AS places FROM (${calls}) GROUP BY ${group}, host, path`;
  const byKind =
    "SELECT arraySort(groupUniqArrayArray(entries)) AS different, max(held) AS most, " +
    "groupArrayArray(entries) AS all_entries, groupArrayArray(places) AS all_places " +
    `FROM (${byFile}) GROUP BY ${group} HAVING uniqExact(host) > 1 AND length(different) > most`;
  const place = key.map((_, at) => `place.${at + 1}`).join(", ");
  return (
    `SELECT ${place} FROM (SELECT place FROM (SELECT different[most] AS last, all_entries, all_places FROM (${byKind})) ` +
    "ARRAY JOIN all_entries AS found, all_places AS place WHERE found > last)"
  );
}
