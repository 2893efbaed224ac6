import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { findSessionFiles } from "../../src/scan/find-session-files.js";
import { scratchFolder } from "../helpers/files.js";
import { makeStore } from "../helpers/stores.js";

const isRoot = process.getuid?.() === 0;

/** What is found in a store: paths below it, and the files passed over with the reasons. */
async function findBelow(store: string, exclude: string[] = []): Promise<{ files: string[]; skipped: string[] }> {
  const { files, skipped } = await findSessionFiles({ stores: [store], exclude });
  return {
    files: files.map(({ path }) => relative(store, path)),
    skipped: skipped.map(({ path, reason }) => `${relative(store, path)}: ${reason}`),
  };
}

const found = (...files: string[]) => ({ files, skipped: [] });

test("findSessionFiles finds files that end in .jsonl: flat, nested, and hidden, by path", async (context) => {
  const store = makeStore(context, {
    "b.jsonl": "",
    "B.jsonl": "",
    "a.json": "",
    "a.jsonl.bak": "",
    "a.JSONL": "",
    jsonl: "",
    "--home-u--/x.jsonl": "",
    "--home-u--/x/run/run-1/session.jsonl": "",
    ".hidden/.too.jsonl": "",
    "b/é.jsonl": "",
  });
  mkdirSync(join(store, "empty"));
  const right = [
    "--home-u--/x.jsonl",
    "--home-u--/x/run/run-1/session.jsonl",
    ".hidden/.too.jsonl",
    "B.jsonl",
    "b.jsonl",
    "b/é.jsonl",
  ];
  assert.deepEqual(await findBelow(store), found(...right));
});

test("findSessionFiles takes names that would mean something in a glob or on another system", async (context) => {
  const names = [
    "[a].jsonl",
    "(b).jsonl",
    "{c,d}.jsonl",
    "!e.jsonl",
    "*.jsonl",
    "a b\n.jsonl",
    "c:\\d.jsonl",
    "~.jsonl",
  ];
  const folder = scratchFolder(context);
  const store = join(folder, "[sto*re] {x}");
  mkdirSync(store);
  for (const name of names) writeFileSync(join(store, name), "");
  assert.deepEqual(await findBelow(store), found(...names.sort()));
});

test("findSessionFiles tells size and time of each file", async (context) => {
  const store = makeStore(context, { "a.jsonl": "12345", "b/c.jsonl": "" });
  utimesSync(join(store, "a.jsonl"), 1_700_000_000, 1_700_000_000.5);
  const { files } = await findSessionFiles({ stores: [store] });
  assert.deepEqual(files, [
    { path: join(store, "a.jsonl"), sizeBytes: 5, mtimeMs: 1_700_000_000_500 },
    { path: join(store, "b/c.jsonl"), sizeBytes: 0, mtimeMs: statSync(join(store, "b/c.jsonl")).mtimeMs },
  ]);
});

test("findSessionFiles looks into folders that are named like files", async (context) => {
  const store = makeStore(context, { "folder.jsonl/a.jsonl": "" });
  mkdirSync(join(store, "empty.jsonl"));
  assert.deepEqual(await findBelow(store), found("folder.jsonl/a.jsonl"));
});

test("findSessionFiles passes over what is neither file, folder nor link", {
  skip: process.platform === "win32",
}, async (context) => {
  const store = makeStore(context, { "a.jsonl": "" });
  execFileSync("mkfifo", [join(store, "pipe.jsonl")]);
  symlinkSync("pipe.jsonl", join(store, "link.jsonl"));
  symlinkSync("/dev/zero", join(store, "zero.jsonl"));
  assert.deepEqual(await findBelow(store), found("a.jsonl"));
});

test("findSessionFiles gives each real file once, under its own path before any link's", async (context) => {
  const store = makeStore(context, { "b/real.jsonl": "", "plain.txt": "" });
  symlinkSync("b/real.jsonl", join(store, "a.jsonl"));
  symlinkSync(join(store, "b"), join(store, "0-folder"));
  symlinkSync("plain.txt", join(store, "named.jsonl"));
  symlinkSync("b/real.jsonl", join(store, "unnamed"));
  assert.deepEqual(await findBelow(store), found("b/real.jsonl", "named.jsonl"));
});

test("findSessionFiles follows links to files and folders outside the store, the first path of each", async (context) => {
  const outside = makeStore(context, { "x.jsonl": "1", "deep/y.jsonl": "22" });
  const store = makeStore(context, { "own.jsonl": "" });
  symlinkSync(join(outside, "x.jsonl"), join(store, "b.jsonl"));
  symlinkSync(join(outside, "x.jsonl"), join(store, "c.jsonl"));
  symlinkSync(join(outside, "deep"), join(store, "z"));
  symlinkSync(join(outside, "deep"), join(store, "y"));
  assert.deepEqual(await findBelow(store), found("b.jsonl", "own.jsonl", "y/y.jsonl"));
  const { files } = await findSessionFiles({ stores: [store] });
  assert.deepEqual(
    files.map(({ sizeBytes }) => sizeBytes),
    [1, 0, 2],
  );
});

test("findSessionFiles follows a chain of links, also into a folder that an outer link holds", async (context) => {
  const outside = makeStore(context, { "inner/x.jsonl": "", "y.jsonl": "" });
  const store = makeStore(context, {});
  symlinkSync(join(outside, "inner"), join(store, "a"));
  symlinkSync(outside, join(store, "b"));
  symlinkSync("b", join(store, "c"));
  assert.deepEqual(await findBelow(store), found("a/x.jsonl", "b/y.jsonl"));
});

test("findSessionFiles ends on links to the folder itself, to its parents, and in circles", {
  timeout: 20_000,
}, async (context) => {
  const folder = scratchFolder(context);
  const store = join(folder, "store");
  mkdirSync(join(store, "sub"), { recursive: true });
  writeFileSync(join(store, "sub", "a.jsonl"), "");
  symlinkSync(".", join(store, "here"));
  symlinkSync(".", join(store, "here-too"));
  symlinkSync("..", join(store, "sub", "up"));
  symlinkSync("..", join(store, "outside"));
  symlinkSync("/", join(store, "everything"));
  assert.deepEqual(await findBelow(store), found("sub/a.jsonl"));
});

test("findSessionFiles ends where two outside folders link to each other", { timeout: 20_000 }, async (context) => {
  const one = makeStore(context, { "1.jsonl": "" });
  const two = makeStore(context, { "2.jsonl": "" });
  symlinkSync(two, join(one, "two"));
  symlinkSync(one, join(two, "one"));
  const store = makeStore(context, {});
  symlinkSync(one, join(store, "link"));
  assert.deepEqual(await findBelow(store), found("link/1.jsonl", "link/two/2.jsonl"));
});

test("findSessionFiles reports links that lead nowhere, when they are named like sessions", async (context) => {
  const store = makeStore(context, { "a.jsonl": "" });
  symlinkSync("gone", join(store, "dangling.jsonl"));
  symlinkSync("gone", join(store, "dangling"));
  symlinkSync("ring.jsonl", join(store, "gnir.jsonl"));
  symlinkSync("gnir.jsonl", join(store, "ring.jsonl"));
  assert.deepEqual(await findBelow(store), {
    files: ["a.jsonl"],
    skipped: ["dangling.jsonl: no such file", "gnir.jsonl: a loop of links", "ring.jsonl: a loop of links"],
  });
});

test("findSessionFiles reports folders that can't be read, and goes on", { skip: isRoot }, async (context) => {
  const store = makeStore(context, { "a.jsonl": "", "closed/b.jsonl": "", "listed/c.jsonl": "" });
  chmodSync(join(store, "closed"), 0);
  chmodSync(join(store, "listed"), 0o400);
  const below = await findBelow(store);
  for (const name of ["closed", "listed"]) chmodSync(join(store, name), 0o700);
  assert.deepEqual(below, {
    files: ["a.jsonl"],
    skipped: ["closed: permission denied", "listed/c.jsonl: permission denied"],
  });
});

test("findSessionFiles reads several stores, each real file once when they overlap", async (context) => {
  const store = makeStore(context, { "a.jsonl": "", "sub/b.jsonl": "", "sub/deep/c.jsonl": "" });
  const other = makeStore(context, { "d.jsonl": "" });
  const paths = async (...stores: string[]) => (await findSessionFiles({ stores })).files.map(({ path }) => path);
  const all = ["a.jsonl", "sub/b.jsonl", "sub/deep/c.jsonl"].map((path) => join(store, path));
  const sub = join(store, "sub");
  assert.deepEqual(await paths(store, sub), all);
  assert.deepEqual(await paths(sub, store), all);
  assert.deepEqual(await paths(store, store, `${store}/`), all);
  assert.deepEqual(await paths(other, sub), [join(other, "d.jsonl"), ...all.slice(1)].sort());
});

test("findSessionFiles takes a store by a link, by a relative path, and with a slash at its end", async (context) => {
  const folder = scratchFolder(context);
  mkdirSync(join(folder, "real"));
  writeFileSync(join(folder, "real", "a.jsonl"), "");
  symlinkSync("real", join(folder, "link"));
  for (const store of [join(folder, "link"), `${folder}/real/`, relative(process.cwd(), join(folder, "real"))]) {
    const { files } = await findSessionFiles({ stores: [store], exclude: ["b*"] });
    assert.deepEqual(
      files.map(({ path }) => path),
      [join(store, "a.jsonl")],
    );
  }
});

test("findSessionFiles passes over what a glob excludes, and all below it", async (context) => {
  const store = makeStore(context, {
    "a.jsonl": "",
    "work/a.jsonl": "",
    "work/b.jsonl": "",
    "work/runs/1/a.jsonl": "",
    ".git/a.jsonl": "",
  });
  const outside = makeStore(context, { "x.jsonl": "" });
  symlinkSync(outside, join(store, "link"));
  const all = [".git/a.jsonl", "a.jsonl", "link/x.jsonl", "work/a.jsonl", "work/b.jsonl", "work/runs/1/a.jsonl"];
  const cases: [string[], string[]][] = [
    [[], all],
    [["nothing"], all],
    [["a.jsonl"], all.filter((path) => path !== "a.jsonl")],
    [["*.jsonl"], all.filter((path) => path !== "a.jsonl")],
    [["work"], [".git/a.jsonl", "a.jsonl", "link/x.jsonl"]],
    [["work/**"], [".git/a.jsonl", "a.jsonl", "link/x.jsonl"]],
    [["work/*.jsonl"], all.filter((path) => !/^work\/.\.jsonl$/.test(path))],
    [["**/runs"], all.filter((path) => !path.includes("runs"))],
    [["**/a.jsonl"], ["link/x.jsonl", "work/b.jsonl"]],
    [["**"], []],
    [[".*"], all.slice(1)],
    [["link"], all.filter((path) => !path.startsWith("link"))],
    [["link/x*"], all.filter((path) => !path.startsWith("link"))],
    [
      ["work/{a,b}.jsonl", ".git", "a.jsonl"],
      ["link/x.jsonl", "work/runs/1/a.jsonl"],
    ],
  ];
  for (const [exclude, files] of cases)
    assert.deepEqual(await findBelow(store, exclude), found(...files), `${exclude}`);
});

test("findSessionFiles does not report what is excluded", async (context) => {
  const store = makeStore(context, {});
  symlinkSync("gone", join(store, "dangling.jsonl"));
  assert.deepEqual(await findBelow(store, ["dang*"]), found());
});

test("findSessionFiles finds nothing in an empty store", async (context) => {
  assert.deepEqual(await findBelow(makeStore(context, {})), found());
});

test("findSessionFiles refuses a store that is missing, and one that is a file", async (context) => {
  const folder = makeStore(context, { "a.jsonl": "" });
  const gone = join(folder, "gone");
  const file = join(folder, "a.jsonl");
  symlinkSync("nowhere", join(folder, "dangling"));
  const refused = (store: string, message: string) =>
    assert.rejects(findSessionFiles({ stores: [folder, store] }), {
      name: "StoreError",
      code: "NO_SUCH_STORE",
      asked: store,
      message,
    });
  await refused(gone, `Cannot read the store "${gone}": there is no such folder`);
  await refused(join(folder, "dangling"), `Cannot read the store "${folder}/dangling": there is no such folder`);
  await refused(file, `Cannot read the store "${file}": it is no folder`);
});

test("findSessionFiles refuses a store that can't be read", { skip: isRoot }, async (context) => {
  const store = makeStore(context, { "a.jsonl": "" });
  for (const mode of [0, 0o400, 0o100]) {
    chmodSync(store, mode);
    await assert.rejects(findSessionFiles({ stores: [store] }), {
      code: "NO_SUCH_STORE",
      asked: store,
      message: `Cannot read the store "${store}": permission denied`,
    });
  }
  chmodSync(store, 0o700);
});

test("findSessionFiles gives the same list whatever order the folder has", async (context) => {
  const names = Array.from({ length: 40 }, (_, number) => `${(number * 7) % 40}.jsonl`);
  const store = makeStore(context, Object.fromEntries(names.map((name) => [name, name])));
  const outside = makeStore(context, { "x.jsonl": "" });
  for (const name of ["l3", "l1", "l2"]) symlinkSync(outside, join(store, name));
  const before = await findSessionFiles({ stores: [store] });
  assert.deepEqual(
    before.files.map(({ path }) => path),
    [...names, "l1/x.jsonl"].map((name) => join(store, name)).sort(),
  );
  // Made anew in another order, a folder lists its files in another one.
  for (const name of names.toSorted()) renameSync(join(store, name), join(store, `${name}.moved`));
  for (const name of names.toSorted()) renameSync(join(store, `${name}.moved`), join(store, name));
  rmSync(join(store, "l1"));
  symlinkSync(outside, join(store, "l1"));
  assert.deepEqual(await findSessionFiles({ stores: [store] }), before);
});

test("findSessionFiles stops when its signal has aborted", async (context) => {
  const store = makeStore(context, { "a.jsonl": "" });
  await assert.rejects(findSessionFiles({ stores: [store], signal: AbortSignal.abort() }), { name: "AbortError" });
});
