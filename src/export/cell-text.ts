import { constants } from "node:buffer";
import { toUSVString } from "node:util";
import { isTextBlock, isThinkingBlock } from "../format/block.js";
import type { JsonObject } from "../format/json.js";
import { isBashExecutionMessage } from "../format/message.js";
import type { Redactor } from "./redactor.js";

/** How much of a text goes into a cell: nothing, its beginning, or all of it. */
export const TEXT_MODES = ["none", "preview", "full"] as const;

export type TextMode = (typeof TEXT_MODES)[number];

/** A preview has this many code points at most. */
const PREVIEW_CODE_POINTS = 500;

/** A code point takes two units at most, so this many tell a preview. */
const PREVIEW_UNITS = 2 * PREVIEW_CODE_POINTS;

/** Makes the cells of texts. */
export class CellText {
  readonly #mode: TextMode;
  readonly #redactor: Redactor | undefined;
  /** How much of a text is looked at. */
  readonly #maxUnits: number;

  /** `redactor` is given whole texts, before they are cut. */
  constructor(mode: TextMode, redactor?: Redactor) {
    this.#mode = mode;
    this.#redactor = redactor;
    this.#maxUnits = mode === "preview" && !redactor ? PREVIEW_UNITS : Number.POSITIVE_INFINITY;
  }

  /** Whether cells hold any text. */
  get isWanted(): boolean {
    return this.#mode !== "none";
  }

  /** A string as a cell; null for any other value. */
  string(value: unknown): string | null {
    return typeof value === "string" ? this.#cell(value) : null;
  }

  /** The text of a message: its string, or its text blocks, a line break between them; of a bash execution the command and its output. */
  message(message: JsonObject): string | null {
    if (!this.isWanted) return null;
    if (isBashExecutionMessage(message)) return this.#joined([message.command, message.output]);
    const { content } = message;
    if (typeof content === "string") return this.#cell(content);
    return Array.isArray(content) ? this.#joined(content, isTextBlock, "text") : null;
  }

  /** The thinking blocks of a message, a line break between them; null without any. */
  thinking({ content }: JsonObject): string | null {
    return this.isWanted && Array.isArray(content) ? this.#joined(content, isThinkingBlock, "thinking") : null;
  }

  /** Any JSON value, as JSON; null where there is none. */
  json(value: unknown): string | null {
    if (!this.isWanted || value === undefined) return null;
    try {
      const json = this.#redactor ? this.#redactor.redactJson(value) : JSON.stringify(value);
      return json === undefined ? null : this.#cut(json);
    } catch (error) {
      // Nested too deeply for the stack, or longer than the longest string.
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** The strings among the items, or those that blocks of a kind have as a member; null without any. */
  #joined(items: readonly unknown[], isWanted?: (item: unknown) => boolean, member = ""): string | null {
    let joined: string | null = null;
    for (const item of items) {
      const part = isWanted ? isWanted(item) && (item as JsonObject)[member] : item;
      if (typeof part !== "string") continue;
      const wanted = part.length > this.#maxUnits ? part.slice(0, this.#maxUnits) : part;
      if (joined !== null && joined.length + wanted.length >= constants.MAX_STRING_LENGTH) break;
      joined = joined === null ? wanted : `${joined}\n${wanted}`;
      if (joined.length > this.#maxUnits) break;
    }
    return joined === null ? null : this.#cell(joined);
  }

  #cell(text: string): string | null {
    if (this.#mode === "none") return null;
    return this.#cut(this.#redactor ? this.#redactor.redact(text) : text);
  }

  #cut(text: string): string {
    return this.#mode === "preview" ? firstCodePoints(text) : text;
  }
}

function firstCodePoints(text: string): string {
  if (text.length <= PREVIEW_CODE_POINTS) return text;
  let end = 0;
  for (let count = 0; count < PREVIEW_CODE_POINTS && end < text.length; count++) {
    end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  }
  // A slice keeps the whole text in memory; what is read from bytes does not.
  return end === text.length ? text : Buffer.from(text.slice(0, end)).toString();
}

/** A string of whole code points, as UTF-8 can hold it: halves of surrogate pairs are read as U+FFFD. */
export function wellFormed(text: string): string {
  return toUSVString(text);
}
