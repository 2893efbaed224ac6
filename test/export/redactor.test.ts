import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Redactor } from "../../src/export/redactor.js";
import { credentials, ordinaryTexts } from "../helpers/credentials.js";

const { redact, redactJson } = new Redactor();

test("Redactor puts a marker in place of each kind of credential, and leaves the text around it", () => {
  for (const { kind, secret, before = "", after = "" } of credentials) {
    assert.equal(redact(before + secret + after), `${before}[redacted: ${kind}]${after}`);
    const lines = `first line\n${before}${secret}${after}\nlast line`;
    assert.equal(redact(lines), `first line\n${before}[redacted: ${kind}]${after}\nlast line`);
  }
});

test("Redactor finds all credentials of a text", () => {
  const texts = credentials.map(({ secret, before = "", after = "" }) => before + secret + after);
  const markers = credentials.map(({ kind, before = "", after = "" }) => `${before}[redacted: ${kind}]${after}`);
  assert.equal(redact(texts.join("\n")), markers.join("\n"));
});

test("Redactor leaves hashes, UUIDs, base64 and other ordinary text alone", () => {
  for (const text of ordinaryTexts) assert.equal(redact(text), text);
  const all = ordinaryTexts.slice(0, -3).join("\n");
  assert.equal(redact(all), all);
});

test("Redactor does not heed comments that switch rules of secretlint off", () => {
  const { kind, secret } = credentials[0]!;
  const off = "/* secretlint-disable */ // secretlint-disable-line\n";
  assert.equal(redact(off + secret), `${off}[redacted: ${kind}]`);
});

test("Redactor finds a credential at every place of a large text", () => {
  const { kind, secret } = credentials[2]!;
  const filler = "ordinary words, ";
  for (const at of [0, 200_000, 262_000, 262_100, 262_144, 294_800, 294_900, 524_200, 700_000]) {
    const before = filler.repeat(at / filler.length);
    const after = ` ${filler.repeat(20_000)}`;
    assert.equal(redact(`${before}${secret}${after}`), `${before}[redacted: ${kind}]${after}`);
  }
});

test("Redactor takes away the beginning of a credential that was cut off", () => {
  const { secret } = credentials[2]!;
  for (const mark of ["…", "…[123456 bytes]"]) {
    for (const length of [15, 40, secret.length - 1]) {
      assert.equal(redact(`key ${secret.slice(0, length)}${mark}`), `key [redacted: cut-off]${mark}`);
    }
  }
  const key = credentials.find(({ kind }) => kind === "private-key")!.secret;
  const cut = redact(`key ${key.slice(0, 300)}`);
  assert.match(cut, /^key \[redacted: private-key\].{0,15}$/s);
});

test("Redactor keeps JSON valid, and knows credentials by the name of their member", () => {
  const { kind, secret } = credentials[0]!;
  const password = credentials[5]!.secret;
  const value = {
    list: [`a "quoted" ${secret} \\ \n`, 1.5, true, null, { ["__proto__"]: "own", deep: [[secret]] }],
    AWS_SECRET_ACCESS_KEY: password,
    other: password,
    [`${secret}`]: "a name",
    escaped: `\n${secret}\t\u2028`,
  };
  assert.deepEqual(JSON.parse(redactJson(value)!), {
    list: [
      `a "quoted" [redacted: ${kind}] \\ \n`,
      1.5,
      true,
      null,
      { ["__proto__"]: "own", deep: [[`[redacted: ${kind}]`]] },
    ],
    AWS_SECRET_ACCESS_KEY: "[redacted: aws-secret-access-key]",
    other: password,
    [`[redacted: ${kind}]`]: "a name",
    escaped: `\n[redacted: ${kind}]\t\u2028`,
  });
  assert.equal(redactJson(secret), `"[redacted: ${kind}]"`);
  assert.equal(redactJson(undefined), undefined);
});

test("Redactor changes nothing in a value without credentials", () => {
  const hold = fc.property(fc.jsonValue(), (value) => assert.equal(redactJson(value), JSON.stringify(value)));
  fc.assert(hold, { numRuns: 200 });
});

test("Redactor gets through texts that are made to hold it up", () => {
  const pieces = [
    "xoxb-a-",
    "http://a:b",
    "-----BEGIN PRIVATE KEY-----\n",
    "mongodb://a:b",
    "_authToken=",
    "eyJaaaaaaaaaaaa.",
    "…",
    "a",
  ];
  for (const piece of pieces) {
    const text = piece.repeat(3_000_000 / piece.length);
    assert.equal(typeof redact(text), "string");
  }
});
