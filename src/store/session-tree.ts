import type { SessionEntry } from "../format/entry.js";
import { formatIsoTime } from "../format/time.js";
import type { SessionIndex } from "../tree/session-index.js";
import type { EntryReader } from "./session-store.js";

/** An entry in the tree of its session. */
export interface SessionTreeNode {
  entry: SessionEntry;
  /** Oldest first. */
  children: SessionTreeNode[];
  /** The label in force, and when it was set. */
  label?: string | undefined;
  labelTimestamp?: string | undefined;
}

/** The whole tree of a session as its roots, in file order. Reads every entry. */
export function buildSessionTree(reader: EntryReader, index: SessionIndex): SessionTreeNode[] {
  const labels = new Map(index.labels().map((label) => [label.targetId, label]));
  const nodes: SessionTreeNode[] = [];
  const times: number[] = [];
  for (let number = 0; number < index.size; number++) {
    const { id, timestamp } = index.entryAt(number);
    const label = labels.get(id);
    const labelTimestamp = label?.timestamp === undefined ? undefined : formatIsoTime(label.timestamp);
    nodes.push({ entry: reader.read(number), children: [], label: label?.text, labelTimestamp });
    times.push(timestamp ?? 0);
  }
  for (const [number, node] of nodes.entries()) {
    const children = index.childNumbers(number).sort((a, b) => times[a]! - times[b]!);
    node.children = children.map((child) => nodes[child]!);
  }
  return index.roots.map(({ number }) => nodes[number]!);
}
