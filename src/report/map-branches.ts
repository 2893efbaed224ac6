import type { SessionIndex } from "../tree/session-index.js";

/** The key of calls that lie on several branches. */
export const SHARED_BRANCH = "shared";

const NONE = -1;
const SHARED = -2;

/**
 * Tells of each entry the branch that it lies on: the id of the only leaf that comes from it, or `shared`; null for an entry outside the tree.
 * Each entry is walked over twice at most.
 */
export function mapBranches(index: SessionIndex): (number: number) => string | null {
  const leafOf = new Int32Array(index.size).fill(NONE);
  for (const leaf of index.branches) {
    let number = leaf.number;
    for (; number >= 0 && leafOf[number] === NONE; number = index.parentOf(number)) leafOf[number] = leaf.number;
    for (; number >= 0 && leafOf[number] !== SHARED; number = index.parentOf(number)) leafOf[number] = SHARED;
  }
  return (number) => {
    if (number < 0) return null;
    const leaf = leafOf[number]!;
    return leaf === SHARED ? SHARED_BRANCH : index.entryAt(leaf).id;
  };
}
