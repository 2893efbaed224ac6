import { jsonParser, type Token } from "stream-json/core/parser.js";
import type { TruncatedString } from "../format/entry-record.js";
import { BoundedValue } from "./bounded-value.js";

/** What goes to the tokenizer at once. It lists all tokens of a piece; a list too large for V8's young objects makes it several times slower. */
const PIECE_BYTES = 4 * 1024;
/** How much of a cut string is kept. Listings show no more than 1,000 code points, so theirs do not depend on how a line was read. */
const PREVIEW_CODE_POINTS = 1024;
const PREVIEW_BYTES = 4 * PREVIEW_CODE_POINTS;
const MAX_NUMBER_LENGTH = 4096;
/** The tokenizer remembers each open bracket: 8 bytes a level. */
const MAX_NESTING = 1_000_000;

export interface LongLineParserOptions {
  /** A longer string, in UTF-8 bytes, is cut to a preview; a member with a longer key is left out. Default 64 KiB. */
  maxStringBytes?: number;
  /** The budget for all that is kept, in rough bytes of memory. Default 2 MiB. */
  maxKeptBytes?: number;
}

/**
 * Reads one line that is too long to hold, piece by piece, in a few MB of memory whatever the line is, and keeps the shape of its value: ids, links,
 * role, model, usage, and small strings.
 *
 * - A string over `maxStringBytes` is cut to its first 1,024 code points, followed by `…[N bytes]`, N being its whole length in UTF-8.
 * - Once `maxKeptBytes` are used up, further members and elements are left out, but for those that an entry can't do without: see `BoundedValue`.
 * - An object or array on the 1,000th level is kept empty. A line nested deeper than a million levels counts as broken.
 * - A number of more than 4,096 characters is read from the first 4,096, so that a huge exponent behind them is lost.
 *
 * `truncated` names each place where any of this happened. What stays within the limits is what `JSON.parse` would give.
 */
export class LongLineParser {
  readonly #maxStringBytes: number;
  /** How much of a text is held: enough to tell that it is too long, and for the preview or number that is made of it then. */
  readonly #maxTextBytes: number;
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #tokenize = jsonParser({ packValues: false });
  readonly #value: BoundedValue;
  #isBroken = false;
  #depth = 0;
  /** Of the key, string or number that is coming in: whether it is kept, its beginning, and its length so far in UTF-8 bytes. */
  #isKept = false;
  #text = "";
  #textBytes = 0;

  constructor({ maxStringBytes = 64 * 1024, maxKeptBytes = 2 * 1024 * 1024 }: LongLineParserOptions = {}) {
    this.#maxStringBytes = maxStringBytes;
    this.#maxTextBytes = Math.max(maxStringBytes, PREVIEW_BYTES, MAX_NUMBER_LENGTH);
    this.#value = new BoundedValue(maxKeptBytes);
  }

  /** Takes the next bytes of the line, cut anywhere. They may be reused afterwards. */
  push(piece: Uint8Array): void {
    for (let from = 0; from < piece.length && !this.#isBroken; from += PIECE_BYTES) {
      this.#read(this.#decoder.decode(piece.subarray(from, from + PIECE_BYTES), { stream: true }));
    }
  }

  /** The value of the line; undefined when the line is not one whole JSON value. Bytes that are no UTF-8 are read as U+FFFD. */
  end(): { value: unknown; truncated: TruncatedString[] } | undefined {
    // White space ends a number or literal that is still open, as the end of the line does.
    if (!this.#isBroken) this.#read(`${this.#decoder.decode()} `);
    if (this.#isBroken || !this.#value.isComplete) return undefined;
    return { value: this.#value.value, truncated: this.#value.listTruncated() };
  }

  #read(text: string): void {
    for (const token of this.#tokensOf(text)) this.#take(token);
    if (this.#depth > MAX_NESTING) this.#isBroken = true;
  }

  #tokensOf(text: string): Token[] {
    try {
      const tokens = this.#tokenize(text);
      return typeof tokens === "object" ? tokens.values : [];
    } catch {
      this.#isBroken = true; // The tokenizer throws only at what is no JSON, and damage is told at the end.
      return [];
    }
  }

  #take(token: Token): void {
    switch (token.name) {
      case "startObject":
        this.#depth++;
        this.#value.open("object");
        break;
      case "startArray":
        this.#depth++;
        this.#value.open("array");
        break;
      case "endObject":
      case "endArray":
        this.#depth--;
        this.#value.close();
        break;
      case "startKey":
        this.#beginText(this.#value.wantsKey);
        break;
      case "startString":
      case "startNumber":
        this.#beginText(this.#value.beginScalar());
        break;
      case "stringChunk":
      case "numberChunk":
        this.#takeText(token.value);
        break;
      case "endKey":
        this.#endKey();
        break;
      case "endString":
        this.#endString();
        break;
      case "endNumber":
        this.#endNumber();
        break;
      case "trueValue":
      case "falseValue":
      case "nullValue":
        this.#takeLiteral(token.value);
        break;
    }
  }

  #beginText(isKept: boolean): void {
    this.#isKept = isKept;
    this.#text = "";
    this.#textBytes = 0;
  }

  /** Never sees half a surrogate pair: the tokenizer keeps pairs together. */
  #takeText(chunk: string): void {
    const bytes = Buffer.byteLength(chunk);
    if (!this.#isKept) {
      this.#value.drop(bytes);
      return;
    }
    if (this.#textBytes <= this.#maxTextBytes) this.#text += chunk;
    this.#textBytes += bytes;
  }

  #endKey(): void {
    if (!this.#isKept) return;
    this.#value.setKey(this.#textBytes <= this.#maxStringBytes ? this.#text : undefined, this.#textBytes);
  }

  #endString(): void {
    if (!this.#isKept) return;
    if (this.#textBytes <= this.#maxStringBytes) {
      this.#value.addScalar(this.#text, this.#textBytes);
      return;
    }
    const preview = `${firstCodePoints(this.#text, PREVIEW_CODE_POINTS)}…[${this.#textBytes} bytes]`;
    this.#value.addScalar(preview, Buffer.byteLength(preview), this.#textBytes);
  }

  #endNumber(): void {
    if (!this.#isKept) return;
    if (this.#textBytes <= MAX_NUMBER_LENGTH) {
      this.#value.addScalar(Number(this.#text), 0);
      return;
    }
    // What is left of a number may end in "12.", "12e" or "12e-".
    const beginning = this.#text.slice(0, MAX_NUMBER_LENGTH).replace(/[.eE][-+]?$/, "");
    this.#value.addScalar(Number(beginning), 0, this.#textBytes);
  }

  #takeLiteral(value: boolean | null): void {
    if (this.#value.beginScalar()) this.#value.addScalar(value, 0);
    else this.#value.drop(String(value).length);
  }
}

function firstCodePoints(text: string, count: number): string {
  // A code point takes two code units at most, so a pair that the slice tears lies behind the last one wanted.
  return Array.from(text.slice(0, 2 * count))
    .slice(0, count)
    .join("");
}
