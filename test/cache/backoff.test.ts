import { describe, expect, test } from "bun:test";
import { reflectorBackoff } from "../../src/cache/backoff.ts";

describe("reflectorBackoff", () => {
  test("doubles from 800 ms to 30 s", () => {
    const backoff = reflectorBackoff({ now: () => 1_790_000_000_000, random: { next: () => 0 } });
    expect(Array.from({ length: 8 }, () => backoff.nextMs())).toEqual([
      800, 1600, 3200, 6400, 12800, 25600, 30000, 30000,
    ]);
  });

  test("makes each delay longer by up to 100 %", () => {
    const backoff = reflectorBackoff({ now: () => 0, random: { next: () => 0.999 } });
    expect(Math.round(backoff.nextMs())).toBe(1599);
    for (let n = 0; n < 10; n++) backoff.nextMs();
    expect(Math.round(backoff.nextMs())).toBe(59970);
  });

  test("restarts when it was not used for more than 2 minutes", () => {
    let now = 0;
    const backoff = reflectorBackoff({ now: () => now, random: { next: () => 0 } });
    backoff.nextMs();
    backoff.nextMs();
    now += 120_000;
    expect(backoff.nextMs()).toBe(3200);
    now += 120_001;
    expect(backoff.nextMs()).toBe(800);
  });
});
