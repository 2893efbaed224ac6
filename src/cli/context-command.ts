import { Option } from "commander";
import { contentText } from "../format/block.js";
import type { JsonObject } from "../format/json.js";
import type { Message } from "../format/message.js";
import { type BuiltContext, buildContext } from "../read/build-context.js";
import type { CommandDefinition } from "./command.js";
import { ExitCode } from "./exit-code.js";
import { formatBytes, formatCount, formatQuantity } from "./format-number.js";
import { parseText } from "./option-values.js";
import { passedOverWarning } from "./passed-over-warning.js";
import { sessionArgument, sessionPath } from "./session-argument.js";
import { type Column, tableLines } from "./table.js";
import { cellText } from "./terminal-text.js";
import { writeJson } from "./write-json.js";

interface ContextOptions {
  leaf?: string;
}

export const contextCommand: CommandDefinition<ContextOptions> = {
  name: "context",
  summary: "what the model would be sent from a leaf of a session",
  argument: sessionArgument,
  options: () => [
    new Option("--leaf <id>", "the entry to end at (default: the last of the file)").argParser(parseText),
  ],
  examples: [
    ["context latest", "a summary of the newest session's context"],
    ["context 01a082fc --json", "its messages"],
    ["context ./session.jsonl --leaf 1a2b3c4d --json", "as it was at an earlier entry"],
  ],
  async run(request) {
    const { options, output, signal } = request;
    const path = await sessionPath(request);
    let damagedLines = 0;
    const context = await buildContext(path, {
      signal,
      onProblem: ({ severity }) => {
        if (severity === "damage") damagedLines++;
      },
      ...(options.leaf !== undefined && { leafId: options.leaf }),
    });
    if (options.json) await writeJson(output, { ...context });
    else {
      const emphasise = (line: string) => output.style("bold", line);
      for (const line of contextLines(path, context, output.width, emphasise)) await output.printLine(line);
    }
    output.warn(passedOverWarning({ damagedLines, files: 0 }));
    output.warn(truncatedWarning(context));
    return ExitCode.done;
  },
};

function truncatedWarning({ truncated = [] }: BuiltContext): string | undefined {
  if (truncated.length === 0) return undefined;
  return `${formatQuantity(truncated.length, "string is", "strings are")} cut: no string can hold the whole line`;
}

const columns: Column[] = [
  { head: "Entry" },
  { head: "Role" },
  { head: "Characters", align: "right" },
  { head: "Text", cut: "keep-start" },
];

const PREVIEW_LENGTH = 200;

/** A summary of a context: its settings, and a line a message. */
export function* contextLines(
  path: string,
  { messages, entryIds, model, thinkingLevel, bytesRead }: BuiltContext,
  width: number | undefined,
  emphasise: (line: string) => string,
): Generator<string> {
  const facts: [name: string, value: string][] = [
    ["Session", path],
    ["Model", model ? `${model.provider}/${model.modelId}` : "(none)"],
    ["Thinking", thinkingLevel],
    ["Messages", formatCount(messages.length)],
    ["Read", formatBytes(bytesRead)],
  ];
  for (const [name, value] of facts) yield `${emphasise(name.padEnd(8))}  ${cellText(value)}`;
  if (messages.length === 0) return;
  yield "";
  const rows = messages.map((message, index) => {
    const text = messageText(message);
    return [
      cellText(entryIds[index] ?? ""),
      cellText(typeof message.role === "string" ? message.role : "(none)"),
      formatCount(text.length),
      cellText(text.slice(0, PREVIEW_LENGTH)),
    ];
  });
  yield* tableLines(columns, rows, { width, emphasise });
}

/** What a message says; of one without text, its summary, or its command and output. */
function messageText(message: Message): string {
  const { content, summary, command, output } = message as JsonObject;
  const text = contentText(content, "\n");
  if (text !== "") return text;
  return [summary, command, output].filter((part) => typeof part === "string").join("\n");
}
