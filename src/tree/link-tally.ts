import { Column } from "./column.js";
import { NO_NODE } from "./forest.js";
import { formatHexId, IdTable } from "./id-table.js";

/**
 * What a list needs of a session's tree: how many leaves it has, and the parent of an entry. It takes entries in file order, as `SessionIndex` does,
 * and gives the same answers in a quarter of the memory, as long as parents stand before their children and no id stands twice. `isExact` turns false
 * for good when one does: then only a `SessionIndex` can tell.
 */
export class LinkTally {
  /** Whether the answers are those of a `SessionIndex`. */
  isExact = true;
  readonly #ids = new IdTable();
  readonly #parents = new Column(Int32Array);
  /** 1 for an entry that has a child. */
  readonly #isParent = new Column(Uint8Array);
  /** Ids that were named as parents, but had not come by then. */
  readonly #missing = new Set<string>();
  #size = 0;
  #parentCount = 0;

  /** Adds the next entry, by its own id and its parent's. Returns its number; -1 for an entry without id. */
  add(id: string | undefined, parentId: string | null): number {
    if (id === undefined) return NO_NODE;
    const parent = parentId === null ? NO_NODE : this.#ids.last(parentId);
    if (this.#ids.add(id) !== NO_NODE) this.isExact = false;
    const number = this.#insert(parent);
    if (parentId !== null && parent === NO_NODE) this.#missing.add(parentId);
    if (this.#missing.size > 0 && this.#missing.has(id)) this.isExact = false;
    return number;
  }

  /** As `add`, of ids of 8 hex digits, by their bits. */
  addBits(id: number, hasParent: boolean, parentId: number): number {
    const parent = hasParent ? this.#ids.lastBits(parentId) : NO_NODE;
    if (this.#ids.addBits(id) !== NO_NODE) this.isExact = false;
    const number = this.#insert(parent);
    if (hasParent && parent === NO_NODE) this.#missing.add(formatHexId(parentId));
    if (this.#missing.size > 0 && this.#missing.has(formatHexId(id))) this.isExact = false;
    return number;
  }

  /** How many entries have an id. */
  get size(): number {
    return this.#size;
  }

  /** How many entries have no children. */
  get branchCount(): number {
    return this.#size - this.#parentCount;
  }

  /** The id of an entry. */
  idAt(number: number): string {
    return this.#ids.idAt(number);
  }

  /** The number of an entry's parent; -1 for a root. */
  parentOf(number: number): number {
    return this.#parents.get(number);
  }

  /** The last entry with this id; -1 without one. */
  numberOf(id: string): number {
    return this.#ids.last(id);
  }

  #insert(parent: number): number {
    const number = this.#size++;
    if (number === this.#parents.capacity) {
      this.#parents.grow();
      this.#isParent.grow();
    }
    this.#parents.set(number, parent);
    if (parent !== NO_NODE) this.#noteParent(parent);
    return number;
  }

  #noteParent(parent: number): void {
    if (this.#isParent.get(parent) === 1) return;
    this.#isParent.set(parent, 1);
    this.#parentCount++;
  }
}
