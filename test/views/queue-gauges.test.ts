import { describe, expect, test } from "bun:test";
import { QueueGauges } from "../../src/views/queue-gauges.ts";
import { Events } from "./events.ts";

describe("QueueGauges", () => {
  test("show an empty queue for a controller without events", () => {
    expect(new QueueGauges().state("replicaset", 0)).toEqual({
      controller: "replicaset",
      depth: 0,
      oldestMs: 0,
      inFlight: 0,
      delayed: 0,
      adds: 0,
      merged: 0,
      syncs: 0,
      failures: 0,
      longest: undefined,
      waited: undefined,
      took: undefined,
    });
  });

  test("count the triggers of a waiting key, and how long the oldest waits", () => {
    const gauges = new QueueGauges();
    const events = new Events(1000);
    gauges.accept(events.enqueue(1));
    gauges.accept(events.enqueue(2, { merged: true }));
    gauges.accept(events.enqueue(3, { key: "shop/other" }));
    expect(gauges.triggersOf("replicaset", "shop/web")).toBe(2);
    expect(gauges.state("replicaset", 1501)).toMatchObject({ adds: 3, merged: 1, oldestMs: 500 });
    gauges.accept(events.get("shop/web"));
    expect(gauges.triggersOf("replicaset", "shop/web")).toBe(0);
    // The other key was added two milliseconds later.
    expect(gauges.state("replicaset", 1503)).toMatchObject({ oldestMs: 500, inFlight: 1 });
  });

  test("a key that is added during its sync waits from the end of that", () => {
    const gauges = new QueueGauges();
    const events = new Events(1000);
    gauges.accept(events.enqueue(1));
    gauges.accept(events.get());
    gauges.accept(events.enqueue(2, { inFlight: true }));
    expect(gauges.triggersOf("replicaset", "shop/web")).toBe(1);
    expect(gauges.state("replicaset", 2000)).toMatchObject({ oldestMs: 0, longest: { key: "shop/web", ms: 998 } });
    gauges.accept(events.done());
    expect(gauges.state("replicaset", 1103)).toMatchObject({ oldestMs: 100, inFlight: 0, longest: undefined });
  });

  test("a delayed key is counted until it is due", () => {
    const gauges = new QueueGauges();
    const events = new Events(1000);
    gauges.accept(events.enqueue(1, { delayMs: 5000 }));
    expect(gauges.state("replicaset", 2000).delayed).toBe(1);
    expect(gauges.state("replicaset", 7000).delayed).toBe(0);
  });

  test("count failures, and show how long keys wait and syncs take", () => {
    const gauges = new QueueGauges();
    const events = new Events(1000);
    for (let ms = 1; ms <= 100; ms++) {
      gauges.accept(events.get("shop/web", ms));
      gauges.accept(events.done("shop/web", ms * 10, ms % 10 === 0 ? "refused" : undefined));
    }
    const state = gauges.state("replicaset", events.at);
    expect(state).toMatchObject({ syncs: 100, failures: 10, inFlight: 0 });
    expect(state.waited?.p50).toBeCloseTo(50, -1);
    expect(Math.round((state.took?.p99 ?? 0) / 100)).toBe(10);
  });

  test("stay small however many keys pass through", () => {
    const gauges = new QueueGauges();
    const events = new Events(0);
    for (let n = 0; n < 5000; n++) {
      gauges.accept(events.enqueue(n, { key: `shop/web-${n}` }));
      gauges.accept(events.get(`shop/web-${n}`));
      gauges.accept(events.done(`shop/web-${n}`));
    }
    for (let n = 0; n < 5000; n++) expect(gauges.triggersOf("replicaset", `shop/web-${n}`)).toBe(0);
    expect(gauges.state("replicaset", 1e9)).toMatchObject({ oldestMs: 0, inFlight: 0, delayed: 0 });
  });
});
