import { Column } from "./column.js";

/** Stands for the parent of a root, the child of a leaf, and any other node that is not there. */
export const NO_NODE = -1;

/**
 * Trees of nodes that are numbered in the order they come. The children of a node are a list, always in that order:
 *
 *     first child ──next──> sibling ──next──> last child
 *
 * Nodes are only ever appended to it: a node with an earlier parent is the newest of all, and a node that waited for its parent is adopted
 * as that one comes, before it has any other child.
 */
export class Forest {
  #size = 0;
  #parentCount = 0;
  readonly #parents = new Column(Int32Array);
  // The other columns hold numbers of nodes plus one, so that 0, which costs neither a write nor a page of memory, can stand for what most nodes have.
  /** 0 for a leaf. */
  readonly #firstChildren = new Column(Int32Array);
  /** 0 where the last child is the first. */
  readonly #lastChildren = new Column(Int32Array);
  /** 0 for a last child. */
  readonly #nextSiblings = new Column(Int32Array);
  /**
   * Some node above: the parents as they were before cycles were cut, but shortened by every search for a top. 0 for the parent as it is, or for the
   * node itself at the top.
   */
  readonly #shortcuts = new Column(Int32Array);

  /** How many nodes there are. */
  get size(): number {
    return this.#size;
  }

  /** How many nodes have no children. */
  get leafCount(): number {
    return this.#size - this.#parentCount;
  }

  /** Adds the next node below an earlier one, or as a root. Returns its number. */
  add(parent: number): number {
    const node = this.#size++;
    if (node === this.#parents.capacity) this.#grow();
    this.#parents.set(node, NO_NODE);
    if (parent !== NO_NODE) this.#appendChild(parent, node);
    return node;
  }

  /**
   * Hangs older roots, given in order, below the newest node. One of them may be the top of the tree that the newest node stands in. That
   * link closes a cycle, which is cut above its oldest node: returns that node, now a root, or -1 when there was no cycle.
   *
   * All calls together take near linear time: a node is in one cycle at most, and so are the siblings that a cut looks at.
   */
  adopt(newest: number, roots: number[]): number {
    const top = this.#topOf(newest);
    let cut = NO_NODE;
    for (const root of roots) {
      if (root === top) cut = this.#closeCycle(newest, top);
      else this.#appendChild(newest, root);
    }
    return cut;
  }

  /** The parent of a node; -1 for a root. Following it always ends. */
  parentOf(node: number): number {
    return this.#parents.get(node);
  }

  isRoot(node: number): boolean {
    return this.#parents.get(node) === NO_NODE;
  }

  isLeaf(node: number): boolean {
    return this.#firstChildren.get(node) === 0;
  }

  /** The children of a node, in order. */
  childrenOf(node: number): number[] {
    const children: number[] = [];
    let child = this.#firstChildren.get(node) - 1;
    while (child !== NO_NODE) {
      children.push(child);
      child = this.#nextSiblings.get(child) - 1;
    }
    return children;
  }

  /** The nodes from a root down to a node. */
  pathTo(node: number): Int32Array {
    let length = 0;
    for (let step = node; step !== NO_NODE; step = this.#parents.get(step)) length++;
    const path = new Int32Array(length);
    for (let step = node; step !== NO_NODE; step = this.#parents.get(step)) path[--length] = step;
    return path;
  }

  #appendChild(parent: number, child: number): void {
    if (this.isLeaf(parent)) {
      this.#firstChildren.set(parent, child + 1);
      this.#parentCount++;
    } else {
      this.#nextSiblings.set(this.#lastChildOf(parent), child + 1);
      this.#lastChildren.set(parent, child + 1);
    }
    this.#parents.set(child, parent);
  }

  #lastChildOf(parent: number): number {
    return (this.#lastChildren.get(parent) || this.#firstChildren.get(parent)) - 1;
  }

  /** Makes a child a root again. Walks along its older siblings. */
  #removeChild(child: number): void {
    const parent = this.#parents.get(child);
    const next = this.#nextSiblings.get(child);
    const last = this.#lastChildOf(parent);
    let older = NO_NODE;
    let sibling = this.#firstChildren.get(parent) - 1;
    while (sibling !== child) {
      older = sibling;
      sibling = this.#nextSiblings.get(sibling) - 1;
    }
    if (older === NO_NODE) this.#firstChildren.set(parent, next);
    else this.#nextSiblings.set(older, next);
    this.#lastChildren.set(parent, (last === child ? older : last) + 1);
    this.#nextSiblings.set(child, 0);
    if (this.isLeaf(parent)) this.#parentCount--;
    this.#parents.set(child, NO_NODE);
  }

  /** Links the top of a tree below a node of that tree, and cuts the cycle above its oldest node, which is returned. */
  #closeCycle(node: number, top: number): number {
    let oldest = top;
    for (let step = node; step !== top; step = this.#parents.get(step)) oldest = Math.min(oldest, step);
    if (oldest !== top) {
      this.#removeChild(oldest);
      this.#appendChild(node, top);
      // The ways up end here as they did before, or at `oldest`. Neither waits for a parent any more, so no second cycle can be closed in this tree.
      this.#shortcuts.set(top, top + 1);
    }
    return oldest;
  }

  /** The top of a node's tree; halves the way there, so that many searches together stay near linear. */
  #topOf(node: number): number {
    let step = node;
    let above = this.#above(step);
    while (above !== step) {
      const next = this.#above(above);
      this.#shortcuts.set(step, next + 1);
      step = next;
      above = this.#above(step);
    }
    return step;
  }

  /** Some node above, or the node itself at the top. */
  #above(node: number): number {
    const shortcut = this.#shortcuts.get(node) - 1;
    if (shortcut !== NO_NODE) return shortcut;
    const parent = this.#parents.get(node);
    return parent === NO_NODE ? node : parent;
  }

  #grow(): void {
    for (const column of [
      this.#parents,
      this.#firstChildren,
      this.#lastChildren,
      this.#nextSiblings,
      this.#shortcuts,
    ]) {
      column.grow();
    }
  }
}
