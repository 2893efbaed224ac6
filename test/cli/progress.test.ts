import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { formatProgress } from "../../src/cli/progress.js";
import { CapturedStream, capturedOutput } from "./captured-output.js";

const halfway = { done: 1, total: 2, bytes: 1024, totalBytes: 2048 };

function useClock(context: TestContext): (milliseconds: number) => void {
  context.mock.timers.enable({ apis: ["Date", "setTimeout"] });
  return (milliseconds) => context.mock.timers.tick(milliseconds);
}

test("Output.showProgress shows a bar when work takes a while, and clears it before anything is printed", (context) => {
  const pass = useClock(context);
  const stderr = new CapturedStream(100);
  const { output } = capturedOutput({ stderr });
  output.showProgress(halfway);
  pass(200);
  output.showProgress(halfway);
  assert.equal(stderr.text, "");
  pass(200);
  output.showProgress(halfway);
  assert.match(stderr.text, /\[=+-+\] 1\.0 KiB of 2\.0 KiB, 1 of 2 files/);

  output.printError("something");
  assert.ok(stderr.text.indexOf("\u001b[2K") < stderr.text.indexOf("something"));
  const length = stderr.text.length;
  pass(5000);
  assert.equal(stderr.text.length, length);
});

test("Output.showProgress shows nothing where stderr is no terminal, or when it is quiet", (context) => {
  const pass = useClock(context);
  const terminal = new CapturedStream(100);
  const silent = capturedOutput();
  const quiet = capturedOutput({ stderr: terminal, quiet: true });
  for (const { output } of [silent, quiet]) {
    output.showProgress(halfway);
    pass(1000);
    output.showProgress(halfway);
  }
  assert.equal(silent.stderr.text + terminal.text, "");
});

test("formatProgress tells bytes, files and the time left", () => {
  const params = { progress: 0.5, value: 1024 ** 3, total: 2 * 1024 ** 3, eta: 83 };
  const line = formatProgress({}, params, { done: 120, total: 3000 });
  assert.equal(line, "[============------------] 1.0 GiB of 2.0 GiB, 120 of 3,000 files, 1:23 left");
  assert.doesNotMatch(formatProgress({}, { ...params, eta: "NULL" }, { done: 0, total: 1 }), /left/);
  assert.match(formatProgress({}, { ...params, eta: 3723 }, { done: 0, total: 1 }), /, 1:02:03 left$/);
});
