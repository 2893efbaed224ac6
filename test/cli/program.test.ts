import assert from "node:assert/strict";
import { resolve } from "node:path";
import { test } from "node:test";
import { type CommandDefinition, type CommandRequest, libraryOptions } from "../../src/cli/command.js";
import { commands } from "../../src/cli/commands.js";
import { ExitCode } from "../../src/cli/exit-code.js";
import { jsonLinesOption } from "../../src/cli/options.js";
import { StoreError } from "../../src/errors.js";
import { runCli } from "./run-cli.js";

/** A command that does what it is told. */
function probe(act: (request: CommandRequest) => Promise<ExitCode>): CommandDefinition[] {
  const options = () => [jsonLinesOption()];
  return [
    {
      name: "probe",
      summary: "probes",
      argument: { name: "[words...]", summary: "anything" },
      options,
      examples: [["probe", "probe"]],
      run: act,
    },
  ];
}

async function requestOf(...words: string[]): Promise<CommandRequest> {
  let seen: CommandRequest | undefined;
  const { exitCode, stderr } = await runCli(["probe", ...words], {
    known: probe(async (request) => {
      seen = request;
      return ExitCode.done;
    }),
  });
  assert.equal(exitCode, ExitCode.done, stderr);
  return seen!;
}

test("runCommandLine refuses a wrong command line with 2, and says what would be right", async (context) => {
  const cases: [line: string, message: RegExp][] = [
    ["lsit", /^error: unknown command 'lsit'; did you mean list\?\n$/],
    ["lsit --help", /did you mean list\?/],
    ["help lsit", /did you mean list\?/],
    ["list --sotre x", /unknown option '--sotre'; did you mean --store\?/],
    ["list --sesion-dir=x", /did you mean --session-dir\?/],
    ["list --timzone UTC", /did you mean --timezone\?/],
    ["--json list", /unknown option '--json'; options go behind the command/],
    ["list extra", /too many arguments/],
    ["list --since", /argument missing/],
    ["list --sort name", /modified, created, messages, size, cost/],
    ["totals --by project,colour", /'project,colour' is invalid.*project, session, branch, model, provider, day/],
    ["totals --sort x", /Allowed choices are key, cost, tokens, calls/],
    ["totals --order up", /asc, desc/],
    ["totals --budget lots", /amount in US dollars/],
    ["totals --budget -1", /amount in US dollars/],
    ["list --limit 0", /whole number of 1 or more/],
    ["list --limit 1.5", /whole number of 1 or more/],
    ["list --jobs many", /whole number of 1 or more/],
    ["list --jobs -2", /whole number of 1 or more/],
    ["list --timezone Europe/Berln", /IANA name.*the nearest is Europe\/Berlin/],
    ["list --since 2026-02-30", /'--since <date>': "2026-02-30" is a date that doesn't exist/],
    ["list --until sometime", /'--until <date>': "sometime" is no date: give YYYY-MM-DD/],
    ["list --since 2026-03-02 --until 2026-03-01", /--since 2026-03-02 lies after --until 2026-03-01/],
    ["list --since today --until yesterday", /--since today lies after --until yesterday/],
    ["list --store=", /It is empty/],
  ];
  for (const [line, message] of cases) {
    await context.test(line, async () => {
      const { exitCode, stdout, stderr } = await runCli(line.split(" "));
      assert.equal(exitCode, ExitCode.badCommandLine);
      assert.match(stderr, message);
      assert.equal(stdout, "");
    });
  }
});

test("runCommandLine without a command prints the help on stderr and gives 2", async () => {
  const { exitCode, stdout, stderr } = await runCli([]);
  assert.deepEqual([exitCode, stdout], [ExitCode.badCommandLine, ""]);
  assert.match(stderr, /^Usage: pi-sessions/);
});

test("runCommandLine has help with examples for every command, and a version", async () => {
  assert.match((await runCli(["--help"])).stdout, /list .*newest first/);
  assert.match((await runCli(["--version"])).stdout, /^\d+\.\d+\.\d+\n$/);
  for (const { name } of commands) {
    for (const words of [
      [name, "--help"],
      ["help", name],
      [name, "-h"],
    ]) {
      const { exitCode, stdout } = await runCli(words);
      assert.equal(exitCode, ExitCode.done);
      assert.match(stdout, new RegExp(`^Usage: pi-sessions ${name} `));
      assert.match(stdout, new RegExp(`Examples:\n {2}pi-sessions ${name}`));
      assert.match(stdout, /--session-dir, --store <dir>/);
    }
  }
});

test("runCommandLine reads the options of every command, long and short, repeated and not", async () => {
  const { words, options } = await requestOf(
    ..."one -p /a --project C:\\b -p rel --exclude x/** --model m* --model p/m --provider q".split(" "),
    ..."--store s --session-dir t -s 2026-03-01 -u today -z UTC --jobs 3 --catalog c.db -j --quiet --no-color two".split(
      " ",
    ),
  );
  assert.deepEqual(words, ["one", "two"]);
  assert.deepEqual(options.selection, {
    timeZone: "UTC",
    stores: ["s", "t"],
    projects: ["/a", "C:\\b", resolve("rel")],
    exclude: ["x/**"],
    models: ["m*", "p/m"],
    providers: ["q"],
    since: Date.parse("2026-03-01T00:00:00Z"),
    until: Date.parse("2026-03-10T23:59:59.999Z"),
    jobs: 3,
  });
  const { catalog, json, jsonl, quiet, color } = options;
  assert.deepEqual(
    { catalog, json, jsonl, quiet, color },
    { catalog: "c.db", json: true, jsonl: false, quiet: true, color: false },
  );
});

test("runCommandLine leaves out what is not given", async () => {
  const { options } = await requestOf("--since", "today");
  const { catalog, json, jsonl, quiet, color } = options;
  assert.deepEqual(options.selection, { timeZone: "Europe/Berlin", since: Date.parse("2026-03-09T23:00:00Z") });
  assert.deepEqual(
    { catalog, json, jsonl, quiet, color },
    { catalog: undefined, json: false, jsonl: false, quiet: false, color: true },
  );
  assert.equal((await requestOf("--catalog", "x", "--no-catalog")).options.catalog, false);
  assert.equal((await requestOf("--jsonl")).options.jsonl, true);
});

test("libraryOptions adds progress and the signal to the selection", async () => {
  const request = await requestOf("--jobs", "2");
  const { onProgress, signal, ...selection } = libraryOptions(request);
  assert.deepEqual(selection, { timeZone: "Europe/Berlin", jobs: 2, shareThread: true });
  assert.equal(signal, request.signal);
  assert.equal(onProgress, request.output.showProgress);
});

test("runCommandLine prints why a request failed, made harmless, and gives 1", async () => {
  const fail = (error: unknown) => runCli(["probe"], { known: probe(() => Promise.reject(error)) });
  assert.deepEqual(await fail(new Error('Cannot read "\u001b[31mx"')), {
    exitCode: ExitCode.failed,
    stdout: "",
    stderr: 'error: Cannot read "x"\n',
  });
  const ambiguous = new StoreError("AMBIGUOUS_SESSION", "Cannot tell", "01", undefined, ["/a\n/b", "/c"]);
  assert.equal((await fail(ambiguous)).stderr, "error: Cannot tell\n  /a /b\n  /c\n");
});

test("runCommandLine gives the command's own exit code, and prints all of its output", async () => {
  const known = probe(async ({ output }) => {
    await output.print("result");
    return ExitCode.overBudget;
  });
  assert.deepEqual(await runCli(["probe"], { known }), { exitCode: 3, stdout: "result", stderr: "" });
});

test("runCommandLine gives 130 for an interrupt, and says nothing", async () => {
  const interrupt = new AbortController();
  const known = probe(({ signal }) => {
    interrupt.abort();
    signal.throwIfAborted();
    return Promise.resolve(ExitCode.done);
  });
  assert.deepEqual(await runCli(["probe"], { known, signal: interrupt.signal }), {
    exitCode: 130,
    stdout: "",
    stderr: "",
  });
});
