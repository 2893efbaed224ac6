import { BareEntry } from "../format/bare-entry.js";
import { entryId, isMessageEntry, type SessionEntry } from "../format/entry.js";
import type { JsonObject } from "../format/json.js";
import type { CallModel } from "../format/model.js";
import { parseIsoTime } from "../format/time.js";
import { NO_HEX_ID, parseHexId } from "../tree/id-table.js";
import type { Call } from "./call.js";
import { ENTRY_HASH, FINGERPRINT_WORDS, NUMBERS_HASH } from "./kernel/layout.js";

/** What tells a call from another one beside model, time and usage. */
export interface CallIdentity {
  /** Instead of an id of 8 hex digits there may be its 32 bits. */
  entryId: string | number | undefined;
  /** The entry's own time, in Unix milliseconds. */
  entryTime: number | undefined;
  /** The provider's name for its answer. */
  responseId: string | undefined;
}

const lent: CallIdentity = { entryId: undefined, entryTime: undefined, responseId: undefined };

/** The identity of a call, from its entry, lent until the next one is asked for; what is absent or of the wrong type is undefined. */
export function callIdentity(entry: SessionEntry | BareEntry): CallIdentity {
  if (entry instanceof BareEntry) {
    lent.entryId = entry.idBits;
    lent.entryTime = entry.time;
    lent.responseId = entry.responseId;
    return lent;
  }
  const responseId = isMessageEntry(entry) ? (entry.message as JsonObject).responseId : undefined;
  lent.entryId = entryId(entry);
  lent.entryTime = parseIsoTime(entry.timestamp);
  lent.responseId = typeof responseId === "string" ? responseId : undefined;
  return lent;
}

/**
 * Gathers the fingerprints of the calls of one file, in any order. They are the same on every machine and in every run, so they can be sent from a worker, or
 * kept and compared later. A call has no entry hash without both id and entry time (an id alone says little: short ones meet by coincidence), and no
 * numbers hash without any time. Memory: 16 bytes a call; takes time linear in the strings.
 *
 * Each hash has 64 bits: the odds that any two of 5 million different calls meet in it are n²/2 : 2^64, less than 1 : 1,000,000.
 */
export class CallFingerprints {
  #words = new Int32Array(16 * FINGERPRINT_WORDS);
  #size = 0;
  readonly #hash = new TwinHash();
  /** The model that was hashed last, and its hash. */
  #provider: string | null | undefined;
  #model: string | null | undefined;
  readonly #modelWords = new Int32Array(2);

  /** Writes the fingerprint of a call to the place that its ordinal tells. */
  add(call: Pick<Call, "ordinal" | "time" | "provider" | "model" | "usage">, identity: CallIdentity): void {
    const { ordinal, time, provider, model, usage } = call;
    const { entryId, entryTime, responseId } = identity;
    const at = this.#makeRoom(ordinal);
    const hash = this.#hash;
    if (entryId !== undefined && entryTime !== undefined) {
      hash.addId(entryId);
      hash.addNumber(entryTime);
      hash.finishInto(this.#words, at + ENTRY_HASH);
    }
    if (time !== undefined) {
      this.#hashModel(provider, model);
      hash.addWord(this.#modelWords[0]!);
      hash.addWord(this.#modelWords[1]!);
      hash.addNumber(time);
      hash.addText(responseId);
      hash.addNumber(usage.input);
      hash.addNumber(usage.output);
      hash.addNumber(usage.cacheRead);
      hash.addNumber(usage.cacheWrite);
      hash.addNumber(usage.totalTokens);
      hash.addNumber(usage.costTotal);
      hash.finishInto(this.#words, at + NUMBERS_HASH);
    }
  }

  /** Most calls are of the model of the call before. */
  #hashModel(provider: string | null, model: string | null): void {
    if (model === this.#model && provider === this.#provider) return;
    this.#provider = provider;
    this.#model = model;
    hashModelInto(this.#modelWords, { provider, model });
  }

  /** Begins with another file; the room stays. */
  clear(): void {
    this.#words.fill(0, 0, this.#size * FINGERPRINT_WORDS);
    this.#size = 0;
  }

  /** Takes the first `count` of what was gathered of one part of the file, whose first call has the ordinal `first`. */
  take(words: Int32Array, first: number, count = words.length / FINGERPRINT_WORDS): void {
    if (count === 0) return;
    this.#makeRoom(first + count - 1);
    this.#words.set(words.subarray(0, count * FINGERPRINT_WORDS), first * FINGERPRINT_WORDS);
  }

  /** All fingerprints by ordinal, `FINGERPRINT_WORDS` words each, in a buffer of their own that can be transferred. */
  finish(): Int32Array {
    return this.#words.slice(0, this.#size * FINGERPRINT_WORDS);
  }

  /** Where the words of a call begin. */
  #makeRoom(ordinal: number): number {
    this.#size = Math.max(this.#size, ordinal + 1);
    if (this.#size * FINGERPRINT_WORDS > this.#words.length) {
      const larger = new Int32Array(Math.ceil(1.25 * this.#size) * FINGERPRINT_WORDS);
      larger.set(this.#words);
      this.#words = larger;
    }
    return ordinal * FINGERPRINT_WORDS;
  }
}

/** Writes the hash of a model, two words. */
export function hashModelInto(words: Int32Array, { provider, model }: CallModel): void {
  modelHash.addText(provider);
  modelHash.addText(model);
  modelHash.finishInto(words, 0);
}

const double = new Float64Array(1);
const doubleWords = new Int32Array(double.buffer);

/**
 * Two hashes of 32 bits, fed the same words and mixed in ways so different that input which meets in one meets in the other by chance alone. Either step
 * can be undone as long as the word is known, so two inputs that differ in one word never meet in either. Words are gathered and mixed many at a time:
 * that takes about two thirds of the time.
 */
class TwinHash {
  readonly #words = new Int32Array(128);
  #size = 0;
  #left = 0;
  #right = 0;

  /** A whole number of 31 bits is a word; any other is three, the first of which is no such number. */
  addNumber(value: number): void {
    const whole = value | 0;
    if (whole === value && whole >= 0) {
      this.addWord(whole);
      return;
    }
    double[0] = value;
    this.addWord(-1);
    this.addWord(doubleWords[0]!);
    this.addWord(doubleWords[1]!);
  }

  /** One of 8 hex digits by its bits, behind what is no length of a text. */
  addId(id: string | number): void {
    const bits = typeof id === "number" ? id : parseHexId(id);
    if (bits === NO_HEX_ID) {
      this.addText(id as string);
      return;
    }
    this.addWord(-2);
    this.addWord(bits | 0);
  }

  /** The length comes first, so that what follows one text can't be read as its end. */
  addText(text: string | null | undefined): void {
    const length = text?.length ?? -1;
    this.addWord(length);
    if (!text) return;
    for (let at = 1; at < length; at += 2) this.addWord(text.charCodeAt(at - 1) | (text.charCodeAt(at) << 16));
    if (length % 2 === 1) this.addWord(text.charCodeAt(length - 1));
  }

  /** Writes both hashes and starts anew. */
  finishInto(words: Int32Array, at: number): void {
    this.#mix();
    const left = scatter(this.#left + this.#right);
    const right = scatter(this.#right ^ Math.imul(left, 0x7feb352d));
    words[at] = left;
    words[at + 1] = right === 0 ? 1 : right;
    this.#left = 0;
    this.#right = 0;
  }

  addWord(word: number): void {
    if (this.#size === this.#words.length) this.#mix();
    this.#words[this.#size++] = word;
  }

  #mix(): void {
    const words = this.#words;
    let left = this.#left;
    let right = this.#right;
    for (let at = 0; at < this.#size; at++) {
      const word = words[at]!;
      left = Math.imul(left ^ word, 0x9e3779b1);
      left = ((left ^ (left >>> 15)) + 0x2545f491) | 0;
      right = Math.imul(((right << 11) | (right >>> 21)) + word, 0xc2b2ae35) ^ 0x632be5ab;
    }
    this.#left = left;
    this.#right = right;
    this.#size = 0;
  }
}

/** Lets every bit of a word have a say in every other; no two words give the same. */
function scatter(word: number): number {
  let bits = word ^ (word >>> 16);
  bits = Math.imul(bits, 0x2c1b3c6d);
  bits ^= bits >>> 13;
  bits = Math.imul(bits, 0x297a2d39);
  return bits ^ (bits >>> 15);
}

const modelHash = new TwinHash();
