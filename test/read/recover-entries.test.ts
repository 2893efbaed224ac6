import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import {
  RECOVERY_WINDOW_BYTES,
  type RecoveredEntry,
  recoverEntries,
  recoverEntriesFromEnds,
} from "../../src/read/recover-entries.js";
import { assistant, header, user } from "../helpers/entries.js";

const first = JSON.stringify(user("1", null, 'Look {here}: \\ " }'));
const second = JSON.stringify(assistant("2", "1", "漢字 and 😀"));

/** The recovered entries as the text of their bytes. */
function recoveredTexts(line: Buffer): string[] {
  return recoverEntries(line).map(({ start, end }) => line.toString("utf8", start, end));
}

const recovered = (text: string): string[] => recoveredTexts(Buffer.from(text));

suite("recoverEntries", () => {
  test("recoverEntries finds the entry glued behind a torn one", () => {
    assert.deepEqual(recovered(`{"type":"mess${first}`), [first]);
  });

  test("recoverEntries finds the entry behind every torn front of another", () => {
    for (let cut = 1; cut < first.length; cut++) {
      assert.deepEqual(recovered(first.slice(0, cut) + second), [second], `cut at ${cut}`);
    }
  });

  test("recoverEntries finds the entries before every torn end", () => {
    for (let cut = 0; cut < second.length; cut++) {
      assert.deepEqual(recovered(first + second.slice(0, cut)), [first], `cut at ${cut}`);
    }
  });

  test("recoverEntries splits entries that lost the newline between them", () => {
    assert.deepEqual(recovered(first + second + first), [first, second, first]);
  });

  test("recoverEntries passes over NUL bytes and white space around entries", () => {
    assert.deepEqual(recovered(`\0\0${first}\0 \t\r\0${second}\0\r`), [first, second]);
    assert.deepEqual(recovered(`x\0${first}\0\0${second}\r\0`), [first, second]);
  });

  test("recoverEntries does not find an entry with damage on both sides", () => {
    assert.deepEqual(recovered(`${first}{"type":"m${second}{"ty`), [first]);
  });

  test("recoverEntries recovers a header", () => {
    const text = JSON.stringify(header());
    assert.deepEqual(recovered(`{"type":"session","ver${text}`), [text]);
  });

  test("recoverEntries gives the parsed entry and its byte range", () => {
    const line = Buffer.from(`é${first}`);
    assert.deepEqual(recoverEntries(line), [{ entry: JSON.parse(first), start: 2, end: line.length }]);
  });

  test("recoverEntries leaves objects without a string type or timestamp", () => {
    assert.deepEqual(recovered(`x{"type":"text","text":"a"}`), []);
    assert.deepEqual(recovered(`x{"timestamp":"2026"}`), []);
    assert.deepEqual(recovered(`x{"type":"a","timestamp":1}`), []);
    assert.deepEqual(recovered(`{"type":["a"],"timestamp":"2026"}x`), []);
    assert.deepEqual(recovered(`x${first}{}${second}`), [second]);
  });

  test("recoverEntries does not take an entry out of another's string", () => {
    const outer = JSON.stringify(user("1", null, first));
    assert.deepEqual(recovered(`{"type":"mess${outer}`), [outer]);
    assert.deepEqual(recovered(`${outer}{"type":"mess`), [outer]);
  });

  test("recoverEntries reads invalid UTF-8 inside an entry as U+FFFD", () => {
    const [before, after] = [Buffer.from('{"type":"a","timestamp":"'), Buffer.from('"}')];
    const line = Buffer.concat([Buffer.from("x"), before, Buffer.from([0xe6, 0xbc]), after]);
    assert.deepEqual(
      recoverEntries(line).map(({ entry }) => entry),
      [{ type: "a", timestamp: "\ufffd" }],
    );
  });

  test("recoverEntries finds nothing in an empty or blank line", () => {
    for (const text of ["", "\0\0\0", " \t\r", "{}", "null", '"', "}", "\\"]) assert.deepEqual(recovered(text), []);
  });

  test("recoverEntries searches only the ends of a line above its window", () => {
    const line = Buffer.from(`${first}junk${second}${second}`);
    const window = first.length + 3;
    assert.ok(Buffer.byteLength(second) > window);
    assert.deepEqual(recoverEntries(line, window), recoverEntries(Buffer.from(`${first}junk`)));
    assert.deepEqual(recoverEntries(line, line.length).length, 3);
  });

  // A search that is not linear would need hours for these.
  test("recoverEntries is linear in hostile lines", { timeout: 60_000 }, () => {
    const size = 1024 * 1024;
    const tail = `{"type":"a","timestamp":"t"}`;
    for (const unit of [
      "{",
      "}",
      '"',
      "\\",
      '\\"',
      '\\""',
      '{"',
      '"}',
      '{"a":',
      "[",
      "{[",
      '{"":""',
      "\0",
      "{}",
      "[]}",
    ]) {
      const bulk = unit.repeat(size / unit.length);
      for (const line of [
        bulk,
        `${bulk}}`,
        `{${bulk}`,
        `{"a":${bulk}}`,
        `"${bulk}"}`,
        bulk + tail,
        tail + bulk + tail,
      ]) {
        assert.ok(recoverEntries(Buffer.from(line)).length <= 2);
      }
    }
  });

  test("recoverEntries is linear in the number of entries", () => {
    const line = Buffer.from(`{"type":"m${first.repeat(5_000)}`);
    assert.equal(recoverEntries(line).length, 5_000);
  });

  test("recoverEntries takes deep nesting, but no absurd one", () => {
    const nested = (depth: number) =>
      `{"type":"a","timestamp":"t","x":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    assert.equal(recovered(`x${nested(100_000)}`).length, 1);
    assert.equal(recovered(`${nested(100_000)}x`).length, 1);
    assert.equal(recovered(`x${nested(100_001)}`).length, 0);
    assert.equal(recovered(`${nested(100_001)}x`).length, 0);
  });
});

suite("recoverEntriesFromEnds", () => {
  test("recoverEntriesFromEnds counts offsets from the line's beginning", () => {
    const line = Buffer.from(`${first}${"-".repeat(1000)}${second}`);
    const [head, tail] = [line.subarray(0, 300), line.subarray(-700)];
    assert.deepEqual(recoverEntriesFromEnds(head, tail, line.length - 700), recoverEntries(line));
  });

  test("recoverEntriesFromEnds searches windows of 16 MiB", () => {
    assert.equal(RECOVERY_WINDOW_BYTES, 16_777_216);
  });

  test("recoverEntriesFromEnds gives nothing twice where the windows overlap", () => {
    const line = Buffer.from(first.repeat(3));
    const size = first.length * 2 + 5;
    const offset = line.length - size;
    assert.deepEqual(
      recoverEntriesFromEnds(line.subarray(0, size), line.subarray(offset), offset).map(({ start }) => start),
      [0, first.length, first.length * 2],
    );
  });
});

/**
 * The same rule, read from its words and with no regard for time: every byte is tried as a beginning, and every byte as an end.
 * `head` and `tailOffset` bound what is searched.
 */
function recoverPlainly(line: Buffer, head: number, tailOffset: number): RecoveredEntry[] {
  const front = takeEntries(line.subarray(0, head), 0);
  for (let from = Math.max(tailOffset, front.at); from < line.length; from++) {
    const rest = takeEntries(line, from);
    if (rest.at === line.length) return [...front.found, ...rest.found];
  }
  return front.found;
}

/** The whole entries from `at` on, as far as they go, and where they stop. */
function takeEntries(line: Buffer, at: number): { found: RecoveredEntry[]; at: number } {
  const found: RecoveredEntry[] = [];
  let next: RecoveredEntry | undefined;
  const skipBlank = () => {
    while (at < line.length && "\0 \t\r\n".includes(String.fromCharCode(line[at]!))) at++;
  };
  skipBlank();
  while ((next = takeEntry(line, at))) {
    found.push(next);
    at = next.end;
    skipBlank();
  }
  return { found, at };
}

function takeEntry(line: Buffer, start: number): RecoveredEntry | undefined {
  if (line[start] !== 0x7b) return undefined;
  for (let end = start + 1; end <= line.length; end++) {
    if (line[end - 1] !== 0x7d) continue;
    try {
      const entry = JSON.parse(line.toString("utf8", start, end));
      return typeof entry.type === "string" && typeof entry.timestamp === "string" ? { entry, start, end } : undefined;
    } catch {
      // not whole up to here
    }
  }
  return undefined;
}

const hostileText = fc
  .array(fc.constantFrom('"', "\\", "{", "}", "[", "]", ":", ",", "\0", "é", "😀", '{"type":"a"', '"}', "x"), {
    maxLength: 5,
  })
  .map((parts) => parts.join(""));
const wholeEntry = fc
  .record({
    type: hostileText,
    timestamp: hostileText,
    x: fc.oneof(hostileText, fc.constantFrom(1, [], [{}], { a: [{ b: "}" }] })),
  })
  .map((value) => Buffer.from(JSON.stringify(value)));
const fragment = fc
  .tuple(wholeEntry, fc.nat(60), fc.nat(60))
  .map(([bytes, from, length]) => bytes.subarray(from % 5 === 0 ? 0 : from, from + length));
const glue = fc
  .constantFrom('"', "\\", "{", "}", "[", "]", ",", "\0", " \0 ", '{"a":', '\\"', '{"', '"}', "{}", '{"type":"a"}', "1")
  .map((text) => Buffer.from(text));
const hostileLine = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: wholeEntry },
      { weight: 2, arbitrary: fragment },
      { weight: 3, arbitrary: glue },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)) },
    ),
    { maxLength: 8 },
  )
  .map((parts) => Buffer.concat(parts));

suite("recoverEntries by the plain rule", () => {
  test("recoverEntries agrees with trying every place", () => {
    fc.assert(
      fc.property(hostileLine, (line) => {
        assert.deepEqual(recoverEntries(line), recoverPlainly(line, line.length, 0));
      }),
      { numRuns: 1500 },
    );
  });

  test("recoverEntries with a small window agrees with trying every place in it", () => {
    fc.assert(
      fc.property(hostileLine, fc.integer({ min: 1, max: 200 }), (line, window) => {
        const head = Math.min(window, line.length);
        assert.deepEqual(recoverEntries(line, window), recoverPlainly(line, head, line.length - head));
      }),
      { numRuns: 1500 },
    );
  });
});
