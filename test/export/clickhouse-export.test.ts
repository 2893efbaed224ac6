/** Whole exports into ClickHouse, held to `totals` of the same stores. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { tables } from "../../src/export/tables.js";
import { exportSessions } from "../../src/scan/export-sessions.js";
import { listSessions } from "../../src/scan/list-sessions.js";
import { totals } from "../../src/scan/totals.js";
import { migrateFile } from "../../src/store/migrate-file.js";
import {
  describeServers,
  freshPlace,
  needsServer,
  type Stoppable,
  startServer,
  type TestPlace,
  type TestServer,
} from "../helpers/clickhouse-servers.js";
import { assertRedacted, credentials, storeOfCredentials } from "../helpers/credentials.js";
import { assistant, at, header, jsonl, type Line, usage, user } from "../helpers/entries.js";
import { startFaultyProxy } from "../helpers/faulty-proxy.js";
import { fixture, scratchFolder } from "../helpers/files.js";
import { forkedStore } from "../helpers/forked-stores.js";
import { allTables } from "../helpers/row-batches.js";
import { makeStore, settleTimes, spoilFiles, writeFiles } from "../helpers/stores.js";

const exportStore = async (place: TestPlace, store: string, host = "pond") =>
  await exportSessions({ format: "clickhouse", stores: [store], host, text: "full", jobs: 1, ...place });

/** By model and month: calls, tokens and cost, as the views of a server tell them. */
async function sumsOf(server: TestServer, { database }: TestPlace): Promise<Map<string, number[]>> {
  const rows = await server.ask(
    `SELECT concat(if(provider IS NULL, '', concat(assumeNotNull(provider), '/')), ifNull(model, 'none')) AS name,
       if(timestamp IS NULL, 0, toYYYYMM(assumeNotNull(timestamp))) AS month, count(),
       sum(input), sum(output), sum(cache_read), sum(cache_write), sum(total_tokens), sum(cost_total)
     FROM ${database}.usage_once GROUP BY name, month`,
  );
  return new Map(rows.map(([name, month, ...sums]) => [`${name} ${month}`, sums.map(Number)]));
}

/** The same from `totals`. */
async function totalsOf(...stores: string[]): Promise<Map<string, number[]>> {
  const { groups } = await totals({ stores, by: ["model", "month"], timeZone: "UTC", jobs: 1 });
  return new Map(
    groups.map(({ key, calls, input, output, cacheRead, cacheWrite, totalTokens, costTotal }) => [
      `${key.model ?? "none"} ${key.month?.replace("-", "") ?? 0}`,
      [calls, input, output, cacheRead, cacheWrite, totalTokens, costTotal],
    ]),
  );
}

function assertSameSums(actual: Map<string, number[]>, expected: Map<string, number[]>): void {
  assert.deepEqual([...actual.keys()].sort(), [...expected.keys()].sort());
  for (const [key, sums] of expected) {
    for (const [at, sum] of sums.entries()) {
      const found = actual.get(key)![at]!;
      assert.ok(Math.abs(found - sum) <= 1e-9 * Math.abs(sum), `${key}: ${found} is not ${sum}`);
    }
  }
}

/** All that the views show, but for where a store lies. */
async function shownBy(server: TestServer, { database }: TestPlace, store: string): Promise<string> {
  const views = await Promise.all(
    tables.map(async ({ name, key }) => {
      const rows = await server.ask(`SELECT * FROM ${database}.${name}_once ORDER BY ${key.join(", ")}`);
      return [name, ...rows.map((cells) => cells.join("\t"))].join("\n");
    }),
  );
  return views.join("\n").replaceAll(store, "STORE");
}

describeServers("into", (servers) => {
  test("exportSessions gives what totals adds up to, on every node", async () => {
    const place = servers.place();
    const { tables: counts } = await exportStore(place, fixture("store"));
    const total = await totalsOf(fixture("store"));
    for (const server of servers.nodes) {
      assertSameSums(await sumsOf(server, place), total);
      for (const name of ["sessions", "entries", "messages", "tool_calls"] as const) {
        assert.deepEqual(await server.ask(`SELECT count() FROM ${place.database}.${name}_once`), [
          [String(counts[name])],
        ]);
      }
    }
  });

  test("exportSessions takes only what changed, and shows what a fresh export shows", async (context) => {
    const [server] = servers.nodes as readonly [TestServer];
    const store = scratchFolder(context);
    cpSync(fixture("store"), store, { recursive: true });
    const place = servers.place();
    const first = await exportStore(place, store);
    assert.equal(first.damagedLines, 3);
    const countRaw = async () => Number((await server.ask(`SELECT count() FROM ${place.database}.entries`))[0]![0]);

    const before = await countRaw();
    assert.deepEqual(await exportStore(place, store), first);
    assert.equal(await countRaw(), before);

    const paths = await sessionPaths(store);
    const [appended, edited, deleted] = paths.filter((path) => path.includes("ledger") || path.includes("recipes"));
    const call = assistant("0000abcd", null, "Added later", { usage: usage(5, 5, 0.5) });
    appendFileSync(appended!, `${JSON.stringify(call)}\n`);
    const lines = readFileSync(edited!, "utf8").split("\n");
    writeFileSync(edited!, [...lines.slice(0, 2), ...lines.slice(3)].join("\n"));
    rmSync(deleted!);
    // A parent that comes later turns the calls of another file into copies.
    const copied = readFileSync(appended!, "utf8").split("\n").slice(1).join("\n");
    const older = header({ id: "older", timestamp: "2020-01-01T00:00:00.000Z" });
    writeFileSync(join(store, "2020-01-01T00-00-00-000Z_older.jsonl"), `${JSON.stringify(older)}\n${copied}`);
    await exportStore(place, store);
    const changed = (await countRaw()) - before;
    assert.ok(changed > 0 && changed < before, `${changed} of ${before} rows`);

    const afresh = servers.place();
    await exportStore(afresh, store);
    assert.equal(await shownBy(server, place, store), await shownBy(server, afresh, store));
    const total = await totalsOf(store);
    for (const each of servers.nodes) assertSameSums(await sumsOf(each, place), total);
  });

  test("exportSessions opens no file again that is as it was", async (context) => {
    const [server] = servers.nodes as readonly [TestServer];
    const store = scratchFolder(context);
    cpSync(fixture("store"), store, { recursive: true });
    const paths = await sessionPaths(store);
    settleTimes(paths);
    const [place, afresh] = [servers.place(), servers.place()];
    await exportStore(place, store);
    const copied = readFileSync(paths[0]!, "utf8").split("\n").slice(1).join("\n");
    const fork = header({ id: "fork", parentSession: paths[0]!, timestamp: "2030-01-01T00:00:00.000Z" });
    writeFileSync(join(store, "fork.jsonl"), `${JSON.stringify(fork)}\n${copied}`);
    await exportStore(afresh, store);
    spoilFiles(paths);
    const { skipped } = await exportStore(place, store);
    assert.equal(skipped.filter(({ path }) => paths.includes(path)).length, 0);
    assert.equal(await shownBy(server, place, store), await shownBy(server, afresh, store));
  });

  test("exportSessions redacts every string, before previews are cut", async (context) => {
    const store = storeOfCredentials(context);
    const said = async ({ database }: TestPlace) => {
      const rows = await Promise.all(
        ["exported_files", ...allTables].map((name) => servers.nodes[0]!.ask(`SELECT * FROM ${database}.${name}`)),
      );
      return rows.flat(2).join("\n");
    };
    for (const text of ["preview", "full"] as const) {
      const place = servers.place();
      await exportSessions({ format: "clickhouse", stores: [store], text, redact: true, ...place });
      assertRedacted(await said(place));
    }
    const open = servers.place();
    await exportStore(open, store);
    assert.ok((await said(open)).includes(credentials[0]!.secret), "without redaction all is there");
  });

  test("exportSessions from two hosts at once gives what totals of both stores adds up to", async (context) => {
    const paths = await sessionPaths(fixture("store"));
    const parts: [string, string] = [scratchFolder(context), scratchFolder(context)];
    // Forks and what they come from are on different hosts, and every third session is on both.
    for (const [at, path] of paths.entries()) {
      for (const part of at % 3 === 0 ? parts : [parts[at % 2]!]) {
        const copy = join(part, relative(fixture("store"), path));
        mkdirSync(join(copy, ".."), { recursive: true });
        cpSync(path, copy);
      }
    }
    const place = servers.place();
    await Promise.all([exportStore(place, parts[0], "pond"), exportStore(place, parts[1], "lake")]);
    const total = await totalsOf(...parts);
    assertSameSums(total, await totalsOf(fixture("store")));
    for (const server of servers.nodes) {
      assertSameSums(await sumsOf(server, place), total);
      assert.deepEqual(await server.ask(`SELECT count() FROM ${place.database}.sessions_once`), [
        [String(paths.length)],
      ]);
    }
  });

  test("exportSessions from two hosts knows calls whose ids and times were drawn anew", async (context) => {
    const call = (id: string, seconds: number, more: Line = {}): Line => {
      const line = assistant(id, null, "x", { usage: usage(10, seconds, seconds) });
      const message = { ...(line.message as Line), timestamp: Date.parse(at(seconds)) };
      return { ...line, timestamp: at(seconds), message, ...more };
    };
    const sessions = {
      parent: jsonl(header({ id: "p" }), user("1", null, "x"), call("2", 2), call("3", 3), call("4", 4)),
      fork: jsonl(
        header({ id: "f", timestamp: at(50), parentSession: "/elsewhere/2026-01-02T03-04-05-000Z_p.jsonl" }),
        call("a2", 2, { timestamp: at(60) }),
        call("a3", 3, { timestamp: at(61) }),
        call("a9", 9),
      ),
      unrelated: jsonl(header({ id: "u", timestamp: at(70) }), call("b2", 2), call("4", 40)),
    };
    const pond = makeStore(context, { "2026-01-02T03-04-05-000Z_p.jsonl": sessions.parent });
    const lake = makeStore(context, { "f.jsonl": sessions.fork, "u.jsonl": sessions.unrelated });
    const place = servers.place();
    await exportStore(place, pond, "pond");
    await exportStore(place, lake, "lake");
    const total = await totalsOf(pond, lake);
    for (const server of servers.nodes) assertSameSums(await sumsOf(server, place), total);
    assert.deepEqual(await servers.nodes[0]!.ask(`SELECT sum(output) FROM ${place.database}.usage_once`), [
      [String(2 + 3 + 4 + 9 + 2 + 40)],
    ]);
  });

  test("exportSessions from three hosts knows a session that two of them migrated", async (context) => {
    const name = "2026-01-05T08-02-11-204Z_019b8d2d-8c84-7a0c-96d6-5c420bfcd1c8.jsonl";
    const original = readFileSync(fixture("store", "--home-ada-work-ledger--", name));
    const [pond, lake, sea] = [1, 2, 3].map(() => makeStore(context, { [name]: original })) as [string, string, string];
    // Here, the same ids come out each time; pi draws others.
    for (const store of [lake, sea]) migrateFile(join(store, name));
    const migrated = readFileSync(join(sea, name), "utf8");
    const ids = [...migrated.matchAll(/"id":"([0-9a-f]{8})"/g)].map(([, id]) => id!);
    assert.ok(ids.length > 5);
    writeFileSync(
      join(sea, name),
      migrated.replace(/"([0-9a-f]{8})"/g, (text, id) => (ids.includes(id) ? `"a000${ids.indexOf(id) + 1000}"` : text)),
    );
    const place = servers.place();
    for (const [host, store] of Object.entries({ pond, lake, sea })) await exportStore(place, store, host);
    const total = await totalsOf(pond);
    assertSameSums(await totalsOf(pond, lake, sea), total);
    const { database } = place;
    for (const server of servers.nodes) {
      assertSameSums(await sumsOf(server, place), total);
      assert.deepEqual(await server.ask(`SELECT count() FROM ${database}.sessions_once`), [["1"]]);
      const byHost = `SELECT count() FROM ${database}.entries_once GROUP BY host ORDER BY host`;
      // Those that pi migrated look like other entries.
      assert.deepEqual(await server.ask(byHost), [[String(ids.length)], [String(ids.length)]]);
    }
  });
});

describe("into an old server", needsServer, () => {
  let server: TestServer & Stoppable;
  before(async () => {
    server = await startServer();
  });
  after(() => server?.stop());

  const main = fileURLToPath(new URL("../../src/cli/main.js", import.meta.url));

  test("export that is killed leaves the last one, and the next one finishes", async (context) => {
    const store = scratchFolder(context);
    cpSync(fixture("store"), store, { recursive: true });
    const place = freshPlace([server.url]);
    await exportStore(place, store);
    const before = await shownBy(server, place, store);
    for (const path of await sessionPaths(store)) {
      appendFileSync(path, `\n${JSON.stringify(assistant("0000abcd", null, "More", { usage: usage(1, 1, 1) }))}\n`);
    }

    // The export is held where it would make its rows the new state.
    let hold = () => {};
    const isHeld = new Promise<void>((resolve) => {
      hold = resolve;
    });
    const proxy = await startFaultyProxy(context, server.url, (statement) => {
      if (!statement.startsWith("INSERT") || !statement.includes("exported_files")) return "pass";
      hold();
      return "hold";
    });
    const words = ["export", "--store", store, "--format", "clickhouse", "--url", proxy, "--database", place.database];
    const child = spawn(process.execPath, [main, ...words, "--host", "pond", "--text", "full"], { stdio: "ignore" });
    await isHeld;
    child.kill("SIGKILL");
    await once(child, "exit");
    assert.equal(await shownBy(server, place, store), before);

    await exportStore(place, store);
    assertSameSums(await sumsOf(server, place), await totalsOf(store));
  });

  test("export takes user and password from the environment alone", async () => {
    const words = [
      "export",
      "--store",
      fixture("store"),
      "--format",
      "clickhouse",
      "--url",
      server.url,
      "--database",
      "env",
    ];
    const child = spawn(process.execPath, [main, ...words], {
      env: { ...process.env, CLICKHOUSE_USER: "ada", CLICKHOUSE_PASSWORD: "wrong" },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let stderr = "";
    child.stderr!.on("data", (chunk) => {
      stderr += chunk;
    });
    const [code] = await once(child, "close");
    assert.deepEqual(
      [code, stderr],
      [
        1,
        `error: Cannot export to "${server.url}": the server refuses the user or the password; set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD\n`,
      ],
    );
  });

  test("exportSessions agrees with totals about arbitrary forks of one host, export by export", async (context) => {
    const place = freshPlace([server.url]);
    await fc.assert(
      fc.asyncProperty(forkedStore(), async (files) => {
        const store = scratchFolder(context);
        writeFiles(store, Object.fromEntries(files.map(({ path, file }) => [path, file.bytes])));
        await exportStore(place, store);
        assertSameSums(await sumsOf(server, place), await totalsOf(store));
      }),
      { numRuns: 15 },
    );
  });
});

/** Of all sessions of a store, sorted. */
async function sessionPaths(store: string): Promise<string[]> {
  return (await listSessions({ stores: [store], jobs: 1 })).sessions.map(({ path }) => path).sort();
}
