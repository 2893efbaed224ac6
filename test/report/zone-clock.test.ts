import assert from "node:assert/strict";
import { test } from "node:test";
import { ZoneClock } from "../../src/report/zone-clock.js";

const keys = (zone: string, iso: string): string[] => {
  const clock = new ZoneClock(zone);
  const time = Date.parse(iso);
  return [clock.hour(time), clock.day(time), clock.week(time), clock.month(time)];
};

/** Zone, instant, and the hour, day, Monday and month there, by the calendar. */
const cases: [string, string, string[]][] = [
  ["UTC", "2026-03-11T00:00:00.000Z", ["2026-03-11T00:00", "2026-03-11", "2026-03-09", "2026-03"]],
  ["UTC", "2026-03-10T23:59:59.999Z", ["2026-03-10T23:00", "2026-03-10", "2026-03-09", "2026-03"]],
  ["UTC", "2026-03-09T00:00:00Z", ["2026-03-09T00:00", "2026-03-09", "2026-03-09", "2026-03"]],
  ["UTC", "2026-03-08T23:59:59Z", ["2026-03-08T23:00", "2026-03-08", "2026-03-02", "2026-03"]],
  ["UTC", "2026-01-01T05:00:00Z", ["2026-01-01T05:00", "2026-01-01", "2025-12-29", "2026-01"]],
  ["UTC", "1970-01-01T00:00:00Z", ["1970-01-01T00:00", "1970-01-01", "1969-12-29", "1970-01"]],
  // Clocks in New York went from 02:00 to 03:00 on 2026-03-08 and go from 02:00 back to 01:00 on 2026-11-01.
  ["America/New_York", "2026-03-08T06:59:59Z", ["2026-03-08T01:00", "2026-03-08", "2026-03-02", "2026-03"]],
  ["America/New_York", "2026-03-08T07:00:00Z", ["2026-03-08T03:00", "2026-03-08", "2026-03-02", "2026-03"]],
  ["America/New_York", "2026-03-09T03:59:59Z", ["2026-03-08T23:00", "2026-03-08", "2026-03-02", "2026-03"]],
  ["America/New_York", "2026-03-09T04:00:00Z", ["2026-03-09T00:00", "2026-03-09", "2026-03-09", "2026-03"]],
  ["America/New_York", "2026-11-01T05:30:00Z", ["2026-11-01T01:00", "2026-11-01", "2026-10-26", "2026-11"]],
  ["America/New_York", "2026-11-01T06:30:00Z", ["2026-11-01T01:00", "2026-11-01", "2026-10-26", "2026-11"]],
  ["Asia/Kolkata", "2026-03-10T18:29:59Z", ["2026-03-10T23:00", "2026-03-10", "2026-03-09", "2026-03"]],
  ["Asia/Kolkata", "2026-03-10T18:30:00Z", ["2026-03-11T00:00", "2026-03-11", "2026-03-09", "2026-03"]],
  ["Asia/Kathmandu", "2026-03-10T18:15:00Z", ["2026-03-11T00:00", "2026-03-11", "2026-03-09", "2026-03"]],
  ["Pacific/Kiritimati", "2026-02-28T10:00:00Z", ["2026-03-01T00:00", "2026-03-01", "2026-02-23", "2026-03"]],
  // Liberia was 44:30 minutes behind UTC until 1972-01-07: no whole quarter of an hour.
  ["Africa/Monrovia", "1972-01-01T00:44:29Z", ["1971-12-31T23:00", "1971-12-31", "1971-12-27", "1971-12"]],
  ["Africa/Monrovia", "1972-01-01T00:44:31Z", ["1972-01-01T00:00", "1972-01-01", "1971-12-27", "1972-01"]],
];

for (const [zone, iso, expected] of cases) {
  test(`ZoneClock tells hour, day, week and month of ${iso} in ${zone}`, () =>
    assert.deepEqual(keys(zone, iso), expected));
}

test("ZoneClock agrees with Intl over two years of hours", () => {
  for (const timeZone of ["Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo"]) {
    const clock = new ZoneClock(timeZone);
    const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short" });
    for (let time = Date.parse("2026-01-01T00:10:00Z"); time < Date.parse("2028-01-01T00:00:00Z"); time += 3_600_000) {
      assert.equal(clock.day(time), format.format(time));
    }
  }
});

test("ZoneClock refuses a name that is no time zone", () => {
  assert.throws(() => new ZoneClock("Europe/Atlantis"), RangeError);
});
