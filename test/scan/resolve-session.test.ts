import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { test } from "node:test";
import { resolveSession } from "../../src/scan/resolve-session.js";
import type { StoreOptions } from "../../src/scan/store-options.js";
import { header, jsonl, user } from "../helpers/entries.js";
import { makeStore } from "../helpers/stores.js";

/** A session with this id, whose last message was written so many seconds after the start. */
const sessionOf = (id: string, seconds: number, cwd = "/home/u"): Buffer =>
  jsonl(header({ id, cwd }), user(seconds.toString(16).padStart(8, "0"), null, "x"));

const files = {
  "p/a.jsonl": sessionOf("abc1", 10),
  "p/b.jsonl": sessionOf("abc2", 30),
  "q/c.jsonl": sessionOf("abc", 20, "/other"),
  "q/d.jsonl": sessionOf("xyz", 30, "/other"),
  "q/e.jsonl": sessionOf("twice", 1),
  "r/e.jsonl": sessionOf("twice", 2, "/other"),
  "none.jsonl": "no session\n",
};

/** What an argument means, as a path below the store. */
async function resolveBelow(store: string, argument: string, options: StoreOptions = {}): Promise<string> {
  return relative(store, await resolveSession(argument, { ...options, stores: [store] }));
}

test("resolveSession takes an exact id before any that it begins, and a unique beginning", async (context) => {
  const store = makeStore(context, files);
  assert.equal(await resolveBelow(store, "abc"), "q/c.jsonl");
  assert.equal(await resolveBelow(store, "abc1"), "p/a.jsonl");
  assert.equal(await resolveBelow(store, "x"), "q/d.jsonl");
  assert.equal(await resolveBelow(store, "abc", { projects: ["/other"] }), "q/c.jsonl");
  assert.equal(await resolveBelow(store, "ab", { projects: ["/other"] }), "q/c.jsonl");
  assert.equal(await resolveBelow(store, "twice", { exclude: ["r"] }), "q/e.jsonl");
});

test("resolveSession names all files that fit, when several do", async (context) => {
  const store = makeStore(context, files);
  const ambiguous = (argument: string, names: string[]) =>
    assert.rejects(resolveBelow(store, argument), {
      name: "StoreError",
      code: "AMBIGUOUS_SESSION",
      message: `Cannot tell which session "${argument}" means: ${names.length} files fit`,
      asked: argument,
      candidates: names.map((name) => join(store, name)),
    });
  await ambiguous("ab", ["p/a.jsonl", "p/b.jsonl", "q/c.jsonl"]);
  await ambiguous("twice", ["q/e.jsonl", "r/e.jsonl"]);
  await ambiguous("t", ["q/e.jsonl", "r/e.jsonl"]);
});

test("resolveSession takes `latest` for the newest that the filters let through, ties by path", async (context) => {
  const store = makeStore(context, files);
  assert.equal(await resolveBelow(store, "latest"), "p/b.jsonl");
  assert.equal(await resolveBelow(store, "latest", { projects: ["/other"] }), "q/d.jsonl");
  assert.equal(await resolveBelow(store, "latest", { exclude: ["p/b*", "q"] }), "p/a.jsonl");
  const until = Date.parse("2026-01-02T03:04:25.000Z");
  assert.equal(await resolveBelow(store, "latest", { until }), "q/c.jsonl");
});

test("resolveSession takes a path as it is, whatever it holds, before looking into any store", async (context) => {
  const store = makeStore(context, files);
  for (const name of ["p/a.jsonl", "none.jsonl"]) {
    const path = join(store, name);
    assert.equal(await resolveSession(path, { stores: ["/nowhere"] }), path);
    assert.equal(await resolveSession(relative(process.cwd(), path), { stores: ["/nowhere"] }), path);
  }
});

test("resolveSession fails for what is not there", async (context) => {
  const store = makeStore(context, files);
  const missing = (argument: string, message: string, options: StoreOptions = {}) =>
    assert.rejects(resolveBelow(store, argument, options), {
      name: "StoreError",
      code: "NO_SUCH_SESSION",
      asked: argument,
      message,
    });
  await missing("abd", 'Cannot find the session "abd": no id begins with it');
  await missing("ABC", 'Cannot find the session "ABC": no id begins with it');
  await missing("abc1", 'Cannot find the session "abc1": no id begins with it', { projects: ["/other"] });
  await missing("gone.jsonl", 'Cannot find the session "gone.jsonl": there is no such file');
  await missing(store, `Cannot find the session "${store}": there is no such file`);
  await missing("latest", "Cannot find the latest session: there is none", { projects: ["/nowhere"] });
  await assert.rejects(resolveSession("abc", { stores: [join(store, "gone")] }), { code: "NO_SUCH_STORE" });
  await assert.rejects(resolveSession("latest", { stores: [makeStore(context, {})] }), { code: "NO_SUCH_SESSION" });
});
