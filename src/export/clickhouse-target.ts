import { randomInt } from "node:crypto";
import { clusterUrls } from "./clickhouse/cluster-urls.js";
import { type Connection, connect, serverUrl } from "./clickhouse/connection.js";
import { createTables } from "./clickhouse/create-tables.js";
import { dropSuperseded, type RowPlace } from "./clickhouse/drop-superseded.js";
import { Manifest } from "./clickhouse/manifest.js";
import { RowSender } from "./clickhouse/row-sender.js";
import type { ChangedFile, ExportedFile, ExportTarget, TargetOptions } from "./export-target.js";
import type { RowBatch } from "./row-batch.js";
import type { RowCounts } from "./tables.js";

/** Where the tables are. */
export interface ClickhousePlace {
  /** Of servers, over HTTP. Rows go to the first one; with a cluster, the others tell nodes whose ports differ. */
  urls: readonly string[];
  database: string;
  /** A cluster of the server's configuration, whose nodes the rows are spread over. */
  cluster?: string | undefined;
  /** Default `default`. */
  user?: string | undefined;
  /** Default none. */
  password?: string | undefined;
}

/**
 * Opens a ClickHouse database, 18.16 or newer, and makes its tables and views where they are missing.
 *
 * Rows are written with the number of this export, their generation, which nothing shows until the manifest names it: one insert in the end, so that
 * each file is shown either as it was or as it is. Rows of a host know nothing of those of another one, and any number of hosts can export at once.
 * Memory: at most 4 MiB of rows a table and as much again on its way, unless a single row is larger; the manifest's lines of this host.
 *
 * @throws ExportError for a server that is away, refuses the user or fails, and for a database that holds other tables of these names; RangeError for
 * a URL that is none or names a user; the reason of the signal when it aborts.
 */
export async function openClickhouseTarget(place: ClickhousePlace, options: TargetOptions): Promise<ExportTarget> {
  const { database, cluster, user = "default", password = "" } = place;
  const { signal } = options;
  const servers: Connection[] = [];
  const reach = async (url: string) => {
    const server = await connect(url, { user, password }, signal);
    servers.push(server);
    return server;
  };
  try {
    if (database === "") throw new RangeError("Cannot export: --database is empty");
    const origins = [...new Set(place.urls.map((url) => serverUrl(url).origin))];
    const server = await reach(origins[0]!);
    await server.version();
    const urls = cluster === undefined ? origins.slice(0, 1) : await clusterUrls(server, cluster, origins);
    for (const url of urls.slice(1)) await reach(url);
    const { tables, abilities } = await createTables(servers, database, cluster);

    const manifest = new Manifest(server, database, options);
    await manifest.read();
    const origin = { host: options.host, generation: nextGeneration(await manifest.lastGeneration()) };
    // The answer to an insert tells that its rows are stored, on every shard.
    const settings = {
      ...(cluster !== undefined && { insert_distributed_sync: 1 }),
      ...(abilities.hasAsyncInserts && { async_insert: 0 }),
    };
    const sender = new RowSender(server, database, tables, origin, settings);
    const rowPlace = { servers, database, tables, isCluster: cluster !== undefined, host: options.host };
    return new ClickhouseTarget(rowPlace, manifest, sender, origin.generation);
  } catch (error) {
    await closeAll(servers);
    throw error;
  }
}

class ClickhouseTarget implements ExportTarget {
  readonly exported: ReadonlyMap<string, ExportedFile>;
  readonly #place: RowPlace;
  readonly #manifest: Manifest;
  readonly #sender: RowSender;
  readonly #generation: bigint;
  /** Batches are taken one after another, whoever writes them. */
  #last: Promise<void> = Promise.resolve();

  constructor(place: RowPlace, manifest: Manifest, sender: RowSender, generation: bigint) {
    this.exported = manifest.exported;
    this.#place = place;
    this.#manifest = manifest;
    this.#sender = sender;
    this.#generation = generation;
  }

  async readNotes(take: (note: string) => void): Promise<void> {
    await this.#manifest.readNotes(take);
  }

  async write(batch: RowBatch): Promise<void> {
    this.#last = this.#last.then(() => this.#sender.write(batch));
    await this.#last;
  }

  async finish(changed: readonly ChangedFile[], removed: readonly string[]): Promise<RowCounts> {
    await this.#last;
    await this.#sender.flush();
    const lines = this.#manifest.lines(this.#generation, changed, removed, this.#sender.written);
    for (const line of lines) this.#sender.addToManifest(line);
    await this.#sender.flush();
    const counts = await this.#manifest.countRows();
    await this.#dropSuperseded();
    await closeAll(this.#place.servers);
    return counts;
  }

  async abort(): Promise<void> {
    await closeAll(this.#place.servers);
  }

  async #dropSuperseded(): Promise<void> {
    const before = this.#generation - GENERATIONS_A_DAY;
    try {
      await dropSuperseded(this.#place, before, await this.#manifest.countRows(before));
    } catch {
      // Nothing shows these rows: a user who may not delete, or a server that dies just now, does no harm. The next export tries again.
    }
  }
}

/** How far the generations of a day are apart. */
const GENERATIONS_A_DAY = 86_400_000n * 1_000_000n;

/** A number that no other export has, above those of all before: nanoseconds since 1970, the last six digits of them drawn. */
function nextGeneration(last: bigint): bigint {
  const now = BigInt(Date.now()) * 1_000_000n + BigInt(randomInt(1_000_000));
  return now > last ? now : last + 1n + BigInt(randomInt(1_000_000));
}

async function closeAll(servers: readonly Connection[]): Promise<void> {
  // What was left unsaid to a server that is closed is of no interest.
  await Promise.allSettled(servers.map((server) => server.close()));
}
