import { describe, expect, test } from "bun:test";
import { loadsModule } from "../../src/platform/module-loads.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { sleep } from "../../src/platform/timeline.ts";
import { virtualTimeline } from "../../src/platform/virtual-timeline.ts";

describe("virtualTimeline", () => {
  test("fires timers in the order of time, which does not pass in between", async () => {
    const timeline = virtualTimeline(1000, seededRandom(1));
    const fired: [string, number][] = [];
    for (const [name, ms] of [
      ["c", 30],
      ["a", 10],
      ["b", 20],
    ] as const)
      timeline.after(ms, name, () => fired.push([name, timeline.now()]));
    expect(await timeline.runUntil()).toBe("steady");
    expect(fired).toEqual([
      ["a", 1010],
      ["b", 1020],
      ["c", 1030],
    ]);
  });

  test("a cancelled timer never fires, and cancelling twice is harmless", async () => {
    const timeline = virtualTimeline(0, seededRandom(1));
    let fired = false;
    const cancel = timeline.after(10, "a", () => (fired = true));
    cancel();
    cancel();
    expect([await timeline.runUntil(), fired, timeline.now()]).toEqual(["steady", false, 0]);
  });

  test("stops while a module is loaded, and the code that awaits it runs first", async () => {
    const timeline = virtualTimeline(0, seededRandom(1));
    const log: string[] = [];
    const { promise: first, resolve: loadedFirst } = Promise.withResolvers<void>();
    const { promise: second, resolve: loadedSecond } = Promise.withResolvers<void>();
    const needs = async (): Promise<void> => {
      await loadsModule(first);
      log.push(`first at ${timeline.now()}`);
      await loadsModule(second);
      log.push(`second at ${timeline.now()}`);
      await timeline.hop("needs");
      log.push("after it");
    };
    timeline.after(5, "needs", () => void needs());
    timeline.after(10, "other", () => void log.push(`other at ${timeline.now()}`));
    const running = timeline.runUntil();
    for (const done of [loadedFirst, loadedSecond]) {
      for (let turns = 0; turns < 10; turns++) await new Promise((resolve) => setImmediate(resolve));
      done();
    }
    expect(await running).toBe("steady");
    expect(log).toEqual(["first at 5", "second at 5", "after it", "other at 10"]);
  });

  test("continues after a module that cannot be loaded", async () => {
    const timeline = virtualTimeline(0, seededRandom(1));
    const log: string[] = [];
    timeline.after(5, "needs", () => {
      loadsModule(Promise.reject(new Error("no such file"))).catch((error: unknown) => log.push(String(error)));
    });
    timeline.after(10, "other", () => void log.push("other"));
    expect(await timeline.runUntil()).toBe("steady");
    expect(log).toEqual(["Error: no such file", "other"]);
  });

  test("returns when the last foreground timer is due", async () => {
    const timeline = virtualTimeline(0, seededRandom(1));
    expect(timeline.lastDue()).toBeUndefined();
    timeline.after(5, "work", () => undefined);
    const cancel = timeline.after(30, "more", () => undefined);
    timeline.after(20, "work", () => undefined);
    timeline.after(90, "heartbeat", () => undefined, { background: true });
    expect(timeline.lastDue()).toBe(30);
    cancel();
    expect(timeline.lastDue()).toBe(20);
    await timeline.runUntil();
    expect(timeline.lastDue()).toBeUndefined();
  });

  test("fires background timers on the way but does not wait for them", async () => {
    const timeline = virtualTimeline(0, seededRandom(1));
    const fired: string[] = [];
    timeline.after(5, "heartbeat", () => fired.push("heartbeat"), { background: true });
    timeline.after(10, "work", () => fired.push("work"));
    timeline.after(15, "resync", () => fired.push("resync"), { background: true });
    expect([await timeline.runUntil(), fired, timeline.now()]).toEqual(["steady", ["heartbeat", "work"], 10]);
  });

  test("stops at its limits of time and turns", async () => {
    const timeline = virtualTimeline(0, seededRandom(1));
    const again = (): void => void timeline.after(10, "loop", again);
    again();
    expect([await timeline.runUntil({ ms: 35 }), timeline.now()]).toEqual(["time", 30]);
    expect(await timeline.runUntil({ steps: 7 })).toBe("steps");
    expect(timeline.now()).toBe(100);
  });

  test("sleep ends early when its signal aborts, and leaves no timer behind", async () => {
    const timeline = virtualTimeline(0, seededRandom(1));
    const abort = new AbortController();
    const slept = sleep(timeline, 1000, "sleeper", { signal: abort.signal }).catch((error: unknown) => error);
    timeline.after(5, "user", () => abort.abort(new Error("enough")));
    expect([await timeline.runUntil(), timeline.now()]).toEqual(["steady", 5]);
    expect(String(await slept)).toBe("Error: enough");
  });

  const orderOf = async (seed: number, awaits: number): Promise<string> => {
    const timeline = virtualTimeline(0, seededRandom(seed));
    const order: string[] = [];
    const actor = async (name: string): Promise<void> => {
      for (let i = 0; i < 5; i++) {
        for (let j = 0; j < awaits; j++) await Promise.resolve();
        await timeline.hop(name);
        order.push(name);
      }
    };
    const running = ["a", "b", "c", "d"].map(actor);
    await timeline.runUntil();
    await Promise.all(running);
    return order.join("");
  };

  test("the order of hops is a function of the seed, whatever awaits are in between", async () => {
    const orders = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) {
      const order = await orderOf(seed, 0);
      expect(await orderOf(seed, 7)).toBe(order);
      orders.add(order);
    }
    expect(orders.size).toBeGreaterThan(15);
  });
});
