/** Session files, and the ranges that a scan may share them out in. */
import fc from "fast-check";
import type { SessionHeader } from "../../src/format/header.js";
import type { SessionRange } from "../../src/scan/scan-session.js";
import { sessionLines } from "./arbitraries.js";
import { seededRandom, spellJson } from "./spell-json.js";

/** Where the lines of a file begin, but for the first; the end of the file is one of these places, when a newline stands there. */
export function lineStarts(bytes: Buffer): number[] {
  return [...bytes.keys()].filter((place) => bytes[place] === 0x0a).map((place) => place + 1);
}

/** The ranges between cuts, which rise. */
export function rangesOf(header: SessionHeader, cuts: readonly number[]): SessionRange[] {
  const starts = [0, ...cuts];
  return starts.map((start, at) => ({ header, start, end: starts[at + 1] ?? Number.POSITIVE_INFINITY }));
}

/** Session files of version 2 and up most of whose ids are of 8 hex digits, as real ones are: only such files can be scanned in ranges. */
export function hexSessionFile({ hostile = false }: { hostile?: boolean } = {}): fc.Arbitrary<Buffer> {
  const lines = sessionLines({ versions: [2, 3, 4], hostile, maxEntries: 15 });
  return fc.tuple(lines, fc.nat(), fc.constantFrom(0, 0.05, 0.3)).map(([lines, seed, strength]) => {
    const random = seededRandom(seed);
    return Buffer.from(lines.map((line) => `${spellJson(withHexLinks(line), random, strength)}\n`).join(""));
  });
}

function withHexLinks(line: Record<string, unknown>): Record<string, unknown> {
  if (line.type === "session") return line;
  const links = Object.entries(line).filter(([key]) => key === "id" || key === "parentId");
  return { ...line, ...Object.fromEntries(links.map(([key, id]) => [key, toHexId(id)])) };
}

/** In place of an id in another alphabet one of hex digits. */
function toHexId(id: unknown): unknown {
  if (typeof id !== "string") return id;
  return id.replace(/^\u0436(\d+)\u{1f438}$/u, (_, number: string) => number.padStart(8, "f"));
}

/** Some places of a file where it can be cut; none where it has no such place. */
export function chooseCuts(bytes: Buffer, chosen: readonly number[]): number[] {
  const starts = lineStarts(bytes);
  if (starts.length === 0) return [];
  return [...new Set(chosen.map((number) => starts[number % starts.length]!))].sort((a, b) => a - b);
}
