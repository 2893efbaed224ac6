import type { Cell } from "../row-batch.js";
import { escapeCell } from "./quote.js";

/** Cells above this are escaped in pieces, so that no string grows past what V8 can hold. */
const PIECE_LENGTH = 1024 * 1024;
/** Text is encoded in chunks of about this many characters. */
const CHUNK_LENGTH = 64 * 1024;

/** Rows in the format TabSeparated, gathered until they are sent. Lone surrogates become U+FFFD. */
export class TabSeparatedRows {
  #chunks: Buffer[] = [];
  #text = "";
  #byteLength = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Of all rows so far, in bytes; the last 64 KiB count by their characters. */
  get byteLength(): number {
    return this.#byteLength + this.#text.length;
  }

  add(cells: readonly Cell[]): void {
    let separator = "";
    for (const cell of cells) {
      this.#text += separator;
      separator = "\t";
      if (cell === null) this.#text += "\\N";
      else if (typeof cell === "string") this.#addText(cell);
      else this.#text += cell;
    }
    this.#text += "\n";
    this.#count++;
    if (this.#text.length >= CHUNK_LENGTH) this.#encode();
  }

  /** All rows, which are gone here then. */
  take(): Buffer[] {
    this.#encode();
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#byteLength = 0;
    this.#count = 0;
    return chunks;
  }

  #addText(text: string): void {
    if (text.length <= PIECE_LENGTH) {
      this.#text += escapeCell(text);
      return;
    }
    for (let start = 0; start < text.length; ) {
      let end = Math.min(start + PIECE_LENGTH, text.length);
      // No piece ends between the halves of a surrogate pair.
      if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
      this.#text += escapeCell(text.slice(start, end));
      this.#encode();
      start = end;
    }
  }

  #encode(): void {
    if (this.#text === "") return;
    const chunk = Buffer.from(this.#text, "utf8");
    this.#chunks.push(chunk);
    this.#byteLength += chunk.length;
    this.#text = "";
  }
}
