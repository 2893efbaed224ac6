/** What a drawing needs to know of a session. */
export interface LineageNode {
  path: string;
  /** The path of the session that it was forked from. */
  parentPath: string | null;
}

/** One line of a drawing: a session, and what stands before it. */
export interface LineageLine<Node extends LineageNode> {
  session: Node;
  lead: string;
  /** Whether the session stands below its parent, one step further in: only then the drawing alone tells where it came from. */
  showsParent: boolean;
}

/** Below that, nothing is drawn further in: a chain of many thousand forks would be millions of characters wide. */
const MAX_DEPTH = 12;

/** What a fork adds to the lead of its parent's line, and to that of its own forks. */
const MORE = { lead: "├─ ", indent: "│  " };
const LAST = { lead: "└─ ", indent: "   " };
const DEEPER = { lead: "… ", indent: "" };

/**
 * The sessions in the order of a drawing, forks below the session that they came from:
 *
 *     harmonic constants
 *     ├─ faster
 *     │  └─ faster, in summer time
 *     └─ a smaller board
 *
 * Parents must come before their forks; a session whose parent has not come is a root. Nothing is recursive.
 */
export function* drawLineage<Node extends LineageNode>(sessions: readonly Node[]): Generator<LineageLine<Node>> {
  const forks = new Map<string, Node[]>();
  const roots: Node[] = [];
  for (const session of sessions) {
    const siblings = session.parentPath === null ? undefined : forks.get(session.parentPath);
    (siblings ?? roots).push(session);
    forks.set(session.path, []);
  }

  const waiting = roots.map((session) => ({ session, lead: "", indent: "", depth: 0 })).reverse();
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { session, lead, indent, depth } = next;
    yield { session, lead, showsParent: depth > 0 && depth <= MAX_DEPTH };
    const below = forks.get(session.path)!;
    for (const [at, fork] of [...below.entries()].reverse()) {
      const isLast = at === below.length - 1;
      const step = depth >= MAX_DEPTH ? DEEPER : isLast ? LAST : MORE;
      waiting.push({ session: fork, lead: indent + step.lead, indent: indent + step.indent, depth: depth + 1 });
    }
  }
}
