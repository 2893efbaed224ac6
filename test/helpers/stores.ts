/** Stores of sessions that a test makes for itself, and what a scan does with their files. */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { TestContext } from "node:test";
import { scratchFolder } from "./files.js";
import { type PlainStoreFile, readPlainly } from "./plain-reader.js";

/** A folder with these files at paths below it, taken away when the test ends. */
export function makeStore(context: TestContext, files: Record<string, Buffer | string>): string {
  return writeFiles(scratchFolder(context), files);
}

/** Writes files at paths below a folder, which is returned. */
export function writeFiles(folder: string, files: Record<string, Buffer | string>): string {
  for (const [below, content] of Object.entries(files)) {
    const path = join(folder, below);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  return folder;
}

/** Gives files a time without a fraction, which `spoilFiles` can give them again. */
export function settleTimes(paths: readonly string[]): void {
  for (const path of paths) utimesSync(path, 1_700_000_000, 1_700_000_000);
}

/** Makes files unreadable as sessions, though they look as they did: whoever opens one can be told by what is missing then. */
export function spoilFiles(paths: readonly string[]): void {
  for (const path of paths) writeFileSync(path, Buffer.alloc(statSync(path).size));
  settleTimes(paths);
}

/** Names for files that need none: `0.jsonl`, `1.jsonl`, … */
export function numbered(files: readonly Buffer[]): Record<string, Buffer> {
  return Object.fromEntries(files.map((bytes, number) => [`${number}.jsonl`, bytes]));
}

/** Every session file below a folder, as the plain reader reads it. */
export function readStorePlainly(store: string): PlainStoreFile[] {
  return readdirSync(store, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => resolve(store, name))
    .sort()
    .map((path) => ({ path, file: readPlainly(readFileSync(path)) }));
}

/** Whether this system tells which files a process has open. */
export const canCountOpenFiles = process.platform === "linux";

/** How many files below a folder this process holds open. */
export function countOpenFiles(folder: string): number {
  return readdirSync("/proc/self/fd").filter((fd) => readOpenPath(fd)?.startsWith(`${folder}/`)).length;
}

function readOpenPath(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined; // Closed since the folder was listed, as the one that listed it is.
  }
}
