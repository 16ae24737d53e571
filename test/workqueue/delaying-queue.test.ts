import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { seededRandom } from "../../src/platform/random.ts";
import { virtualTimeline, type VirtualTimeline } from "../../src/platform/virtual-timeline.ts";
import type { Trigger } from "../../src/trace/triggers.ts";
import { DelayingQueue } from "../../src/workqueue/delaying-queue.ts";
import {
  bucketLimiter,
  defaultControllerRateLimiter,
  exponentialFailureLimiter,
  fixedIntervalLimiter,
  maxOfLimiters,
} from "../../src/workqueue/rate-limiters.ts";
import { RateLimitingQueue } from "../../src/workqueue/rate-limiting-queue.ts";

const because = (why: string): Trigger => ({ cause: "other", why });

function scene(): {
  timeline: VirtualTimeline;
  queue: DelayingQueue;
  taken: () => { key: string; at: number; triggers: number }[];
} {
  const timeline = virtualTimeline(0, seededRandom(1));
  const queue = new DelayingQueue({ name: "q", timeline });
  const taken: { key: string; at: number; triggers: number }[] = [];
  void (async () => {
    for (let item = await queue.get("worker"); item !== undefined; item = await queue.get("worker")) {
      taken.push({ key: item.key, at: timeline.now(), triggers: item.triggers.total });
      queue.done(item);
    }
  })();
  return { timeline, queue, taken: () => taken };
}

describe("DelayingQueue.addAfter", () => {
  test("hands a key out when it is due, earliest first", async () => {
    const { timeline, queue, taken } = scene();
    queue.addAfter("late", 50, because("x"));
    queue.addAfter("soon", 10, because("x"));
    queue.addAfter("now", 0, because("x"));
    expect([queue.delayed, queue.dueAt("late"), queue.dueAt("now")]).toEqual([2, 50, undefined]);
    await timeline.runUntil();
    expect(taken().map(({ key, at }) => [key, at])).toEqual([
      ["now", 0],
      ["soon", 10],
      ["late", 50],
    ]);
  });

  test("merges a second request for a key: the earlier time counts, both triggers are kept", async () => {
    const { timeline, queue, taken } = scene();
    queue.addAfter("a", 50, because("1"));
    queue.addAfter("a", 20, because("2"));
    queue.addAfter("a", 90, because("3"));
    expect(queue.delayed).toBe(1);
    await timeline.runUntil();
    expect(taken()).toEqual([{ key: "a", at: 20, triggers: 3 }]);
  });

  test("a plain add is not delayed, and the delayed one follows", async () => {
    const { timeline, queue, taken } = scene();
    queue.addAfter("a", 50, because("1"));
    queue.add("a", because("2"));
    await timeline.runUntil();
    expect(taken().map(({ at }) => at)).toEqual([0, 50]);
  });

  test("nextDueAt: the earliest key that is not delayed in the background", async () => {
    const { timeline, queue } = scene();
    const background = { background: true };
    expect(queue.nextDueAt).toBeUndefined();
    queue.addAfter("heartbeat", 10, because("x"), background);
    expect(queue.nextDueAt).toBeUndefined();
    queue.addAfter("middle", 50, because("x"));
    queue.addAfter("late", 60, because("x"));
    expect(queue.nextDueAt).toBe(50);
    queue.addAfter("soon", 40, because("x"));
    expect(queue.nextDueAt).toBe(40);
    queue.addAfter("heartbeat", 90, because("x"));
    expect(queue.nextDueAt).toBe(10);
    await timeline.runUntil();
    expect(queue.nextDueAt).toBeUndefined();
  });

  test("after a shutdown nothing is delayed", async () => {
    const { timeline, queue, taken } = scene();
    queue.addAfter("a", 50, because("1"));
    queue.shutDown();
    queue.addAfter("b", 5, because("1"));
    expect(await timeline.runUntil()).toBe("steady");
    expect([taken(), queue.delayed, timeline.now()]).toEqual([[], 0, 0]);
  });

  test("a shutdown returns the number of dropped keys, delayed ones included, and leaves no timer", async () => {
    for (const { discard, dropped } of [
      { discard: false, dropped: 2 },
      { discard: true, dropped: 3 },
    ]) {
      const timeline = virtualTimeline(0, seededRandom(1));
      const queue = new DelayingQueue({ name: "q", timeline });
      queue.addAfter("a", 50, because("1"));
      queue.addAfter("b", 60, because("1"));
      queue.add("waits", because("1"));
      expect(queue.shutDown({ discard })).toBe(dropped);
      expect({ delayed: queue.delayed, dueAt: queue.dueAt("a") }).toEqual({ delayed: 0, dueAt: undefined });
      expect(queue.shutDown({ discard })).toBe(0);
      await timeline.runUntil();
      expect(timeline.now()).toBe(0);
    }
  });

  test("a key that becomes due while it waits keeps all its triggers", async () => {
    const timeline = virtualTimeline(0, seededRandom(1));
    const queue = new DelayingQueue({ name: "q", timeline });
    queue.addAfter("a", 10, because("later 1"));
    queue.addAfter("a", 20, because("later 2"));
    queue.add("a", because("now"));
    await timeline.runUntil();
    const whys = queue.take()?.triggers.first.map((trigger) => (trigger.cause === "other" ? trigger.why : ""));
    expect(whys).toEqual(["now", "later 1", "later 2"]);
  });

  test("uses one timer, which is set again only for a key that is due earlier", async () => {
    const timeline = virtualTimeline(0, seededRandom(1));
    const set: string[] = [];
    const after: typeof timeline.after = (ms, actor, fn, options) => {
      set.push(`${timeline.now()} + ${ms}`);
      return timeline.after(ms, actor, fn, options);
    };
    const queue = new DelayingQueue({ name: "q", timeline: { ...timeline, after } });
    queue.addAfter("a", 50, because("x"));
    queue.addAfter("b", 60, because("x"));
    queue.addAfter("a", 55, because("x"));
    expect(set).toEqual(["0 + 50"]);
    queue.addAfter("c", 20, because("x"));
    expect(set).toEqual(["0 + 50", "0 + 20"]);
    await timeline.runUntil();
    expect(set).toEqual(["0 + 50", "0 + 20", "20 + 30", "50 + 10"]);
  });

  test("for any delays, each key is handed out once, at its earliest time, in order of time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "d", "e", "f"), fc.integer({ min: 1, max: 1000 })), {
          maxLength: 60,
        }),
        async (adds) => {
          const { timeline, queue, taken } = scene();
          const earliest = new Map<string, number>();
          for (const [key, ms] of adds) {
            queue.addAfter(key, ms, because("x"));
            earliest.set(key, Math.min(ms, earliest.get(key) ?? Infinity));
          }
          await timeline.runUntil();
          expect(Object.fromEntries(taken().map(({ key, at }) => [key, at]))).toEqual(Object.fromEntries(earliest));
          expect(taken().length).toBe(earliest.size);
          expect(taken().map(({ at }) => at)).toEqual([...earliest.values()].sort((a, b) => a - b));
        },
      ),
      { seed: 20261121, numRuns: 100 },
    );
  });
});

describe("rate limiters", () => {
  test("fixedIntervalLimiter waits the same time after every failure, and counts failures", () => {
    const limiter = fixedIntervalLimiter(15_000);
    expect([limiter.when("a"), limiter.when("a"), limiter.when("b")]).toEqual([15_000, 15_000, 15_000]);
    expect([limiter.numRequeues("a"), limiter.numRequeues("b")]).toEqual([2, 1]);
    limiter.forget("a");
    expect(limiter.numRequeues("a")).toBe(0);
  });

  test("exponentialFailureLimiter doubles from its base to its maximum, per key, until the key is forgotten", () => {
    const limiter = exponentialFailureLimiter({ baseDelayMs: 5, maxDelayMs: 1_000_000 });
    const delays = Array.from({ length: 20 }, () => limiter.when("a"));
    expect(delays.slice(0, 4)).toEqual([5, 10, 20, 40]);
    expect([delays[15], delays[17], delays[18], delays[19]]).toEqual([163_840, 655_360, 1_000_000, 1_000_000]);
    expect(limiter.when("b")).toBe(5);
    expect([limiter.numRequeues("a"), limiter.numRequeues("b"), limiter.numRequeues("c")]).toEqual([20, 1, 0]);
    limiter.forget("a");
    expect([limiter.numRequeues("a"), limiter.when("a")]).toEqual([0, 5]);
  });

  test("the token bucket grants its burst at once, then one token per interval, and refills over time", () => {
    let now = 0;
    const limiter = bucketLimiter({ qps: 10, burst: 3, now: () => now });
    expect(["a", "b", "c", "d", "e"].map((key) => limiter.when(key))).toEqual([0, 0, 0, 100, 200]);
    now = 1000;
    expect(["a", "b", "c", "d"].map((key) => Math.round(limiter.when(key)))).toEqual([0, 0, 0, 100]);
  });

  test("the token bucket refills at its rate, in fractions of tokens, and never above its burst", () => {
    let now = 5000;
    const limiter = bucketLimiter({ qps: 10, burst: 2, now: () => now });
    expect([limiter.when("a"), limiter.when("b")]).toEqual([0, 0]);
    now += 150;
    expect([limiter.when("c"), Math.round(limiter.when("d"))]).toEqual([0, 50]);
    now += 3_600_000;
    expect([limiter.when("e"), limiter.when("f"), Math.round(limiter.when("g"))]).toEqual([0, 0, 100]);
  });

  test("the maximum of several limiters counts with each and waits for the longest", () => {
    const limiter = maxOfLimiters(
      exponentialFailureLimiter({ baseDelayMs: 1, maxDelayMs: 10 }),
      exponentialFailureLimiter({ baseDelayMs: 3, maxDelayMs: 4 }),
    );
    expect([1, 2, 3, 4, 5].map(() => limiter.when("a"))).toEqual([3, 4, 4, 8, 10]);
    limiter.forget("a");
    expect(limiter.numRequeues("a")).toBe(0);
  });

  test("the maximum of several limiters reports the failures of those that count them", () => {
    const limiter = maxOfLimiters(
      exponentialFailureLimiter({ baseDelayMs: 1, maxDelayMs: 10 }),
      bucketLimiter({ qps: 10, burst: 3, now: () => 0 }),
    );
    limiter.when("a");
    limiter.when("a");
    expect([limiter.numRequeues("a"), limiter.numRequeues("b")]).toEqual([2, 0]);
  });

  test("the default limiter grants 100 failures at 5 ms and then limits all keys to 10 a second", () => {
    const limiter = defaultControllerRateLimiter(() => 0);
    const delays = Array.from({ length: 103 }, (_, i) => limiter.when(`key-${i}`));
    expect(new Set(delays.slice(0, 100))).toEqual(new Set([5]));
    expect(delays.slice(100)).toEqual([100, 200, 300]);
  });
});

describe("RateLimitingQueue", () => {
  test("delays a failing key longer each time, and restarts after it is forgotten", async () => {
    const timeline = virtualTimeline(0, seededRandom(1));
    const queue = new RateLimitingQueue({ name: "q", timeline });
    const delays = [1, 2, 3].map(() => queue.addRateLimited("a", because("failed")));
    expect([delays, queue.numRequeues("a"), queue.dueAt("a")]).toEqual([[5, 10, 20], 3, 5]);
    queue.forget("a");
    expect([queue.numRequeues("a"), queue.addRateLimited("a", because("failed"))]).toEqual([0, 5]);
  });

  test("the default limiter refills by the queue's clock", async () => {
    const timeline = virtualTimeline(0, seededRandom(1));
    const queue = new RateLimitingQueue({ name: "q", timeline });
    for (let n = 0; n < 100; n++) queue.addRateLimited(`key-${n}`, because("failed"));
    expect(queue.addRateLimited("one more", because("failed"))).toBe(100);
    await timeline.runUntil();
    timeline.after(1000, "user", () => undefined);
    await timeline.runUntil();
    expect(queue.addRateLimited("a second later", because("failed"))).toBe(5);
  });

  test("accepts another limiter", () => {
    const queue = new RateLimitingQueue({
      name: "q",
      timeline: virtualTimeline(0, seededRandom(1)),
      rateLimiter: exponentialFailureLimiter({ baseDelayMs: 7, maxDelayMs: 7 }),
    });
    expect(queue.addRateLimited("a", because("failed"))).toBe(7);
  });
});
