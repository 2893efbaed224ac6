import { describeValue } from "../format/json.js";
import type { OddityCode, Problem } from "../format/problem.js";
import type { IndexedEntry, SessionIndex } from "./session-index.js";

/** By type of the referring entry: the oddity of a reference to an entry that is missing, and what it leads to. */
const missingTargets: { [type: string]: { code: OddityCode; words: string } } = {
  label: { code: "missing-label-target", words: "the labelled entry" },
  compaction: { code: "missing-first-kept", words: "the entry to keep from" },
  context_edit: { code: "missing-edit-target", words: "the edited entry" },
};

/**
 * Where the tree of a session breaks the rules: ids that stand twice, parents that are missing, lead to themselves or round in a circle, and references to
 * missing entries. In file order. Ask when all entries are added: what is missing may come later in the file.
 */
export function* findTreeOddities(index: SessionIndex): Generator<Problem> {
  const missingParents = index.missingParents();
  for (let number = 0; number < index.size; number++) {
    if (index.isDuplicate(number)) {
      const entry = index.entryAt(number);
      yield oddity(entry, "duplicate-id", `the id ${describeValue(entry.id)} stands on an earlier entry, too`);
    }
    const missingParent = missingParents.get(number);
    if (missingParent !== undefined) {
      const message = `the parent ${describeValue(missingParent)} does not exist: the entry is read as a root`;
      yield oddity(index.entryAt(number), "missing-parent", message);
    }
    if (index.isSelfParent(number)) {
      const entry = index.entryAt(number);
      const reading = index.parentOf(number) === -1 ? "a root" : "a child of the other entry with that id";
      yield oddity(
        entry,
        "self-parent",
        `the entry names itself, ${describeValue(entry.id)}, as its parent: it is read as ${reading}`,
      );
    }
    if (index.isCycleRoot(number)) {
      const message = "the parents of the entry lead back to it: it is read as a root";
      yield oddity(index.entryAt(number), "parent-cycle", message);
    }
    const targetId = index.targetId(number);
    if (targetId !== undefined && index.numberOf(targetId) === -1) {
      const entry = index.entryAt(number);
      const { code, words } = missingTargets[entry.type]!;
      yield oddity(entry, code, `${words} ${describeValue(targetId)} does not exist`);
    }
  }
}

function oddity({ line, byteOffset }: IndexedEntry, code: OddityCode, message: string): Problem {
  return { line, byteOffset, severity: "oddity", code, message };
}
