import type { SessionIndex } from "../tree/session-index.js";

/** One line of a drawing: an entry's number, and what stands before it. */
export interface TreeLine {
  number: number;
  lead: string;
  /** Whether a new tree begins here. */
  isRoot: boolean;
}

/**
 * The entries of a session in the order of a drawing. Each branch goes straight down; where it forks, the side branches hang on it, and then it goes on:
 *
 *     user        Fix the parser
 *     assistant   Done
 *     ├─ user     Undo that       a side branch
 *     │  assistant  Undone
 *     user        Now the tests   where the conversation went on
 *
 * What goes on is the way to the current leaf, else the largest subtree. So the drawing is never more than some 20 forks wide, however many a file
 * holds, and its size stays in proportion to the file's. Nothing is recursive.
 */
export function* drawTree(index: SessionIndex): Generator<TreeLine> {
  const sizes = subtreeSizes(index);
  const onPath = new Uint8Array(index.size);
  if (index.size > 0) for (const number of index.pathNumbers(index.leafNumber)) onPath[number] = 1;
  const weight = (number: number) => (onPath[number] ? Number.POSITIVE_INFINITY : sizes[number]!);

  const roots = index.roots.map(({ number }) => number);
  for (const root of roots) {
    const waiting = [{ number: root, lead: "", indent: "" }];
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const { number, lead, indent } = next;
      yield { number, lead, isRoot: number === root };
      const children = index.childNumbers(number);
      if (children.length === 0) continue;
      const main = children.reduce((heaviest, child) => (weight(child) > weight(heaviest) ? child : heaviest));
      waiting.push({ number: main, lead: indent, indent });
      for (const child of children.reverse()) {
        if (child !== main) waiting.push({ number: child, lead: `${indent}├─ `, indent: `${indent}│  ` });
      }
    }
  }
}

/** By entry: how many entries its subtree holds, itself included. */
function subtreeSizes(index: SessionIndex): Int32Array {
  const parentsFirst = new Int32Array(index.size);
  let end = 0;
  for (const { number } of index.roots) parentsFirst[end++] = number;
  for (let at = 0; at < end; at++) {
    for (const child of index.childNumbers(parentsFirst[at]!)) parentsFirst[end++] = child;
  }
  const sizes = new Int32Array(index.size).fill(1);
  for (const number of parentsFirst.reverse()) {
    const parent = index.parentOf(number);
    if (parent >= 0) sizes[parent]! += sizes[number]!;
  }
  return sizes;
}
