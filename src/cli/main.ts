#!/usr/bin/env node
import { setFlagsFromString } from "node:v8";
import { systemTimeZone } from "../report/zone-clock.js";
import { commands } from "./commands.js";
import { ExitCode } from "./exit-code.js";
import { runCommandLine } from "./program.js";

// A command is done in a second or two, in several threads: there, what V8 spends to optimise code that soon ends costs more than it brings. So it waits
// longer before it does; that saves up to a sixth of the processor time of a scan. Later releases of V8 have a faster compiler in between, and no such flag.
if (process.versions.v8.startsWith("11.")) setFlagsFromString("--interrupt-budget=300000");

// Left alone, V8 lets garbage grow to several times of what lives: on a store of 50,000 sessions that is 80 MB.
setFlagsFromString("--heap-growing-percent=20");

/** How long an interrupted command may take to put its things away, in milliseconds. */
const GRACE = 2000;

const interrupt = new AbortController();
process.on("SIGINT", () => {
  if (interrupt.signal.aborted) process.exit(ExitCode.interrupted);
  interrupt.abort();
  setTimeout(() => process.exit(ExitCode.interrupted), GRACE).unref();
});
// A failed write is reported by the write itself; without a listener the stream would end the process first.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

process.exitCode = await runCommandLine(process.argv.slice(2), commands, {
  stdout: process.stdout,
  stderr: process.stderr,
  clock: { now: Date.now(), timeZone: systemTimeZone() },
  colour: !process.env.NO_COLOR && process.env.TERM !== "dumb",
  signal: interrupt.signal,
});
