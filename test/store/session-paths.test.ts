import assert from "node:assert/strict";
import { homedir } from "node:os";
import { join, sep } from "node:path";
import { test } from "node:test";
import {
  defaultSessionDir,
  expandPath,
  isSamePath,
  projectFolderName,
  resolvePath,
  sessionFileName,
} from "../../src/store/session-paths.js";

test("projectFolderName encodes working directories of any system", () => {
  const names: { [cwd: string]: string } = {
    "/home/u/proj": "--home-u-proj--",
    "/": "----",
    "/a-b/c": "--a-b-c--",
    "//server/share": "---server-share--",
    "C:\\Users\\me\\proj": "--C--Users-me-proj--",
    "\\\\server\\share": "---server-share--",
    "/with:colon": "--with-colon--",
    "/home/ü 1": "--home-ü 1--",
  };
  for (const [cwd, name] of Object.entries(names)) assert.equal(projectFolderName(cwd), name);
});

test("expandPath knows the home folder and file URLs", () => {
  assert.equal(expandPath("~"), homedir());
  assert.equal(expandPath("~/x"), join(homedir(), "x"));
  assert.equal(expandPath("~x"), "~x");
  assert.equal(expandPath("a/~/b"), "a/~/b");
  assert.equal(expandPath("file:///tmp/a%20b"), `${sep}tmp${sep}a b`);
  assert.equal(expandPath(""), "");
});

test("expandPath reads the drives of Unix-like shells on Windows only", () => {
  assert.equal(expandPath("/c/Users/me", "win32"), "C:\\Users\\me");
  assert.equal(expandPath("/cygdrive/d/x", "win32"), "D:\\x");
  assert.equal(expandPath("/mnt/e", "win32"), "E:\\");
  assert.equal(expandPath("C:\\Users", "win32"), "C:\\Users");
  assert.equal(expandPath("/code/x", "win32"), "/code/x");
  assert.equal(expandPath("//c/x", "win32"), "//c/x");
  assert.equal(expandPath("/c/Users/me", "linux"), "/c/Users/me");
});

test("isSamePath compares places, not spellings; on Windows without case", () => {
  assert.ok(isSamePath("/a/b/", "/a/./c/../b"));
  assert.ok(!isSamePath("/a/B", "/a/b", "linux"));
  assert.ok(isSamePath("C:\\Users\\Me", "c:/users/me/", "win32"));
});

test("defaultSessionDir is the project's folder below the agent's", (context) => {
  const before = process.env.PI_CODING_AGENT_DIR;
  context.after(() => {
    if (before === undefined) delete process.env.PI_CODING_AGENT_DIR;
    else process.env.PI_CODING_AGENT_DIR = before;
  });
  delete process.env.PI_CODING_AGENT_DIR;
  assert.equal(defaultSessionDir("/x/y"), join(homedir(), ".pi/agent/sessions/--x-y--"));
  process.env.PI_CODING_AGENT_DIR = "~/elsewhere";
  assert.equal(defaultSessionDir("/x/y"), join(homedir(), "elsewhere/sessions/--x-y--"));
  assert.equal(defaultSessionDir("/x/y", "/agent"), "/agent/sessions/--x-y--");
});

test("defaultSessionDir does not look at the folder that whole stores are read from", (context) => {
  const before = process.env.PI_CODING_AGENT_SESSION_DIR;
  context.after(() => {
    if (before === undefined) delete process.env.PI_CODING_AGENT_SESSION_DIR;
    else process.env.PI_CODING_AGENT_SESSION_DIR = before;
  });
  process.env.PI_CODING_AGENT_SESSION_DIR = "/custom";
  assert.ok(!defaultSessionDir("/x").startsWith("/custom"));
});

test("sessionFileName is the time and the id", () => {
  assert.equal(sessionFileName("2026-01-02T03:04:05.678Z", "my-id"), "2026-01-02T03-04-05-678Z_my-id.jsonl");
});

test("resolvePath makes paths absolute", () => {
  assert.equal(resolvePath("a/../b"), join(process.cwd(), "b"));
  assert.equal(resolvePath(""), process.cwd());
  assert.equal(resolvePath("/a//b/"), "/a/b");
});
