import { describe, expect, test } from "bun:test";
import { formatAge, formatDuration, parseGoDuration } from "../../src/api/duration.ts";

describe("durations", () => {
  test("that were measured are exact below two minutes", () => {
    expect([0.4, 41, 1300, 119_000].map(formatDuration)).toEqual(["0.4 ms", "41 ms", "1.3 s", "119 s"]);
  });

  test("between API times are whole seconds, and never negative", () => {
    expect([-3000, 400, 1300, 119_000].map(formatAge)).toEqual(["0 s", "0 s", "1 s", "119 s"]);
  });

  for (const format of [formatDuration, formatAge]) {
    test(`have at most two units from two minutes on (${format.name})`, () => {
      expect([120_000, 252_000, 7_199_000, 7_200_000, 7_400_000].map(format)).toEqual([
        "2 m",
        "4 m 12 s",
        "119 m 59 s",
        "2 h",
        "2 h 3 m",
      ]);
    });
  }

  test.each([
    ["1m0s", 60_000],
    ["1h2m3.5s", 3_723_500],
    ["15s", 15_000],
    ["-250ms", -250],
    ["0", 0],
    ["15", undefined],
    ["1 s", undefined],
    ["", undefined],
  ])("as Go writes them: %p", (text, ms) => {
    expect(parseGoDuration(text)).toBe(ms as number);
  });
});
