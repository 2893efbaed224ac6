import type { BareEntry } from "../format/bare-entry.js";
import { isJsonObject, type JsonObject } from "../format/json.js";
import { JsonScanner } from "./json-scanner.js";
import { readHexId, readPlainTime } from "./plain-bytes.js";
import { SpanDecoder } from "./span-decoder.js";

/** The members of an entry, or a header, that are no payload: first those that a tree is made of; then what tells of calls; then the rest. */
const entryKeys = [
  "type",
  "id",
  "parentId",
  "timestamp",
  "message",
  "targetId",
  "label",
  "name",
  "firstKeptEntryId",
  "firstKeptEntryIndex",
  "version",
  "cwd",
  "parentSession",
  "branchedFrom",
  "provider",
  "modelId",
  "model",
  "thinkingLevel",
  "kind",
  "usage",
  "customType",
  "fromId",
];
const LINK_COUNT = 10;
const CALL_COUNT = 20;

/** The members of a message that are no payload: first the one that a tree shows; then what tells of calls; last the content, which is payload. */
const messageKeys = [
  "role",
  "timestamp",
  "provider",
  "model",
  "responseModel",
  "responseId",
  "usage",
  "toolName",
  "toolCallId",
  "customType",
  "content",
];

/**
 * What of an entry is wanted beside its message's role: with `"links"` only `type`, `id`, `parentId`, `timestamp`, `targetId`, `label`, `name`,
 * `firstKeptEntryId` and `firstKeptEntryIndex`; with `"calls"` also what tells of model calls, and
 * of a message that can't tell of any (of no user or assistant, and without usage) only `type`, `id` and `parentId`; else all members but payload, and the message's content
 * with `content`.
 */
export type LeanWants = "links" | "calls" | { content?: boolean };

/** The members that are wanted: their keys, and the same as bits of the scanner. */
interface Selection {
  entryKeys: readonly string[];
  messageKeys: readonly string[];
  entryMembers: number;
  messageMembers: number;
}

function selectFirst(entryCount: number, messageCount: number): Selection {
  return {
    entryKeys: entryKeys.slice(0, entryCount),
    messageKeys: messageKeys.slice(0, messageCount),
    entryMembers: (1 << entryCount) - 1,
    messageMembers: (1 << messageCount) - 1,
  };
}

const links = selectFirst(LINK_COUNT, 1);
const calls = selectFirst(CALL_COUNT, 8);
const withoutContent = selectFirst(entryKeys.length, messageKeys.length - 1);
const withContent = selectFirst(entryKeys.length, messageKeys.length);

function chooseSelection(wants: LeanWants): Selection {
  if (wants === "links") return links;
  if (wants === "calls") return calls;
  return wants.content === true ? withContent : withoutContent;
}

/**
 * The object without its payload: what `readLeanEntry` makes of its JSON. A message that is an object keeps only the wanted ones of its members; any
 * other value of a wanted member stays as it is.
 */
export function pruneEntry(entry: JsonObject, wants: LeanWants = {}): JsonObject {
  const { type, id, parentId, message } = entry;
  if (wants === "calls" && usualKeys.every((key) => Object.hasOwn(entry, key)) && isJsonObject(message)) {
    const { role } = message;
    if (!Object.hasOwn(message, "usage") && tellsOfNoCall(role)) return { type, id, parentId, message: { role } };
  }
  const selection = chooseSelection(wants);
  const lean = pickMembers(entry, selection.entryKeys);
  if (isJsonObject(lean.message)) lean.message = pickMembers(lean.message, selection.messageKeys);
  return lean;
}

/** Whether a message of this role, without usage, tells nothing of calls: neither one itself, nor when the session was active, nor its model. */
function tellsOfNoCall(role: unknown): boolean {
  return typeof role === "string" && role !== "user" && role !== "assistant";
}

function pickMembers(object: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => Object.hasOwn(object, key)).map((key) => [key, object[key]]));
}

// Places of the scanner: those of the entry's members, then those of the message's.
const TYPE = 0;
const ID = 1;
const PARENT_ID = 2;
const TIMESTAMP = 3;
const MESSAGE = 4;
const IN_MESSAGE = entryKeys.length;

/** Nearly every entry has the first five members; here as bits. */
const usualKeys = entryKeys.slice(0, 5);
const USUAL_MEMBERS = 0b11111;

// The same of the message's members.
const ROLE_BIT = 1 << messageKeys.indexOf("role");
const USAGE_BIT = 1 << messageKeys.indexOf("usage");

const MESSAGE_BIT = 1 << MESSAGE;
const LINK_MEMBERS = (1 << LINK_COUNT) - 1;

const LOWER_N = 0x6e;
const OPEN_BRACE = 0x7b;

const scanner = new JsonScanner(entryKeys, "message", messageKeys);
const decoder = new SpanDecoder();

/**
 * The entry that stands in `bytes` from `start` up to `end`, without its payload: equal to `pruneEntry(JSON.parse(…), wants)` of the same bytes decoded
 * as UTF-8, but several times sooner, as only the wanted members are made; the others are checked for being JSON. It need not have a `type`.
 * Undefined when the bytes are anything but one whole JSON object, white space around it allowed; never throws for what they hold, however broken.
 *
 * The entry is the caller's own and refers to no bytes; the bytes themselves are referred to until others are read.
 */
export function readLeanEntry(
  bytes: Buffer,
  start: number,
  end: number,
  wants: LeanWants = {},
): JsonObject | undefined {
  return scanner.scan(bytes, start, end) ? makeLeanEntry(bytes, wants) : undefined;
}

/**
 * As `readLeanEntry` with `"links"` or `"calls"`, but an entry that is written plainly, and says nothing beyond what a `BareEntry` holds, is told in
 * `bare`, which is returned then: that makes no object at all.
 */
export function readBareOrLeanEntry(
  bytes: Buffer,
  start: number,
  end: number,
  wants: "links" | "calls",
  bare: BareEntry,
): JsonObject | BareEntry | undefined {
  if (!scanner.scan(bytes, start, end)) return undefined;
  return fillBare(bytes, wants, bare) ? bare : makeLeanEntry(bytes, wants);
}

function fillBare(bytes: Buffer, wants: "links" | "calls", bare: BareEntry): boolean {
  const { starts, ends, members, innerMembers } = scanner;
  if ((members & LINK_MEMBERS) !== (USUAL_MEMBERS & ~MESSAGE_BIT) && (members & LINK_MEMBERS) !== USUAL_MEMBERS)
    return false;
  const id = readHexId(bytes, starts[ID]!, ends[ID]!);
  const parent = starts[PARENT_ID]!;
  bare.hasParent = bytes[parent] !== LOWER_N;
  const parentId = bare.hasParent ? readHexId(bytes, parent, ends[PARENT_ID]!) : 0;
  const time = readPlainTime(bytes, starts[TIMESTAMP]!, ends[TIMESTAMP]!);
  if (id < 0 || parentId < 0 || Number.isNaN(time)) return false;
  const type = readMember(bytes, TYPE);
  if (typeof type !== "string" || type === "session") return false;
  bare.role = undefined;
  // Entries of other types may have a member of this name, too; it is no message then.
  if (type === "message" && (members & MESSAGE_BIT) !== 0) {
    if (bytes[starts[MESSAGE]!] !== OPEN_BRACE || (innerMembers & ROLE_BIT) === 0) return false;
    const role = readMember(bytes, IN_MESSAGE);
    if (typeof role !== "string") return false;
    bare.role = role;
  }
  // Usage may stand in entries of other types, too, and theirs may tell of a model.
  if (wants === "calls" && (type !== "message" || (innerMembers & USAGE_BIT) !== 0 || !tellsOfNoCall(bare.role)))
    return false;
  bare.type = type;
  bare.idBits = id;
  bare.parentIdBits = parentId;
  bare.time = time;
  return true;
}

/** The lean entry of the object that was scanned. */
function makeLeanEntry(bytes: Buffer, wants: LeanWants): JsonObject {
  if (wants === "calls") {
    const bare = readBare(bytes);
    if (bare) return bare;
  }
  const selection = chooseSelection(wants);
  let members = scanner.members & selection.entryMembers;
  let entry: JsonObject = {};
  if ((members & USUAL_MEMBERS) === USUAL_MEMBERS) {
    // Made in one piece, an object costs less than member by member.
    entry = {
      type: readMember(bytes, TYPE),
      id: readMember(bytes, ID),
      parentId: readMember(bytes, PARENT_ID),
      timestamp: readMember(bytes, TIMESTAMP),
      message: readMessage(bytes, selection),
    };
    members &= ~USUAL_MEMBERS;
  }
  for (; members !== 0; members &= members - 1) {
    const member = lowestBit(members);
    entry[entryKeys[member]!] = member === MESSAGE ? readMessage(bytes, selection) : readMember(bytes, member);
  }
  return entry;
}

/** The entry that was scanned, if it tells of no call: most bytes of a session are in such. */
function readBare(bytes: Buffer): JsonObject | undefined {
  const isUsual = (scanner.members & USUAL_MEMBERS) === USUAL_MEMBERS && bytes[scanner.starts[MESSAGE]!] === OPEN_BRACE;
  if (!isUsual || (scanner.innerMembers & (ROLE_BIT | USAGE_BIT)) !== ROLE_BIT) return undefined;
  const role = readMember(bytes, IN_MESSAGE);
  if (!tellsOfNoCall(role)) return undefined;
  return {
    type: readMember(bytes, TYPE),
    id: readMember(bytes, ID),
    parentId: readMember(bytes, PARENT_ID),
    message: { role },
  };
}

function readMessage(bytes: Buffer, selection: Selection): unknown {
  if (bytes[scanner.starts[MESSAGE]!] !== OPEN_BRACE) return readMember(bytes, MESSAGE);
  const message: JsonObject = {};
  for (let members = scanner.innerMembers & selection.messageMembers; members !== 0; members &= members - 1) {
    const member = lowestBit(members);
    message[messageKeys[member]!] = readMember(bytes, IN_MESSAGE + member);
  }
  return message;
}

function readMember(bytes: Buffer, place: number): unknown {
  return decoder.decode(bytes, scanner.starts[place]!, scanner.ends[place]!);
}

/** The number of the lowest bit that is set. */
function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
