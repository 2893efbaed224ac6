import assert from "node:assert/strict";
import { test } from "node:test";
import { DisjointSets } from "../../src/report/disjoint-sets.js";
import { findParents, joinLineages, type LineageFile, missesParent, NO_FILE } from "../../src/report/file-lineage.js";

const fileAt = (path: string, parent: string | null = null, id = `id of ${path}`): LineageFile => ({
  path,
  id,
  parent,
  created: 0,
});

/** The path of the parent of a file at `/s/fork.jsonl` that names `parent`. */
function parentOf(parent: string, others: LineageFile[]): string | null {
  const files = [...others, fileAt("/s/fork.jsonl", parent, "fork")];
  const found = findParents(files).at(-1)!;
  return found === NO_FILE ? null : files[found]!.path;
}

test("findParents takes the file at the path, else the one of the same name whose path agrees most", () => {
  const others = [fileAt("/s/pond/a.jsonl"), fileAt("/s/lake/a.jsonl"), fileAt("/s/lake/b.jsonl")];
  assert.equal(parentOf("/s/pond/a.jsonl", others), "/s/pond/a.jsonl");
  assert.equal(parentOf("/old/pond/a.jsonl", others), "/s/pond/a.jsonl");
  assert.equal(parentOf("C:\\old\\pond\\a.jsonl", others), "/s/pond/a.jsonl");
  assert.equal(parentOf("/old/a.jsonl", others), "/s/lake/a.jsonl");
  assert.equal(parentOf("/old/c.jsonl", others), null);
});

test("findParents takes the file whose session id is named, or ends the name of the file", () => {
  const id = "01a0bd8f-dac7-7739-8f83-55aa07235dc7";
  const others = [
    fileAt("/s/2.jsonl", null, id),
    fileAt("/s/1.jsonl", null, id),
    fileAt("/s/3.jsonl", null, "with_line"),
    fileAt("/s/4.jsonl", null, "line"),
    fileAt("/s/5.jsonl", null, ""),
  ];
  assert.equal(parentOf(id, others), "/s/1.jsonl");
  assert.equal(parentOf(`/old/2026-01-02T03-04-05-678Z_${id}.jsonl`, others), "/s/1.jsonl");
  assert.equal(parentOf(`D:\\old\\2026_${id}.jsonl`, others), "/s/1.jsonl");
  assert.equal(parentOf("/old/2026_with_line.jsonl", others), "/s/3.jsonl");
  assert.equal(parentOf("/old/2026_other_line.jsonl", others), "/s/4.jsonl");
  assert.equal(parentOf("/old/2026_.jsonl", others), null);
  assert.equal(parentOf(`/old/2026_${id}.json`, others), null);
  assert.equal(parentOf(`/old/2026_${id}.jsonl/x`, others), null);
});

test("findParents never takes the file itself", () => {
  const self = "/s/fork.jsonl";
  assert.equal(parentOf(self, [fileAt("/s/a.jsonl")]), null);
  assert.equal(parentOf(self, [fileAt("/t/fork.jsonl")]), "/t/fork.jsonl");
  assert.equal(parentOf("/old/fork.jsonl", []), null);
  assert.equal(parentOf("fork", [fileAt("/s/a.jsonl", null, "fork")]), "/s/a.jsonl");
  assert.equal(parentOf("fork", []), null);
});

test("findParents takes linear time for names without end", () => {
  const names = ["/x_".repeat(300_000), "x_".repeat(300_000)];
  const files = Array.from({ length: 50 }, (_, file) =>
    fileAt(`/s/${file}.jsonl`, `${names[file % 2]}${file}.jsonl`, "x_"),
  );
  assert.deepEqual(new Set(findParents(files)), new Set([NO_FILE]));
});

test("missesParent is true only of a file that names another one, which was not found", () => {
  assert.equal(missesParent(fileAt("/s/a.jsonl", "/gone.jsonl"), NO_FILE), true);
  assert.equal(missesParent(fileAt("/s/a.jsonl", "/s/b.jsonl"), 7), false);
  assert.equal(missesParent(fileAt("/s/a.jsonl"), NO_FILE), false);
  assert.equal(missesParent(fileAt("/s/a.jsonl", "/s/a.jsonl"), NO_FILE), false);
  assert.equal(missesParent(fileAt("/s/a.jsonl", "a", "a"), NO_FILE), false);
});

test("joinLineages joins parents, files that miss the same parent, and files of one session", () => {
  const files = [
    fileAt("/s/parent.jsonl"),
    fileAt("/s/fork.jsonl", "/s/parent.jsonl"),
    fileAt("/s/miss1.jsonl", "/gone.jsonl"),
    fileAt("/s/miss2.jsonl", "/gone.jsonl"),
    fileAt("/s/miss3.jsonl", "/gone/other.jsonl"),
    fileAt("/s/one.jsonl", null, "same"),
    fileAt("/s/two.jsonl", null, "same"),
  ];
  const sets = new DisjointSets();
  for (const _ of files) sets.add();
  joinLineages(files, findParents(files), sets);
  const lineages = files.map((_, file) => files.findIndex((_, other) => sets.find(file) === sets.find(other)));
  assert.deepEqual(lineages, [0, 0, 2, 2, 4, 5, 5]);
});
