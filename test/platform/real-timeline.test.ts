import { describe, expect, test } from "bun:test";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { sleep } from "../../src/platform/timeline.ts";

describe("realTimeline", () => {
  test("tells the wall clock's time and never goes back", () => {
    const timeline = realTimeline();
    expect(Math.abs(timeline.now() - Date.now())).toBeLessThan(1000);
    let last = timeline.now();
    for (let i = 0; i < 10_000; i++) {
      const now = timeline.now();
      expect(now).toBeGreaterThanOrEqual(last);
      last = now;
    }
  });

  test("all that runs in one go has one beginning, which is not that of what runs after an await", async () => {
    const timeline = realTimeline();
    const began = timeline.burstBegan();
    for (let looked = 0; timeline.now() === began && looked < 1e6; looked++);
    expect(timeline.now()).toBeGreaterThan(began);
    expect(timeline.burstBegan()).toBe(began);
    await Promise.resolve();
    expect(timeline.burstBegan()).toBeGreaterThan(began);
  });

  test("a timer fires once, not before its time; a cancelled one never", async () => {
    const timeline = realTimeline();
    const startedAt = timeline.now();
    let cancelled = 0;
    const cancel = timeline.after(1, "cancelled", () => cancelled++);
    cancel();
    await sleep(timeline, 20, "test");
    expect(timeline.now() - startedAt).toBeGreaterThanOrEqual(19);
    expect(cancelled).toBe(0);
  });

  test("actors that only hand work to each other still let timers fire", async () => {
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

  test("turns are taken at once, and still let timers fire", async () => {
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
