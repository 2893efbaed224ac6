import type { TreeNode } from "../read/read-tree.js";
import type { SessionIndex } from "../tree/session-index.js";
import type { CommandDefinition } from "./command.js";
import { cutToWidth, displayWidth } from "./display-width.js";
import { drawTree } from "./draw-tree.js";
import { ExitCode } from "./exit-code.js";
import { jsonLinesOption } from "./options.js";
import type { Output } from "./output.js";
import { sessionArgument, sessionPath } from "./session-argument.js";
import { cellText } from "./terminal-text.js";
import { writeJson, writeJsonLines } from "./write-json.js";

export const treeCommand: CommandDefinition = {
  name: "tree",
  summary: "the tree of a session: branches, labels, compactions and the current leaf",
  argument: sessionArgument,
  options: () => [jsonLinesOption()],
  examples: [
    ["tree latest", "the newest session"],
    ["tree 01a082fc", "a session by the beginning of its id"],
    ["tree ./session.jsonl --json", "all entries with their parents and children"],
  ],
  async run(request) {
    const { options, output, signal } = request;
    // Loaded when it runs: no other command needs the streams that it reads with.
    const { readTree } = await import("../read/read-tree.js");
    const { index, nodes } = await readTree(await sessionPath(request), { signal });
    if (options.jsonl) await writeJsonLines(output, nodes);
    else if (options.json) {
      await writeJson(output, { leafId: index.leafId, rootIds: index.roots.map(({ id }) => id), nodes });
    } else await printTree(output, index, nodes);
    return ExitCode.done;
  },
};

/** What a line of the drawing shows of an entry; kept for all of them, since the drawing has another order than the file. */
type Shown = Pick<TreeNode, "id" | "type" | "role" | "preview" | "label">;

async function printTree(output: Output, index: SessionIndex, nodes: AsyncIterable<TreeNode>): Promise<void> {
  const shown: Shown[] = [];
  for await (const { id, type, role, preview, label } of nodes) {
    shown.push({ id, type, ...(role && { role }), ...(preview && { preview }), ...(label && { label }) });
  }
  let isFirst = true;
  for (const { number, lead, isRoot } of drawTree(index)) {
    // Absent when the file was cut after it was indexed.
    const node = shown[number];
    if (!node) continue;
    if (isRoot && !isFirst) await output.printLine("");
    isFirst = false;
    await output.printLine(lead + nodeLine(output, node, displayWidth(lead), number === index.leafNumber));
  }
}

function nodeLine(output: Output, node: Shown, leadWidth: number, isLeaf: boolean): string {
  const id = cellText(node.id);
  const kind = cellText(node.role ?? node.type);
  const label = node.label === undefined ? "" : ` [${cellText(node.label)}]`;
  const leaf = isLeaf ? " ← current leaf" : "";
  const taken = leadWidth + displayWidth(`${id} ${kind}${label}${leaf}: `);
  const preview = node.preview === undefined ? "" : cellText(node.preview);
  const room = output.width === undefined ? Number.POSITIVE_INFINITY : output.width - taken;
  const text = preview === "" || room < 2 ? "" : `: ${cutToWidth(preview, room)}`;
  return [
    output.style("dim", id),
    " ",
    output.style(kind === "user" ? "green" : kind === "compaction" ? "magenta" : "cyan", kind),
    output.style("yellow", label),
    text,
    output.style("bold", leaf),
  ].join("");
}
