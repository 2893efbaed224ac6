import assert from "node:assert/strict";
import { test } from "node:test";
import { timeFormatter } from "../../src/cli/time-formatter.js";

test("timeFormatter writes date and time of its zone", () => {
  const cases: [time: string, timeZone: string, text: string][] = [
    ["2026-03-01T09:05:59.999Z", "UTC", "2026-03-01 09:05"],
    ["2026-03-01T00:00:00.000Z", "UTC", "2026-03-01 00:00"],
    ["2026-03-01T22:30:00.000Z", "Asia/Kolkata", "2026-03-02 04:00"],
    ["2026-03-08T06:59:00.000Z", "America/New_York", "2026-03-08 01:59"],
    ["2026-03-08T07:00:00.000Z", "America/New_York", "2026-03-08 03:00"],
    ["0987-06-05T00:00:00.000Z", "UTC", "0987-06-05 00:00"],
  ];
  for (const [time, timeZone, text] of cases) assert.equal(timeFormatter(timeZone)(Date.parse(time)), text);
});
