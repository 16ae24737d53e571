import { describe, expect, test } from "bun:test";
import { RecentDurations } from "../../src/views/durations.ts";

describe("RecentDurations", () => {
  test("has no quantiles without values", () => {
    expect(new RecentDurations().quantile(0.5, 0)).toBeUndefined();
  });

  test("has quantiles with an error of at most 10 %", () => {
    const durations = new RecentDurations();
    for (let ms = 1; ms <= 1000; ms++) durations.add(ms, 0);
    for (const [q, ms] of [
      [0.5, 500],
      [0.99, 990],
      [1, 1000],
    ] as const) {
      const found = durations.quantile(q, 0) ?? NaN;
      expect(found).toBeGreaterThanOrEqual(ms * 0.99);
      expect(found).toBeLessThanOrEqual(ms * 1.11);
    }
  });

  test("counts values outside its buckets in the first and the last one", () => {
    const durations = new RecentDurations();
    durations.add(0, 0);
    expect(durations.quantile(0.5, 0)).toBe(0.01);
    durations.add(Number.MAX_SAFE_INTEGER, 0);
    expect(durations.quantile(1, 0)).toBeGreaterThan(1_000_000);
  });

  test("forgets values after 30 to 60 seconds", () => {
    const durations = new RecentDurations();
    durations.add(100, 30_000);
    durations.add(1, 60_001);
    expect(durations.quantile(1, 60_002)).toBeGreaterThan(99);
    expect(durations.quantile(1, 90_002)).toBeLessThan(1.2);
    expect(durations.quantile(1, 200_000)).toBeUndefined();
  });
});
