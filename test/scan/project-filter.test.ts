import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionHeader } from "../../src/format/header.js";
import { projectFilter } from "../../src/scan/project-filter.js";
import { header } from "../helpers/entries.js";

/** Whether a session of `cwd` is one of the projects. */
const isTaken = (cwd: unknown, ...projects: string[]): boolean =>
  projectFilter({ projects })(header({ cwd }) as unknown as SessionHeader);

test("projectFilter lets everything through without projects", () => {
  assert.ok(isTaken("/home/u"));
  assert.ok(isTaken(undefined));
  assert.ok(projectFilter({})({ type: "session", id: "" }));
});

test("projectFilter takes a folder itself and what lies below it, and no other that begins alike", () => {
  assert.ok(isTaken("/a/b", "/a/b"));
  assert.ok(isTaken("/a/b/c", "/a/b"));
  assert.ok(!isTaken("/a/bc", "/a/b"));
  assert.ok(!isTaken("/a", "/a/b"));
  assert.ok(isTaken("/a", "/x", "/a"));
});

test("projectFilter passes over slashes at the end, on both sides", () => {
  assert.ok(isTaken("/a/b/", "/a/b"));
  assert.ok(isTaken("/a/b", "/a/b//"));
  assert.ok(isTaken("/a/b\\", "/a/b/"));
  assert.ok(isTaken("/", "/"));
  assert.ok(isTaken("/a", "/"));
  assert.ok(!isTaken("C:\\a", "/"));
  assert.ok(isTaken("C:\\", "C:"));
});

test("projectFilter takes no header whose cwd is no string", () => {
  for (const cwd of [undefined, null, 5, ["/a"], { length: 2 }]) assert.ok(!isTaken(cwd, "/"));
});

test("projectFilter takes linear time, whatever a header holds", () => {
  const slashes = `${"/".repeat(1_000_000)}x`;
  const start = performance.now();
  assert.ok(!isTaken(slashes, "/a"));
  assert.ok(performance.now() - start < 2000);
});
