import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { PathEndings } from "../../src/report/path-endings.js";

const NOBODY = -1;

test("PathEndings finds the path that agrees in most parts from the end, of several the smallest", () => {
  const paths = ["/t/pond/a.jsonl", "/s/pond/a.jsonl", "/s/lake/a.jsonl", "/s/lake/b.jsonl"];
  const endings = new PathEndings(paths);
  const nearest = (name: string, self = NOBODY) => paths[endings.nearest(name, self) ?? -1];
  assert.equal(nearest("/old/pond/a.jsonl"), "/s/pond/a.jsonl");
  assert.equal(nearest("/old/t/pond/a.jsonl"), "/t/pond/a.jsonl");
  assert.equal(nearest("D:\\old\\t\\pond\\a.jsonl"), "/t/pond/a.jsonl");
  assert.equal(nearest("/old/lake/a.jsonl"), "/s/lake/a.jsonl");
  assert.equal(nearest("/old/sea/a.jsonl"), "/s/lake/a.jsonl");
  assert.equal(nearest("a.jsonl"), "/s/lake/a.jsonl");
  assert.equal(nearest("/old/b.jsonl"), "/s/lake/b.jsonl");
  assert.equal(nearest("/old/c.jsonl"), undefined);
  assert.equal(nearest("/s/lake/"), undefined);
  assert.equal(nearest(""), undefined);
});

test("PathEndings passes over the file that asks", () => {
  const endings = new PathEndings(["/s/pond/a.jsonl", "/s/lake/a.jsonl", "/s/lake/b.jsonl"]);
  assert.equal(endings.nearest("/old/lake/b.jsonl", 2), undefined);
  assert.equal(endings.nearest("/old/lake/a.jsonl", 1), 0);
});

test("PathEndings agrees with a comparison of every path", () => {
  const part = () => fc.constantFrom("a", "b", "");
  const path = () =>
    fc
      .tuple(fc.constantFrom("/", "\\", "c:/"), fc.array(part(), { minLength: 1, maxLength: 5 }))
      .map(([start, parts]) => start + parts.join("/"));
  const partsOf = (path: string) => path.split(/[/\\]/).toReversed();
  fc.assert(
    fc.property(fc.uniqueArray(path(), { maxLength: 8 }), path(), fc.nat(8), (paths, name, self) => {
      const agreement = (file: number) => {
        const parts = partsOf(paths[file]!);
        const differing = partsOf(name).findIndex((part, place) => part !== parts[place]);
        return differing === -1 ? partsOf(name).length : differing;
      };
      const others = [...paths.keys()].filter((file) => file !== self && agreement(file) > 0);
      others.sort((a, b) => agreement(b) - agreement(a) || (paths[a]! < paths[b]! ? -1 : 1));
      assert.equal(new PathEndings(paths).nearest(name, self), others[0]);
    }),
    { numRuns: 500 },
  );
});

test("PathEndings takes linear time for paths of many parts that end alike", () => {
  const tail = "/x".repeat(2000);
  const paths = Array.from({ length: 20 }, (_, file) => `/${file}${tail}`);
  const endings = new PathEndings(paths);
  for (const file of paths.keys()) assert.equal(endings.nearest(`C:\\old\\${file}${tail}`, NOBODY), file);
});
