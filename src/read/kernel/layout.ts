/**
 * Where the kernel keeps things in its memory: read by it (AssemblyScript) and by what calls it. Plain constants, so that both compilers take this file.
 * All addresses are in bytes.
 */

/** Levels of nesting in which members are looked for: the entry, its message, the message's usage, and the cost in that. */
export const LEVELS = 4;
/** Behind their keys come, as if at a fifth level, the types of entries that can be told without a look at their payload. */
export const TYPE_LEVEL = 4;
/** How many keys are looked for at each level. The places of all members, one level after the other, are below `OTHER`. */
export const ENTRY_KEYS = 22;
export const MESSAGE_KEYS = 11;
export const USAGE_KEYS = 6;
export const COST_KEYS = 5;
export const PLAIN_TYPES = 10;
export const IN_MESSAGE = ENTRY_KEYS;
export const IN_USAGE = IN_MESSAGE + MESSAGE_KEYS;
export const IN_COST = IN_USAGE + USAGE_KEYS;
export const IN_TYPES = IN_COST + COST_KEYS;
/** The place of all members that are not looked for. */
export const OTHER = 63;
export const PLACES = 64;

// Places and numbers of keys that the kernel itself must know.
export const TYPE = 0;
export const ID = 1;
export const PARENT_ID = 2;
export const TIMESTAMP = 3;
export const MESSAGE = 4;
/** How many keys a tree is made of; they come first. */
export const LINK_KEYS = 10;
export const ENTRY_PROVIDER = 14;
export const ENTRY_MODEL_ID = 15;
export const ENTRY_USAGE = 19;
export const ROLE = 0;
export const MESSAGE_TIMESTAMP = 1;
export const USAGE = 6;
export const COST = 5;
export const TYPE_MESSAGE = 0;
export const TYPE_MODEL_CHANGE = 1;
export const TYPE_COMPACTION = 8;
export const TYPE_BRANCH_SUMMARY = 9;

/** One i32 for each level: bit `i` is set when the object at that level has its key number `i`. */
export const MEMBERS = 0x400;
/** How deep the object nests. */
export const DEPTH = 0x410;
/** By place: where the member's value begins, and ends. */
export const STARTS = 0x440;
export const ENDS = STARTS + 4 * PLACES;

/** For each level a hash table of 256 cells: the number of a key, or -1. */
export const CELLS = 0x800;
export const CELL_COUNT = 256;
/** By place: the length of a key, and its bytes with zeros behind. */
export const KEY_LENGTHS = CELLS + (LEVELS + 1) * CELL_COUNT;
export const KEY_BYTES = 0x1000;
export const KEY_SIZE = 32;

/** Where a run of plain lines ended: the first byte that was not taken. */
export const RUN_END = 0x420;

/** Where the kernel's own data lies. */
export const STATIC_DATA = 0x2000;

/**
 * Plain entries, once they are decoded, one record after the other. A record is of `RECORD_FIELDS` i32, the last of which are where strings begin and end,
 * 0 and 0 for one that is missing, and then of `RECORD_NUMBERS` f64.
 */
export const RECORDS = 0x3000;
export const MAX_RECORDS = 290;
export const RECORD_FIELDS = 20;
export const RECORD_NUMBERS = 12;
export const RECORD_SIZE = 4 * RECORD_FIELDS + 8 * RECORD_NUMBERS;

// Fields: where the entry begins and ends, and what it says.
export const START = 0;
export const END = 1;
export const ID_BITS = 2;
export const HAS_PARENT = 3;
export const PARENT_ID_BITS = 4;
/** One of the types by its number; -1 for another. */
export const TYPE_CODE = 5;
export const ROLE_CODE = 6;
export const HAS_USAGE = 7;
/** Whether provider and models are spelled as in the last record with usage of the same run. */
export const IS_SAME_MODEL = 18;
/** Of an entry in a tally: its number in the tree. */
export const NUMBER = 19;
/** Provider, model, model of the response, id of the response, and the tool. */
export const SPANS = 8;
export const SPAN_COUNT = 5;
/** Their keys in a message; `TOOL_NAME` is that of the last. */
export const FIRST_SPAN_KEY = 2;
export const TOOL_NAME = 7;

export const NO_ROLE = -1;
export const ROLE_OTHER = 0;
export const ROLE_USER = 1;
export const ROLE_ASSISTANT = 2;
export const ROLE_TOOL_RESULT = 3;

// What is wanted of plain entries, as bits: what tells of calls, not only links; to leave user messages to others; ids are still to be made.
export const WANTS_CALLS = 1;
export const LEAVES_USERS = 2;
export const LACKS_IDS = 4;
// Of lines that are tallied: a record of each call, its fingerprint, its numbers.
export const WANTS_RECORDS = 8;
export const WANTS_FINGERPRINTS = 16;
export const WANTS_NUMBERS = 32;

// Numbers: the entry's time, its message's time, five of the usage and five of the cost.
export const TIME = 0;
export const MESSAGE_TIME = 1;
export const TOKENS = 2;
export const COSTS = 7;

/**
 * A tally follows the tree of one session, entry by entry: by number the bits of an entry's id, its parent's number or -1, the code of the model that it sets or
 * 0, and whether it has a child; and a hash table of the numbers plus one, by id. Such a tree has this many entries at most.
 */
export const TALLY_ENTRIES = 1 << 15;
export const TALLY_IDS = 0x10000;
export const TALLY_PARENTS = TALLY_IDS + 4 * TALLY_ENTRIES;
export const TALLY_MODELS = TALLY_PARENTS + 4 * TALLY_ENTRIES;
export const TALLY_IS_PARENT = TALLY_MODELS + 4 * TALLY_ENTRIES;
export const TALLY_SLOTS = TALLY_IS_PARENT + TALLY_ENTRIES;
export const MIN_SLOT_BITS = 8;
export const MAX_SLOT_BITS = 16;
/** Ids that were named as parents, but had not come by then. */
export const MISSING = TALLY_SLOTS + (4 << MAX_SLOT_BITS);
export const MAX_MISSING = 64;

/** By call of a run: four words (see `CallFingerprints`). */
export const FINGERPRINTS = MISSING + 4 * MAX_MISSING;
export const FINGERPRINT_SIZE = 16;

/**
 * Models that are known, of all sessions: how provider, model and model of the response are spelled, the length of each and its bytes; the code of the model, and
 * the two words of its hash; and whether this session has a call of it.
 */
export const MAX_MODELS = 64;
export const MODEL_SPANS = 3;
export const MODEL_SPAN_SIZE = 128;
export const MODEL_TEXTS = FINGERPRINTS + FINGERPRINT_SIZE * MAX_RECORDS;
export const MODEL_CODES = MODEL_TEXTS + MODEL_SPANS * MODEL_SPAN_SIZE * MAX_MODELS;
export const MODEL_HASHES = MODEL_CODES + 4 * MAX_MODELS;
export const MODEL_IS_USED = MODEL_HASHES + 8 * MAX_MODELS;

/**
 * What the lines of a run come to, as i32: how many calls, how many messages, whether a record follows that is left to the caller, how many models came by that
 * the session had not used before; and of each of these its code, and which call of the run it was.
 */
export const RUN = MODEL_IS_USED + MAX_MODELS;
export const RUN_CALLS = 0;
export const RUN_MESSAGES = 1;
export const RUN_HAS_REST = 2;
export const RUN_NEW_MODELS = 3;
export const RUN_FIRST_USES = 4;
export const RUN_WORDS = RUN_FIRST_USES + 2 * MAX_MODELS;
/** And as f64: the time of the last user's or assistant's message, and sums as in `UsageSum`: seven numbers, and what rounding took from them. */
export const RUN_NUMBERS = RUN + 4 * RUN_WORDS;
export const RUN_ACTIVITY = 0;
export const RUN_SUMS = 1;
export const RUN_LOST = 8;
export const SUM_COUNT = 7;
export const RUN_NUMBER_COUNT = 15;

/** By call of a run, where they are wanted: the time and the six numbers of its usage, as in `KeptCalls`; and the code of its model. */
export const CALL_NUMBERS = RUN_NUMBERS + 8 * RUN_NUMBER_COUNT;
export const CALL_NUMBER_COUNT = 7;
export const CALL_MODELS = CALL_NUMBERS + 8 * CALL_NUMBER_COUNT * MAX_RECORDS;

/** The bytes that are scanned stand behind all that. */
export const BYTES = 0xd0000;
