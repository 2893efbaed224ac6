import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionHeader } from "../../src/format/header.js";
import { migrateHeader } from "../../src/migrate/migrate-header.js";

const migrated = (json: string): string => JSON.stringify(migrateHeader(JSON.parse(json) as SessionHeader));

test("migrateHeader writes version 3 and turns branchedFrom into parentSession, all other keys kept in order", () => {
  assert.equal(
    migrated(
      '{"type":"session","id":"a","cwd":"/c","provider":"p","modelId":"m","thinkingLevel":"high","branchedFrom":"/x","z":1}',
    ),
    '{"type":"session","version":3,"id":"a","cwd":"/c","provider":"p","modelId":"m","thinkingLevel":"high","parentSession":"/x","z":1}',
  );
  assert.equal(migrated('{"type":"session","id":"a","version":2}'), '{"type":"session","version":3,"id":"a"}');
  assert.equal(migrated('{"type":"session","version":"3","id":"a"}'), '{"type":"session","version":3,"id":"a"}');
});

test("migrateHeader leaves branchedFrom alone beside a parentSession, or when it names no file", () => {
  assert.equal(
    migrated('{"type":"session","id":"a","branchedFrom":"/x","parentSession":"/y"}'),
    '{"type":"session","version":3,"id":"a","branchedFrom":"/x","parentSession":"/y"}',
  );
  assert.equal(
    migrated('{"type":"session","id":"a","branchedFrom":"/x","parentSession":""}'),
    '{"type":"session","version":3,"id":"a","parentSession":"/x"}',
  );
  assert.equal(
    migrated('{"type":"session","id":"a","branchedFrom":7}'),
    '{"type":"session","version":3,"id":"a","branchedFrom":7}',
  );
});

test("migrateHeader keeps a key __proto__ as the key that it is", () => {
  assert.equal(
    migrated('{"type":"session","id":"a","__proto__":{"x":1},"branchedFrom":"/x"}'),
    '{"type":"session","version":3,"id":"a","__proto__":{"x":1},"parentSession":"/x"}',
  );
});

test("migrateHeader gives headers of version 3 and above back as they are", () => {
  for (const version of [3, 4, 17]) {
    const header: SessionHeader = { type: "session", id: "a", version, branchedFrom: "/x" };
    assert.equal(migrateHeader(header), header);
    assert.deepEqual(header, { type: "session", id: "a", version, branchedFrom: "/x" });
  }
});
