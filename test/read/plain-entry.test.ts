import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { BareEntry } from "../../src/format/bare-entry.js";
import type { SessionEntry } from "../../src/format/entry.js";
import { isJsonObject, type JsonObject } from "../../src/format/json.js";
import { readModel, readText } from "../../src/format/model.js";
import { readMessageTime } from "../../src/format/time.js";
import { entryUsage, readUsage } from "../../src/format/usage.js";
import { scanner } from "../../src/read/json-scanner.js";
import { pruneEntry, readBareOrLeanEntry } from "../../src/read/lean-entry.js";
import { formatHexId } from "../../src/tree/id-table.js";
import { plainSession } from "../helpers/plain-sessions.js";
import { timePlainly } from "../helpers/plain-time.js";

function parse(line: Buffer): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line.toString());
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What a bare entry tells must be what the whole one says. */
function assertTells(bare: BareEntry, value: JsonObject, wants: "links" | "calls"): void {
  const { type, id, parentId, timestamp } = value;
  const message = (type === "message" && value.message) as JsonObject | undefined;
  assert.deepEqual(
    [bare.type, formatHexId(bare.idBits), bare.hasParent ? formatHexId(bare.parentIdBits) : null, bare.time],
    [type, id, parentId, timePlainly(timestamp)],
  );
  if (wants === "links") {
    assert.equal(bare.role, message?.role);
    return;
  }
  const usage = entryUsage(value as unknown as SessionEntry);
  assert.deepEqual(bare.usage, usage && readUsage(usage.stored));
  const { provider, model } = bare;
  if (type === "model_change") {
    assert.deepEqual({ provider, model }, { provider: readText(value.provider), model: readText(value.modelId) });
  }
  if (message?.role === "user" || message?.role === "assistant") {
    assert.equal(bare.role, message.role);
    assert.equal(bare.messageTime, readMessageTime(message.timestamp) ?? Number.NaN);
  }
  if (!usage) return;
  assert.deepEqual({ provider, model }, readModel(message!));
  assert.equal(bare.responseId, typeof message!.responseId === "string" ? message!.responseId : undefined);
  if (message!.role === "toolResult") assert.equal(bare.tool, readText(message!.toolName));
}

test("readBareOrLeanEntry tells in a bare entry what the lines say, whatever lines came before", () => {
  const bare = new BareEntry();
  const count = { bare: 0, lean: 0 };
  const home = scanner.readBuffer();
  fc.assert(
    fc.property(fc.oneof(plainSession(), plainSession({ damaged: true })), fc.boolean(), (bytes, inPlace) => {
      let start = 0;
      for (let end = bytes.indexOf("\n"); end >= 0; end = bytes.indexOf("\n", start)) {
        const line = bytes.subarray(start, end);
        const value = parse(line);
        for (const wants of ["links", "calls"] as const) {
          if (inPlace) line.copy(home);
          const read = readBareOrLeanEntry(inPlace ? home : line, 0, line.length, wants, bare);
          if (read === bare) {
            assertTells(bare, value!, wants);
            count.bare++;
          } else {
            assert.deepEqual(read, value && pruneEntry(value, wants));
            count.lean++;
          }
        }
        start = end + 1;
      }
    }),
    { numRuns: 300 },
  );
  assert.ok(count.bare > 3000 && count.lean > 500, JSON.stringify(count));
});
