import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { parseDate, type RangeEnd } from "../../src/cli/parse-date.js";

const NEW_YORK = "America/New_York";
const BERLIN = "Europe/Berlin";
const KOLKATA = "Asia/Kolkata";
const SAO_PAULO = "America/Sao_Paulo";

/** A Tuesday afternoon, two days after clocks were set forward in New York. */
const NOW = "2026-03-10T15:30:00.000Z";

type Row = [text: string, end: RangeEnd, timeZone: string, expected: string, now?: string];

function assertDates(rows: Row[]): void {
  for (const [text, end, timeZone, expected, now = NOW] of rows) {
    const found = parseDate(text, end, { now: Date.parse(now), timeZone });
    assert.equal(new Date(found).toISOString(), expected, `${end} ${text} in ${timeZone}`);
  }
}

test("parseDate reads a day as a whole at either end", () => {
  assertDates([
    ["2026-03-01", "since", "UTC", "2026-03-01T00:00:00.000Z"],
    ["2026-03-01", "until", "UTC", "2026-03-01T23:59:59.999Z"],
    ["20260301", "since", KOLKATA, "2026-02-28T18:30:00.000Z"],
    ["20260301", "until", KOLKATA, "2026-03-01T18:29:59.999Z"],
    [" 2026-03-01 ", "since", BERLIN, "2026-02-28T23:00:00.000Z"],
    ["2024-02-29", "until", "UTC", "2024-02-29T23:59:59.999Z"],
  ]);
});

test("parseDate knows that days of daylight saving last 23 or 25 hours, or begin at one o'clock", () => {
  assertDates([
    ["2026-03-08", "since", NEW_YORK, "2026-03-08T05:00:00.000Z"],
    ["2026-03-08", "until", NEW_YORK, "2026-03-09T03:59:59.999Z"],
    ["2026-11-01", "since", NEW_YORK, "2026-11-01T04:00:00.000Z"],
    ["2026-11-01", "until", NEW_YORK, "2026-11-02T04:59:59.999Z"],
    ["2026-03-29", "since", BERLIN, "2026-03-28T23:00:00.000Z"],
    ["2026-03-29", "until", BERLIN, "2026-03-29T21:59:59.999Z"],
    ["2018-11-03", "until", SAO_PAULO, "2018-11-04T02:59:59.999Z"],
    ["2018-11-04", "since", SAO_PAULO, "2018-11-04T03:00:00.000Z"],
    ["2018-11-04", "until", SAO_PAULO, "2018-11-05T01:59:59.999Z"],
  ]);
});

test("parseDate takes today and yesterday from the zone's calendar", () => {
  assertDates([
    ["today", "since", NEW_YORK, "2026-03-10T04:00:00.000Z"],
    ["today", "until", NEW_YORK, "2026-03-11T03:59:59.999Z"],
    ["Yesterday", "since", NEW_YORK, "2026-03-09T04:00:00.000Z"],
    ["yesterday", "until", BERLIN, "2026-03-09T22:59:59.999Z"],
    ["today", "since", KOLKATA, "2026-03-09T18:30:00.000Z"],
    ["today", "since", KOLKATA, "2026-03-10T18:30:00.000Z", "2026-03-10T18:30:00.000Z"],
    ["today", "since", NEW_YORK, "2026-03-09T04:00:00.000Z", "2026-03-10T03:59:59.999Z"],
  ]);
});

test("parseDate counts ages in days, weeks and months to a whole day", () => {
  assertDates([
    ["0d", "since", "UTC", "2026-03-10T00:00:00.000Z"],
    ["1d", "until", "UTC", "2026-03-09T23:59:59.999Z"],
    ["2d", "since", NEW_YORK, "2026-03-08T05:00:00.000Z"],
    ["2d", "until", NEW_YORK, "2026-03-09T03:59:59.999Z"],
    ["28d", "since", BERLIN, "2026-02-09T23:00:00.000Z"],
    ["4w", "since", BERLIN, "2026-02-09T23:00:00.000Z"],
    ["1w", "since", NEW_YORK, "2026-03-03T05:00:00.000Z"],
    ["6m", "since", NEW_YORK, "2025-09-10T04:00:00.000Z"],
    ["6m", "since", "UTC", "2026-02-28T00:00:00.000Z", "2026-08-31T12:00:00.000Z"],
    ["2d", "since", SAO_PAULO, "2018-11-04T03:00:00.000Z", "2018-11-06T12:00:00.000Z"],
  ]);
});

test("parseDate counts hours from now on, exactly, at either end", () => {
  assertDates([
    ["12h", "since", "UTC", "2026-03-10T03:30:00.000Z"],
    ["12h", "until", KOLKATA, "2026-03-10T03:30:00.000Z"],
    ["72h", "since", NEW_YORK, "2026-03-07T15:30:00.000Z"],
    ["0H", "until", "UTC", NOW],
  ]);
});

test("parseDate takes ISO 8601 with a time as exact, in the clock's zone when it names none", () => {
  assertDates([
    ["2026-03-08T12:00Z", "since", NEW_YORK, "2026-03-08T12:00:00.000Z"],
    ["2026-03-08T12:00:00.250+01:00", "until", NEW_YORK, "2026-03-08T11:00:00.250Z"],
    ["2026-03-08T12:00-0330", "until", "UTC", "2026-03-08T15:30:00.000Z"],
    ["2026-03-08T12:00", "since", NEW_YORK, "2026-03-08T16:00:00.000Z"],
    ["2026-03-08T12:00", "until", NEW_YORK, "2026-03-08T16:00:00.000Z"],
    ["20260308T120030", "until", KOLKATA, "2026-03-08T06:30:30.000Z"],
    ["2026-03-08 09:15:20.5", "since", BERLIN, "2026-03-08T08:15:20.500Z"],
    // A time that never comes there, and one that comes twice.
    ["2026-03-08T02:30", "since", NEW_YORK, "2026-03-08T07:30:00.000Z"],
    ["2026-11-01T01:30", "until", NEW_YORK, "2026-11-01T05:30:00.000Z"],
  ]);
});

test("parseDate refuses what is no date", () => {
  const noDates = ["", "soon", "2026", "2026-03", "2026-3-1", "2026-0301", "28x", "-5d", "1e3d", "1.5d", "d", "12 h"];
  const noTimes = ["2026-03-01T", "2026-03-01T12:00[Europe/Berlin]", "2026-03-01T12:00+1", "T12:00", "2026-03-01Z"];
  for (const text of [...noDates, ...noTimes]) {
    assert.throws(
      () => parseDate(text, "since", { now: Date.parse(NOW), timeZone: "UTC" }),
      { name: "RangeError", message: /is no date: give YYYY-MM-DD, .*28d/ },
      text,
    );
  }
});

test("parseDate refuses dates that don't exist and ages beyond all time", () => {
  const dates = ["2026-13-01", "2026-02-30", "20260230", "2026-00-10", "2026-03-01T25:00", "2026-02-30T12:00Z"];
  for (const text of [...dates, "99999999999999999999d", "9999999999d", "9999999999999m", "9999999999999h"]) {
    assert.throws(
      () => parseDate(text, "until", { now: Date.parse(NOW), timeZone: BERLIN }),
      { name: "RangeError", message: /doesn't exist or lies out of range/ },
      text,
    );
  }
});

test("parseDate leaves no gap and no overlap between one day and the next", () => {
  const zones = fc.constantFrom(NEW_YORK, BERLIN, KOLKATA, SAO_PAULO, "Australia/Lord_Howe", "Africa/Cairo", "UTC");
  fc.assert(
    fc.property(zones, fc.integer({ min: 0, max: 20_000 }), (timeZone, day) => {
      const clock = { now: 0, timeZone };
      const name = (index: number) => new Date(index * 86_400_000).toISOString().slice(0, 10);
      assert.equal(parseDate(name(day), "until", clock) + 1, parseDate(name(day + 1), "since", clock));
    }),
    { numRuns: 300 },
  );
});
