import assert from "node:assert/strict";
import { closeSync, constants, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { appendLine } from "../../src/store/append-line.js";
import { scratchFolder } from "../helpers/files.js";

const APPEND = constants.O_RDWR | constants.O_APPEND;

test("appendLine writes behind whatever is there by then", (context) => {
  const file = join(scratchFolder(context), "file");
  writeFileSync(file, "one\n");
  const fd = openSync(file, APPEND);
  writeFileSync(file, "two\n", { flag: "a" });
  appendLine(fd, Buffer.from("three\n"), true);
  closeSync(fd);
  assert.equal(readFileSync(file, "utf8"), "one\ntwo\nthree\n");
});

test("appendLine throws what the system says", {
  skip: existsSync("/dev/full") ? false : "there is no /dev/full",
}, () => {
  const fd = openSync("/dev/full", APPEND);
  assert.throws(() => appendLine(fd, Buffer.from("line\n"), false), { code: "ENOSPC" });
  closeSync(fd);
});
