import { Option } from "commander";
import type { SessionEntry } from "../format/entry.js";
import type { TruncatedString } from "../format/entry-record.js";
import { parseIsoTime } from "../format/time.js";
import { readBranch } from "../read/read-branch.js";
import type { CommandDefinition } from "./command.js";
import { CommandLineError } from "./command-line-error.js";
import { ExitCode } from "./exit-code.js";
import { parseText } from "./option-values.js";
import { jsonLinesOption } from "./options.js";
import type { Output } from "./output.js";
import { type PassagePart, passageOf } from "./passage.js";
import { sessionArgument, sessionPath } from "./session-argument.js";
import { bodyText, cellText } from "./terminal-text.js";
import { timeFormatter } from "./time-formatter.js";
import { writeJson, writeJsonLines } from "./write-json.js";

interface ShowOptions {
  leaf?: string;
  all?: boolean;
  tools?: boolean;
  thinking?: boolean;
  markdown?: boolean;
}

/** An entry to be shown; `truncated` names the strings of a giant line that were cut. */
interface ShownRecord {
  entry: SessionEntry;
  truncated?: TruncatedString[];
}

export const showCommand: CommandDefinition<ShowOptions> = {
  name: "show",
  summary: "the conversation of a branch, readable",
  argument: sessionArgument,
  options: () => [
    new Option("--leaf <id>", "the branch that ends at this entry (default: the last of the file)").argParser(
      parseText,
    ),
    new Option("--all", "every entry of the file, all branches in the order of the file"),
    new Option("--tools", "also what tools were called with, and what they gave back"),
    new Option("--thinking", "also what the model thought"),
    new Option("--markdown", "as Markdown"),
    jsonLinesOption(),
  ],
  examples: [
    ["show latest", "the newest conversation"],
    ["show 01a082fc --tools --thinking", "with all that happened in between"],
    ["show latest --markdown > talk.md", "to read elsewhere"],
    ["show ./session.jsonl --leaf 1a2b3c4d --json", "the entries of an older branch"],
  ],
  async run(request) {
    const { options, output, signal } = request;
    if (options.all && options.leaf !== undefined) {
      throw new CommandLineError("--all shows every branch, --leaf one: give one of them");
    }
    const path = await sessionPath(request);
    // Loaded when it runs: no other command needs the streams that it reads with.
    const { readSession } = await import("../read/read-session.js");
    const records: AsyncIterable<ShownRecord> = options.all
      ? readSession(path, { signal, onProblem: () => {} })
      : readBranch(path, { signal, ...(options.leaf !== undefined && { leafId: options.leaf }) });
    if (options.jsonl) await writeJsonLines(output, wholeEntries(records));
    else if (options.json) await writeJson(output, { entries: wholeEntries(records) });
    else await printConversation(output, records, options, timeFormatter(options.selection.timeZone));
    return ExitCode.done;
  },
};

async function* wholeEntries(records: AsyncIterable<ShownRecord>): AsyncGenerator<object> {
  for await (const { entry, truncated } of records) yield truncated ? { ...entry, truncated } : entry;
}

async function printConversation(
  output: Output,
  records: AsyncIterable<ShownRecord>,
  { tools = false, thinking = false, markdown = false }: ShowOptions,
  formatTime: (milliseconds: number) => string,
): Promise<void> {
  const heading = markdown ? markdownHeading : plainHeading;
  const body = markdown ? markdownPart : plainPart;
  let previousId: string | null | undefined;
  let jump: string | undefined;
  let isFirst = true;
  for await (const { entry } of records) {
    const { id, parentId, timestamp } = entry;
    // Only with all branches does an entry stand behind one that is not its parent.
    if (previousId !== undefined && parentId !== previousId)
      jump = parentId === null ? "a new root" : `after ${parentId}`;
    previousId = id ?? null;
    const passage = passageOf(entry, { tools, thinking });
    if (!passage) continue;
    if (!isFirst && !markdown) await output.printLine("");
    isFirst = false;
    const time = parseIsoTime(timestamp);
    const facts = [time === undefined ? undefined : formatTime(time), id, jump].filter((fact) => fact !== undefined);
    jump = undefined;
    await output.printLine(heading(output, cellText(passage.heading), cellText(facts.join(" · "))));
    for (const part of passage.parts) await output.printLine(body(output, part));
  }
}

function plainHeading(output: Output, heading: string, facts: string): string {
  return `${output.style("bold", heading)}  ${output.style("dim", facts)}`.trimEnd();
}

function plainPart(output: Output, part: PassagePart): string {
  const text = bodyText(part.text).trimEnd();
  switch (part.kind) {
    case "text":
      return text;
    case "thinking":
      return output.style("dim", indent(text));
    case "note":
      return output.style("dim", `[${text}]`);
    case "code":
      return part.title === "" ? indent(text) : `${output.style("cyan", cellText(part.title))}\n${indent(text)}`;
  }
}

function markdownHeading(_output: Output, heading: string, facts: string): string {
  return `## ${heading.replace(/^./u, (first) => first.toUpperCase())}\n${facts === "" ? "" : `\n*${facts}*\n`}`;
}

function markdownPart(_output: Output, part: PassagePart): string {
  const text = bodyText(part.text).trimEnd();
  switch (part.kind) {
    case "text":
      return `${text}\n`;
    case "thinking":
      return `${text.replace(/^/gm, "> ")}\n`;
    case "note":
      return `*[${text}]*\n`;
    case "code":
      return `${part.title === "" ? "" : `**${cellText(part.title)}**\n\n`}${fenced(text)}\n`;
  }
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, "  ");
}

/** A fenced block whose fence is longer than any in the text. */
function fenced(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
