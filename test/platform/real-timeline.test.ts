import { afterEach, describe, expect, jest, spyOn, test } from "bun:test";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { sleep } from "../../src/platform/timeline.ts";

afterEach(() => {
  jest.restoreAllMocks();
});

describe("realTimeline", () => {
  test("returns the wall clock's time and never goes back", () => {
    const timeline = realTimeline();
    expect(Math.abs(timeline.now() - Date.now())).toBeLessThan(1000);
    let last = timeline.now();
    for (let i = 0; i < 10_000; i++) {
      const now = timeline.now();
      expect(now).toBeGreaterThanOrEqual(last);
      last = now;
    }
  });

  /** A real timeline on clocks that the test moves; `pass` returns how far it is ahead of the wall clock. */
  function onMovedClocks(): {
    readonly now: () => number;
    readonly pass: (steadyMs: number, wallMs?: number) => number;
  } {
    let wall = 1_800_000_000_000;
    let steady = 5000;
    spyOn(Date, "now").mockImplementation(() => wall);
    spyOn(performance, "now").mockImplementation(() => steady);
    const timeline = realTimeline();
    const now = (): number => timeline.now();
    return {
      now,
      pass(steadyMs, wallMs = steadyMs) {
        steady += steadyMs;
        wall += wallMs;
        return now() - wall;
      },
    };
  }

  test("follows a wall clock that runs slightly faster, within a second, and one that is set forward at once", () => {
    const { pass } = onMovedClocks();
    expect(pass(10, 10)).toBe(0);
    expect(pass(1001, 1051)).toBe(0);
    expect(pass(900, 950)).toBe(-50);
    expect(pass(101, 101)).toBe(0);
    expect(pass(1001, 1001 + 7_200_000)).toBe(0);
  });

  test("waits for a wall clock that is set back, at half its speed or faster, and never goes back", () => {
    const { now, pass } = onMovedClocks();
    let last = now();
    const ahead = (steadyMs: number, wallMs?: number): number => {
      const by = pass(steadyMs, wallMs);
      expect(now()).toBeGreaterThanOrEqual(last);
      last = now();
      return by;
    };
    expect(ahead(1001, 1001 - 3_600_000)).toBe(3_600_000);
    expect(ahead(900)).toBe(3_600_000 - 450);
    expect(ahead(100_100)).toBe(3_600_000 - 50_500);
    for (let seconds = 0; seconds < 7000; seconds += 1) ahead(1001);
    expect(ahead(1001)).toBeGreaterThan(0);
    for (let seconds = 0; seconds < 200; seconds += 1) ahead(1001);
    expect(ahead(1001)).toBeLessThanOrEqual(1);
    expect(ahead(1001, 1001 - 201)).toBeCloseTo(202, -1);
    expect(ahead(500)).toBeCloseTo(101, -1);
    expect(ahead(501)).toBeCloseTo(1, 0);
    // Slowed down when it was last looked at: after an hour's pause it is not late.
    expect(ahead(1001, 1)).toBeCloseTo(1001, 0);
    expect(ahead(3_600_000)).toBe(0);
  });

  test("fractions of a millisecond do not slow it down", () => {
    const { pass } = onMovedClocks();
    expect(pass(1001.75, 1001)).toBe(0.75);
    expect(pass(1001, 1001)).toBe(0.75);
  });

  test("code that runs without an await has one start time, different from that after an await", async () => {
    const timeline = realTimeline();
    const began = timeline.burstBegan();
    for (let looked = 0; timeline.now() === began && looked < 1e6; looked++);
    expect(timeline.now()).toBeGreaterThan(began);
    expect(timeline.burstBegan()).toBe(began);
    await Promise.resolve();
    expect(timeline.burstBegan()).toBeGreaterThan(began);
  });

  test("a timer fires once, not early; a cancelled one never fires", async () => {
    const timeline = realTimeline();
    const startedAt = timeline.now();
    let cancelled = 0;
    const cancel = timeline.after(1, "cancelled", () => cancelled++);
    cancel();
    await sleep(timeline, 20, "test");
    expect(timeline.now() - startedAt).toBeGreaterThanOrEqual(19);
    expect(cancelled).toBe(0);
  });

  test("actors that only hand over work to each other still let timers fire", async () => {
    const timeline = realTimeline();
    const fired: number[] = [];
    timeline.after(5, "timer", () => fired.push(timeline.now()));
    const until = timeline.now() + 5000;
    let hops = 0;
    while (fired.length === 0 && timeline.now() < until) {
      await timeline.hop("busy");
      hops++;
    }
    expect(fired.length).toBe(1);
    expect(hops).toBeGreaterThan(64);
  });

  test("turns run at once, and still let timers fire", async () => {
    const timeline = realTimeline();
    const fired: number[] = [];
    timeline.after(5, "timer", () => fired.push(timeline.now()));
    const until = timeline.now() + 5000;
    let atOnce = 0;
    while (fired.length === 0 && timeline.now() < until) {
      const turn = timeline.turn("busy");
      if (turn === undefined) atOnce++;
      else await turn;
    }
    expect(fired.length).toBe(1);
    expect(atOnce).toBeGreaterThan(64);
  });
});
