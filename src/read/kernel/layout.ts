/**
 * Where the kernel keeps things in its memory: read by it (AssemblyScript) and by what calls it. Plain constants, so that both compilers take this file.
 * All addresses are in bytes.
 */

/** Levels of nesting in which members are looked for: the entry, its message, the message's usage, and the cost in that. */
export const LEVELS = 4;
/** How many keys are looked for at each level. The places of all members, one level after the other, are below `OTHER`. */
export const ENTRY_KEYS = 22;
export const MESSAGE_KEYS = 11;
export const USAGE_KEYS = 6;
export const COST_KEYS = 5;
export const IN_MESSAGE = ENTRY_KEYS;
export const IN_USAGE = IN_MESSAGE + MESSAGE_KEYS;
export const IN_COST = IN_USAGE + USAGE_KEYS;
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
export const ROLE = 0;
export const MESSAGE_TIMESTAMP = 1;
export const USAGE = 6;
export const COST = 5;

/** One i32 for each level: bit `i` is set when the object at that level has its key number `i`. */
export const MEMBERS = 0x400;
/** How deep the object nests. */
export const DEPTH = 0x410;
/** By place: where the member's value begins, and ends. */
export const STARTS = 0x440;
export const ENDS = STARTS + 4 * PLACES;

/** What a plain entry says, once it is decoded: see `PlainEntry`. */
export const FIELDS = 0x680;
export const FIELD_COUNT = 5;
export const ID_BITS = 0;
export const HAS_PARENT = 1;
export const PARENT_ID_BITS = 2;
export const IS_MESSAGE = 3;
export const ROLE_CODE = 4;

export const ROLE_OTHER = 0;
export const ROLE_USER = 1;
export const ROLE_ASSISTANT = 2;

/** Numbers of a plain entry: its time, its message's time, five of the usage and five of the cost. */
export const NUMBERS = 0x6c0;
export const TIME = 0;
export const MESSAGE_TIME = 1;
export const TOKENS = 2;
export const COSTS = 7;
export const NUMBER_COUNT = 12;

/** For each level a hash table of 256 cells: the number of a key, or -1. */
export const CELLS = 0x800;
export const CELL_COUNT = 256;
/** By place: the length of a key, and its bytes with zeros behind. */
export const KEY_LENGTHS = CELLS + LEVELS * CELL_COUNT;
export const KEY_BYTES = 0x1000;
export const KEY_SIZE = 32;

/** Where the kernel's own data may lie, and where it ends: the bytes that are scanned stand behind. */
export const STATIC_DATA = 0x2000;
export const BYTES = 0x10000;
