import { describe, expect, test } from "bun:test";
import { backoffId, FailedPodsBackoff } from "../../../src/controllers/daemonset/failed-pods-backoff.ts";
import { daemonSetOf } from "./objects.ts";

const minute = 60_000;

describe("the back-off of failed pods", () => {
  test("permits the first deletion at once", () => {
    expect(new FailedPodsBackoff().delayOf("a", 0)).toBeUndefined();
  });

  test("doubles from 1 s to 15 minutes", () => {
    const backoff = new FailedPodsBackoff();
    const delays: number[] = [];
    for (let now = 0; delays.length < 12;) {
      backoff.deleted("a", now);
      const delay = backoff.delayOf("a", now) ?? 0;
      expect(backoff.delayOf("a", now + delay - 1)).toBe(delay);
      now += delay;
      expect(backoff.delayOf("a", now)).toBeUndefined();
      delays.push(delay / 1000);
    }
    expect(delays).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
  });

  test("is separate for each node", () => {
    const backoff = new FailedPodsBackoff();
    backoff.deleted("a", 0);
    expect(backoff.delayOf("b", 0)).toBeUndefined();
  });

  test("restarts after more than half an hour without a failure", () => {
    const after = (ms: number): number | undefined => {
      const backoff = new FailedPodsBackoff();
      backoff.deleted("a", 0);
      backoff.deleted("a", ms);
      return backoff.delayOf("a", ms);
    };
    expect(after(30 * minute)).toBe(2000);
    expect(after(30 * minute + 1)).toBe(1000);
  });

  test("forgets nodes that had no failure for half an hour", () => {
    const backoff = new FailedPodsBackoff();
    for (let n = 0; n < 100; n++) backoff.deleted(`node-${n}`, 0);
    expect(backoff.size).toBe(100);
    backoff.deleted("a", 31 * minute);
    expect(backoff.size).toBe(1);
  });

  test("restarts for each observed generation, each set and each node", () => {
    const of = (uid: string, observedGeneration: number): string =>
      backoffId(daemonSetOf({ meta: { uid }, status: { observedGeneration } }), "node-1");
    expect(new Set([of("a", 1), of("a", 2), of("b", 1), backoffId(daemonSetOf(), "node-2")]).size).toBe(4);
  });
});
