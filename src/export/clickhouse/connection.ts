import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClickHouseClient } from "@clickhouse/client";
import { ExportError } from "../../errors.js";
import { missingPackageError } from "../missing-package.js";
import { isTransient, serverError } from "./server-error.js";

export interface Credentials {
  user: string;
  password: string;
}

export type ServerSettings = Record<string, string | number>;

/** How long a server may be silent, in milliseconds. */
const REQUEST_TIMEOUT = 120_000;
/** How long to wait before a request that failed is sent again, in milliseconds. */
const RETRY_DELAYS = [100, 500, 2000];

/**
 * A server, asked over HTTP. What it can't do is thrown as ExportError, in one line. Everything that is sent may be sent twice, so a request is sent
 * again when the connection broke or the server was too busy: statements make what is missing, and rows that come twice replace each other.
 */
export class Connection {
  /** Protocol, host and port. */
  readonly origin: string;
  readonly #client: ClickHouseClient;
  readonly #signal: AbortSignal | undefined;

  constructor(origin: string, client: ClickHouseClient, signal: AbortSignal | undefined) {
    this.origin = origin;
    this.#client = client;
    this.#signal = signal;
  }

  /** The server's version. Does not try twice: a server that is away is told at once. */
  async version(): Promise<string> {
    const [row] = await this.#attempt(() => this.#select<{ version: string }>("SELECT version() AS version"));
    if (row === undefined)
      throw new ExportError(
        "WRITE_FAILED",
        `Cannot export to "${this.origin}": it answers, but not as a ClickHouse server does`,
      );
    return row.version;
  }

  async run(statement: string): Promise<void> {
    await this.#retry(async () => {
      await this.#client.command({ query: statement, ...this.#abort });
    });
  }

  /** All rows of an answer. Whole numbers of 64 bits may be strings. */
  async select<Row>(query: string): Promise<Row[]> {
    return await this.#retry(() => this.#select<Row>(query));
  }

  /** Hands on the rows of an answer, one after the other; when the connection breaks, all of them once more. */
  async selectEach<Row>(query: string, take: (row: Row) => void): Promise<void> {
    await this.#retry(async () => {
      const answer = await this.#client.query({ query, format: "JSONEachRow", ...this.#abort });
      for await (const rows of answer.stream<Row>()) for (const row of rows) take(row.json());
    });
  }

  /** Sends rows in the format TabSeparated. `table` and `columns` are quoted names. */
  async insert(
    table: string,
    columns: readonly string[],
    rows: readonly Buffer[],
    settings: ServerSettings,
  ): Promise<void> {
    await this.#retry(async () => {
      await this.#client.insert({
        table,
        columns: columns as [string, ...string[]],
        values: Readable.from(rows, { objectMode: false }),
        format: "TabSeparated",
        clickhouse_settings: settings,
        ...this.#abort,
      });
    });
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  get #abort(): { abort_signal?: AbortSignal } {
    return this.#signal ? { abort_signal: this.#signal } : {};
  }

  async #select<Row>(query: string): Promise<Row[]> {
    const answer = await this.#client.query({ query, format: "JSONEachRow", ...this.#abort });
    return await answer.json<Row>();
  }

  async #retry<Result>(request: () => Promise<Result>): Promise<Result> {
    for (const delay of RETRY_DELAYS) {
      try {
        return await request();
      } catch (error) {
        this.#signal?.throwIfAborted();
        if (!isTransient(error)) throw serverError(this.origin, error);
      }
      // An abort ends the wait, and is thrown as the reason that it has.
      await sleep(delay, undefined, this.#signal ? { signal: this.#signal } : {}).catch(() => {});
      this.#signal?.throwIfAborted();
    }
    return await this.#attempt(request);
  }

  async #attempt<Result>(request: () => Promise<Result>): Promise<Result> {
    try {
      return await request();
    } catch (error) {
      this.#signal?.throwIfAborted();
      throw serverError(this.origin, error);
    }
  }
}

/**
 * Makes a connection; nothing is sent yet.
 *
 * @throws ExportError when the client is not installed, RangeError for a URL that is none or names a user.
 */
export async function connect(url: string, { user, password }: Credentials, signal?: AbortSignal): Promise<Connection> {
  const { origin } = serverUrl(url);
  const { createClient, ClickHouseLogLevel } = await loadClient();
  const client = createClient({
    url: origin,
    username: user,
    password,
    request_timeout: REQUEST_TIMEOUT,
    application: "pi-sessions",
    // What fails is thrown; the client would print it, too.
    log: { level: ClickHouseLogLevel.OFF },
  });
  return new Connection(origin, client, signal);
}

/** Reads the URL of a server. No part of one that may hold a password is ever repeated. */
export function serverUrl(text: string): URL {
  const example = "give one like http://localhost:8123";
  if (!URL.canParse(text)) throw new RangeError(`Cannot export: a --url is no URL; ${example}`);
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new RangeError(`Cannot export: a --url is neither http nor https; ${example}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new RangeError(
      `Cannot export to "${url.origin}": its URL names a user or password; set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD instead`,
    );
  }
  if (url.pathname !== "/" || url.search !== "" || url.hash !== "") {
    throw new RangeError(
      `Cannot export to "${url.origin}": its URL goes on behind host and port; name the database with --database, the user with CLICKHOUSE_USER`,
    );
  }
  return url;
}

async function loadClient(): Promise<typeof import("@clickhouse/client")> {
  try {
    return await import("@clickhouse/client");
  } catch (cause) {
    throw missingPackageError("Cannot export to ClickHouse", "@clickhouse/client", cause);
  }
}
