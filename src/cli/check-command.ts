import { checkSession } from "../read/check-session.js";
import { type CheckedFile, checkStore } from "../scan/check-store.js";
import { type CommandDefinition, type CommandRequest, libraryOptions } from "./command.js";
import { ExitCode } from "./exit-code.js";
import { formatCount, formatQuantity } from "./format-number.js";
import { jsonLinesOption } from "./options.js";
import type { Output } from "./output.js";
import { passedOverWarning } from "./passed-over-warning.js";
import { optionalSessionArgument, sessionPath } from "./session-argument.js";
import { cellText } from "./terminal-text.js";
import { writeJson, writeJsonLines } from "./write-json.js";

export const checkCommand: CommandDefinition = {
  name: "check",
  summary: "name damage and oddities by file and line; exit code 1 for damage",
  argument: optionalSessionArgument,
  options: () => [jsonLinesOption()],
  examples: [
    ["check", "the whole store"],
    ["check latest", "the newest session"],
    ["check --since 7d --jsonl", "a file a line, for scripts"],
  ],
  async run(request) {
    const { options, output } = request;
    const { files, skipped } = await findFindings(request);
    if (options.jsonl) await writeJsonLines(output, files);
    else if (options.json) await writeJson(output, { files });
    else await printFindings(output, files);
    output.warn(passedOverWarning({ damagedLines: 0, files: skipped }));
    const { damage, summary } = summarise(files);
    output.note(summary);
    return damage > 0 ? ExitCode.failed : ExitCode.done;
  },
};

async function findFindings(request: CommandRequest): Promise<{ files: CheckedFile[]; skipped: number }> {
  if (request.words.length === 0) {
    const { files, skipped } = await checkStore(libraryOptions(request));
    return { files, skipped: skipped.length };
  }
  const path = await sessionPath(request);
  const findings = await checkSession(path, { signal: request.signal });
  return { files: findings.length > 0 ? [{ path, findings }] : [], skipped: 0 };
}

async function printFindings(output: Output, files: CheckedFile[]): Promise<void> {
  for (const { path, findings } of files) {
    await output.printLine(output.style("bold", cellText(path)));
    for (const { line, byteOffset, severity, code, message } of findings) {
      const kind = output.style(severity === "damage" ? "red" : "yellow", severity);
      const place = `line ${line}, byte ${byteOffset}`;
      await output.printLine(`  ${place}: ${kind} ${code}: ${cellText(message)}`);
    }
  }
}

function summarise(files: CheckedFile[]): { damage: number; summary: string } {
  let damage = 0;
  let oddities = 0;
  for (const { findings } of files) {
    for (const { severity } of findings) {
      if (severity === "damage") damage++;
      else oddities++;
    }
  }
  if (damage + oddities === 0) return { damage, summary: "no damage and no oddities" };
  const counts = `${formatCount(damage)} damaged, ${formatQuantity(oddities, "oddity", "oddities")}`;
  return { damage, summary: `${counts} in ${formatQuantity(files.length, "file", "files")}` };
}
