/** The ClickHouse target against real servers: an old one alone, two nodes of a cluster, and the current engine. Row batches are made here. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { ExportError } from "../../src/errors.js";
import { createDistributedTable } from "../../src/export/clickhouse/create-tables.js";
import { readAbilities } from "../../src/export/clickhouse/server-version.js";
import { storedTables } from "../../src/export/clickhouse/stored-table.js";
import { type ClickhousePlace, openClickhouseTarget } from "../../src/export/clickhouse-target.js";
import type { ChangedFile, ExportTarget, TargetOptions } from "../../src/export/export-target.js";
import type { RowBatch } from "../../src/export/row-batch.js";
import {
  ADA,
  CLUSTER,
  describeServers,
  freshPlace,
  needsEngine,
  needsServer,
  type Stoppable,
  startCluster,
  startEngine,
  startServer,
  type TestNode,
} from "../helpers/clickhouse-servers.js";
import { startFaultyProxy } from "../helpers/faulty-proxy.js";
import { allTables, changedFile, exportedFile, notesOf, type Row, rowBatch } from "../helpers/row-batches.js";

const options = (more: Partial<TargetOptions> = {}): TargetOptions => ({
  tables: allTables,
  host: "pond",
  settings: "as usual",
  ...more,
});

/** Opens a target, gives it all of these, and finishes. */
async function exportRows(
  place: ClickhousePlace,
  batches: readonly RowBatch[],
  { removed = [], files, ...more }: Partial<TargetOptions> & { removed?: string[]; files?: ChangedFile[] } = {},
): Promise<ReturnType<ExportTarget["finish"]>> {
  const target = await openClickhouseTarget(place, options(more));
  for (const batch of batches) await target.write(batch);
  const paths = new Set(batches.map(({ path }) => path));
  return await target.finish(files ?? [...paths].map((path) => changedFile(path)), removed);
}

/** Calls of 1 dollar each, unless they say otherwise. */
const calls = (path: string, rows: readonly Row[], sessionId?: string) =>
  rowBatch(
    "usage",
    path,
    rows.map((row) => ({ source: "assistant", provider: "p", model: "m", cost_total: 1, ...row })),
    sessionId,
  );

describeServers("on", (servers) => {
  /** What each node answers, which has to be the same. */
  const ask = async ({ database }: ClickhousePlace, statement: string): Promise<string[][]> => {
    const answers = await Promise.all(
      servers.nodes.map((server) => server.ask(statement.replaceAll("DB.", `\`${database}\`.`))),
    );
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    return answers[0]!;
  };
  const sum = async (place: ClickhousePlace, where = "1") =>
    Number((await ask(place, `SELECT sum(cost_total) FROM DB.usage_once WHERE ${where}`))[0]![0]);

  test("openClickhouseTarget keeps every value as it is", async () => {
    const place = servers.place();
    const text = "tab\t line\nend\r\0 \b\f \\ \\N 'quoted' \"twice\" `thrice` 池 🐸 \u2028 __proto__ ../";
    const time = Date.parse("2026-02-03T04:05:06.789Z");
    const counts = await exportRows(place, [
      rowBatch("messages", "/a", [
        { entry_id: text, text, thinking: "", role: "user", timestamp: time, is_error: true },
        { text: "lone \ud800 half", is_error: false },
        { text: null, model: null, is_error: null },
      ]),
      rowBatch("entries", "/a", [
        { bytes: 2 ** 53 - 1, depth: -1, type: "x", on_current_branch: true },
        { bytes: 1e300 },
      ]),
      calls("/a", [{ entry_id: "1", input: 0.1, output: 1e21, cache_read: 5e-324, cost_total: 123456.789012345 }]),
    ]);
    assert.deepEqual(counts, { sessions: 0, entries: 2, messages: 3, tool_calls: 0, usage: 1 });

    const hex = (value: string) => Buffer.from(value).toString("hex").toUpperCase();
    assert.deepEqual(
      await ask(
        place,
        "SELECT hex(assumeNotNull(entry_id)), hex(assumeNotNull(text)), thinking = '', role, timestamp_ms, toInt8(is_error) FROM DB.messages_once WHERE line = 2",
      ),
      [[hex(text), hex(text), "1", "user", String(time), "1"]],
    );
    assert.match(
      (await ask(place, "SELECT toString(timestamp) FROM DB.messages_once WHERE line = 2"))[0]![0]!,
      /^2026-02-03 04:05:06(\.789)?$/,
    );
    assert.deepEqual(
      await ask(
        place,
        "SELECT line, text, entry_id, model, timestamp, timestamp_ms, toInt8(is_error) FROM DB.messages_once WHERE line > 2 ORDER BY line",
      ),
      [
        ["3", "lone \ufffd half", "\\N", "\\N", "\\N", "\\N", "0"],
        ["4", "\\N", "\\N", "\\N", "\\N", "\\N", "\\N"],
      ],
    );
    assert.deepEqual(
      await ask(place, "SELECT bytes, depth, toInt8(on_current_branch) FROM DB.entries_once ORDER BY line"),
      [
        ["9007199254740991", "-1", "1"],
        ["9223372036854775807", "\\N", "0"],
      ],
    );
    const [numbers] = await ask(place, "SELECT input, output, cache_read, cost_total FROM DB.usage_once");
    for (const [at, expected] of [0.1, 1e21, 0, 123456.789012345].entries()) {
      assert.ok(
        Math.abs(Number(numbers![at]) - expected) <= 1e-12 * expected + 1e-300,
        `${numbers![at]} is not ${expected}`,
      );
    }
  });

  test("openClickhouseTarget keeps times that the type of times can't hold in milliseconds", async () => {
    const place = servers.place();
    const times = [-62_167_219_200_000, 253_402_300_799_999, 8_640_000_000_000, 0];
    await exportRows(place, [
      rowBatch(
        "entries",
        "/a",
        times.map((timestamp) => ({ timestamp })),
      ),
    ]);
    const rows = await ask(
      place,
      "SELECT timestamp_ms, isNull(timestamp), toInt64(assumeNotNull(toUnixTimestamp(timestamp))) FROM DB.entries_once WHERE line != 4 ORDER BY line",
    );
    assert.deepEqual(rows, [
      [String(times[0]), "1", "0"],
      [String(times[1]), "1", "0"],
      ["0", "0", "0"],
    ]);
  });

  test("openClickhouseTarget shows nothing before finish, and after an early end what there was", async () => {
    const place = servers.place();
    await exportRows(place, [calls("/a", [{ entry_id: "1", timestamp: 1 }])]);
    const target = await openClickhouseTarget(place, options());
    await target.write(
      calls(
        "/a",
        Array.from({ length: 60_000 }, (_, at) => ({ entry_id: `x${at}`, timestamp: at })),
      ),
    );
    await target.write(calls("/b", [{ entry_id: "2", timestamp: 2 }]));
    assert.equal(await sum(place), 1);
    await target.abort();
    assert.equal(await sum(place), 1);
    await exportRows(place, [calls("/b", [{ entry_id: "2", timestamp: 2 }])]);
    assert.equal(await sum(place), 2);
  });

  test("openClickhouseTarget replaces changed files, drops removed ones, and knows the rest", async () => {
    const place = servers.place();
    const files = [
      changedFile("/a", { state: "st'ate", sizeBytes: 2 ** 40, note: `tab\t \\ ${"long ".repeat(500_000)}` }),
      changedFile("/b"),
      changedFile("/empty"),
    ];
    const rows = (ids: string[]) => ids.map((entry_id) => ({ entry_id, timestamp: 5 }));
    await exportRows(place, [calls("/a", rows(["1", "2", "3"])), calls("/b", rows(["4"]), "t")], { files });
    const target = await openClickhouseTarget(place, options());
    const exported = files.map(({ note: _, ...file }) => [file.path, file] as const);
    assert.deepEqual(new Map([...target.exported].sort()), new Map(exported));
    assert.deepEqual(await notesOf(target), files.map(({ note }) => note).sort());
    await target.write(calls("/a", rows(["1", "9"])));
    assert.deepEqual(await target.finish([changedFile("/a")], ["/b"]), {
      sessions: 0,
      entries: 0,
      messages: 0,
      tool_calls: 0,
      usage: 2,
    });
    assert.deepEqual(await ask(place, "SELECT path, entry_id FROM DB.usage_once ORDER BY line"), [
      ["/a", "1"],
      ["/a", "9"],
    ]);
    const last = await openClickhouseTarget(place, options());
    assert.deepEqual([...last.exported.keys()].sort(), ["/a", "/empty"]);
    assert.deepEqual(await notesOf(last), ["note of /a", "note of /empty"]);
    await last.abort();
  });

  test("openClickhouseTarget holds nothing of other settings", async () => {
    const place = servers.place();
    await exportRows(place, [calls("/a", [{ entry_id: "1" }]), calls("/b", [{ entry_id: "2" }], "t")]);
    const target = await openClickhouseTarget(place, options({ settings: "other", tables: ["usage"] }));
    assert.equal(target.exported.size, 0);
    assert.deepEqual(await notesOf(target), []);
    await target.write(calls("/a", [{ entry_id: "1", cost_total: 16 }]));
    assert.deepEqual(await target.finish([changedFile("/a")], []), { usage: 1 });
    assert.equal(await sum(place), 16);
  });

  test("openClickhouseTarget takes a file whose session is another now", async () => {
    const place = servers.place();
    for (const [at, session] of ["s", "t", "u", "v"].entries()) {
      await exportRows(place, [calls("/a", [{ entry_id: session, cost_total: at }], session)]);
      assert.equal(await sum(place), at);
    }
  });

  test("openClickhouseTarget adds no row for a batch that comes twice", async (context) => {
    const place = servers.place();
    let inserts = 0;
    const proxy = await startFaultyProxy(context, place.urls[0]!, (statement) =>
      statement.startsWith("INSERT") && inserts++ % 2 === 0 ? "lose" : "pass",
    );
    const rows = Array.from({ length: 60_000 }, (_, at) => ({
      entry_id: String(at),
      timestamp: at,
      cost_total: 0.5,
    }));
    const batches = [calls("/a", rows), calls("/b", [{ entry_id: "y" }], "t"), rowBatch("sessions", "/a", [{}])];
    const urls = [proxy, ...servers.nodes.map(({ url }) => url)];
    const counts = await exportRows({ ...place, urls }, batches);
    assert.deepEqual([counts.usage, counts.sessions], [60_001, 1]);
    assert.ok(inserts >= 8, `${inserts} inserts`);
    assert.equal(await sum(place), 30_001);
    assert.deepEqual(await ask(place, "SELECT count() FROM DB.sessions_once"), [["1"]]);
    const [raw] = await ask(place, "SELECT count() FROM DB.usage");
    assert.ok(Number(raw![0]) >= 60_001);
  });

  test("openClickhouseTarget lets hosts export at once", async () => {
    const place = servers.place();
    const hosts = ["pond", "lake", "it's", "sea"];
    await Promise.all(
      hosts.map((host) =>
        exportRows(
          place,
          Array.from({ length: 5 }, (_, at) => calls(`/${at}`, [{ entry_id: `${host} ${at}` }], `${host} ${at}`)),
          { host },
        ),
      ),
    );
    assert.equal(await sum(place), 20);
    await exportRows(place, [], { host: "lake", removed: ["/1", "/2"] });
    assert.equal(await sum(place), 18);
    assert.equal(await sum(place, "host = 'lake'"), 3);
  });

  test("usage_once compares entries by id and own time, other calls by their responses, too", async () => {
    const place = servers.place();
    const call = (entry_id: string, second: number, cost_total: number, more: Row = {}): Row => {
      const time = Date.UTC(2026, 0, 1, 0, 0, second);
      return { entry_id, timestamp: time, entry_timestamp: time, cost_total, ...more };
    };
    const session = (id: string, created: number, rows: Row[]) => [
      rowBatch("sessions", `/${id}`, [{ created }], id),
      calls(`/${id}`, rows, id),
    ];
    await exportRows(place, [
      ...session("s1", 200, [call("a1", 1, 1), call("a2", 2, 4), call("a9", 9, 256)]),
      ...session("s3", 200, [
        call("b1", 3, 8, { response_id: "r1" }),
        call("b2", 4, 16, { response_id: "r1" }),
        call("b3", 5, 32),
      ]),
      ...session("s5", 200, [call("c1", 6, 64), call("c2", 7, 128)]),
    ]);
    await exportRows(
      place,
      [
        // Paid for in an older session, where it has other numbers and another time.
        ...session("s2", 100, [call("a1", 11, 2, { entry_timestamp: Date.UTC(2026, 0, 1, 0, 0, 1) })]),
        ...session("s3", 200, [
          call("d1", 3, 8, { response_id: "r2" }),
          call("d2", 4, 16, { response_id: "r1" }),
          call("d3", 5, 32, { response_id: "" }),
        ]),
        // An entry in common makes it of one family with s5, which no header tells.
        ...session("s6", 300, [call("c1", 6, 64), call("e2", 7, 128)]),
        // Of another family, a call that has an id in common with one of s1, and one that has its numbers.
        ...session("s7", 300, [call("a2", 2, 4, { entry_timestamp: Date.UTC(2026, 0, 2) }), call("e9", 9, 256)]),
      ],
      { host: "lake" },
    );
    const expected = [
      2, // a1, of the older session
      2 * 4, // a2: one id at two times
      2 * 8, // two answers of the provider
      16, // one answer
      2 * 32, // no name for an answer is another than an empty one
      64, // c1, an entry
      128, // c2 and e2: alike in one family
      2 * 256, // alike in two families
    ].reduce((one, other) => one + other);
    assert.equal(await sum(place), expected);
  });

  test("usage_once counts a call once that several hosts hold", async () => {
    const place = servers.place();
    const time = Date.parse("2026-01-01T00:00:00Z");
    const row = (entry_id: string | null, second: number, cost_total: number, more: Row = {}): Row => ({
      entry_id,
      timestamp: time + second * 1000,
      cost_total,
      ...more,
    });
    const session = (path: string, id: string, parent_session: string | null = null) =>
      rowBatch("sessions", path, [{ parent_session }], id);
    // On pond: a session, a fork of it, and one that looks like it by chance.
    await exportRows(place, [
      session("/p/2026-01-01_s1.jsonl", "s1"),
      calls(
        "/p/2026-01-01_s1.jsonl",
        [
          row("a1", 1, 1),
          row("a2", 2, 2),
          row("a3", 3, 4),
          row("a4", 3, 4),
          row(null, 4, 8),
          row("a5", 5, 8192),
          row("a6", 6, 16384),
          row("a7", 6, 16384),
        ],
        "s1",
      ),
      session("/p/2026-01-02_s2.jsonl", "s2", "/p/2026-01-01_s1.jsonl"),
      calls("/p/2026-01-02_s2.jsonl", [row("a1", 1, 1, { is_copy: true }), row("b1", 20, 16)], "s2"),
      session("/p/2026-01-03_s3.jsonl", "s3"),
      calls("/p/2026-01-03_s3.jsonl", [row("c1", 1, 32), row("a2", 30, 64)], "s3"),
    ]);
    // On lake: the first session with an older end; a fork of its fork with other ids; unrelated ones with the same numbers at the same time.
    await exportRows(
      place,
      [
        session("/q/2026-01-01_s1.jsonl", "s1"),
        calls("/q/2026-01-01_s1.jsonl", [row("a1", 1, 1), row("a2", 2, 2), row("a6", 6, 16384)], "s1"),
        session("/q/2026-01-05_s5.jsonl", "s5", "/p/2026-01-02_s2.jsonl"),
        session("/q/2026-01-06_s6.jsonl", "s6", "C:\\q\\2026-01-05_s5.jsonl"),
        calls(
          "/q/2026-01-06_s6.jsonl",
          [
            row("d2", 2, 2),
            row("d3", 3, 4),
            row("d4", 3, 4),
            row("d5", 3, 4),
            row(null, 4, 8),
            row("d6", 4, 8, { model: "other" }),
            row("d7", 40, 128),
          ],
          "s6",
        ),
        session("/q/2026-01-07_s7.jsonl", "s7"),
        calls("/q/2026-01-07_s7.jsonl", [row("e1", 1, 1), row("e2", 2, 2), row("a5", 50, 256)], "s7"),
        calls("/q/no-time", [row("a1", 0, 512, { timestamp: null }), row("a1", 0, 1024, { timestamp: null })], "s8"),
      ],
      { host: "lake" },
    );
    const expected = [
      1 + 2, // a1, a2: on both hosts, by id and time, or by numbers in one family
      3 * 4, // a3 and a4, d3 to d5: as many as the host with most of them holds
      8, // without an id: by numbers
      2 * 16384, // a6 and a7: two, though one host holds only one of them
      8192, // a5, and another call of the same id at another time
      16, // b1
      32 + 64, // an id or a time alone say nothing
      8, // d6: of another model
      128,
      1 + 2 + 256, // of another family
      512 + 1024, // without a time there is nothing to compare
    ].reduce((one, other) => one + other);
    assert.equal(await sum(place), expected);
    assert.deepEqual(
      await ask(
        place,
        "SELECT host, count() FROM DB.usage_once WHERE entry_id = 'a1' AND session_id = 's1' GROUP BY host",
      ),
      // Of files with one name, that of the first host.
      [["lake", "1"]],
    );
  });

  test("usage_once needs no table of sessions", async () => {
    const place = servers.place();
    for (const host of ["pond", "lake"]) {
      const rows = [
        { entry_id: "1", timestamp: 1, cost_total: 1 },
        { entry_id: host, timestamp: 2, cost_total: 2 },
      ];
      await exportRows(place, [calls("/a", rows, "s")], { host, tables: ["usage"] });
    }
    assert.equal(await sum(place), 3);
  });

  test("the other views show a row once that several hosts hold", async () => {
    const place = servers.place();
    const write = async (host: string, lines: number, more: Row) => {
      const path = `/${host}/s.jsonl`;
      const rows = Array.from({ length: lines }, (_, at): Row => ({ entry_id: String(at), timestamp: at }));
      if (lines === 3) rows[2] = { ...rows[2], ...more };
      await exportRows(
        place,
        [
          rowBatch("sessions", path, [{ entry_count: lines, created: 5 }]),
          rowBatch("entries", path, rows),
          rowBatch("messages", path, rows),
          rowBatch("tool_calls", path, [...rows, { line: 2, content_index: 1 }]),
        ],
        { host },
      );
    };
    await write("pond", 2, {});
    await write("lake", 3, {});
    await write("sea", 3, { entry_id: "went on by itself" });
    assert.deepEqual(await ask(place, "SELECT host, entry_count FROM DB.sessions_once"), [["lake", "3"]]);
    for (const [table, count] of Object.entries({ entries: 4, messages: 4, tool_calls: 5 })) {
      assert.deepEqual(await ask(place, `SELECT count() FROM DB.${table}_once`), [[String(count)]], table);
    }
  });

  test("openClickhouseTarget takes hostile names for names", async () => {
    const names = ['it\'s `back` "quo" \\ ; DROP DATABASE default --', "../up", "__proto__", "nul\0 new\nline 池"];
    for (const database of names) {
      const place = { ...servers.place(), database };
      const hostile = { host: database, settings: database };
      const path = `/${database}`;
      await exportRows(place, [calls(path, [{ entry_id: "1", model: database }], database)], {
        ...hostile,
        files: [changedFile(path, { state: database })],
      });
      const target = await openClickhouseTarget(place, options(hostile));
      assert.deepEqual([...target.exported.values()], [exportedFile(path, { state: database })]);
      assert.deepEqual(await target.finish([], []), {
        sessions: 0,
        entries: 0,
        messages: 0,
        tool_calls: 0,
        usage: 1,
      });
    }
  });

  test("openClickhouseTarget sends a cell of many megabytes", async () => {
    const place = servers.place();
    const text = "\t池🐸".repeat(2_000_000);
    await exportRows(place, [rowBatch("messages", "/a", [{ text }, { text: "small" }])]);
    assert.deepEqual(await ask(place, "SELECT length(assumeNotNull(text)) FROM DB.messages_once ORDER BY line"), [
      [String(Buffer.byteLength(text))],
      ["5"],
    ]);
  });

  test("openClickhouseTarget has rows deleted that nothing shows, once there are many", async () => {
    const place = servers.place();
    const session = "SELECT 'pond', concat('s', toString(number % 7)), concat('/', toString(number % 7)), number";
    const countRaw = async () =>
      Number((await servers.nodes[0]!.ask(`SELECT count() FROM ${place.database}.entries`))[0]![0]);
    const waitFor = async (count: number) => {
      while ((await countRaw()) !== count) await sleep(100);
    };
    // A Distributed table hands such rows on when it gets to it.
    const fill = async (generation: number, total: number) => {
      await servers.nodes[0]!.ask(
        `INSERT INTO ${place.database}.entries (host, session_id, path, line, generation) ${session}, ${generation} FROM system.numbers LIMIT 600000`,
      );
      await waitFor(total);
    };
    await exportRows(place, [rowBatch("entries", "/a", [{}, {}, {}])]);
    // Leftovers of a long time ago, first too few of them.
    await fill(1, 600_003);
    await exportRows(place, [calls("/b", [{ entry_id: "1" }], "t")]);
    await fill(2, 1_200_003);
    await exportRows(place, []);
    await waitFor(3);
    assert.deepEqual(await ask(place, "SELECT count() FROM DB.entries_once"), [["3"]]);
    assert.equal(await sum(place), 1);
  });

  test("openClickhouseTarget leaves tables alone that no export made", async () => {
    const place = servers.place();
    for (const server of servers.nodes) {
      await server.ask(`CREATE DATABASE ${place.database}`);
      await server.ask(`CREATE TABLE ${place.database}.usage (precious String) ENGINE = Memory`);
    }
    await assert.rejects(openClickhouseTarget(place, options()), {
      code: "FOREIGN_TARGET",
      message: `Cannot export to database "${place.database}": its table "usage" was not made by an export; name another one with --database`,
    });
    assert.deepEqual(await ask(place, `SELECT name FROM system.tables WHERE database = '${place.database}'`), [
      ["usage"],
    ]);
  });
});

/** What only a server of its own can show. */
describe("on an old server that fails", needsServer, () => {
  let server: TestNode & Stoppable;
  before(async () => {
    server = await startServer();
  });
  after(() => server?.stop());

  const sum = async ({ database }: ClickhousePlace) =>
    Number((await server.ask(`SELECT sum(cost_total) FROM ${database}.usage_once`))[0]![0]);

  test("openClickhouseTarget tells of a server that dies, and the next export finishes", async () => {
    const place = freshPlace([server.url]);
    await exportRows(place, [calls("/a", [{ entry_id: "1" }])]);
    const rows = Array.from({ length: 60_000 }, (_, at) => ({ entry_id: String(at) }));
    const target = await openClickhouseTarget(place, options());
    await target.write(calls("/a", rows));
    await server.kill();
    const away = {
      code: "WRITE_FAILED",
      message: `Cannot export to "${server.url}": connection refused; see that the server runs, and that --url names its HTTP port`,
    };
    await assert.rejects(target.finish([changedFile("/a")], []), away);
    await target.abort();
    await assert.rejects(openClickhouseTarget(place, options()), away);

    await server.restart();
    assert.equal(await sum(place), 1);
    await exportRows(place, [calls("/a", rows)]);
    assert.equal(await sum(place), 60_000);
  });

  test("openClickhouseTarget takes user and password", async () => {
    const place = freshPlace([server.url], ADA);
    await exportRows(place, [calls("/a", [{ entry_id: "1" }])]);
    assert.equal(await sum(place), 1);
    const refusal = {
      message: `Cannot export to "${server.url}": the server refuses the user or the password; set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD`,
    };
    await assert.rejects(openClickhouseTarget({ ...place, password: "wrong" }, options()), refusal);
    await assert.rejects(openClickhouseTarget({ ...place, user: "nobody" }, options()), refusal);
    await assert.rejects(openClickhouseTarget({ ...place, user: "reader", password: "" }, options()), {
      message: /^Cannot export to ".*": the user may not do this; grant it, or set CLICKHOUSE_USER to another: [^\n]+$/,
    });
  });

  test("openClickhouseTarget ends with the signal's reason", async (context) => {
    const interrupt = new AbortController();
    const proxy = await startFaultyProxy(context, server.url, (statement) =>
      statement.startsWith("INSERT") ? "hold" : "pass",
    );
    const target = await openClickhouseTarget(freshPlace([proxy]), options({ signal: interrupt.signal }));
    await target.write(calls("/a", [{ entry_id: "1" }]));
    const finished = target.finish([changedFile("/a")], []);
    const reason = new Error("enough");
    setTimeout(() => interrupt.abort(reason), 50);
    await assert.rejects(finished, reason);
    await target.abort();
  });
});

test("openClickhouseTarget refuses URLs that it can't mean, without repeating a password", async () => {
  const secret = "s3cr3t";
  for (const [url, message] of [
    [`http://ada:${secret}@localhost:8123`, /names a user or password; set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD/],
    [`http://ada@localhost:8123`, /names a user or password/],
    [`http://localhost:8123/?user=ada&password=${secret}`, /goes on behind host and port/],
    [`http://localhost:8123/sessions`, /name the database with --database/],
    [`ada:${secret}@localhost:8123`, /neither http nor https/],
    [`//ada:${secret}@localhost`, /is no URL/],
  ] as const) {
    await assert.rejects(openClickhouseTarget({ urls: [url], database: "x" }, options()), (error: Error) => {
      assert.ok(error instanceof RangeError);
      assert.match(error.message, message);
      assert.ok(!error.message.includes(secret) && !error.message.includes("\n"), error.message);
      return true;
    });
  }
});

test("openClickhouseTarget tells of what is no ClickHouse server", async (context) => {
  const web = createServer((_, response) => response.writeHead(404).end("<html>\nnot here\n</html>"));
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  context.after(() => web.close());
  const url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
  await assert.rejects(openClickhouseTarget({ urls: [url], database: "x" }, options()), (error: Error) => {
    assert.ok(error instanceof ExportError);
    assert.equal(
      error.message,
      `Cannot export to "${url}": <html>; see that --url names the HTTP port of a ClickHouse server`,
    );
    return true;
  });
});

describe("on a cluster that fails", needsServer, () => {
  let nodes: [TestNode, TestNode];
  let cluster: Stoppable;
  before(async () => {
    const started = await startCluster();
    cluster = started;
    nodes = started.nodes;
  });
  after(() => cluster?.stop());

  test("openClickhouseTarget keeps the rows of a session on one shard, and has rows on both", async () => {
    const place = freshPlace([nodes[1].url], { cluster: CLUSTER });
    const sessions = Array.from({ length: 40 }, (_, at) => `session ${at}`);
    await exportRows(
      place,
      sessions.flatMap((id) => [
        calls(`/${id}`, [{ entry_id: "1" }, { entry_id: "2" }], id),
        rowBatch("entries", `/${id}`, [{}, {}], id),
      ]),
    );
    const onNodes = await Promise.all(
      nodes.map(async (node) => {
        const parts = ["usage", "entries"].map(
          (table) => `SELECT DISTINCT session_id FROM ${place.database}.${table}_local ORDER BY session_id`,
        );
        const [usage, entries] = await Promise.all(parts.map((statement) => node.ask(statement)));
        assert.deepEqual(usage, entries);
        assert.ok(usage!.length > 5, `${usage!.length} sessions`);
        return usage!.flat();
      }),
    );
    assert.deepEqual(onNodes.flat().sort(), sessions.sort());
  });

  test("openClickhouseTarget reaches nodes whose ports differ by their URLs", async (context) => {
    const { nodes, stop } = await startCluster({ sharesPorts: false });
    context.after(() => stop());
    const [one, other] = nodes;
    const place = freshPlace([one.url, other.url], { cluster: CLUSTER });
    const batches = Array.from({ length: 20 }, (_, at) => calls(`/${at}`, [{ entry_id: String(at) }], String(at)));
    await exportRows(place, batches);
    for (const node of nodes) {
      assert.deepEqual(await node.ask(`SELECT sum(cost_total) FROM ${place.database}.usage_once`), [["20"]]);
      const [rows] = await node.ask(`SELECT count() FROM ${place.database}.usage_local`);
      assert.ok(Number(rows![0]) > 0);
    }
    const missing = other.url.replace(/:[0-9]+$/, one.url.slice(one.url.lastIndexOf(":")));
    await assert.rejects(openClickhouseTarget({ ...place, urls: [one.url] }, options()), {
      message: `Cannot export to "${missing}": connection refused; see that the server runs, and that --url names its HTTP port`,
    });
  });

  test("openClickhouseTarget asks for what a cluster lacks", async () => {
    const place = freshPlace([nodes[0].url]);
    await assert.rejects(openClickhouseTarget({ ...place, cluster: "no'ne" }, options()), {
      message: `Cannot export to "${nodes[0].url}": it knows no cluster "no'ne"; those of its configuration: "${CLUSTER}"`,
    });
    await exportRows({ ...place, cluster: CLUSTER }, []);
    await assert.rejects(openClickhouseTarget(place, options()), {
      code: "FOREIGN_TARGET",
      message: `Cannot export to database "${place.database}": it was made with --cluster; name it again, or another one with --database`,
    });
    const single = freshPlace([nodes[0].url]);
    await exportRows(single, []);
    await assert.rejects(openClickhouseTarget({ ...single, cluster: CLUSTER }, options()), {
      code: "FOREIGN_TARGET",
      message: `Cannot export to database "${single.database}": it was made without --cluster; name another one with --database`,
    });
  });

  test("openClickhouseTarget tells of a node that is away, and the next export finishes", async () => {
    const place = freshPlace([nodes[0].url], { cluster: CLUSTER });
    const batches = Array.from({ length: 20 }, (_, at) => calls(`/${at}`, [{ entry_id: String(at) }], String(at)));
    const target = await openClickhouseTarget(place, options());
    for (const batch of batches) await target.write(batch);
    await nodes[1].kill();
    await assert.rejects(
      target.finish(
        batches.map(({ path }) => changedFile(path)),
        [],
      ),
      (error: Error) => error instanceof ExportError && error.code === "WRITE_FAILED" && !error.message.includes("\n"),
    );
    await target.abort();
    await assert.rejects(openClickhouseTarget(place, options()), {
      message: `Cannot export to "${nodes[1].url}": connection refused; see that the server runs, and that --url names its HTTP port`,
    });
    await nodes[1].restart();
    await exportRows(place, batches);
    for (const node of nodes)
      assert.deepEqual(await node.ask(`SELECT sum(cost_total) FROM ${place.database}.usage_once`), [["20"]]);
  });
});

test("createDistributedTable makes statements that the current engine reads", needsEngine, async (context) => {
  const engine = await startEngine();
  context.after(() => engine.stop());
  for (const table of storedTables(readAbilities("26.7"))) {
    const statement = createDistributedTable("it's", table, "two `nodes`");
    const tree = await engine.ask(`EXPLAIN AST ${statement}`);
    assert.ok(
      tree.flat().some((line) => line.includes("Function Distributed")),
      statement,
    );
  }
});
