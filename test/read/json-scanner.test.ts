import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isJsonObject } from "../../src/format/json.js";
import { costKeys, entryKeys, messageKeys, usageKeys } from "../../src/read/entry-keys.js";
import { NO_OBJECT, OBJECT, OBJECT_WITH_ESCAPED_KEYS, scanner } from "../../src/read/json-scanner.js";
import { jsonValue } from "../helpers/arbitraries.js";
import { seededRandom, spellJson } from "../helpers/spell-json.js";

/** The keys at each level, and what the names of their members begin with here. */
const levels = [
  [entryKeys, ""],
  [messageKeys, "message."],
  [usageKeys, "message.usage."],
  [costKeys, "message.usage.cost."],
] as const;

/** The bytes with others around them that would go on with a string, a number or an object, at a place that `before` moves. */
function surround(bytes: Uint8Array, before = 1): { bytes: Buffer; start: number; end: number } {
  const front = Buffer.alloc(before, '"');
  return { bytes: Buffer.concat([front, bytes, Buffer.from('0"}}}}')]), start: before, end: before + bytes.length };
}

function scan(json: string | Uint8Array, before?: number): boolean {
  const placed = surround(typeof json === "string" ? Buffer.from(json) : json, before);
  const copied = scanner.scan(placed.bytes, placed.start, placed.end) !== NO_OBJECT;
  assert.equal(scanInPlace(placed.bytes, placed.start, placed.end), copied);
  return copied;
}

/** The same of bytes that lie in the read buffer, up to its end. */
function scanInPlace(bytes: Buffer, start: number, end: number): boolean {
  const buffer = scanner.readBuffer();
  const from = Math.max(0, buffer.length - bytes.length);
  if (from === 0) return scanner.scan(bytes, start, end) !== NO_OBJECT;
  bytes.copy(buffer, from);
  return scanner.scan(buffer, from + start, from + end) !== NO_OBJECT;
}

/** No line holds a newline. */
function isObject(bytes: Buffer): boolean {
  if (bytes.includes("\n")) return false;
  try {
    return isJsonObject(JSON.parse(bytes.toString()));
  } catch {
    return false;
  }
}

/** The text of each member that was found. */
function scanMembers(json: string): Record<string, string> {
  const placed = surround(Buffer.from(json), 3);
  assert.equal(scanner.scan(placed.bytes, placed.start, placed.end), OBJECT, json);
  const { bytes, members, starts, ends } = scanner.found;
  const found: Record<string, string> = {};
  let place = 0;
  for (const [level, [keys, front]] of levels.entries()) {
    for (const [number, key] of keys.entries()) {
      if (members[level]! & (1 << number)) found[front + key] = bytes.toString("utf8", starts[place], ends[place]);
      place++;
    }
  }
  return found;
}

const accepted = [
  "{}",
  " \t\r{ } \t\r",
  '{"a":1}',
  '{ "a" : [ ] , "b" : { } }',
  '{"a":[[],{},[{}],[[[]]]]}',
  '{"":""}',
  '{"a":0}',
  '{"a":-0}',
  '{"a":0.0}',
  '{"a":10.25e+7}',
  '{"a":1E-999}',
  '{"a":[1,-2,3e4,0e1]}',
  '{"a":true,"b":false,"c":null}',
  '{"a":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0000\\uD83d\\uABCD"}',
  '{"a":"\\\\"}',
  '{"a":"\u007f\u0080\u2028\u{1f438}"}',
  '{"\u{1f438}":"it ends in {"}',
  '{"a":1,"a":2}',
];

/** The front of an entry as pi writes it, which the scanner takes at once. */
const usualFront =
  '{"type":"message","id":"1a2b3c4d","parentId":"5e6f7081","timestamp":"2026-01-02T03:04:05.678Z","message":';
for (const rest of ["\r{}}", " {} }", '\t{"role":1}}', "null}", "[1,{}]}", '"x","message":{}}', '{},"x":[{}]}']) {
  accepted.push(usualFront + rest, usualFront.replace('"5e6f7081"', "null") + rest);
}

const refused = [
  ...["}", "{}", "{}}}", '{"a"}}', "{,}}", "{}]", ":{}}", "{}\n}"].map((rest) => usualFront + rest),
  `${usualFront.replace("1a2b3c4d", '1a2b"c4d')}{}}`,
  `${usualFront.replace("1a2b3c4d", "1a2b\\c4d")}{}}`,
  `${usualFront.replace("5e6f7081", "5e6f\t081")}{}}`,
  `${usualFront.replace("2026-01-02T", '2026-01-0"T')}{}}`,
  "{\n}",
  "\n{}",
  "{}\n",
  "",
  " ",
  "{",
  "}",
  "}{",
  "[]",
  "null",
  "1",
  '"{}"',
  "{}{}",
  "{},",
  "{}}",
  "[{}]}",
  "{,}",
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{"a":1 "b":2}',
  '{"a":1,,"b":2}',
  '{"a"::1}',
  '{"a",1}',
  "{a:1}",
  "{'a':1}",
  "{1:1}",
  '{"a":[1,]}',
  '{"a":[,1]}',
  '{"a":[1}',
  '{"a":[1}}',
  '{"a":{"b":1]}',
  '{"a":[1 2]}',
  '{"a":{1}}',
  '{"a":["b":1]}',
  '{"a":01}',
  '{"a":-}',
  '{"a":-01}',
  '{"a":+1}',
  '{"a":.5}',
  '{"a":1.}',
  '{"a":1.e5}',
  '{"a":1e}',
  '{"a":1e+}',
  '{"a":1e5.5}',
  '{"a":0x10}',
  '{"a":1_000}',
  '{"a":NaN}',
  '{"a":Infinity}',
  '{"a":-Infinity}',
  '{"a":tru}',
  '{"a":truee}',
  '{"a":True}',
  '{"a":nul}',
  '{"a":undefined}',
  '{"a":"}',
  '{"a":"b}',
  '{"a":"\\"}',
  '{"a":"\\a"}',
  '{"a":"\\x41"}',
  '{"a":"\\U0041"}',
  '{"a":"\\u"}',
  '{"a":"\\u12"}',
  '{"a":"\\u123"}',
  '{"a":"\\u123g"}',
  '{"a":"\\',
  '{"a":"b\nc"}',
  '{"a\tb":1}',
  '{"a":1}\0',
  '{\u000b"a":1}',
  '{\u00a0"a":1}',
  '\ufeff{"a":1}',
  '{"a":\u2003 1}',
  '{"a":1/*b*/}',
];

test("JsonScanner.scan accepts objects and refuses all else, wherever they lie", () => {
  for (let before = 0; before < 8; before++) {
    for (const json of accepted) assert.equal(scan(json, before), true, json);
    for (const json of refused) assert.equal(scan(json, before), false, json);
  }
});

test("JsonScanner.scan refuses a control character at any place of a string, and no other byte", () => {
  for (let byte = 0; byte < 256; byte++) {
    if (byte === 0x22 || byte === 0x5c) continue;
    for (let at = 0; at < 9; at++) {
      const text = Buffer.alloc(9, "#");
      text[at] = byte;
      const bytes = Buffer.concat([Buffer.from('{"a":"'), text, Buffer.from('","b":0}')]);
      assert.equal(scan(bytes, at % 4), byte >= 0x20, `byte ${byte} at ${at}`);
    }
  }
});

test("JsonScanner.scan takes a byte above 0x7f as a character in a string, and as an error outside", () => {
  for (let byte = 0x80; byte < 256; byte++) {
    const lone = Buffer.from([byte]);
    for (const [front, back] of [
      ['{"a":"', '"}'],
      ['{"', '":1}'],
      ['{"a":', "}"],
      ["{", '"a":1}'],
      ['{"a":1', "}"],
      ['{"a":1}', ""],
    ] as const) {
      const bytes = Buffer.concat([Buffer.from(front), lone, Buffer.from(back)]);
      assert.equal(scan(bytes), front.endsWith('"'), bytes.toString("latin1"));
      assert.equal(isObject(bytes), front.endsWith('"'));
    }
  }
});

test("JsonScanner.scan refuses every front part of an object, however the bytes go on behind it", () => {
  const bytes = Buffer.from(
    '{"type":"message","n":[-1.5e3,true,null,{"a\\u0041":"b\\n"}],"message":{"role":"é"},"end":false}',
  );
  for (let end = 0; end < bytes.length; end++) assert.equal(scanner.scan(bytes, 0, end), NO_OBJECT, `cut at ${end}`);
  assert.equal(scanner.scan(bytes, 0, bytes.length), OBJECT);
});

test("JsonScanner.scan goes down any depth", () => {
  const depth = 200_000;
  assert.ok(scan(`{"a":${"[".repeat(depth)}${"]".repeat(depth)}}`));
  assert.ok(scan(`${'{"a":'.repeat(depth)}0${"}".repeat(depth)}`));
  assert.ok(!scan(`{"a":${"[".repeat(depth)}${"]".repeat(depth - 1)}}`));
  assert.ok(scan('{"a":[[]]}'));
});

test("JsonScanner.scan judges mutated bytes as JSON.parse judges what they decode to", () => {
  fc.assert(
    fc.property(jsonValue(), fc.integer(), (value, seed) => {
      const random = seededRandom(seed);
      const bytes = Buffer.from(spellJson({ a: value, b: [value] }, random, 0.3));
      assert.ok(scan(bytes));
      for (let round = 0; round < 30; round++) {
        const mutated = mutate(bytes, random);
        assert.equal(scan(mutated, round % 8), isObject(mutated), mutated.toString("latin1"));
      }
    }),
    { numRuns: 300 },
  );
});

/** One byte changed, left out or put in; or a piece cut off; or two halves glued. */
function mutate(bytes: Buffer, random: () => number): Buffer {
  const at = Math.floor(random() * bytes.length);
  const byte = Buffer.from([random() < 0.5 ? Math.floor(random() * 256) : bytes[Math.floor(random() * bytes.length)]!]);
  switch (Math.floor(random() * 5)) {
    case 0:
      return Buffer.concat([bytes.subarray(0, at), byte, bytes.subarray(at + 1)]);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), byte, bytes.subarray(at)]);
    case 3:
      return bytes.subarray(0, at);
    default:
      return Buffer.concat([bytes.subarray(0, at), bytes]);
  }
}

test("JsonScanner finds the members of an entry, its message, the usage in that and its cost, and none deeper or elsewhere", () => {
  assert.deepEqual(
    scanMembers(
      '{"other":{"type":1,"message":{"role":2}},"type":"a","message":{"usage":{"role":3} , "role" : "r","x":[{"role":4}]},"list":[{"id":5}],"usage":[1]}',
    ),
    {
      type: '"a"',
      message: '{"usage":{"role":3} , "role" : "r","x":[{"role":4}]}',
      usage: "[1]",
      "message.usage": '{"role":3}',
      "message.role": '"r"',
    },
  );
  assert.deepEqual(scanMembers('{"x":{"role":1},"list":[{"role":1}],"message":[{"role":1}]}'), {
    message: '[{"role":1}]',
  });
  assert.deepEqual(scanMembers('{"id" : -1.50 ,"message":{}}'), { id: "-1.50", message: "{}" });
  assert.deepEqual(scanMembers('{"message":{"message":{"role":1}},"typ":1,"types":2,"Type":3,"":4}'), {
    message: '{"message":{"role":1}}',
  });
  const cost = '{ "total" : 5,"input":[{"output":1}] }';
  const usage = `{"cost":${cost},"total":6,"input":1, "cacheRead" : 2 , "x":{"output":3,"cost":{"total":4}}}`;
  assert.deepEqual(scanMembers(`{"usage":{"input":9},"message":{"x":{"usage":{"input":8}},"usage":${usage}}}`), {
    usage: '{"input":9}',
    message: `{"x":{"usage":{"input":8}},"usage":${usage}}`,
    "message.usage": usage,
    "message.usage.cost": cost,
    "message.usage.input": "1",
    "message.usage.cacheRead": "2",
    "message.usage.cost.total": "5",
    "message.usage.cost.input": '[{"output":1}]',
  });
});

test("JsonScanner lets the later of two members count, and a later inner object in whole", () => {
  assert.deepEqual(scanMembers('{"type":1,"type":{"a":2},"message":{"role":1,"role":[2]}}'), {
    type: '{"a":2}',
    message: '{"role":1,"role":[2]}',
    "message.role": "[2]",
  });
  assert.deepEqual(scanMembers('{"message":{"role":1,"usage":2},"message":{"usage":3}}'), {
    message: '{"usage":3}',
    "message.usage": "3",
  });
  for (const later of ["{}", "null", "7", '"role"', "[]", '[{"role":1}]', '[{"usage":{"input":1}}]']) {
    const whole = '{"role":1,"usage":{"input":1,"cost":{"total":1}}}';
    assert.deepEqual(scanMembers(`{"message":${whole},"message":${later}}`), { message: later });
    assert.deepEqual(scanMembers(`{"message":{"usage":{"input":1,"cost":{"total":1}},"usage":${later}}}`), {
      message: `{"usage":{"input":1,"cost":{"total":1}},"usage":${later}}`,
      "message.usage": later,
    });
    assert.deepEqual(scanMembers(`{"message":{"usage":{"cost":{"total":1},"cost":${later}}}}`), {
      message: `{"usage":{"cost":{"total":1},"cost":${later}}}`,
      "message.usage": `{"cost":{"total":1},"cost":${later}}`,
      "message.usage.cost": later,
    });
  }
});

test("JsonScanner tells each key from all that differ in one byte or in length", () => {
  for (const [keys, front] of levels) {
    const [before, after] = { "": ["", ""], "message.": ['{"message":', "}"] }[front as string] ?? [
      front === "message.usage." ? '{"message":{"usage":' : '{"message":{"usage":{"cost":',
      front === "message.usage." ? "}}" : "}}}",
    ];
    const isFound = (key: string): boolean =>
      Object.values(scanMembers(`${before}{${JSON.stringify(key)}:"found it"}${after}`)).includes('"found it"');
    for (const key of keys) {
      assert.equal(isFound(key), true, key);
      for (const other of [`${key}x`, key.slice(0, -1), key.slice(1), `${key}_12345678`]) {
        assert.equal(isFound(other), keys.includes(other), other);
      }
      for (let at = 0; at < key.length; at++) {
        for (const other of ["_", "é", String.fromCharCode(key.charCodeAt(at) ^ 1)]) {
          const near = key.slice(0, at) + other + key.slice(at + 1);
          assert.equal(isFound(near), keys.includes(near), near);
        }
      }
    }
  }
});

test("JsonScanner says when a key at a level that it looks at is written with escapes", () => {
  const scanText = (json: string) => scanner.scan(Buffer.from(json), 0, json.length);
  for (const json of ['{"\\u0074ype":1}', '{"message":{"\\u0072ole":3}}', '{"message":{"usage":{"\\n":1}}}']) {
    assert.equal(scanText(json), OBJECT_WITH_ESCAPED_KEYS, json);
  }
  assert.equal(scanText('{"x":{"\\u0074ype":1},"y":"\\n"}'), OBJECT);
  assert.equal(scanText('{"type":1}'), OBJECT);
});

test("JsonScanner.scan forgets the members of the scan before, and sees bytes that were overwritten", () => {
  const bytes = Buffer.from('{"id":1,"message":{"role":2}}');
  assert.equal(scanner.scan(bytes, 0, bytes.length), OBJECT);
  bytes.fill(0x20);
  bytes.write('{"type":1}');
  assert.equal(scanner.scan(bytes, 0, bytes.length), OBJECT);
  assert.deepEqual([...scanner.found.members], [1, 0, 0, 0]);
  bytes.write("[");
  assert.equal(scanner.scan(bytes, 0, bytes.length), NO_OBJECT);
});

test("JsonScanner.scan takes lines larger than its buffers, and gives their memory back", () => {
  for (const size of [100, 200_000, 3_000_000, 100]) {
    const bytes = Buffer.from(`{"id":"${"x".repeat(size)}","type":1}`);
    assert.equal(scanner.scan(bytes, 0, bytes.length), OBJECT);
    assert.equal(scanner.found.ends[1]! - scanner.found.starts[1]!, size + 2);
  }
  assert.ok(scanner.found.capacity < 1_000_000);
});
