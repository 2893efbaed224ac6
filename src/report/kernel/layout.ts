/**
 * Where the ledger's kernel keeps things in its memory: read by it (AssemblyScript) and by what calls it. All addresses are in bytes. What stands behind the
 * fingerprints is laid out by the caller, once it is known how many there are.
 */

/** A fingerprint of a call: two hashes of two words each. The second word of a hash is 0 only where there is nothing to hash, and then so is the first. */
export const FINGERPRINT_WORDS = 4;
/** Where the hash of entry id and entry time begins: calls with the same one are copies of one entry. */
export const ENTRY_HASH = 0;
/** Where the hash of time, model and usage begins: calls with the same one are alike in all that counts. */
export const NUMBERS_HASH = 2;

/** Pairs of files that share a call. */
export const PAIRS = 0x400;
export const MAX_PAIRS = 896;

/** The fingerprints of all calls. */
export const WORDS = 0x2000;

/** A mark on a call: an older file of its lineage holds it. */
export const IS_COPY = 1;
/** A mark on the first call of an entry hash: some file of the lineage owns that entry. */
export const IS_OWNED = 2;

/** How many bits of a slot are for the call. The others are the lowest of its hash, so that most calls with another hash are told without a look at it. */
export const CALL_BITS = 28;
