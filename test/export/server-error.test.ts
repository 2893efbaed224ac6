import assert from "node:assert/strict";
import { test } from "node:test";
import { ClickHouseError } from "@clickhouse/client";
import { isTransient, serverError } from "../../src/export/clickhouse/server-error.js";

const url = "http://localhost:8123";

/** What current servers say, as the client reads it. */
const current = (code: string, type: string, message: string) => new ClickHouseError({ code, type, message });
/** What old servers say. */
const old = (code: number, words: string) =>
  new Error(`Code: ${code}, e.displayText() = DB::Exception: ${words}, e.what() = DB::Exception\n`);
const system = (code: string, message = code) => Object.assign(new Error(message), { code });

const lines: [Error, boolean, string][] = [
  [system("ECONNREFUSED"), true, "connection refused; see that the server runs, and that --url names its HTTP port"],
  [system("ENOTFOUND"), false, "no such host; see that the server runs, and that --url names its HTTP port"],
  [system("ECONNRESET"), true, "the server broke off; nothing half-written is shown, export again when it is back"],
  [
    new Error("socket hang up"),
    true,
    "the server broke off; nothing half-written is shown, export again when it is back",
  ],
  [new Error("Timeout error."), false, "the server does not answer; export again when it does"],
  [
    current(
      "516",
      "AUTHENTICATION_FAILED",
      "ada: Authentication failed: password is incorrect, or there is no user with such name.\n\nIf you use …",
    ),
    false,
    "the server refuses the user or the password; set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD",
  ],
  [
    old(193, "Wrong password for user ada"),
    false,
    "the server refuses the user or the password; set CLICKHOUSE_USER and CLICKHOUSE_PASSWORD",
  ],
  [
    current(
      "497",
      "ACCESS_DENIED",
      "ada: Not enough privileges. To execute this query, it's necessary to have the grant CREATE DATABASE ON pi.*. ",
    ),
    false,
    "the user may not do this; grant it, or set CLICKHOUSE_USER to another: ada: Not enough privileges. To execute this query, it's necessary to have the grant CREATE DATABASE ON pi.*.",
  ],
  [
    old(252, "Too many parts (300). Merges are processing significantly slower than inserts."),
    true,
    "the server says: Too many parts (300). Merges are processing significantly slower than inserts.",
  ],
  [
    old(62, `Syntax error: ${"x".repeat(500)}`),
    false,
    `the server says: ${`Syntax error: ${"x".repeat(500)}`.slice(0, 300)}…`,
  ],
  [
    new Error(
      "Poco::Exception. Code: 1000, e.code() = 36, e.displayText() = Bad path syntax: /x, e.what() = Bad path syntax",
    ),
    false,
    "the server says: Bad path syntax: /x",
  ],
  [new Error("<html>\n<body>"), false, "<html>; see that --url names the HTTP port of a ClickHouse server"],
];

test("serverError says in one line what a server did, and what to do", () => {
  for (const [error, , line] of lines) {
    const { code, message } = serverError(url, error);
    assert.deepEqual([code, message], ["WRITE_FAILED", `Cannot export to "${url}": ${line}`]);
  }
});

test("isTransient tells what may do later", () => {
  for (const [error, expected] of lines) assert.equal(isTransient(error), expected, error.message);
});
