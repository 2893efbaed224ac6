import type { BareEntry } from "../format/bare-entry.js";
import { type CallModel, readText } from "../format/model.js";
import { fillUsage } from "../format/usage.js";
import { plainTypes } from "./entry-keys.js";
import { scanner } from "./json-scanner.js";
import {
  HAS_PARENT,
  HAS_USAGE,
  ID_BITS,
  IN_MESSAGE,
  IS_SAME_MODEL,
  MESSAGE_TIME,
  NUMBER,
  PARENT_ID_BITS,
  RECORD_FIELDS,
  RECORD_SIZE,
  ROLE,
  ROLE_CODE,
  ROLE_OTHER,
  SPANS,
  TIME,
  TOKENS,
  TYPE,
  TYPE_CODE,
  TYPE_MODEL_CHANGE,
} from "./kernel/layout.js";
import { decoder } from "./span-decoder.js";

/** How many words a record has. */
export const RECORD_WORDS = RECORD_SIZE / 4;
const FIRST_NUMBER = RECORD_FIELDS / 2;

// The strings of a call, in the order of their spans.
const PROVIDER = 0;
const MODEL = 1;
const RESPONSE_MODEL = 2;
const RESPONSE_ID = 3;
const TOOL = 4;

/** By the kernel's number. */
const roles = [undefined, "user", "assistant", "toolResult"];

/** Tells in `bare` the entry that was decoded last to the first record; false for one that is a second header, and no entry. */
export function fillBare(bare: BareEntry): boolean {
  fillBareRecord(bare, 0);
  if (scanner.found.recordWords[ROLE_CODE] === ROLE_OTHER) bare.role = decodeMember(IN_MESSAGE + ROLE) as string;
  if (bare.type === "") bare.type = decodeMember(TYPE) as string;
  return bare.type !== "session";
}

function decodeMember(place: number): unknown {
  const { bytes, starts, ends } = scanner.found;
  return decoder.decode(bytes, starts[place]!, ends[place]!);
}

/** Tells in `bare` the entry of a record. The role is undefined where calls tell nothing of it, and the type is empty where it is none of `plainTypes`. */
export function fillBareRecord(bare: BareEntry, record: number): void {
  const { recordWords: words, recordNumbers: numbers } = scanner.found;
  const first = record * RECORD_WORDS;
  const firstNumber = first / 2 + FIRST_NUMBER;
  const type = words[first + TYPE_CODE]!;
  bare.type = type < 0 ? "" : plainTypes[type]!;
  bare.role = roles[words[first + ROLE_CODE]!];
  bare.idBits = words[first + ID_BITS]! >>> 0;
  bare.hasParent = words[first + HAS_PARENT] === 1;
  bare.parentIdBits = words[first + PARENT_ID_BITS]! >>> 0;
  bare.time = numbers[firstNumber + TIME]!;
  bare.messageTime = numbers[firstNumber + MESSAGE_TIME]!;
  bare.usage = undefined;
  if (type === TYPE_MODEL_CHANGE) {
    bare.provider = readText(readSpan(first, PROVIDER));
    bare.model = readText(readSpan(first, MODEL));
  } else if (words[first + HAS_USAGE] === 1) {
    fillCall(bare, first, firstNumber);
  }
}

/** Tells in `bare` the entry of a record that was tallied; returns its number in the tree. */
export function fillTallied(bare: BareEntry, record: number): number {
  fillBareRecord(bare, record);
  return scanner.found.recordWords[record * RECORD_WORDS + NUMBER]!;
}

/** The model of the last call. */
const last: CallModel = { provider: null, model: null };

function fillCall(bare: BareEntry, first: number, firstNumber: number): void {
  bare.usage = bare.ownUsage;
  fillUsage(bare.ownUsage, scanner.found.recordNumbers, firstNumber + TOKENS);
  if (scanner.found.recordWords[first + IS_SAME_MODEL] !== 1) {
    last.provider = readText(readSpan(first, PROVIDER));
    last.model = readText(readSpan(first, RESPONSE_MODEL)) ?? readText(readSpan(first, MODEL));
  }
  bare.provider = last.provider;
  bare.model = last.model;
  const responseId = readSpan(first, RESPONSE_ID);
  bare.responseId = typeof responseId === "string" ? responseId : undefined;
  if (bare.role === "toolResult") bare.tool = readText(readSpan(first, TOOL));
}

/** The value of a span; undefined for a member that is missing. */
function readSpan(first: number, span: number): unknown {
  const { recordWords: words, bytes } = scanner.found;
  const at = first + SPANS + 2 * span;
  return words[at] === 0 ? undefined : decoder.decode(bytes, words[at]!, words[at + 1]!);
}
