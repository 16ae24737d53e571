import { describe, expect, test } from "bun:test";
import type { EventHandler } from "../../src/cache/handler.ts";
import { ProcessorListener, type QueuedNotification } from "../../src/cache/processor-listener.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { type VirtualTimeline, virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { StageEvent } from "../../src/trace/events.ts";
import type { DeltaRef } from "../../src/trace/triggers.ts";

interface Thing {
  readonly name: string;
}

const object: Thing = { name: "new" };
const delta: DeltaRef = {
  cause: "delta",
  kind: "Thing",
  type: "Updated",
  key: "shop/a",
  resourceVersion: "5",
  delta: 3,
};

const added = (initial = false, queuedAt = 0): QueuedNotification<Thing> => ({
  type: "added",
  object,
  initial,
  delta,
  queuedAt,
});
const updated: QueuedNotification<Thing> = { type: "updated", before: { name: "old" }, object, delta, queuedAt: 0 };
const deleted: QueuedNotification<Thing> = { type: "deleted", object, tombstone: true, delta, queuedAt: 0 };

const ignore = (): void => undefined;

interface Scene {
  readonly timeline: VirtualTimeline;
  readonly listener: ProcessorListener<Thing>;
  readonly events: StageEvent[];
  readonly failures: unknown[];
}

function scene(on: EventHandler<Thing>["on"], { resyncMs = 0, watched = true } = {}): Scene {
  const timeline = virtualTimeline(1000, seededRandom(1));
  const bus = new TraceBus({ now: () => timeline.now() });
  const events: StageEvent[] = [];
  bus.listen((event) => events.push(event));
  const failures: unknown[] = [];
  const listener = new ProcessorListener<Thing>({
    handler: { name: "h", on },
    of: { group: "", kind: "Thing" },
    timeline,
    bus,
    resyncMs,
    ...(watched && { onHandlerError: (...what: unknown[]) => void failures.push(what) }),
  });
  return { timeline, listener, events, failures };
}

describe("ProcessorListener", () => {
  test("passes each notification to the handler unchanged, in order, in a later turn", async () => {
    const calls: unknown[] = [];
    const { timeline, listener } = scene((notification) => calls.push(notification));
    const notifications = [added(true), deleted, updated];
    for (const notification of notifications) listener.add(notification);
    expect([calls, listener.backlog]).toEqual([[], 3]);
    await timeline.runUntil();
    expect(calls).toHaveLength(3);
    for (const [index, notification] of notifications.entries()) expect(calls[index]).toBe(notification);
    expect(listener.backlog).toBe(0);
  });

  test("a handler that throws gets the next notification, with and without an error callback", async () => {
    for (const watched of [true, false]) {
      let calls = 0;
      const { timeline, listener, events, failures } = scene(
        () => {
          if (++calls === 1) throw new Error("no");
          // A handler can throw any value, not only an Error.
          if (calls === 2) throw "text" as unknown;
        },
        { watched },
      );
      for (let n = 0; n < 3; n++) listener.add(added());
      await timeline.runUntil();
      expect(calls).toBe(3);
      expect(events.flatMap((event) => ("error" in event ? [event.error] : []))).toEqual(["no", "text"]);
      expect(failures).toEqual(
        watched
          ? [
              [new Error("no"), "h", "shop/a"],
              ["text", "h", "shop/a"],
            ]
          : [],
      );
    }
  });

  test("reports how long a notification waited, and how many are queued behind it", async () => {
    const { timeline, listener, events } = scene(ignore);
    listener.add(added(false, 970));
    // There was no trace listener when it was queued.
    listener.add(added());
    await timeline.runUntil();
    const notify = { stage: "notify", of: { group: "", kind: "Thing" }, key: "shop/a", delta: 3, handler: "h" };
    expect(events).toMatchObject([
      { ...notify, waitedMs: 30, backlog: 1 },
      { ...notify, waitedMs: 0, backlog: 0 },
    ]);
  });

  test("has delivered the first list when the handler was called for its last object", async () => {
    const seen: boolean[] = [];
    const { timeline, listener } = scene(() => void seen.push(listener.initialDelivered));
    expect(listener.initialDelivered).toBe(true);
    for (const initial of [true, true, false]) listener.add(added(initial));
    await timeline.runUntil();
    expect([seen, listener.initialDelivered]).toEqual([[false, false, true], true]);
  });

  test("does not call the handler after a stop, and keeps nothing", async () => {
    let calls = 0;
    const { timeline, listener } = scene(() => {
      calls++;
      listener.stop();
    });
    for (let n = 0; n < 3; n++) listener.add(added());
    await timeline.runUntil();
    listener.add(added());
    await timeline.runUntil();
    expect([calls, listener.backlog]).toEqual([1, 0]);
  });

  test("is resynced every period; before the first resync it already gets unchanged objects", () => {
    const { listener } = scene(ignore, { resyncMs: 500 });
    expect([listener.syncing, listener.nextResyncAt]).toEqual([true, 1500]);
    expect([listener.takeResync(1499), listener.syncing, listener.nextResyncAt]).toEqual([false, false, 1500]);
    expect([listener.takeResync(1500), listener.syncing, listener.nextResyncAt]).toEqual([true, true, 2000]);
    expect([listener.takeResync(1700), listener.syncing]).toEqual([false, false]);
  });

  test("is never resynced without a period", () => {
    const { listener } = scene(ignore);
    expect([listener.nextResyncAt, listener.takeResync(1e15), listener.syncing]).toEqual([Infinity, false, false]);
  });
});
