import type { BareEntry } from "../format/bare-entry.js";
import { isJsonObject, type JsonObject } from "../format/json.js";
import { CALL_COUNT, entryKeys, LINK_COUNT, messageKeys } from "./entry-keys.js";
import { NO_OBJECT, OBJECT_WITH_ESCAPED_KEYS, scanner } from "./json-scanner.js";
import { ID, IN_MESSAGE, MESSAGE, PARENT_ID, ROLE, TIMESTAMP, TYPE, WANTS_CALLS } from "./kernel/layout.js";
import { fillBare } from "./plain-entry.js";
import { decoder } from "./span-decoder.js";

/**
 * What of an entry is wanted beside its message's role: with `"links"` only `type`, `id`, `parentId`, `timestamp`, `targetId`, `label`, `name`,
 * `firstKeptEntryId` and `firstKeptEntryIndex`; with `"calls"` also what tells of model calls, and
 * of a message that can't tell of any (of no user or assistant, and without usage) only `type`, `id` and `parentId`; else all members but payload, and the message's content
 * with `content`. `"texts"` is the same with content, for whoever wants the calls and, of users only, their texts.
 */
export type LeanWants = "links" | "calls" | "texts" | { content?: boolean };

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
  return wants === "texts" || wants.content === true ? withContent : withoutContent;
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

/** Nearly every entry has the first five members; here as bits. */
const usualKeys = entryKeys.slice(0, 5);
const USUAL_MEMBERS = 0b11111;

// The same of the message's members.
const ROLE_BIT = 1 << messageKeys.indexOf("role");
const USAGE_BIT = 1 << messageKeys.indexOf("usage");

const OPEN_BRACE = 0x7b;

/**
 * The entry that stands in `bytes` from `start` up to `end`, without its payload: equal to `pruneEntry(JSON.parse(…), wants)` of the same bytes decoded
 * as UTF-8, but several times sooner, as only the wanted members are made; the others are checked for being JSON. It need not have a `type`.
 * Undefined when the bytes are anything but one whole JSON object in a line, white space around it allowed; never throws for what they hold, however broken.
 *
 * The entry is the caller's own and refers to no bytes.
 */
export function readLeanEntry(
  bytes: Buffer,
  start: number,
  end: number,
  wants: LeanWants = {},
): JsonObject | undefined {
  const found = scanner.scan(bytes, start, end);
  if (found === NO_OBJECT) return undefined;
  if (found === OBJECT_WITH_ESCAPED_KEYS) return parseLeanEntry(bytes, start, end, wants);
  return makeLeanEntry(wants);
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
  const found = scanner.scan(bytes, start, end);
  if (found === NO_OBJECT) return undefined;
  if (found === OBJECT_WITH_ESCAPED_KEYS) return parseLeanEntry(bytes, start, end, wants);
  return scanner.found.run.decodePlain(wants === "calls" ? WANTS_CALLS : 0) && fillBare(bare)
    ? bare
    : makeLeanEntry(wants);
}

function parseLeanEntry(bytes: Buffer, start: number, end: number, wants: LeanWants): JsonObject {
  return pruneEntry(JSON.parse(bytes.toString("utf8", start, end)) as JsonObject, wants);
}

/** The lean entry of the object that was scanned. */
function makeLeanEntry(wants: LeanWants): JsonObject {
  if (wants === "calls") {
    const bare = readBare();
    if (bare) return bare;
  }
  const selection = chooseSelection(wants);
  let members = scanner.found.members[0]! & selection.entryMembers;
  let entry: JsonObject = {};
  if ((members & USUAL_MEMBERS) === USUAL_MEMBERS) {
    // Made in one piece, an object costs less than member by member.
    entry = {
      type: readMember(TYPE),
      id: readMember(ID),
      parentId: readMember(PARENT_ID),
      timestamp: readMember(TIMESTAMP),
      message: readMessage(selection),
    };
    members &= ~USUAL_MEMBERS;
  }
  for (; members !== 0; members &= members - 1) {
    const member = lowestBit(members);
    entry[entryKeys[member]!] = member === MESSAGE ? readMessage(selection) : readMember(member);
  }
  return entry;
}

/** The entry that was scanned, if it tells of no call: most bytes of a session are in such. */
function readBare(): JsonObject | undefined {
  const [members, innerMembers] = scanner.found.members as unknown as [number, number];
  if ((members & USUAL_MEMBERS) !== USUAL_MEMBERS || !isMessageObject()) return undefined;
  if ((innerMembers & (ROLE_BIT | USAGE_BIT)) !== ROLE_BIT) return undefined;
  const role = readMember(IN_MESSAGE + ROLE);
  if (!tellsOfNoCall(role)) return undefined;
  return {
    type: readMember(TYPE),
    id: readMember(ID),
    parentId: readMember(PARENT_ID),
    message: { role },
  };
}

function readMessage(selection: Selection): unknown {
  if (!isMessageObject()) return readMember(MESSAGE);
  const message: JsonObject = {};
  for (let members = scanner.found.members[1]! & selection.messageMembers; members !== 0; members &= members - 1) {
    const member = lowestBit(members);
    message[messageKeys[member]!] = readMember(IN_MESSAGE + member);
  }
  return message;
}

function readMember(place: number): unknown {
  const { bytes, starts, ends } = scanner.found;
  return decoder.decode(bytes, starts[place]!, ends[place]!);
}

function isMessageObject(): boolean {
  const { bytes, starts } = scanner.found;
  return bytes[starts[MESSAGE]!] === OPEN_BRACE;
}

/** The number of the lowest bit that is set. */
function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}
