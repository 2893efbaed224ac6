import assert from "node:assert/strict";
import { test } from "node:test";
import { passedOverWarning } from "../../src/cli/passed-over-warning.js";

test("passedOverWarning counts damaged lines and files, and says nothing about none", () => {
  assert.equal(passedOverWarning({ damagedLines: 0, files: 0 }), undefined);
  assert.equal(passedOverWarning({ damagedLines: 1, files: 0 }), "skipped 1 damaged line (see: pi-sessions check)");
  assert.equal(
    passedOverWarning({ damagedLines: 0, files: 1 }),
    "skipped 1 file that is no session or can't be read (see: pi-sessions list --json)",
  );
  assert.equal(
    passedOverWarning({ damagedLines: 1200, files: 3 }),
    "skipped 1,200 damaged lines (see: pi-sessions check) and " +
      "3 files that are no sessions or can't be read (see: pi-sessions list --json)",
  );
});
