/** Examples in documentation: the fenced blocks of a Markdown file, and the `@example` blocks of source files, which run as they stand. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import { projectRoot, scratchFolder } from "../helpers/files.js";

export interface FencedBlock {
  /** The word behind the opening fence. */
  language: string;
  text: string;
  /** Where the block begins, 1-based. */
  line: number;
}

/** A block that does something, and the blocks right behind it that say what comes out. */
export interface Example extends FencedBlock {
  output: FencedBlock[];
}

const outputLanguages = new Set(["text", "json", "stderr"]);

/** The examples of a Markdown file, in order. A block of output belongs to the block before it if nothing but blank lines stands between them. */
export function readExamples(markdown: string): Example[] {
  const examples: Example[] = [];
  let end = 0;
  for (const match of markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    const [fenced, language, text] = match as unknown as [string, string, string];
    const block = { language, text, line: markdown.slice(0, match.index).split("\n").length };
    const isBehind = markdown.slice(end, match.index).trim() === "";
    if (!outputLanguages.has(language)) examples.push({ ...block, output: [] });
    else if (isBehind) examples.at(-1)?.output.push(block);
    else throw new Error(`The output in line ${block.line} belongs to no example`);
    end = match.index + fenced.length;
  }
  return examples;
}

/** The `@example` blocks of a source file: each from its tag to the end of the comment, or to the next tag. */
export function readDocExamples(source: string): string[] {
  return Array.from(source.matchAll(/^ *\* @example\n((?: *\*(?! @)(?: .*)?\n)+)/gm), ([, lines = ""]) =>
    lines.replace(/^ *\* ?/gm, ""),
  );
}

/** What an example says in the comments behind its `console.log` calls: the lines that it prints. */
export function promisedLines(code: string): string[] {
  return Array.from(code.matchAll(/console\.log\(.*\);? \/\/ (.*)$/gm), ([, promise = ""]) => promise);
}

/** Runs an example as a module in the project's root, with the library that was compiled for the tests, and gives the lines that it prints. */
export async function runModule(context: TestContext, code: string): Promise<string[]> {
  const library = pathToFileURL(join(projectRoot, "build", "src", "index.js")).href;
  const file = join(scratchFolder(context), "example.mjs");
  writeFileSync(file, code.replace(/(?<= from )"pi-sessions"/g, JSON.stringify(library)));
  const lines: string[] = [];
  const log = context.mock.method(console, "log", (...values: unknown[]) => lines.push(format(...values)));
  const before = process.cwd();
  process.chdir(projectRoot);
  try {
    await import(pathToFileURL(file).href);
  } finally {
    process.chdir(before);
    log.mock.restore();
  }
  return lines;
}
