/**
 * Adds up the plain lines of one session as they are read: follows its tree as a `LinkTally` does, sums up usage as a `UsageSum`, and makes the fingerprints of
 * calls as `CallFingerprints` does. What is not as simple as nearly all lines are is left to those.
 */
import { BACKSLASH, QUOTE, SPACE } from "./bytes";
import { decodeEntry, field, number, setField } from "./decode";
import {
  CALL_MODELS,
  CALL_NUMBER_COUNT,
  CALL_NUMBERS,
  COSTS,
  FINGERPRINT_SIZE,
  FINGERPRINTS,
  HAS_PARENT,
  HAS_USAGE,
  ID_BITS,
  IS_SAME_MODEL,
  LACKS_IDS,
  MAX_MISSING,
  MAX_MODELS,
  MAX_RECORDS,
  MESSAGE_TIME,
  MIN_SLOT_BITS,
  MISSING,
  MODEL_CODES,
  MODEL_HASHES,
  MODEL_IS_USED,
  MODEL_SPAN_SIZE,
  MODEL_SPANS,
  MODEL_TEXTS,
  NUMBER,
  PARENT_ID_BITS,
  RECORD_SIZE,
  RECORDS,
  ROLE_ASSISTANT,
  ROLE_CODE,
  ROLE_USER,
  RUN,
  RUN_ACTIVITY,
  RUN_CALLS,
  RUN_END,
  RUN_FIRST_USES,
  RUN_HAS_REST,
  RUN_LOST,
  RUN_MESSAGES,
  RUN_NEW_MODELS,
  RUN_NUMBER_COUNT,
  RUN_NUMBERS,
  RUN_SUMS,
  SPANS,
  SUM_COUNT,
  TALLY_ENTRIES,
  TALLY_IDS,
  TALLY_IS_PARENT,
  TALLY_MODELS,
  TALLY_PARENTS,
  TALLY_SLOTS,
  TIME,
  TOKENS,
  TYPE_CODE,
  TYPE_MESSAGE,
  TYPE_MODEL_CHANGE,
  WANTS_FINGERPRINTS,
  WANTS_NUMBERS,
  WANTS_RECORDS,
} from "./layout";
import { scanObject } from "./scan";

const DELETE: u32 = 0x7f;

let size: u32 = 0;
let parentCount: u32 = 0;
/** How large the hash table is: half full at most. */
let slotBits: u32 = MIN_SLOT_BITS;
/** Odd, and drawn anew for each session. */
let multiplier: u32 = 1;
let missingCount: u32 = 0;

/** How many models are known, and which of them came by last. */
let modelCount: i32 = 0;
let lastModel: i32 = 0;

// Of a session of version 1: what ids are made from (see `MigratedIds`), the ordinal of the next entry, and that of the one before, 0 without one.
let roundKey0: u32 = 0;
let roundKey1: u32 = 0;
let roundKey2: u32 = 0;
let roundKey3: u32 = 0;
let nextOrdinal: u32 = 0;
let lastOrdinal: u32 = 0;

/** Begins with another session. */
export function clearTally(newMultiplier: u32): void {
  memory.fill(TALLY_SLOTS, 0, 4 << slotBits);
  slotBits = MIN_SLOT_BITS;
  multiplier = newMultiplier;
  size = 0;
  parentCount = 0;
  missingCount = 0;
  memory.fill(MODEL_IS_USED, 0, MAX_MODELS);
}

export function forgetModels(): void {
  modelCount = 0;
}

/** Tells how the next run's entries, which lack ids, get them. */
export function setMigration(key0: u32, key1: u32, key2: u32, key3: u32, next: u32, last: u32): void {
  roundKey0 = key0;
  roundKey1 = key1;
  roundKey2 = key2;
  roundKey3 = key3;
  nextOrdinal = next;
  lastOrdinal = last;
}

/** Gives the entry of the record an id, and the entry before as its parent. */
function makeIds(): void {
  setField(ID_BITS, migratedId(nextOrdinal));
  setField(HAS_PARENT, lastOrdinal > 0 ? 1 : 0);
  setField(PARENT_ID_BITS, lastOrdinal > 0 ? migratedId(lastOrdinal) : 0);
}

/** A Feistel network: see `MigratedIds`. */
function migratedId(ordinal: u32): u32 {
  let bits = ordinal;
  bits = feistelRound(bits, roundKey0);
  bits = feistelRound(bits, roundKey1);
  bits = feistelRound(bits, roundKey2);
  return feistelRound(bits, roundKey3);
}

function feistelRound(bits: u32, key: u32): u32 {
  const right = bits & 0xffff;
  return (right << 16) | (((bits >> 16) ^ mixBits(right ^ key)) & 0xffff);
}

function mixBits(bits: u32): u32 {
  let mixed = (bits ^ (bits >> 16)) * 0x85ebca6b;
  mixed = (mixed ^ (mixed >> 13)) * 0xc2b2ae35;
  return mixed ^ (mixed >> 16);
}

export function tallySize(): u32 {
  return size;
}

/** How many entries have a child. */
export function tallyParents(): u32 {
  return parentCount;
}

/**
 * Adds the next entry, which sets no model as far as is known; gives its number, and -1 where a tally can't follow: when its id was there before, or was
 * named as a parent before, and when there is no more room.
 */
export function linkEntry(id: u32, hasParent: bool, parentId: u32): i32 {
  const parent = hasParent ? findEntry(parentId) : -1;
  if (size === TALLY_ENTRIES || (hasParent && parent < 0 && !noteMissing(parentId)) || isMissing(id)) return -1;
  const slot = slotOf(id);
  if (load<u32>(slot) !== 0) return -1;
  const entry = size++;
  store<u32>(slot, size);
  store<u32>(TALLY_IDS + (entry << 2), id);
  store<i32>(TALLY_PARENTS + (entry << 2), parent);
  store<i32>(TALLY_MODELS + (entry << 2), 0);
  store<u8>(TALLY_IS_PARENT + entry, 0);
  if (parent >= 0 && load<u8>(TALLY_IS_PARENT + parent) === 0) {
    store<u8>(TALLY_IS_PARENT + parent, 1);
    parentCount++;
  }
  if (size > (1 as u32) << (slotBits - 1)) growSlots();
  return entry;
}

/** The entry with an id; -1 without one. */
export function findEntry(id: u32): i32 {
  // The parent of an entry is mostly the one just before.
  if (size > 0 && load<u32>(TALLY_IDS + ((size - 1) << 2)) === id) return size - 1;
  return (load<u32>(slotOf(id)) as i32) - 1;
}

/** Where an id stands in the hash table, or the free place where it belongs: see `IdTable`. */
function slotOf(id: u32): u32 {
  let hash = (id ^ (id >> 16)) * multiplier;
  hash = (hash ^ (hash >> 15)) * 0x9e3779b1;
  const mask = ((1 as u32) << slotBits) - 1;
  let slot = hash >> (32 - slotBits);
  while (true) {
    const taken = load<u32>(TALLY_SLOTS + (slot << 2));
    if (taken === 0 || load<u32>(TALLY_IDS + ((taken - 1) << 2)) === id) return TALLY_SLOTS + (slot << 2);
    slot = (slot + 1) & mask;
  }
}

function growSlots(): void {
  memory.fill(TALLY_SLOTS, 0, 4 << slotBits);
  slotBits += 2; // For all entries that there may be, it comes to `MAX_SLOT_BITS`.
  for (let entry: u32 = 0; entry < size; entry++) store<u32>(slotOf(load<u32>(TALLY_IDS + (entry << 2))), entry + 1);
}

function noteMissing(id: u32): bool {
  if (missingCount === MAX_MISSING) return false;
  store<u32>(MISSING + (missingCount++ << 2), id);
  return true;
}

function isMissing(id: u32): bool {
  for (let at: u32 = 0; at < missingCount; at++) if (load<u32>(MISSING + (at << 2)) === id) return true;
  return false;
}

/**
 * Tells the code of the model that the record names which was left to the caller last, and the model's hash: from now on entries that spell it alike are tallied,
 * in other sessions, too. Returns whether there was no room for it.
 */
export function knowModel(code: i32, left: u32, right: u32): bool {
  // One that was left over for another reason may be known.
  if (namedModel() >= 0) return false;
  if (modelCount === MAX_MODELS) return true;
  for (let span = 0; span < MODEL_SPANS; span++) {
    const length: i32 = field(SPANS + 2 * span + 1) - field(SPANS + 2 * span);
    if (length > MODEL_SPAN_SIZE - 4) return false;
    store<i32>(modelSpan(modelCount, span), length);
    memory.copy(modelSpan(modelCount, span) + 4, field(SPANS + 2 * span), length);
  }
  store<i32>(MODEL_CODES + (modelCount << 2), code);
  store<u32>(MODEL_HASHES + (modelCount << 3), left);
  store<u32>(MODEL_HASHES + (modelCount << 3) + 4, right);
  store<u8>(MODEL_IS_USED + modelCount, 0);
  modelCount++;
  return false;
}

function modelSpan(model: i32, span: i32): u32 {
  return MODEL_TEXTS + (model * MODEL_SPANS + span) * MODEL_SPAN_SIZE;
}

/** The known model that the record names; -1 for none. */
function namedModel(): i32 {
  if (lastModel < modelCount && isModel(lastModel)) return lastModel;
  for (let model = 0; model < modelCount; model++) if (isModel(model)) return (lastModel = model);
  return -1;
}

function isModel(model: i32): bool {
  for (let span = 0; span < MODEL_SPANS; span++) {
    const start = field(SPANS + 2 * span);
    const length = field(SPANS + 2 * span + 1) - start;
    const known = modelSpan(model, span);
    if (load<u32>(known) !== length || memory.compare(start, known + 4, length) !== 0) return false;
  }
  return true;
}

/** The known model in force at an entry: that of the nearest one on its path that sets a model; -1 for none, or one that is not known. */
function modelAt(start: i32): i32 {
  let entry = start;
  while (entry >= 0 && load<i32>(TALLY_MODELS + (entry << 2)) === 0) entry = load<i32>(TALLY_PARENTS + (entry << 2));
  if (entry < 0) return -1;
  const code = load<i32>(TALLY_MODELS + (entry << 2));
  if (lastModel < modelCount && load<i32>(MODEL_CODES + (lastModel << 2)) === code) return lastModel;
  for (let model = 0; model < modelCount; model++) {
    if (load<i32>(MODEL_CODES + (model << 2)) === code) return (lastModel = model);
  }
  return -1;
}

/**
 * Takes lines from `start` up to `end`, as `takePlainLines` does, and adds up those that need no look: all but the first that name a model. Returns how many
 * there were. What they come to stands at `RUN`, where zeros were, where they ended at `RUN_END`. With `WANTS_RECORDS` there is a record of each call. A plain line that can't be
 * added up is the last one: `RUN_HAS_REST` is 1 then, and its record stands behind those.
 */
export function tallyPlainLines(start: u32, end: u32, stack: u32, wants: u32): i32 {
  memory.fill(RUN_NUMBERS, 0, 8 * RUN_NUMBER_COUNT);
  store<f64>(RUN_NUMBERS + 8 * RUN_ACTIVITY, -Infinity);
  let at = start;
  let lines = 0;
  let calls = 0;
  let messages = 0;
  // The model of the call before; -1 at the first.
  let callModel = -1;
  while (at < end && calls < MAX_RECORDS - 1) {
    const place = RECORDS + ((wants & WANTS_RECORDS) !== 0 ? calls * RECORD_SIZE : 0);
    if (scanObject(at, stack) !== 1 || load<u32>(RUN_END) === end || !decodeEntry(place, wants)) break;
    at = load<u32>(RUN_END) + 1;
    if ((wants & LACKS_IDS) !== 0) makeIds();
    const isCall = field(HAS_USAGE) !== 0;
    const isTool = isCall && field(ROLE_CODE) !== ROLE_ASSISTANT;
    const setsModel = (isCall && !isTool) || field(TYPE_CODE) === TYPE_MODEL_CHANGE;
    const model = setsModel
      ? namedModel()
      : isTool && field(HAS_PARENT) !== 0
        ? modelAt(findEntry(field(PARENT_ID_BITS)))
        : -1;
    // Whoever wants numbers alone could not tell which tool it was.
    const isLeft = isTool && (wants & WANTS_NUMBERS) !== 0;
    const canTally =
      !isLeft &&
      (model >= 0 ? !isCall || (wants & WANTS_FINGERPRINTS) === 0 || isPlainResponseId() : !setsModel && !isTool);
    const entry = canTally ? linkEntry(field(ID_BITS), field(HAS_PARENT) !== 0, field(PARENT_ID_BITS)) : -1;
    if (entry < 0) {
      store<u32>(RUN + 4 * RUN_HAS_REST, 1);
      break;
    }
    lines++;
    lastOrdinal = nextOrdinal++;
    if (field(TYPE_CODE) === TYPE_MESSAGE) messages++;
    if (field(ROLE_CODE) === ROLE_USER || field(ROLE_CODE) === ROLE_ASSISTANT) noteActivity();
    if (setsModel) store<i32>(TALLY_MODELS + (entry << 2), load<i32>(MODEL_CODES + (model << 2)));
    if (isCall) {
      if (load<u8>(MODEL_IS_USED + model) === 0) noteFirstUse(model, calls);
      addUsage();
      if ((wants & WANTS_FINGERPRINTS) !== 0) addFingerprint(FINGERPRINTS + calls * FINGERPRINT_SIZE, model);
      if ((wants & WANTS_NUMBERS) !== 0) storeNumbers(calls, model);
      setField(NUMBER, entry);
      setField(IS_SAME_MODEL, model === callModel ? 1 : 0);
      if (isTool) nameModel(model);
      callModel = model;
      calls++;
    }
  }
  store<u32>(RUN + 4 * RUN_CALLS, calls);
  store<u32>(RUN + 4 * RUN_MESSAGES, messages);
  store<u32>(RUN_END, at);
  return lines;
}

function storeNumbers(call: i32, model: i32): void {
  const numbers = CALL_NUMBERS + 8 * CALL_NUMBER_COUNT * call;
  store<f64>(numbers, messageTime());
  for (let place = 0; place < CALL_NUMBER_COUNT - 1; place++) store<f64>(numbers + 8 * (place + 1), usageNumber(place));
  store<i32>(CALL_MODELS + (call << 2), load<i32>(MODEL_CODES + (model << 2)));
}

/** Notes that a call of the run is the session's first of a model. */
function noteFirstUse(model: i32, call: u32): void {
  store<u8>(MODEL_IS_USED + model, 1);
  const count = load<u32>(RUN + 4 * RUN_NEW_MODELS);
  const place = RUN + 4 * RUN_FIRST_USES + (count << 3);
  store<i32>(place, load<i32>(MODEL_CODES + (model << 2)));
  store<u32>(place + 4, call);
  store<u32>(RUN + 4 * RUN_NEW_MODELS, count + 1);
}

/** Lets the record of a call that names no model itself name one. */
function nameModel(model: i32): void {
  for (let span = 0; span < MODEL_SPANS; span++) {
    const start = modelSpan(model, span) + 4;
    const length = load<u32>(start - 4);
    setField(SPANS + 2 * span, length === 0 ? 0 : start);
    setField(SPANS + 2 * span + 1, length === 0 ? 0 : start + length);
  }
}

// The span of the id of the response.
const RESPONSE_ID = SPANS + 2 * 3;

/** Whether the id of the response is no string, or one of ASCII characters that stand for themselves. */
function isPlainResponseId(): bool {
  const start = field(RESPONSE_ID);
  if (start === 0 || load<u8>(start) !== QUOTE) return true;
  const end = field(RESPONSE_ID + 1) - 1;
  for (let at = start + 1; at < end; at++) {
    const byte: u32 = load<u8>(at);
    if (byte === BACKSLASH || byte - SPACE >= DELETE - SPACE) return false;
  }
  return true;
}

/** When a message was sent: by itself, else by its entry. */
function messageTime(): f64 {
  const time = number(MESSAGE_TIME);
  return F64.isNaN(time) ? number(TIME) : time;
}

function noteActivity(): void {
  const time = messageTime();
  const latest = RUN_NUMBERS + 8 * RUN_ACTIVITY;
  if (time > load<f64>(latest)) store<f64>(latest, time);
}

/** The call's usage, in the order of a `UsageSum`, but for the number of calls. */
function usageNumber(place: i32): f64 {
  if (place < 4) return orZero(number(TOKENS + place));
  const total = number(place === 4 ? TOKENS + 4 : COSTS + 4);
  if (!F64.isNaN(total)) return total;
  const parts = place === 4 ? TOKENS : COSTS;
  return orZero(number(parts)) + orZero(number(parts + 1)) + orZero(number(parts + 2)) + orZero(number(parts + 3));
}

function orZero(value: f64): f64 {
  return F64.isNaN(value) ? 0 : value;
}

function addUsage(): void {
  for (let place = 0; place < SUM_COUNT - 1; place++) addTo(place, usageNumber(place));
  addTo(SUM_COUNT - 1, 1);
}

/** As `UsageSum` does it; the numbers are so small that no sum is infinite. */
function addTo(place: i32, value: f64): void {
  const sum = RUN_NUMBERS + ((RUN_SUMS + place) << 3);
  const lost = RUN_NUMBERS + ((RUN_LOST + place) << 3);
  const before = load<f64>(sum);
  const after = before + value;
  store<f64>(lost, load<f64>(lost) + (before >= value ? before - after + value : value - after + before));
  store<f64>(sum, after);
}

// Two hashes at once: see `CallFingerprints`.
let left: u32 = 0;
let right: u32 = 0;

function addFingerprint(place: u32, model: i32): void {
  addWord(-2);
  addWord(field(ID_BITS));
  addNumber(number(TIME));
  finishHash(place);
  addWord(load<u32>(MODEL_HASHES + (model << 3)));
  addWord(load<u32>(MODEL_HASHES + (model << 3) + 4));
  addNumber(messageTime());
  addResponseId();
  for (let number = 0; number < SUM_COUNT - 1; number++) addNumber(usageNumber(number));
  finishHash(place + 8);
}

/** A text by its length, then by two characters a word; -1 for none. */
function addResponseId(): void {
  const start = field(RESPONSE_ID) + 1;
  if (start === 1 || load<u8>(start - 1) !== QUOTE) {
    addWord(-1);
    return;
  }
  const length = field(RESPONSE_ID + 1) - 1 - start;
  addWord(length);
  for (let at: u32 = 1; at < length; at += 2) {
    addWord((load<u8>(start + at - 1) as u32) | ((load<u8>(start + at) as u32) << 16));
  }
  if (length & 1) addWord(load<u8>(start + length - 1));
}

/** A whole number of 31 bits is a word; any other is three. */
function addNumber(value: f64): void {
  if (value >= 0 && value <= 0x7fffffff && Math.floor(value) === value) {
    addWord(value as u32);
    return;
  }
  const bits = reinterpret<u64>(value);
  addWord(-1);
  addWord(bits as u32);
  addWord((bits >> 32) as u32);
}

function addWord(word: u32): void {
  left = (left ^ word) * 0x9e3779b1;
  left = (left ^ (left >> 15)) + 0x2545f491;
  right = ((rotl<u32>(right, 11) + word) * 0xc2b2ae35) ^ 0x632be5ab;
}

function finishHash(place: u32): void {
  const first = scatter(left + right);
  const second = scatter(right ^ (first * 0x7feb352d));
  store<u32>(place, first);
  store<u32>(place + 4, second === 0 ? 1 : second);
  left = 0;
  right = 0;
}

function scatter(word: u32): u32 {
  let bits = word ^ (word >> 16);
  bits *= 0x2c1b3c6d;
  bits ^= bits >> 13;
  bits *= 0x297a2d39;
  return bits ^ (bits >> 15);
}
