import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { OutputError } from "../../src/cli/output.js";
import { CapturedStream, capturedOutput } from "./captured-output.js";

test("Output gathers small prints and hands them on in order", async () => {
  const { output, stdout } = capturedOutput();
  for (let index = 0; index < 1000; index++) await output.printLine(`line ${index}`);
  await output.finish();
  assert.equal(stdout.text, Array.from({ length: 1000 }, (_, index) => `line ${index}\n`).join(""));
  assert.ok(stdout.chunks.length < 5);
});

test("Output waits for a slow reader", async () => {
  let waiting: (() => void) | undefined;
  const slow = new Writable({ write: (_chunk, _encoding, done) => (waiting = done) });
  const { output } = capturedOutput({ stdout: slow });
  let isPrinted = false;
  const printed = output.print("x".repeat(100_000)).then(() => (isPrinted = true));
  await new Promise(setImmediate);
  assert.equal(isPrinted, false);
  waiting!();
  await printed;
});

test("Output throws when it can't be written, and tells a reader that went away", async () => {
  for (const [code, isReaderGone] of [
    ["EPIPE", true],
    ["ENOSPC", false],
  ] as const) {
    const cause = Object.assign(new Error(`${code}: no more`), { code });
    const broken = new Writable({ write: (_chunk, _encoding, done) => done(cause) }).on("error", () => {});
    const { output } = capturedOutput({ stdout: broken });
    await output.print("x");
    await assert.rejects(output.finish(), (error) => {
      assert.ok(error instanceof OutputError);
      assert.equal(error.isReaderGone, isReaderGone);
      assert.match(error.message, /^Cannot write the output: /);
      return true;
    });
  }
});

test("Output colours only terminals, and only when wanted", () => {
  assert.equal(capturedOutput().output.style("bold", "x"), "x");
  assert.equal(capturedOutput({ stdout: new CapturedStream(80) }).output.style("bold", "x"), "\u001b[1mx\u001b[22m");
  assert.equal(capturedOutput({ stdout: new CapturedStream(80), colour: false }).output.style("bold", "x"), "x");
});

test("Output warns behind the results, unless it is quiet", async () => {
  const loud = capturedOutput();
  loud.output.warn("2 files skipped");
  loud.output.warn(undefined);
  loud.output.note("3 oddities");
  assert.equal(loud.stderr.text, "");
  await loud.output.finish();
  assert.equal(loud.stderr.text, "warning: 2 files skipped\n3 oddities\n");
  const quiet = capturedOutput({ quiet: true });
  quiet.output.warn("2 files skipped");
  quiet.output.note("3 oddities");
  quiet.output.error("no such session");
  await quiet.output.finish();
  assert.equal(quiet.stderr.text, "error: no such session\n");
});

test("Output knows the width of terminals only", () => {
  assert.equal(capturedOutput().output.width, undefined);
  assert.equal(capturedOutput({ stdout: new CapturedStream(120) }).output.width, 120);
  assert.equal(capturedOutput({ stdout: new CapturedStream(0) }).output.width, 80);
});
