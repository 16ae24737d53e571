import { describe, expect, test } from "bun:test";
import type { Event } from "../../../src/api/types.ts";
import { type Correlated, EventCorrelator, type NewEvent } from "../../../src/controller/runtime/event-correlator.ts";

function event(message: string, rest: Partial<NewEvent> = {}): NewEvent {
  return {
    metadata: { name: `web.${message}`, namespace: "shop" },
    involvedObject: { kind: "ReplicaSet", namespace: "shop", name: "web", uid: "u1", apiVersion: "apps/v1" },
    source: { component: "replicaset-controller" },
    type: "Normal",
    reason: "SuccessfulCreate",
    message,
    firstTimestamp: "2026-01-01T00:00:00Z",
    lastTimestamp: "2026-01-01T00:00:00Z",
    ...rest,
  };
}

const textOf = (correlated: Correlated): string =>
  correlated.do === "skip"
    ? "skip"
    : `${correlated.do} ${correlated.event.count} ${correlated.event.metadata.name} ${correlated.event.message}`;

describe("EventCorrelator", () => {
  test("creates an Event once and then counts it under its first name", () => {
    const correlator = new EventCorrelator(() => 0);
    const again = event("a", {
      metadata: { name: "web.later", namespace: "shop" },
      lastTimestamp: "2026-01-01T00:01:00Z",
    });
    expect(textOf(correlator.correlate(event("a")))).toBe("create 1 web.a a");
    const second = correlator.correlate(again);
    expect(textOf(second)).toBe("patch 2 web.a a");
    expect(second.do === "patch" && second.body).toEqual({
      count: 2,
      lastTimestamp: "2026-01-01T00:01:00Z",
      message: "a",
    });
  });

  test("continues from the Event in the API server", () => {
    const correlator = new EventCorrelator(() => 0);
    correlator.correlate(event("a"));
    correlator.observed({ ...event("a"), count: 7, metadata: { name: "web.server" } } as Event);
    expect(textOf(correlator.correlate(event("a")))).toBe("patch 8 web.server a");
  });

  test("combines the tenth different message of a reason, and all that follow within ten minutes", () => {
    let now = 0;
    const correlator = new EventCorrelator(() => now);
    const first = Array.from({ length: 12 }, (_, i) => textOf(correlator.correlate(event(`m${i}`))));
    expect(first.slice(0, 9).every((line) => line.startsWith("create 1 "))).toBe(true);
    expect(first.slice(9)).toEqual([
      "create 1 web.m9 (combined from similar events): m9",
      "patch 2 web.m9 (combined from similar events): m10",
      "patch 3 web.m9 (combined from similar events): m11",
    ]);
    const combined = correlator.correlate({ ...event("m12"), reportingComponent: "replicaset-controller" });
    expect(combined).toMatchObject({ event: { reportingComponent: "", source: event("").source } });
    now += 600_001;
    expect(textOf(correlator.correlate(event("m20")))).toBe("create 1 web.m20 m20");
  });

  test("permits 25 Events about one object, then one every five minutes; other objects are not held back", () => {
    let now = 0;
    const correlator = new EventCorrelator(() => now);
    const results = Array.from({ length: 30 }, () => correlator.correlate(event("a")).do);
    expect(results.filter((result) => result === "skip").length).toBe(5);
    expect(results.slice(25)).toEqual(["skip", "skip", "skip", "skip", "skip"]);
    const other = event("a", { involvedObject: { kind: "ReplicaSet", namespace: "shop", name: "api", uid: "u2" } });
    expect(correlator.correlate(other).do).toBe("create");
    now += 300_000;
    expect([correlator.correlate(event("a")).do, correlator.correlate(event("a")).do]).toEqual(["patch", "skip"]);
  });
});
