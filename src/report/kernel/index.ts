/**
 * The inner loops of the ledger, in AssemblyScript: they run once, over every call of a store, and would be done before JavaScript is compiled for them.
 * Nothing here allocates; see `layout.ts` and `CallLedger`.
 */
import {
  CALL_BITS,
  ENTRY_HASH,
  FINGERPRINT_WORDS,
  IS_COPY,
  IS_OWNED,
  MAX_PAIRS,
  NUMBERS_HASH,
  PAIRS,
  WORDS,
} from "./layout";

const CALL_MASK: u32 = (1 << CALL_BITS) - 1;

/** In place of a kind: the call has no time, so it is like no other. */
const NO_KIND: u32 = 0xffffffff;

/** The table that is looked into: of open addressing, three quarters full at most. A slot holds a call plus one (0 is free) and bits of its hash. */
let slots: u32 = 0;
let slotBits: u32 = 0;
/** Which hash of a fingerprint it is a table of. */
let hash: u32 = 0;

/** Odd, and drawn anew for each ledger: no files can be made whose different hashes all crowd in one place. */
let firstMultiplier: u32 = 1;
let secondMultiplier: u32 = 1;

/** By file: its first call; after the last file, the number of calls. */
let starts: u32 = 0;
let fileCount: u32 = 0;
/** By call: what it is marked with. */
let marks: u32 = 0;

/** The table of entry hashes. */
let entrySlots: u32 = 0;
let entrySlotBits: u32 = 0;

/** How far `findShared` has come. */
let nextCall: u32 = 0;
let nextFile: u32 = 0;

/** Begins, with places that are all zeros but for `newStarts`. */
export function setUp(
  newStarts: u32,
  newFileCount: u32,
  newMarks: u32,
  newEntrySlots: u32,
  newEntrySlotBits: u32,
  newFirstMultiplier: u32,
  newSecondMultiplier: u32,
): void {
  starts = newStarts;
  fileCount = newFileCount;
  marks = newMarks;
  entrySlots = newEntrySlots;
  entrySlotBits = newEntrySlotBits;
  firstMultiplier = newFirstMultiplier;
  secondMultiplier = newSecondMultiplier;
  nextCall = 0;
  nextFile = 0;
}

/** Finds calls whose entry hash stands in an earlier file, too, and puts pairs of such files at `PAIRS`. Returns how many; 0 once all calls were looked at. */
export function findShared(): i32 {
  useEntries();
  const end = load<u32>(starts + (fileCount << 2));
  let pairs = 0;
  let lastFile: u32 = 0;
  let lastOther: u32 = 0;
  for (; nextCall < end && pairs < MAX_PAIRS; nextCall++) {
    while (load<u32>(starts + ((nextFile + 1) << 2)) <= nextCall) nextFile++;
    if (!hasHash(nextCall)) continue;
    const first = put(nextCall);
    if (first >= load<u32>(starts + (nextFile << 2))) continue;
    const other = fileOf(first);
    if (pairs > 0 && nextFile === lastFile && other === lastOther) continue;
    lastFile = nextFile;
    lastOther = other;
    store<u32>(PAIRS + (pairs << 3), nextFile);
    store<u32>(PAIRS + (pairs << 3) + 4, other);
    pairs++;
  }
  return pairs;
}

/** The file that a call stands in: the last one that does not start behind it. */
function fileOf(call: u32): u32 {
  let low: u32 = 0;
  let high = fileCount;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (load<u32>(starts + (middle << 2)) <= call) low = middle;
    else high = middle;
  }
  return low;
}

/**
 * Marks the calls of a lineage that are copies: `files` is where the numbers of its files stand, oldest first; `kindSlots` are zeros, a table with room for all
 * their calls. A call is a copy when an older file owns its entry. Of the others, calls of one kind (the same numbers hash) are as many as the file with most of
 * them holds: while a file holds no more of them than are known, they are copies; of those above that, the last ones are the file's own, since copies stand in
 * front.
 *
 * The words of the lineage's numbers hashes are used up. Takes linear time.
 */
export function markCopies(files: u32, count: u32, kindSlots: u32, kindSlotBits: u32): void {
  useKinds(kindSlots, kindSlotBits);
  findKinds(files, count);
  useEntries();
  for (let at: u32 = 0; at < count; at++) {
    const file = load<u32>(files + (at << 2));
    const start = load<u32>(starts + (file << 2));
    const end = load<u32>(starts + (file << 2) + 4);
    for (let call = start; call < end; call++) addToKind(call, -1);
    for (let call = end; call-- > start; ) {
      const entry = hasHash(call) ? (load<u32>(slotOf(call)) & CALL_MASK) - 1 : call;
      if ((load<u8>(marks + entry) & IS_OWNED) !== 0 || !isNew(call)) {
        store<u8>(marks + call, load<u8>(marks + call) | IS_COPY);
      } else {
        store<u8>(marks + entry, load<u8>(marks + entry) | IS_OWNED);
        addToKind(call, 1);
      }
    }
    for (let call = start; call < end; call++) addToKind(call, 1);
  }
}

/**
 * Tells the kinds of a lineage's calls, with a tally each: how many calls of the kind are known to be different ones, less how many the file that is looked at
 * holds. There can be as many kinds as calls, so they take no room of their own. Of the two words of a call's numbers hash, which only the first call of a kind
 * is still needed for while kinds are told apart, the first becomes the kind (the number of that call), the second, there, the tally.
 */
function findKinds(files: u32, count: u32): void {
  for (let at: u32 = 0; at < count; at++) {
    const file = load<u32>(files + (at << 2));
    const end = load<u32>(starts + (file << 2) + 4);
    for (let call = load<u32>(starts + (file << 2)); call < end; call++) {
      const first = hasHash(call) ? put(call) : NO_KIND;
      if (first !== call) setKind(call, first);
    }
  }
  for (let at: u32 = 0; at < count; at++) {
    const file = load<u32>(files + (at << 2));
    const end = load<u32>(starts + (file << 2) + 4);
    for (let call = load<u32>(starts + (file << 2)); call < end; call++) if (hasHash(call)) setKind(call, call);
  }
}

function setKind(call: u32, kind: u32): void {
  store<u32>(hashOf(call, NUMBERS_HASH), kind);
  store<u32>(hashOf(call, NUMBERS_HASH) + 4, 0);
}

/** Whether the file that is looked at holds more calls of this kind than are known. */
function isNew(call: u32): bool {
  const kind = load<u32>(hashOf(call, NUMBERS_HASH));
  return kind === NO_KIND || load<i32>(hashOf(kind, NUMBERS_HASH) + 4) < 0;
}

/** Adds to the tally of a call's kind. */
function addToKind(call: u32, change: i32): void {
  const kind = load<u32>(hashOf(call, NUMBERS_HASH));
  if (kind === NO_KIND) return;
  const tally = hashOf(kind, NUMBERS_HASH) + 4;
  store<i32>(tally, load<i32>(tally) + change);
}

function useEntries(): void {
  slots = entrySlots;
  slotBits = entrySlotBits;
  hash = ENTRY_HASH;
}

function useKinds(kindSlots: u32, kindSlotBits: u32): void {
  slots = kindSlots;
  slotBits = kindSlotBits;
  hash = NUMBERS_HASH;
}

/** Where a hash of a call stands. */
function hashOf(call: u32, which: u32): u32 {
  return WORDS + ((call * FINGERPRINT_WORDS + which) << 2);
}

/** Whether a call has the hash that the table is of. */
function hasHash(call: u32): bool {
  return load<u32>(hashOf(call, hash) + 4) !== 0;
}

/** Puts in a call. Returns the first one that was put in with this hash: it itself when there was none. */
function put(call: u32): u32 {
  const slot = slotOf(call);
  const taken = load<u32>(slot);
  if (taken !== 0) return (taken & CALL_MASK) - 1;
  store<u32>(slot, (load<u32>(hashOf(call, hash) + 4) << CALL_BITS) | (call + 1));
  return call;
}

/** The slot of a call's hash, or the free one where it belongs. */
function slotOf(call: u32): u32 {
  const first = load<u32>(hashOf(call, hash));
  const second = load<u32>(hashOf(call, hash) + 4);
  const mask = ((1 as u32) << slotBits) - 1;
  let slot = (first * firstMultiplier + second * secondMultiplier) >> (32 - slotBits);
  while (true) {
    const taken = load<u32>(slots + (slot << 2));
    if (taken === 0) return slots + (slot << 2);
    if (taken >> CALL_BITS === (second << CALL_BITS) >> CALL_BITS) {
      const other = hashOf((taken & CALL_MASK) - 1, hash);
      if (load<u32>(other) === first && load<u32>(other + 4) === second) return slots + (slot << 2);
    }
    slot = (slot + 1) & mask;
  }
}
