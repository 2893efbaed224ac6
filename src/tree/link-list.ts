import { Column } from "./column.js";
import { NO_NODE } from "./forest.js";
import { NO_HEX_ID, parseHexId } from "./id-table.js";
import type { LinkTally } from "./link-tally.js";

/** The links of a part of a file, for another thread to go on with. */
export interface LinkListPart {
  ids: Int32Array;
  parentIds: Int32Array;
  /** 1 for an entry that names a parent. */
  hasParent: Uint8Array;
}

/**
 * The ids and parent ids of one part of a file, only written down: 9 bytes an entry. `isExact` turns false for good when an id is not of 8 hex digits.
 */
export class LinkList {
  isExact = true;
  readonly #ids = new Column(Int32Array);
  readonly #parentIds = new Column(Int32Array);
  readonly #hasParent = new Column(Uint8Array);
  #size = 0;

  /** How many entries have an id. */
  get size(): number {
    return this.#size;
  }

  /** Adds the next entry, by its own id and its parent's. Returns its number in the part; -1 for an entry without id. */
  add(id: string | undefined, parentId: string | null): number {
    if (id === undefined) return NO_NODE;
    const number = this.#next();
    this.#ids.set(number, this.#bitsOf(id));
    if (parentId !== null) {
      this.#hasParent.set(number, 1);
      this.#parentIds.set(number, this.#bitsOf(parentId));
    }
    return number;
  }

  /** As `add`, of ids of 8 hex digits, by their bits. */
  addBits(id: number, hasParent: boolean, parentId: number): number {
    const number = this.#next();
    this.#ids.set(number, id | 0);
    if (hasParent) {
      this.#hasParent.set(number, 1);
      this.#parentIds.set(number, parentId | 0);
    }
    return number;
  }

  part(): LinkListPart {
    const { size } = this;
    return {
      ids: this.#ids.slice(size),
      parentIds: this.#parentIds.slice(size),
      hasParent: this.#hasParent.slice(size),
    };
  }

  #next(): number {
    const number = this.#size++;
    if (number === this.#ids.capacity) {
      this.#ids.grow();
      this.#parentIds.grow();
      this.#hasParent.grow();
    }
    return number;
  }

  #bitsOf(id: string): number {
    const bits = parseHexId(id);
    if (bits === NO_HEX_ID) this.isExact = false;
    return bits | 0;
  }
}

/** Adds the entries of a part of a file to a tally. */
export function tallyLinks(tally: LinkTally, { ids, parentIds, hasParent }: LinkListPart): void {
  for (let number = 0; number < ids.length; number++) {
    tally.addBits(ids[number]! >>> 0, hasParent[number] === 1, parentIds[number]! >>> 0);
  }
}
