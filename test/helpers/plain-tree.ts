/** The tree of a session by the plain reader: every link is looked for among all entries. */
import type { JsonObject } from "../../src/format/json.js";

export interface PlainNode {
  id: string;
  entry: JsonObject;
  /** Null for roots: no parent named, none found, or the first entry of a cycle. */
  parent: PlainNode | null;
  children: PlainNode[];
  /** Why a node that names a parent is a root. */
  rootedBy?: "missing-parent" | "self-parent" | "parent-cycle";
}

/** A node for each entry that has an id, in file order. */
export function treePlainly(entries: readonly JsonObject[]): PlainNode[] {
  const nodes: PlainNode[] = [];
  for (const entry of entries) {
    if (typeof entry.id === "string" && entry.id !== "")
      nodes.push({ id: entry.id, entry, parent: null, children: [] });
  }
  nodes.forEach((node, index) => {
    const { parentId } = node.entry;
    if (typeof parentId !== "string" || parentId === "") return;
    node.parent = findParent(nodes.slice(0, index), nodes.slice(index + 1), parentId);
    if (node.parent === null) node.rootedBy = parentId === node.id ? "self-parent" : "missing-parent";
  });
  for (const node of nodes) {
    if (isOnCycle(node)) {
      node.parent = null;
      node.rootedBy = "parent-cycle";
    }
  }
  for (const node of nodes) node.parent?.children.push(node);
  return nodes;
}

/** Of the nodes with that id the nearest one before the child, else the nearest after it. */
export function findParent(
  before: readonly PlainNode[],
  after: readonly PlainNode[],
  parentId: string,
): PlainNode | null {
  return before.findLast(({ id }) => id === parentId) ?? after.find(({ id }) => id === parentId) ?? null;
}

function isOnCycle(node: PlainNode): boolean {
  const seen = new Set<PlainNode>();
  for (let at = node.parent; at !== null && !seen.has(at); at = at.parent) {
    if (at === node) return true;
    seen.add(at);
  }
  return false;
}

/** The nodes from the root to `leaf`. */
export function pathPlainly(leaf: PlainNode): PlainNode[] {
  const path: PlainNode[] = [];
  for (let at: PlainNode | null = leaf; at !== null; at = at.parent) path.unshift(at);
  return path;
}

/** The labels in force, by target, targets that do not exist included. */
export function labelsPlainly(entries: readonly JsonObject[]): Map<string, string> {
  const labels = new Map<string, string>();
  for (const { type, targetId, label } of entries) {
    if (type !== "label" || typeof targetId !== "string") continue;
    if (typeof label === "string" && label !== "") labels.set(targetId, label);
    else labels.delete(targetId);
  }
  return labels;
}

/** The name in force; null without one. */
export function namePlainly(entries: readonly JsonObject[]): string | null {
  const last = entries.findLast((entry) => entry.type === "session_info");
  if (typeof last?.name !== "string") return null;
  return last.name.replaceAll(/\r\n|\r|\n/g, " ").trim() || null;
}
