/**
 * fast-check arbitraries of session files: whole ones, strange ones, and damaged ones.
 *
 * A tame session (`hostile: false`) holds only what the format decides, so two readers must agree on all of it: lines, tree, context, sums. A hostile one
 * also holds duplicate ids, cycles, orphans, and values of any type under any key: readers must agree on its lines and entries, and nothing may throw.
 */
import fc from "fast-check";
import { seededRandom, spellJson } from "./spell-json.js";

export type Line = Record<string, unknown>;

export interface SessionOptions {
  /** Which versions to make; by default all that the library reads. */
  versions?: (1 | 2 | 3 | 4)[];
  hostile?: boolean;
  maxEntries?: number;
}

const START = Date.parse("2026-02-03T04:05:06.007Z");

// Texts and values

const awkwardTexts = [
  "\u2028\u2029\u0085",
  "\ud83d",
  "\udc1f\ud83d",
  "\u{1f438}",
  "\u0000\u001f\u007f",
  '"\\"\\\\',
  "}{",
  "\ufeff",
  "\r\n",
  '{"type":"message","timestamp":"x"}',
  '\\"}\n{"type":"custom","id":"a","timestamp":"2026-01-01T00:00:00Z"}',
  "=1+1",
  "\u001b[31m",
];

/** Any text, with a taste for what breaks readers. */
export const text = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.string({ unit: "binary", maxLength: 12 }),
    fc.constantFrom(...awkwardTexts),
    fc.tuple(fc.constantFrom(...awkwardTexts), fc.string({ maxLength: 8 })).map((parts) => parts.join("")),
  );

/** Keys that mean something to a reader elsewhere. */
const decoyKeys = [
  "type",
  "id",
  "parentId",
  "timestamp",
  "message",
  "role",
  "content",
  "usage",
  "cost",
  "input",
  "summary",
  "version",
  "cwd",
  "targetId",
  "label",
  "name",
  "__proto__",
  "constructor",
  "toJSON",
  "",
  "0",
];

/** An object from pairs; unlike a literal it can have a key `__proto__` of its own. */
const objectOf = (pairs: [string, unknown][]): Line => Object.fromEntries(pairs);

/** Any JSON value; objects often have the keys that readers look for. */
export const jsonValue = (): fc.Arbitrary<unknown> =>
  fc.letrec<{ value: unknown; object: Line }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.oneof(fc.constantFrom(null, true, false, 0, -1, 1.5, 1e300, Infinity), fc.integer(), text()),
      fc.array(tie("value"), { maxLength: 3 }),
      tie("object"),
    ),
    object: fc
      .array(fc.tuple(fc.oneof(fc.constantFrom(...decoyKeys), text()), tie("value")), { maxLength: 4 })
      .map((pairs) => objectOf(pairs as [string, unknown][])),
  })).value;

// Usage

const tokens = (): fc.Arbitrary<number> => fc.nat(200_000);
const dollars = (): fc.Arbitrary<number> => fc.nat(5_000_000).map((millionths) => millionths / 1e6);

const cost = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.record(
      { input: dollars(), output: dollars(), cacheRead: dollars(), cacheWrite: dollars(), total: dollars() },
      { requiredKeys: [] },
    ),
    dollars(),
    fc.constantFrom(null, "0.5", -1, { total: "1", input: 0.25 }),
  );

/** Usage, whole or with parts missing or broken. */
export const usage = (): fc.Arbitrary<Line> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        input: tokens(),
        output: tokens(),
        cacheRead: tokens(),
        cacheWrite: tokens(),
        totalTokens: tokens(),
        cost: cost(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record(
        {
          input: tokens(),
          output: tokens(),
          cacheRead: tokens(),
          cacheWrite: tokens(),
          totalTokens: tokens(),
          cost: cost(),
          reasoning: tokens(),
          cacheWrite1h: tokens(),
        },
        { requiredKeys: [] },
      ),
    },
    {
      weight: 1,
      arbitrary: fc.record(
        {
          input: fc.constantFrom(-1, "5", null, Infinity, 1e300),
          output: tokens(),
          totalTokens: fc.constantFrom(-1, "5", null),
        },
        { requiredKeys: [] },
      ),
    },
  );

/** Something that holds a usage object where none counts. */
const decoyData = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    jsonValue(),
    fc.record({ usage: usage(), message: fc.record({ role: fc.constant("assistant"), usage: usage() }) }),
  );

// Messages

const models: [string, string][] = [
  ["anthropic", "claude-haiku-4-5"],
  ["openai", "gpt-5-mini"],
  ["google", "gemini-3-flash"],
  ["local", "a/b:c"],
];

/** Texts of tame messages are never empty, so that whether a message has text is never in question. */
const words = (): fc.Arbitrary<string> => text().map((tail) => `w${tail}`);

const block = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.record({ type: fc.constant("text"), text: words() }),
    fc.record({ type: fc.constant("thinking"), thinking: words(), thinkingSignature: text() }),
    fc.record({
      type: fc.constant("toolCall"),
      id: fc.constant("call_1"),
      name: fc.constantFrom("bash", "read"),
      arguments: decoyData(),
    }),
    fc.record({
      type: fc.constant("image"),
      data: fc.base64String({ maxLength: 16 }),
      mimeType: fc.constant("image/png"),
    }),
    fc.record({ type: fc.constantFrom("hologram", "__proto__"), text: text(), extra: jsonValue() }),
  );

const content = (): fc.Arbitrary<unknown> =>
  fc.oneof(words(), fc.array(block(), { maxLength: 3 }), fc.constantFrom(null, undefined, ""));

/** A message without its time. */
const message = (): fc.Arbitrary<Line> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ role: fc.constant("user"), content: content() }) },
    {
      weight: 4,
      arbitrary: fc
        .record({
          content: content(),
          model: fc.constantFrom(...models),
          usage: fc.option(usage(), { nil: undefined }),
          stopReason: fc.constantFrom("stop", "toolUse", "error", "aborted"),
          responseModel: fc.option(fc.constantFrom("answering-model", "other"), { nil: undefined, freq: 8 }),
          responseId: fc.option(fc.constantFrom("r1", "r2"), { nil: undefined }),
        })
        .map(({ model: [provider, model], content, ...rest }) => ({
          role: "assistant",
          content,
          api: "x",
          provider,
          model,
          ...rest,
        })),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        role: fc.constant("toolResult"),
        toolCallId: fc.constant("call_1"),
        toolName: fc.constantFrom("bash", "scout"),
        content: content(),
        details: decoyData(),
        usage: fc.option(usage(), { nil: undefined }),
        isError: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ role: fc.constant("system"), content: content() }) },
    {
      weight: 1,
      arbitrary: fc.record({
        role: fc.constant("bashExecution"),
        command: text(),
        output: text(),
        cancelled: fc.boolean(),
        truncated: fc.boolean(),
        usage: usage(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        role: fc.constantFrom("custom", "hookMessage"),
        customType: text(),
        content: words(),
        display: fc.boolean(),
        details: decoyData(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ role: fc.constantFrom("narrator", "__proto__"), content: content(), mood: jsonValue() }),
    },
  );

/** A message of a retained tail. Whether missing content is filled in there is left open, so it has some. */
const keptMessage = (): fc.Arbitrary<Line> =>
  fc.tuple(message(), words()).map(([message, words]) => ({ ...message, content: message.content ?? words }));

// Entries

/** An entry before it has an id, a parent and a time. */
interface Draft {
  fields: Line;
  /** Which entry before it is its parent, counted back from it; null makes a root. */
  parent: number | null;
  /** Its own id in another alphabet. */
  isMultibyte: boolean;
  /** Whether it has links even in version 1. */
  isLinked: boolean;
  /** Milliseconds since the entry before it. */
  pause: number;
  /** Where the fields name another entry: an entry up to this one, counted from the start, or `MISSING`. */
  target: number;
  messagePause: number | null;
}

/** As a target: an entry that does not exist. */
const MISSING = 40;

/** What an entry of any type says, its links and its time aside. */
const fields = (): fc.Arbitrary<Line> =>
  fc.oneof(
    { weight: 12, arbitrary: message().map((message) => ({ type: "message", message })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...models).map(([provider, modelId]) => ({ type: "model_change", provider, modelId })),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom("off", "low", "high")
        .map((thinkingLevel) => ({ type: "thinking_level_change", thinkingLevel })),
    },
    {
      weight: 2,
      arbitrary: fc
        .record({
          summary: text(),
          tokensBefore: tokens(),
          retainedTail: fc.option(fc.array(fc.oneof(keptMessage(), jsonValue()), { maxLength: 3 }), {
            nil: undefined,
            freq: 3,
          }),
          systemMessage: fc.option(fc.record({ role: fc.constant("system"), content: words() }), { nil: undefined }),
          details: decoyData(),
          usage: fc.option(usage(), { nil: undefined }),
        })
        .map((rest) => ({ type: "compaction", ...rest })),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("branch_summary"),
        fromId: fc.constant("root"),
        summary: text(),
        usage: fc.option(usage(), { nil: undefined }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("custom"), customType: text(), data: decoyData() }) },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("custom_message"),
        customType: text(),
        content: words(),
        display: fc.boolean(),
        details: decoyData(),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("label"),
        targetId: fc.constant(undefined),
        label: fc.option(fc.constantFrom("", "draft", "\u6c34"), { nil: undefined }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("session_info"),
        name: fc.constantFrom("", " ", "pond", " a\nb ", "\u{1f438}", "=1+1"),
      }),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(fc.constantFrom(...models), fc.constantFrom("cache_warm", "__proto__"), usage())
        .map(([[provider, model], kind, usage]) => ({ type: "usage", kind, provider, model, usage })),
    },
    {
      weight: 2,
      arbitrary: fc
        .oneof(fc.constant(null), fc.record({ content: fc.oneof(words(), fc.array(block(), { maxLength: 2 })) }))
        .map((replacement) => ({ type: "context_edit", targetId: undefined, replacement })),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("active_tools_change"),
        activeToolNames: fc.array(text(), { maxLength: 2 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constantFrom("weather", "__proto__", "toString"),
        message: decoyData(),
        usage: usage(),
      }),
    },
  );

const draft = (): fc.Arbitrary<Draft> =>
  fc.record({
    fields: fields(),
    parent: fc.oneof(
      { weight: 10, arbitrary: fc.constant(1) },
      { weight: 3, arbitrary: fc.integer({ min: 2, max: 12 }) },
      { weight: 1, arbitrary: fc.constant(null) },
    ),
    isMultibyte: rarely(),
    isLinked: rarely(),
    pause: fc.nat(90_000_000),
    target: fc.nat(MISSING),
    messagePause: fc.option(fc.nat(5_000)),
  });

/** The lines that drafts stand for. What a tame session can't say for certain is left out: a drop of a compaction, other content for a command. */
function writeLines(version: number, drafts: Draft[]): Line[] {
  const ids = drafts.map(({ isMultibyte }, index) =>
    isMultibyte ? `\u0436${index}\u{1f438}` : (((index + 1) * 0x9e3779b1) >>> 0).toString(16).padStart(8, "0"),
  );
  // In version 1 few entries have links, and those can only name each other.
  const hasLinks = drafts.map(({ isLinked }) => version > 1 || isLinked);
  const idBefore = (index: number, back: number | null): string | null =>
    back !== null && hasLinks[index - back] ? ids[index - back]! : null;

  let time = START;
  return drafts.map(({ fields, parent, pause, target, messagePause }, index) => {
    time += pause;
    const links = hasLinks[index] ? { id: ids[index], parentId: idBefore(index, parent) } : {};
    const line: Line = { type: fields.type, ...links, timestamp: new Date(time).toISOString(), ...fields };
    if (line.type === "message" && messagePause !== null) {
      line.message = { ...(line.message as Line), timestamp: time - messagePause };
    }

    const other = target === MISSING ? undefined : target % (index + 1);
    const otherId = other === undefined ? "missing" : ids[other];
    if ("targetId" in line) line.targetId = otherId;
    if (line.type === "compaction" && version > 1) line.firstKeptEntryId = otherId;
    // Line 0 is the header; with entries that have links of their own, what "everything" is would be open.
    if (line.type === "compaction" && version === 1) {
      line.firstKeptEntryIndex = other === undefined ? -1 : other + (hasLinks.includes(true) ? 1 : 0);
    }
    if (line.type === "context_edit" && other !== undefined && !canEdit(line.replacement, drafts[other]!.fields)) {
      line.replacement = { text: "ignored" };
    }
    return line;
  });
}

/** Whether it is certain what the replacement makes of an entry with those fields. */
function canEdit(replacement: unknown, { type, message }: Line): boolean {
  if (replacement === null) return type !== "compaction";
  const editable = ["user", "assistant", "toolResult", "custom"];
  return type === "custom_message" || (type === "message" && editable.includes((message as Line).role as string));
}

const header = (version: number): fc.Arbitrary<Line> =>
  fc.record(
    {
      type: fc.constant("session"),
      version: fc.constant(version === 1 ? undefined : version),
      id: fc.constantFrom("019c21a0-0000-7000-8000-00000000000a", "an.id_of-old"),
      timestamp: fc.constant(new Date(START).toISOString()),
      cwd: fc.constantFrom("/home/ada/pond", "C:\\pond", "/"),
      parentSession: fc.constant("/home/ada/parent.jsonl"),
      branchedFrom: fc.constant("/home/ada/older.jsonl"),
    },
    { requiredKeys: ["type", "version", "id", "timestamp"] },
  );

/** A change that makes a session hostile: another value, or none, under a key of a line, of its message, or of their usage. */
interface Twist {
  line: number;
  place: "entry" | "message" | "usage";
  key: number;
  value: unknown;
}

const twist = (): fc.Arbitrary<Twist> =>
  fc.record({
    line: fc.nat(60),
    place: fc.constantFrom<Twist["place"][]>("entry", "entry", "message", "usage"),
    key: fc.nat(20),
    value: fc.oneof(
      jsonValue(),
      fc.constant(undefined),
      fc.constantFrom("hookMessage", "session", "compaction", "message"),
    ),
  });

function applyTwist(lines: Line[], { line: number, place, key, value }: Twist): void {
  // The header stays, or most files would be no sessions.
  const line = lines[1 + (number % Math.max(1, lines.length - 1))];
  let target: unknown = line;
  if (place !== "entry") target = (target as Line | undefined)?.message ?? target;
  if (place === "usage") target = (target as Line | undefined)?.usage ?? target;
  if (typeof target !== "object" || target === null) return;
  const keys = [...Object.keys(target), "extra"];
  Object.defineProperty(target, keys[key % keys.length]!, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

/** A link of a hostile session: the id or the parent of a line is that of another line, or of none. */
interface Relink {
  line: number;
  key: "id" | "parentId" | "targetId";
  other: number;
}

const relink = (): fc.Arbitrary<Relink> =>
  fc.record({ line: fc.nat(60), key: fc.constantFrom("id", "parentId", "parentId", "targetId"), other: fc.nat(61) });

function applyRelink(lines: Line[], { line: number, key, other }: Relink): void {
  const line = lines[1 + (number % Math.max(1, lines.length - 1))];
  if (line !== undefined) line[key] = other === 61 ? "nowhere" : lines[1 + (other % (lines.length - 1))]!.id;
}

/** The lines of a session as objects, the header (or a record without an id before it) first. */
export function sessionLines({
  versions = [1, 2, 3, 4],
  hostile = false,
  maxEntries = 25,
}: SessionOptions = {}): fc.Arbitrary<Line[]> {
  return fc.constantFrom(...versions).chain((version) =>
    fc
      .record({
        header: header(version),
        drafts: fc.array(draft(), { maxLength: maxEntries, size: "max" }),
        title: fc.option(text(), { freq: 12 }),
        secondHeader: fc.option(fc.tuple(fc.nat(maxEntries), header(1)), { freq: 8 }),
        relinks: hostile ? fc.array(relink(), { maxLength: 4 }) : fc.constant([]),
        twists: hostile ? fc.array(twist(), { maxLength: 5 }) : fc.constant([]),
      })
      .map(({ header, drafts, title, secondHeader, relinks, twists }) => {
        const lines = [header, ...writeLines(version, drafts)];
        for (const relink of relinks) applyRelink(lines, relink);
        for (const twist of twists) applyTwist(lines, twist);
        // What the index of a compaction keeps when it is that of a later header is left open in version 1.
        if (secondHeader !== null && version !== 1)
          lines.splice(1 + (secondHeader[0] % lines.length), 0, secondHeader[1]);
        return title === null ? lines : [{ type: "title", title }, ...lines];
      }),
  );
}

/** A whole session file, in any spelling of its JSON. */
export function sessionFile(options: SessionOptions = {}): fc.Arbitrary<Buffer> {
  return fc
    .record({
      lines: sessionLines(options),
      seed: fc.nat(),
      strength: fc.constantFrom(0, 0.05, 0.3),
      form: fc.record({ hasMark: rarely(), isCrlf: rarely(), hasBlankLines: rarely(), lacksFinalNewline: rarely() }),
    })
    .map(({ lines, seed, strength, form }) => {
      const random = seededRandom(seed);
      const end = form.isCrlf ? "\r\n" : "\n";
      const blank = () => (form.hasBlankLines && random() < 0.2 ? ` ${end}${end}` : "");
      const written = lines.map((line) => blank() + spellJson(line, random, strength)).join(end);
      const text = `${form.hasMark ? "\ufeff" : ""}${written}${form.lacksFinalNewline ? "" : end}`;
      return printable(Buffer.from(text));
    });
}

const rarely = (): fc.Arbitrary<boolean> => fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, fc.constant(true));

// Damage

type Damage = (bytes: Buffer) => Buffer;

const splice = (bytes: Buffer, at: number, removed: number, inserted: Buffer): Buffer => {
  const start = at % (bytes.length + 1);
  return Buffer.concat([bytes.subarray(0, start), inserted, bytes.subarray(start + removed)]);
};

const place = (): fc.Arbitrary<number> => fc.nat(1 << 20);

/** Offsets of the newlines of a file. */
const newlines = (bytes: Buffer): number[] => [...bytes.keys()].filter((at) => bytes[at] === 0x0a);

const foreignLines = [
  "{}",
  "[]",
  "5",
  "null",
  '"text"',
  "{",
  "}",
  "no json",
  '{"type":7}',
  '{"type":"title"}',
  '{"type":"session"}',
  '{"type":"event","id":"e"}',
];

const damage = (): fc.Arbitrary<Damage> =>
  fc.oneof(
    fc.tuple(place(), fc.integer({ min: 1, max: 255 })).map(
      ([at, bits]): Damage =>
        (bytes) => {
          if (bytes.length === 0) return bytes;
          const flipped = Buffer.from(bytes);
          flipped[at % bytes.length]! ^= bits;
          return flipped;
        },
    ),
    fc.tuple(place(), fc.uint8Array({ minLength: 1, maxLength: 6 })).map(
      ([at, inserted]): Damage =>
        (bytes) =>
          splice(bytes, at, 0, Buffer.from(inserted)),
    ),
    fc.tuple(place(), fc.constantFrom("{", "}", '"', "\\", "\n", "\r\n", "\u2028", "\ufeff", '{"')).map(
      ([at, inserted]): Damage =>
        (bytes) =>
          splice(bytes, at, 0, Buffer.from(inserted)),
    ),
    fc.tuple(place(), fc.integer({ min: 1, max: 300 })).map(
      ([at, count]): Damage =>
        (bytes) =>
          splice(bytes, at, count, Buffer.alloc(0)),
    ),
    place().map(
      (at): Damage =>
        (bytes) =>
          bytes.subarray(0, at % (bytes.length + 1)),
    ),
    fc.tuple(place(), fc.integer({ min: 1, max: 600 }), fc.boolean()).map(
      ([at, count, overwrites]): Damage =>
        (bytes) =>
          splice(bytes, at, overwrites ? count : 0, Buffer.alloc(count)),
    ),
    // A newline is lost, alone or with what stood before it: a line is joined to the next one.
    fc.tuple(place(), fc.oneof(fc.constant(0), fc.nat(150))).map(
      ([at, torn]): Damage =>
        (bytes) => {
          const ends = newlines(bytes);
          if (ends.length === 0) return bytes;
          const end = ends[at % ends.length]!;
          return Buffer.concat([bytes.subarray(0, Math.max(0, end - torn)), bytes.subarray(end + 1)]);
        },
    ),
    // A line stands there twice, or something else stands between two lines.
    fc.tuple(place(), place()).map(
      ([from, to]): Damage =>
        (bytes) => {
          const starts = [0, ...newlines(bytes).map((end) => end + 1)];
          const line = from % starts.length;
          return splice(
            bytes,
            starts[to % starts.length]!,
            0,
            bytes.subarray(starts[line]!, starts[line + 1] ?? bytes.length),
          );
        },
    ),
    fc.tuple(place(), fc.constantFrom(...foreignLines)).map(
      ([at, line]): Damage =>
        (bytes) => {
          const starts = [0, ...newlines(bytes).map((end) => end + 1)];
          return splice(bytes, starts[at % starts.length]!, 0, Buffer.from(`${line}\n`));
        },
    ),
  );

/** A session file with a few faults in its bytes; it may be no session any more. */
export function damagedFile(options: SessionOptions = {}): fc.Arbitrary<Buffer> {
  return fc
    .tuple(sessionFile(options), fc.array(damage(), { minLength: 1, maxLength: 4 }))
    .map(([bytes, faults]) => printable(faults.reduce((damaged, fault) => fault(damaged), bytes)));
}

/** Bytes that are no file of ours at all, but look a little like JSON lines. */
export function anyBytes(): fc.Arbitrary<Buffer> {
  const scraps = fc.constantFrom(
    "{",
    "}",
    "[",
    "]",
    '"',
    ",",
    ":",
    "\\",
    "\n",
    "\r",
    " ",
    "\0",
    "1",
    "-",
    "e",
    "null",
    '"type"',
    '"session"',
    '"id"',
    '"timestamp"',
    "\u00e9",
    "\ufeff",
  );
  return fc
    .array(
      fc.oneof(
        scraps.map((scrap) => Buffer.from(scrap)),
        fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
      ),
      { maxLength: 60 },
    )
    .map((pieces) => printable(Buffer.concat(pieces)));
}

/** The bytes of `file` in pieces of any size, empty ones among them. */
export function cutInPieces(file: fc.Arbitrary<Buffer>): fc.Arbitrary<{ bytes: Buffer; pieces: Buffer[] }> {
  const sizes = fc.oneof(
    fc.constantFrom([1], [2], [3], [7], [64], [1 << 16]),
    fc
      .array(fc.oneof(fc.nat(4), fc.nat(500)), { minLength: 1, maxLength: 20 })
      .filter((sizes) => sizes.some((size) => size > 0)),
  );
  return fc.tuple(file, sizes).map(([bytes, sizes]) => {
    const pieces: Buffer[] = [];
    for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
      const size = sizes[turn % sizes.length]!;
      pieces.push(bytes.subarray(at, at + size));
      at += size;
    }
    return { bytes, pieces };
  });
}

/** Bytes that fast-check prints as text, each byte as one character. */
function printable(bytes: Buffer): Buffer {
  return Object.defineProperty(bytes, fc.toStringMethod, {
    value: () => JSON.stringify(bytes.toString("latin1")),
    configurable: true,
  });
}
