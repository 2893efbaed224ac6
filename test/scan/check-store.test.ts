import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { checkSession } from "../../src/read/check-session.js";
import { checkStore } from "../../src/scan/check-store.js";
import type { StoreOptions } from "../../src/scan/store-options.js";
import { assistant, header, jsonl, START, usage, user } from "../helpers/entries.js";
import { fixture } from "../helpers/files.js";
import { makeStore } from "../helpers/stores.js";

const sound = jsonl(header(), user("00000001", null, "a"));
const odd = jsonl(header(), user("00000001", "gone", "a"));
const broken = Buffer.concat([sound, Buffer.from("x\n[]\n")]);

test("checkStore gives the sessions with findings, by path, and the files that are none", async (context) => {
  const store = makeStore(context, {
    "b/odd.jsonl": odd,
    "a/sound.jsonl": sound,
    "a/broken.jsonl": broken,
    "none.jsonl": "x\n[]\n",
    "empty.jsonl": "",
  });
  const { files, skipped } = await checkStore({ stores: [store] });
  assert.deepEqual(
    files.map(({ path, findings }) => [
      relative(store, path),
      ...findings.map(({ line, severity, code }) => `${line} ${severity} ${code}`),
    ]),
    [
      ["a/broken.jsonl", "3 damage broken-line", "4 damage not-an-entry"],
      ["b/odd.jsonl", "2 oddity missing-parent"],
    ],
  );
  assert.deepEqual(skipped, [
    { path: join(store, "empty.jsonl"), reason: "the file is empty" },
    { path: join(store, "none.jsonl"), reason: "there is no session header" },
  ]);
});

test("checkStore checks the sessions that the filters choose", async (context) => {
  const call = assistant("00000014", null, "x", { provider: "p", model: "m", usage: usage(1) });
  const store = makeStore(context, {
    "a.jsonl": broken,
    "b.jsonl": Buffer.concat([jsonl(header({ cwd: "/other" }), call), Buffer.from("x\n")]),
    "c.jsonl": odd,
  });
  const cases: [StoreOptions, string[]][] = [
    [{}, ["a.jsonl", "b.jsonl", "c.jsonl"]],
    [{ projects: ["/other"] }, ["b.jsonl"]],
    [{ models: ["p/*"] }, ["b.jsonl"]],
    [{ providers: ["q"] }, []],
    [{ since: START + 20_000 }, ["b.jsonl"]],
    [{ until: START + 19_999 }, ["a.jsonl", "c.jsonl"]],
    [{ exclude: ["a*"] }, ["b.jsonl", "c.jsonl"]],
  ];
  for (const [options, names] of cases) {
    const { files } = await checkStore({ stores: [store], ...options });
    const checked = files.map(({ path }) => relative(store, path));
    assert.deepEqual(checked, names, JSON.stringify(options));
  }
});

test("checkStore finds in the fixtures what checkSession finds in each, and changes nothing", async () => {
  for (const folder of ["traits", "store"]) {
    const names = readdirSync(fixture(folder), { recursive: true, encoding: "utf8" }).sort();
    const paths = names.map((name) => fixture(folder, name)).filter((path) => statSync(path).isFile());
    const state = () =>
      paths.map((path) => [statSync(path).mtimeMs, createHash("sha256").update(readFileSync(path)).digest("hex")]);
    const before = state();
    const { files, skipped } = await checkStore({ stores: [fixture(folder)] });
    const found = new Map(files.map(({ path, findings }) => [path, findings]));
    const passedOver = new Set(skipped.map(({ path }) => path));
    for (const path of paths.filter((path) => path.endsWith(".jsonl"))) {
      if (passedOver.has(path)) await assert.rejects(checkSession(path), { code: "NOT_A_SESSION" }, path);
      else assert.deepEqual(found.get(path) ?? [], await checkSession(path), path);
    }
    assert.deepEqual(state(), before);
    assert.deepEqual(readdirSync(fixture(folder), { recursive: true, encoding: "utf8" }).sort(), names);
  }
});

test("checkStore of a store without sessions finds nothing, and refuses a missing one", async (context) => {
  const store = makeStore(context, {});
  assert.deepEqual(await checkStore({ stores: [store] }), { files: [], skipped: [] });
  await assert.rejects(checkStore({ stores: [join(store, "gone")] }), { code: "NO_SUCH_STORE" });
  const reason = new Error("enough");
  await assert.rejects(checkStore({ stores: [store], signal: AbortSignal.abort(reason) }), reason);
});
