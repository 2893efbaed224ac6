import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isJsonObject } from "../../src/format/json.js";
import { JsonScanner } from "../../src/read/json-scanner.js";
import { jsonValue } from "../helpers/arbitraries.js";
import { seededRandom, spellJson } from "../helpers/spell-json.js";

const keys = ["type", "id", "message", "usage"];
const innerKeys = ["role", "usage"];
const scanner = new JsonScanner(keys, "message", innerKeys);

/** The bytes with others around them that would go on with a string, a number or an object, at a place that `before` moves. */
function surround(bytes: Uint8Array, before = 1): { bytes: Buffer; start: number; end: number } {
  const front = Buffer.alloc(before, '"');
  return { bytes: Buffer.concat([front, bytes, Buffer.from('0"}}}}')]), start: before, end: before + bytes.length };
}

function scan(json: string | Uint8Array, before?: number): boolean {
  const placed = surround(typeof json === "string" ? Buffer.from(json) : json, before);
  return scanner.scan(placed.bytes, placed.start, placed.end);
}

function isObject(bytes: Buffer): boolean {
  try {
    return isJsonObject(JSON.parse(bytes.toString()));
  } catch {
    return false;
  }
}

/** The text of each member that was found. */
function scanMembers(json: string): Record<string, string> {
  const placed = surround(Buffer.from(json), 3);
  assert.ok(scanner.scan(placed.bytes, placed.start, placed.end), json);
  const found: Record<string, string> = {};
  const note = (name: string, at: number) => {
    found[name] = placed.bytes.toString("utf8", scanner.starts[at], scanner.ends[at]);
  };
  keys.forEach((key, i) => {
    if (scanner.members & (1 << i)) note(key, i);
  });
  innerKeys.forEach((key, i) => {
    if (scanner.innerMembers & (1 << i)) note(`message.${key}`, keys.length + i);
  });
  return found;
}

const accepted = [
  "{}",
  " \t\r\n{ \n} \t\r\n",
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

const refused = [
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
  for (let end = 0; end < bytes.length; end++) assert.equal(scanner.scan(bytes, 0, end), false, `cut at ${end}`);
  assert.equal(scanner.scan(bytes, 0, bytes.length), true);
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

test("JsonScanner finds the members of the object and of its inner object, and none deeper", () => {
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
  for (const later of ["{}", "null", "7", '"role"', "[]", '[{"role":1}]']) {
    assert.deepEqual(scanMembers(`{"message":{"role":1},"message":${later}}`), { message: later });
  }
});

test("JsonScanner knows keys that are written with escapes", () => {
  assert.deepEqual(
    scanMembers('{"\\u0074ype":1,"i\\u0064":2,"m\\u0065ssage":{"\\u0072ole":3},"i\\\\u0064":4,"\\n":5}'),
    {
      type: "1",
      id: "2",
      message: '{"\\u0072ole":3}',
      "message.role": "3",
    },
  );
});

test("JsonScanner.scan forgets the members of the scan before, and sees bytes that were overwritten", () => {
  const bytes = Buffer.from('{"id":1,"message":{"role":2}}');
  assert.ok(scanner.scan(bytes, 0, bytes.length));
  bytes.fill(0x20);
  bytes.write('{"type":1}');
  assert.ok(scanner.scan(bytes, 0, bytes.length));
  assert.equal(scanner.members, 1);
  assert.equal(scanner.innerMembers, 0);
  bytes.write("[");
  assert.ok(!scanner.scan(bytes, 0, bytes.length));
});
