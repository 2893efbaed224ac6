import assert from "node:assert/strict";
import { test } from "node:test";
import { readPlainUsage } from "../../src/read/read-plain-usage.js";

function read(json: string): object | undefined {
  return readPlainUsage(Buffer.from(`:${json},"x":0}}`), 1, 1 + json.length);
}

const cost = '"cost":{"input":0.000015,"output":0.0012900000000000001,"cacheRead":1e-7,"cacheWrite":-0,"total":1.5}';

test("readPlainUsage reads usage as pi writes it, with a total and without", () => {
  assert.deepEqual(read(`{"input":5,"output":86,"cacheRead":13920,"cacheWrite":0,"totalTokens":14011,${cost}}`), {
    input: 5,
    output: 86,
    cacheRead: 13920,
    cacheWrite: 0,
    totalTokens: 14011,
    cost: { input: 0.000015, output: 0.0012900000000000001, cacheRead: 1e-7, cacheWrite: -0, total: 1.5 },
  });
  assert.deepEqual(read(`{"input":1e3,"output":-1,"cacheRead":1e999,"cacheWrite":0.5,${cost}}`), {
    input: 1000,
    output: -1,
    cacheRead: Number.POSITIVE_INFINITY,
    cacheWrite: 0.5,
    cost: { input: 0.000015, output: 0.0012900000000000001, cacheRead: 1e-7, cacheWrite: -0, total: 1.5 },
  });
});

test("readPlainUsage leaves any other object alone", () => {
  const plain = `{"input":5,"output":86,"cacheRead":13920,"cacheWrite":0,"totalTokens":14011,${cost}}`;
  for (const json of [
    "{}",
    '{"input":5}',
    '{"input":"5,6"}',
    '{"input":null,"output":1}',
    plain.replace("86", "null"),
    plain.replace("86", '"86"'),
    plain.replace("86", "[86]"),
    plain.replace("1.5}", "false}"),
    plain.replace("1.5}", '1.5,"total":2}'),
    plain.replace("1.5}", '1.5,"other":{}}'),
    plain.replace("1.5}}", '1.5},"reasoning":1}'),
    plain.replace("1.5}}", '1.5},"cost":{}}'),
    plain.replace('"output"', '"Output"'),
    plain.replace("{", "{ "),
    plain.replace(":5", ": 5"),
    plain.replace("}}", "} }"),
    '{"input":5,"output":86,"cacheRead":13920,"cacheWrite":0,"totalTokens":14011,"cost":1}',
  ]) {
    assert.doesNotThrow(() => JSON.parse(json));
    assert.equal(read(json), undefined, json);
  }
});
