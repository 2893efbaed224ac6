import type { Column } from "../tree/column.js";
import { ENTRY_HASH, FINGERPRINT_WORDS, NUMBERS_HASH } from "./call-fingerprint.js";
import { FingerprintTable } from "./fingerprint-table.js";

/** A mark on a call: an older file of its lineage holds it. */
export const IS_COPY = 1;
/** A mark on the first call of an entry hash: some file of the lineage owns that entry. */
const IS_OWNED = 2;

/** In place of a kind: the call has no time, so it is like no other. */
const NO_KIND = -1;

/** All calls of a store, and what is known of them. */
export interface KnownCalls {
  /** By file number: its first call; after the last file, the number of calls. */
  starts: Int32Array;
  /** By call: its fingerprint. */
  words: Column<Int32Array>;
  /** Finds calls by entry hash. */
  entries: FingerprintTable;
  /** By call: what it is marked with. */
  marks: Uint8Array;
}

/**
 * Marks the calls of a lineage that are copies. `files` are its files, oldest first. A call is a copy when an older file owns its entry. Of the
 * others, calls of one kind (the same numbers hash) are as many as the file with most of them holds: while a file holds no more of them than are known, they
 * are copies; of those above that, the last ones are the file's own, since copies stand in front.
 *
 * The words of the lineage's numbers hashes are used up. Takes linear time. Memory: a table of the lineage's calls, 5.3 to 10.7 bytes each.
 */
export function markCopies(files: Int32Array, calls: KnownCalls): void {
  const { starts, words, entries, marks } = calls;
  const kinds = new CallKinds(files, calls);
  for (const file of files) {
    const start = starts[file]!;
    const end = starts[file + 1]!;
    for (let call = start; call < end; call++) kinds.count(call, -1);
    for (let call = end - 1; call >= start; call--) {
      const isEntry = words.get(call * FINGERPRINT_WORDS + ENTRY_HASH + 1) !== 0;
      const entry = isEntry ? entries.first(call) : call;
      if ((marks[entry]! & IS_OWNED) !== 0 || !kinds.isNew(call)) {
        marks[call]! |= IS_COPY;
      } else {
        marks[entry]! |= IS_OWNED;
        kinds.count(call, 1);
      }
    }
    for (let call = start; call < end; call++) kinds.count(call, 1);
  }
}

/**
 * The kinds of calls in a lineage, with a tally each: how many calls of the kind are known to be different ones, less how many the file that is looked at
 * holds. There can be as many kinds as calls, so they take no room of their own. Of the two words of a call's numbers hash, which only the
 * first call of a kind is still needed for while kinds are told apart, the first becomes the kind (the number of that call), the second, there, the tally.
 */
class CallKinds {
  readonly #words: Column<Int32Array>;

  constructor(files: Int32Array, { starts, words }: KnownCalls) {
    this.#words = words;
    let size = 0;
    for (const file of files) size += starts[file + 1]! - starts[file]!;
    const table = new FingerprintTable(words, NUMBERS_HASH, size);
    for (const file of files) {
      for (let call = starts[file]!; call < starts[file + 1]!; call++) {
        const first = this.#second(call) === 0 ? NO_KIND : table.put(call);
        if (first !== call) this.#set(call, first, 0);
      }
    }
    for (const file of files) {
      for (let call = starts[file]!; call < starts[file + 1]!; call++) {
        const isFirst = this.#second(call) !== 0;
        if (isFirst) this.#set(call, call, 0);
      }
    }
  }

  /** Whether the file that is looked at holds more calls of this kind than are known. */
  isNew(call: number): boolean {
    const kind = this.#kind(call);
    return kind === NO_KIND || this.#second(kind) < 0;
  }

  /** Adds to the tally of a call's kind. */
  count(call: number, change: number): void {
    const kind = this.#kind(call);
    if (kind !== NO_KIND) this.#words.set(wordsOf(kind) + 1, this.#second(kind) + change);
  }

  #kind(call: number): number {
    return this.#words.get(wordsOf(call));
  }

  #second(call: number): number {
    return this.#words.get(wordsOf(call) + 1);
  }

  #set(call: number, first: number, second: number): void {
    this.#words.set(wordsOf(call), first);
    this.#words.set(wordsOf(call) + 1, second);
  }
}

/** Where the words of a call's numbers hash begin. */
function wordsOf(call: number): number {
  return call * FINGERPRINT_WORDS + NUMBERS_HASH;
}
