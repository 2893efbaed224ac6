import type { Output } from "./output.js";

/** Objects and arrays further in than this are left out where a value can't be written in one go. */
const MAX_DEPTH = 200;
const TOO_DEEP = `[nested deeper than ${MAX_DEPTH} levels]`;
/** Code units of a string that are written at a time. */
const SLICE_LENGTH = 1 << 20;

/** C1 controls and bidi overrides: JSON may hold them as they are, but a terminal would act on them. */
const UNSAFE = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

/**
 * Prints one JSON document: an object whose arrays (and other iterables, asynchronous ones too) are written item by item, each on a line of its own,
 * so that memory holds one item at a time. What JSON has no word for is null in arrays and left out of objects, as `JSON.stringify` does.
 */
export async function writeJson(output: Output, document: Record<string, unknown>): Promise<void> {
  let separator = "{";
  for (const [key, value] of Object.entries(document)) {
    if (value === undefined) continue;
    await output.print(`${separator}${JSON.stringify(key)}:`);
    if (isIterable(value)) await writeArray(output, value);
    else await writeValue(output, value);
    separator = ",";
  }
  await output.print(separator === "{" ? "{}\n" : "}\n");
}

/** Prints each item as one line of JSON. */
export async function writeJsonLines(output: Output, items: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
  for await (const item of items) {
    await writeValue(output, item);
    await output.print("\n");
  }
}

async function writeArray(output: Output, items: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
  let separator = "[\n";
  for await (const item of items) {
    await output.print(separator);
    await writeValue(output, item);
    separator = ",\n";
  }
  await output.print(separator === "[\n" ? "[]" : "\n]");
}

function isIterable(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);
}

async function writeValue(output: Output, value: unknown): Promise<void> {
  let text: string;
  try {
    text = JSON.stringify(value) ?? "null";
  } catch (error) {
    // A RangeError: nested too deeply for the stack, or longer than the longest string.
    if (!(error instanceof RangeError)) throw error;
    for (const piece of jsonPieces(value)) await output.print(escapeUnsafe(piece));
    return;
  }
  await output.print(escapeUnsafe(text));
}

function escapeUnsafe(json: string): string {
  return json.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/**
 * The JSON of a value that `JSON.stringify` can't write, in pieces of bounded length. What is nested too deeply is replaced by a word about it:
 * few readers of JSON would take it. The depth of the calls is bounded by `MAX_DEPTH`, whatever the value.
 */
export function* jsonPieces(value: unknown, depth = 0): Generator<string> {
  if (typeof value === "string") {
    yield* stringPieces(value);
  } else if (typeof value !== "object" || value === null) {
    yield JSON.stringify(value) ?? "null";
  } else if (depth === MAX_DEPTH) {
    yield JSON.stringify(TOO_DEEP);
  } else if (Array.isArray(value)) {
    yield "[";
    for (const [index, item] of value.entries()) {
      if (index > 0) yield ",";
      yield* jsonPieces(item, depth + 1);
    }
    yield "]";
  } else {
    yield "{";
    let separator = "";
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      yield separator;
      yield* stringPieces(key);
      yield ":";
      yield* jsonPieces(item, depth + 1);
      separator = ",";
    }
    yield "}";
  }
}

/** A surrogate pair may be cut in two: each half is then escaped, and reading puts them together again. */
function* stringPieces(text: string): Generator<string> {
  if (text.length <= SLICE_LENGTH) {
    yield JSON.stringify(text);
    return;
  }
  yield '"';
  for (let at = 0; at < text.length; at += SLICE_LENGTH) {
    yield JSON.stringify(text.slice(at, at + SLICE_LENGTH)).slice(1, -1);
  }
  yield '"';
}
