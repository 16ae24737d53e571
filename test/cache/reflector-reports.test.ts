import { describe, expect, test } from "bun:test";
import { StatusError } from "../../src/api/status-error.ts";
import { TransportError } from "../../src/api/transport.ts";
import { failureReason, ListReport, WatchReport } from "../../src/cache/reflector-reports.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { StageEvent } from "../../src/trace/events.ts";

describe("failureReason", () => {
  for (const { name, error, reason } of [
    {
      name: "a refusal by its reason",
      error: new StatusError(410, { reason: "Expired", message: "too old" }),
      reason: "410 Expired",
    },
    {
      name: "a refusal without a reason by its message",
      error: new StatusError(502, { message: "bad gateway" }),
      reason: "502 bad gateway",
    },
    {
      name: "a broken connection",
      error: new TransportError("reset by peer", { failure: "broken" }),
      reason: "connection broke: reset by peer",
    },
    {
      name: "an unreachable server",
      error: new TransportError("connection refused", { failure: "unreachable" }),
      reason: "connection refused",
    },
    { name: "any other error by its message", error: new RangeError("no"), reason: "no" },
    { name: "any other thrown value", error: "text", reason: "text" },
  ])
    test(`names ${name}`, () => expect(failureReason(error)).toBe(reason));
});

interface Scene {
  readonly clock: { now: number };
  readonly bus: TraceBus;
  readonly events: StageEvent[];
  readonly options: {
    readonly bus: TraceBus;
    readonly of: { group: string; kind: string };
    readonly now: () => number;
  };
}

function scene(): Scene {
  const clock = { now: 5000 };
  const bus = new TraceBus({ now: () => clock.now });
  const events: StageEvent[] = [];
  bus.listen((event) => events.push(event));
  return { clock, bus, events, options: { bus, of: { group: "", kind: "Pod" }, now: () => clock.now } };
}

test("a list reports its pages, bytes, version and duration, whether it succeeds or fails", () => {
  const { clock, events, options } = scene();
  const report = new ListReport({ ...options, why: "start" });
  clock.now += 40;
  report.page(100, "7");
  report.page(50, "7");
  clock.now += 2;
  report.failed({ error: "410 Expired", objects: 3, isServed: true });
  report.listed(4);
  const both = { of: { group: "", kind: "Pod" }, why: "start", pages: 2, bytes: 150, ms: 42, resourceVersion: "7" };
  report.failed({ error: "404 NotFound", objects: 0, isServed: false });
  expect(events).toMatchObject([
    { stage: "list", ...both, objects: 3, error: "410 Expired" },
    { stage: "list", ...both, objects: 4 },
    { stage: "list", ...both, objects: 0, error: "404 NotFound", notServed: true },
  ]);
  expect(events.map((event) => "notServed" in event)).toEqual([false, false, true]);
});

test("a list whose pages have different versions has that of the first", () => {
  const { events, options } = scene();
  const report = new ListReport({ ...options, why: "start" });
  for (const version of ["7", "8", "9"]) report.page(100, version);
  expect(report.resourceVersion).toBe("7");
  report.listed(3);
  expect(events).toMatchObject([{ stage: "list", resourceVersion: "7" }]);
});

test("a watch that ends within a second of its timeout was ended by the timeout, an earlier one by the server", () => {
  const { clock, options } = scene();
  const report = new WatchReport({ ...options, timeoutSeconds: 300 });
  report.opened("7", "start");
  clock.now += 298_999;
  expect(report.endReason()).toBe("ended by the server");
  clock.now += 1;
  expect(report.endReason()).toBe("timeout by the server");
});
