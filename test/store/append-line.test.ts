import assert from "node:assert/strict";
import fs, { closeSync, constants, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { appendLine } from "../../src/store/append-line.js";
import { scratchFolder } from "../helpers/files.js";

const APPEND = constants.O_RDWR | constants.O_APPEND;

/** A file with one line, open for appending. */
function openFile(context: TestContext): { file: string; fd: number } {
  const file = join(scratchFolder(context), "file");
  writeFileSync(file, "one\n");
  const fd = openSync(file, APPEND);
  context.after(() => closeSync(fd));
  return { file, fd };
}

/** Puts a function of `node:fs` in the place of the real one for the length of a test. */
function replace<Name extends "writeSync" | "fsyncSync">(
  context: TestContext,
  name: Name,
  make: (real: (typeof fs)[Name]) => unknown,
): void {
  const real = fs[name];
  fs[name] = make(real) as (typeof fs)[Name];
  syncBuiltinESMExports();
  context.after(() => {
    fs[name] = real;
    syncBuiltinESMExports();
  });
}

/** A disk that takes the first `bytes` of a line, and has no room for the rest; in between, another writer appends `foreign`. */
function failAfter(context: TestContext, bytes: number, foreign: string): void {
  let isFirst = true;
  replace(context, "writeSync", (real) => (fd: number, data: Buffer | string, offset?: number) => {
    if (typeof data === "string") return real(fd, data);
    if (!isFirst) throw Object.assign(new Error("no space left"), { code: "ENOSPC" });
    isFirst = false;
    const written = real(fd, data, offset, bytes);
    real(fd, foreign);
    return written;
  });
}

test("appendLine writes behind whatever is there by then, in one write", (context) => {
  const { file, fd } = openFile(context);
  writeFileSync(file, "two\n", { flag: "a" });
  let writes = 0;
  replace(context, "writeSync", (real) => (...args: Parameters<typeof real>) => {
    writes++;
    return real(...args);
  });
  appendLine(fd, Buffer.from("three\n"), false);
  assert.equal(readFileSync(file, "utf8"), "one\ntwo\nthree\n");
  assert.equal(writes, 1);
});

test("appendLine takes back what was written in part", (context) => {
  const { file, fd } = openFile(context);
  failAfter(context, 3, "");
  assert.throws(() => appendLine(fd, Buffer.from("three\n"), false), { code: "ENOSPC" });
  assert.equal(readFileSync(file, "utf8"), "one\n");
});

test("appendLine leaves the part when another writer stands behind it", (context) => {
  const { file, fd } = openFile(context);
  failAfter(context, 3, "\nfour\n");
  assert.throws(() => appendLine(fd, Buffer.from("three\n"), false), { code: "ENOSPC" });
  assert.equal(readFileSync(file, "utf8"), "one\nthr\nfour\n");
});

test("appendLine goes on after a write that took only part of the line", (context) => {
  const { file, fd } = openFile(context);
  replace(context, "writeSync", (real) => (fd: number, data: Buffer, offset: number) => real(fd, data, offset, 1));
  appendLine(fd, Buffer.from("three\n"), false);
  assert.equal(readFileSync(file, "utf8"), "one\nthree\n");
});

test("appendLine waits for the disk when it is to be durable, and takes the line back when that fails", (context) => {
  const { file, fd } = openFile(context);
  let syncs = 0;
  replace(context, "fsyncSync", () => () => {
    syncs++;
    if (syncs === 2) throw Object.assign(new Error("broken disk"), { code: "EIO" });
  });
  appendLine(fd, Buffer.from("two\n"), false);
  assert.equal(syncs, 0);
  appendLine(fd, Buffer.from("three\n"), true);
  assert.equal(syncs, 1);
  assert.throws(() => appendLine(fd, Buffer.from("four\n"), true), { code: "EIO" });
  assert.equal(readFileSync(file, "utf8"), "one\ntwo\nthree\n");
});

test("appendLine throws what the system says", {
  skip: existsSync("/dev/full") ? false : "there is no /dev/full",
}, () => {
  const fd = openSync("/dev/full", APPEND);
  assert.throws(() => appendLine(fd, Buffer.from("line\n"), false), { code: "ENOSPC" });
  closeSync(fd);
});
