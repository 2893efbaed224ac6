import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import type { TruncatedString } from "../../src/format/entry-record.js";
import { LongLineParser, type LongLineParserOptions } from "../../src/read/long-line-parser.js";
import { assistant, header, toolResult, user } from "../helpers/entries.js";

function parse(line: string | Buffer, options?: LongLineParserOptions, pieceBytes = 1000) {
  const parser = new LongLineParser(options);
  const bytes = Buffer.from(line);
  for (let from = 0; from < bytes.length; from += pieceBytes) parser.push(bytes.subarray(from, from + pieceBytes));
  return parser.end();
}

/** What `JSON.parse` says of the same bytes, in the shape of the parser's answer. */
function parsePlainly(line: Buffer) {
  try {
    return { value: JSON.parse(line.toString()) as unknown, truncated: [] };
  } catch {
    return undefined; // no JSON: that is the answer
  }
}

const KIB = 1024;

suite("LongLineParser within its limits", () => {
  const lines = [
    header({ parentSession: "/a/b.jsonl" }),
    user("1", null, '漢字 and 😀 \u2028 \u0000 \\ " / \ud800 lone'),
    assistant("2", "1", "text", {
      usage: { input: 1, cost: { total: 0.1 } },
      extra: [null, true, false, [], {}, [[]]],
    }),
    toolResult("3", "2", "", { details: { "": 1, "a.b": [{ x: 1e21 }], constructor: 5, 10: "ten", 9: "nine" } }),
  ].map((line) => JSON.stringify(line));

  test("LongLineParser gives what JSON.parse gives, for every piece size", () => {
    for (const line of lines) {
      for (let size = 1; size <= 20; size++) {
        assert.deepEqual(parse(line, {}, size), { value: JSON.parse(line), truncated: [] }, `pieces of ${size}`);
      }
    }
  });

  test("LongLineParser reads numbers as JSON.parse does", () => {
    for (const text of [
      "0",
      "-0",
      "1e999",
      "-1e999",
      "5e-324",
      "1E-400",
      "0.1",
      "123456789012345678901234567890",
      "1.5e+3",
      `0.${"3".repeat(4000)}`,
    ]) {
      assert.deepEqual(parse(`[${text}]`), { value: [JSON.parse(text)], truncated: [] });
      assert.deepEqual(parse(text, {}, 1), { value: JSON.parse(text), truncated: [] });
    }
  });

  test("LongLineParser lets the later of two equal keys win", () => {
    assert.deepEqual(parse('{"a":1,"b":2,"a":{"c":3}}')?.value, { a: { c: 3 }, b: 2 });
    assert.deepEqual(parse('{"usage":{"input":1},"usage":5}')?.value, { usage: 5 });
  });

  test("LongLineParser keeps __proto__ as a key like any other", () => {
    const value = parse('{"__proto__":{"type":"x"},"a":1}')?.value as object;
    assert.equal(Object.getPrototypeOf(value), Object.prototype);
    assert.deepEqual(Object.keys(value), ["__proto__", "a"]);
    assert.equal("type" in value, false);
  });

  test("LongLineParser reads invalid UTF-8 as U+FFFD", () => {
    const bytes = Buffer.concat([Buffer.from('["'), Buffer.from([0xe6, 0xbc, 0x41, 0xff]), Buffer.from('"]')]);
    for (const size of [1, 2, 3, 100]) assert.deepEqual(parse(bytes, {}, size)?.value, ["\ufffdA\ufffd"]);
  });

  test("LongLineParser does not need its pieces any more once they are pushed", () => {
    const parser = new LongLineParser();
    const piece = Buffer.alloc(4);
    for (const text of ['["a', "bcd", 'é"]']) parser.push(piece.subarray(0, piece.write(text)));
    assert.deepEqual(parser.end()?.value, ["abcdé"]);
  });
});

suite("LongLineParser's verdict", () => {
  const texts = [
    ..."01|1.|-|+1|.5|1e|1e+|-01|1.e5|00|0x1|1_0|NaN|Infinity|-Infinity|nul|nulll|truefalse|true false|True|tru|1 2|'a'".split(
      "|",
    ),
    ..."[1,]|[,1]|[,]|[1 2]|[1,,2]|[|]|[]]|[1}|{|}|{}}|{]|{,}|{a:1}|{'a':1}".split("|"),
    ...'{"a"}|{"a":}|{"a":1,}|{"a":1,"b"}|{"a":1 "b":2}|{"a"::1}|{1:2}|{null:1}|{"a":1}{"b":2}|{"a":1},|{"a":[}'.split(
      "|",
    ),
    ...'"|"a|"\\|"\\"|"\\x"|"\\u"|"\\u12"|"\\u12g4"|"\\ud800"|"\\udc00\\ud800"|"\\/"|"\\u0000"|"\\\n"|"\\U0041"'.split(
      "|",
    ),
    ...["", " ", "\t\n\r 1 \t\n\r", "\0", "\0{}", "{}\0", "[1\0]", "{}x", "// x\n1", "/* */1", "1;", '["a"]b'],
    ...[
      "\ufeff{}",
      "{}\ufeff",
      "[\ufeff]",
      '"\ufeff"',
      "\u00a01",
      "1\u00a0",
      "[1,\v2]",
      "[1,\f2]",
      "\u20281",
      "1\u2029",
      "\u0085 1",
    ],
    ...[
      '"\u0000"',
      '"\u001f"',
      '"\t"',
      '"\n"',
      '"\u007f"',
      '"\u0080"',
      '"\u2028"',
      '{"\t":1}',
      '{"\u0001":1}',
      '{"\u2028":1}',
      '{"\\n":1}',
    ],
  ];

  test("LongLineParser takes for whole what JSON.parse takes, and nothing else", () => {
    for (const text of texts) {
      const expected = parsePlainly(Buffer.from(text));
      for (const size of [1, 2, 3, 100])
        assert.deepEqual(parse(text, {}, size), expected, `${JSON.stringify(text)}, pieces of ${size}`);
      assert.equal(parse(`[${text},"${"x".repeat(300)}"]`) !== undefined, isJson(`[${text},1]`), JSON.stringify(text));
    }
  });

  test("LongLineParser finds every cut of a line not whole", () => {
    const line = JSON.stringify(assistant("1", null, "é\n😀"));
    for (let cut = 0; cut < Buffer.byteLength(line); cut++)
      assert.equal(parse(Buffer.from(line).subarray(0, cut)), undefined, `cut at ${cut}`);
  });

  test("LongLineParser agrees with JSON.parse on mutated texts, in pieces of any size", () => {
    const snippet = fc.oneof(
      fc.constantFrom(
        ...'0 1 . - + e E , [ ] { } : " \\ \\u \\ud800 nul true null / \0 \t \n \u007f \ufeff \u2028 \u00a0 \v é 😀'.split(
          " ",
        ),
        " ",
      ),
      fc.uint8Array({ minLength: 1, maxLength: 3 }),
    );
    const json = fc.oneof(
      fc.json({ maxDepth: 3 }),
      fc.constantFrom(
        '{"a":[1,-0,2.5e10,true,false,null,"x\\n\\u00e9\\ud83d\\ude00"],"k":1,"k":{"__proto__":[]}}',
        "[-1.5E-3]",
      ),
    );
    const edit = fc.record({ at: fc.nat(200), remove: fc.constantFrom(0, 0, 1, 3), insert: snippet });
    const pieces = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(json, fc.array(edit, { maxLength: 2 }), pieces, (text, edits, sizes) => {
        let line = Buffer.from(text);
        for (const { at, remove, insert } of edits) {
          const from = at % (line.length + 1);
          line = Buffer.concat([line.subarray(0, from), Buffer.from(insert as string), line.subarray(from + remove)]);
        }
        const parser = new LongLineParser();
        for (let from = 0, turn = 0; from < line.length; from += sizes[turn++ % sizes.length]!) {
          parser.push(line.subarray(from, from + sizes[turn % sizes.length]!));
        }
        assert.deepEqual(parser.end(), parsePlainly(line));
      }),
      { numRuns: 1500 },
    );
  });

  function isJson(text: string): boolean {
    return parsePlainly(Buffer.from(text)) !== undefined;
  }
});

suite("LongLineParser beyond its limits", () => {
  test("LongLineParser cuts a string over 64 KiB and names it", () => {
    const data = "QUJD".repeat(16 * KIB);
    const line = (text: string) =>
      JSON.stringify(user("1", null, [{ type: "image", data: text, mimeType: "image/png" }]));
    assert.deepEqual(parse(line(data)), { value: JSON.parse(line(data)), truncated: [] });
    assert.deepEqual(parse(line(`${data}Q`)), {
      value: JSON.parse(line(`${"QUJD".repeat(256)}…[65537 bytes]`)),
      truncated: [{ path: "message.content[0].data", bytes: 65537 }],
    });
  });

  test("LongLineParser counts a cut string in the UTF-8 bytes of what it says", () => {
    const cases: [text: string, bytes: number][] = [
      ["漢".repeat(30 * KIB), 90 * KIB],
      ["\\n".repeat(70 * KIB), 70 * KIB],
      ["\\u00e9".repeat(40 * KIB), 80 * KIB],
      ["\\ud83d\\ude00".repeat(20 * KIB), 80 * KIB],
      ["\\ud800x".repeat(20 * KIB), 80 * KIB],
    ];
    for (const [text, bytes] of cases) {
      const whole = JSON.parse(`"${text}"`) as string;
      const value = `${Array.from(whole).slice(0, 1024).join("")}…[${bytes} bytes]`;
      for (const size of [999, 4096])
        assert.deepEqual(parse(`["${text}"]`, {}, size), { value: [value], truncated: [{ path: "[0]", bytes }] });
    }
  });

  test("LongLineParser does not tear a surrogate pair at the end of a preview", () => {
    const value = parse(JSON.stringify(`x${"😀".repeat(20 * KIB)}`))?.value;
    assert.equal(value, `x${"😀".repeat(1023)}…[81921 bytes]`);
  });

  test("LongLineParser forgets a cut string that a later key replaces", () => {
    const long = "x".repeat(65 * KIB);
    assert.deepEqual(parse(`{"a":"${long}","b":{"c":"${long}"},"a":1,"b":2}`), {
      value: { a: 1, b: 2 },
      truncated: [],
    });
  });

  test("LongLineParser leaves out a member with a key over 64 KiB", () => {
    const key = "k".repeat(64 * KIB);
    assert.deepEqual(parse(`{"${key}":1,"a":2}`)?.value, { [key]: 1, a: 2 });
    assert.deepEqual(parse(`{"${key}k":{"x":[10]},"a":2}`), {
      value: { a: 2 },
      truncated: [{ path: "", bytes: 64 * KIB + 1 + 3 }],
    });
  });

  test("LongLineParser reads an absurd number from its first 4,096 characters", () => {
    const parsed = (text: string) => parse(`{"n":${text}}`);
    const result = (n: number, bytes: number) => ({ value: { n }, truncated: [{ path: "n", bytes }] });
    assert.deepEqual(parsed(`0.${"3".repeat(5000)}`), result(1 / 3, 5002));
    assert.deepEqual(parsed("7".repeat(5000)), result(Number.POSITIVE_INFINITY, 5000));
    assert.deepEqual(parsed(`-1${"0".repeat(4094)}.5`), result(Number.NEGATIVE_INFINITY, 4098));
    assert.deepEqual(parsed(`0.${"0".repeat(4093)}e5`), result(0, 4097));
    assert.deepEqual(parsed(`0.${"0".repeat(4092)}e-5`), result(0, 4097));
  });

  test("LongLineParser keeps a container on the 1,000th level empty", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}5${"]".repeat(depth)}`;
    assert.deepEqual(parse(nested(999)), { value: JSON.parse(nested(999)), truncated: [] });
    const cut = (depth: number) => ({
      value: JSON.parse(nested(1000).replace("5", "")),
      truncated: [{ path: `${"[0]".repeat(334).slice(0, 1000)}…`, bytes: depth === 0 ? 0 : 1 }],
    });
    assert.deepEqual(parse(nested(1000)), cut(1));
    assert.deepEqual(parse(nested(1005)), cut(1));
    assert.deepEqual(parse(nested(1005).replace("5", "")), cut(0));
  });

  test("LongLineParser reads a nest a million deep and no deeper", () => {
    const nested = (depth: number) => Buffer.from("[".repeat(depth) + "]".repeat(depth));
    assert.ok(parse(nested(1_000_000), {}, 64 * KIB));
    assert.equal(parse(nested(1_010_000), {}, 64 * KIB), undefined);
  });

  test("LongLineParser keeps what an entry can't do without, though it comes after the budget is used up", () => {
    const bulk = Array.from({ length: 40_000 }, (_, index) => ({ index }));
    const usage = {
      input: 1,
      output: 2,
      cacheRead: 3,
      cacheWrite: 4,
      totalTokens: 10,
      cost: { input: 0.1, total: 0.5 },
    };
    const line = {
      message: {
        content: bulk,
        extra: 1,
        usage: { extra: 1, ...usage },
        role: "toolResult",
        timestamp: 5,
        model: "m".repeat(64 * KIB),
        toolName: "t",
        isError: false,
        stopReason: ["no", "scalar"],
      },
      data: 1,
      usage,
      id: "1",
      parentId: null,
      type: "message",
      timestamp: "t",
      provider: "p".repeat(64 * KIB + 1),
    };
    const parsed = parse(JSON.stringify(line), {}, 64 * KIB)!;
    const { content, ...message } = (parsed.value as typeof line).message;
    assert.ok(content.length > 5_000 && content.length < 40_000);
    assert.deepEqual(content.slice(0, -1), bulk.slice(0, content.length - 1)); // the budget may end within the last one
    const { role, timestamp, model, toolName, isError } = line.message;
    assert.deepEqual(message as unknown, { usage, role, timestamp, model, toolName, isError });
    assert.deepEqual(
      { ...(parsed.value as object), message: 0 },
      {
        message: 0,
        usage,
        id: "1",
        parentId: null,
        type: "message",
        timestamp: "t",
        provider: `${"p".repeat(1024)}…[65537 bytes]`,
      },
    );
    assert.deepEqual(
      parsed.truncated.filter(({ path }) => !path.startsWith("message.content")),
      [
        { path: "", bytes: "data1".length },
        { path: "provider", bytes: 65537 },
        { path: "message", bytes: "extra1stopReasonnoscalar".length },
        { path: "message.usage", bytes: "extra1".length },
      ],
    );
  });

  test("LongLineParser takes nothing for essential that only shares the name", () => {
    const { value } = parse('{"a":[1,2],"details":{"usage":{"input":1}},"usage":[1],"message":"m","cost":1}', {
      maxKeptBytes: 0,
    })!;
    assert.deepEqual(value, { message: "m" });
  });

  test("LongLineParser leaves out the earlier value of a key whose later one is left out", () => {
    const { value } = parse(`{"id":"1","x":["${"y".repeat(100)}"],"id":["2"],"type":"a"}`, { maxKeptBytes: 400 })!;
    assert.deepEqual(value, { x: [], type: "a" });
  });

  type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

  test("LongLineParser names what it left out, and nothing else", () => {
    const limits = fc.record({
      maxStringBytes: fc.integer({ min: 4, max: 20 }),
      maxKeptBytes: fc.integer({ min: 0, max: 3000 }),
    });
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4, stringUnit: "binary" }),
        limits,
        fc.integer({ min: 1, max: 50 }),
        (whole, options, size) => {
          const text = JSON.stringify(whole);
          const { value, truncated } = parse(text, options, size)!;
          const expected: TruncatedString[] = [];
          compare(value as Json, JSON.parse(text) as Json, "", options.maxStringBytes, expected);
          const byPath = (left: TruncatedString, right: TruncatedString) => (left.path < right.path ? -1 : 1);
          assert.deepEqual(truncated.toSorted(byPath), expected.toSorted(byPath));
        },
      ),
      { numRuns: 1000 },
    );
  });

  /** Checks that `kept` is a part of `whole`, and notes what is missing. */
  function compare(kept: Json, whole: Json, path: string, maxStringBytes: number, missing: TruncatedString[]): void {
    if (typeof whole === "string" && Buffer.byteLength(whole) > maxStringBytes) {
      const bytes = Buffer.byteLength(whole);
      assert.equal(kept, `${Array.from(whole).slice(0, 1024).join("")}…[${bytes} bytes]`);
      missing.push({ path, bytes });
      return;
    }
    if (typeof whole !== "object" || whole === null) {
      assert.equal(kept, whole);
      return;
    }
    assert.ok(typeof kept === "object" && kept !== null && Array.isArray(kept) === Array.isArray(whole));
    const keptMembers = new Map(Object.entries(kept));
    let bytes = 0;
    for (const [key, value] of Object.entries(whole)) {
      const step = Array.isArray(whole)
        ? `[${key}]`
        : /^[A-Za-z_$][\w$]*$/.test(key)
          ? `.${key}`
          : `[${JSON.stringify(key)}]`;
      if (keptMembers.has(key))
        compare(keptMembers.get(key)!, value, (path + step).replace(/^\./, ""), maxStringBytes, missing);
      else bytes += (Array.isArray(whole) ? 0 : Buffer.byteLength(key)) + countText(value);
    }
    if (keptMembers.size < Object.keys(whole).length) missing.push({ path, bytes });
  }

  function countText(value: Json): number {
    if (typeof value !== "object" || value === null) return Buffer.byteLength(String(value));
    if (Array.isArray(value)) return value.reduce((sum: number, element) => sum + countText(element), 0);
    return Object.entries(value).reduce((sum, [key, member]) => sum + Buffer.byteLength(key) + countText(member), 0);
  }
});

suite("LongLineParser's memory", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;

  /** What the heap has grown by once so many pieces are read, in MiB. */
  function heapGrowth(begin: string, piece: (index: number) => string, pieces: number): number {
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    const parser = new LongLineParser();
    parser.push(Buffer.from(begin));
    for (let index = 0; index < pieces; index++) parser.push(Buffer.from(piece(index)));
    collectGarbage();
    const growth = process.memoryUsage().heapUsed - before;
    parser.push(Buffer.alloc(0)); // keeps the parser reachable until the heap is measured
    return growth / KIB / KIB;
  }

  const lines: [trait: string, begin: string, pieces: number, piece: (index: number) => string][] = [
    ["one string", '{"a":"', 2500, () => "x".repeat(4096)],
    ["one key", '{"', 2500, () => "x".repeat(4096)],
    ["one number", '{"a":1', 2500, () => "0".repeat(4096)],
    ["small elements", "[0", 300, () => ",0".repeat(2048)],
    ["distinct keys", '{"a":0', 30_000, (index) => `,"a key of some length ${index}":[{}]`],
    ["brackets", "[", 1500, () => "[".repeat(200)],
    ["small strings far apart", '["a"', 2500, (index) => `,"a string of some length ${index}"${" ".repeat(4050)}`],
    ["small keys far apart", '{"a":1', 2500, (index) => `,"a key of some length ${index}":1${" ".repeat(4050)}`],
    ["long strings", '["a"', 300, () => `,"${"x".repeat(70_000)}"`],
  ];
  for (const [trait, begin, pieces, piece] of lines) {
    test(`LongLineParser stays within some MiB for a line of ${trait}`, () => {
      const growth = heapGrowth(begin, piece, pieces);
      assert.ok(growth < 6, `${growth} MiB`);
    });
  }
});
