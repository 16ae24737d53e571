import { describe, expect, test } from "bun:test";
import type { EventHandler, Notification } from "../../src/cache/handler.ts";
import { ProcessorListener } from "../../src/cache/processor-listener.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { type VirtualTimeline, virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { StageEvent } from "../../src/trace/events.ts";

interface Thing {
  readonly name: string;
}

const notification = (
  type: "added" | "updated" | "deleted",
  more: Partial<Notification<Thing>> = {},
): Notification<Thing> => ({
  type,
  object: { name: "new" },
  before: type === "updated" ? { name: "old" } : undefined,
  initial: false,
  tombstone: false,
  delta: { kind: "Thing", type: "Updated", key: "shop/a", resourceVersion: "5", seq: 3 },
  queuedAt: 0,
  ...more,
});

interface Scene {
  readonly timeline: VirtualTimeline;
  readonly listener: ProcessorListener<Thing>;
  readonly events: StageEvent[];
  readonly failures: unknown[];
}

function scene(handler: Omit<EventHandler<Thing>, "name">, { resyncMs = 0, watched = true } = {}): Scene {
  const timeline = virtualTimeline(1000, seededRandom(1));
  const bus = new TraceBus({ now: () => timeline.now() });
  const events: StageEvent[] = [];
  bus.listen((event) => events.push(event));
  const failures: unknown[] = [];
  const listener = new ProcessorListener<Thing>({
    handler: { name: "h", ...handler },
    of: { group: "", kind: "Thing" },
    timeline,
    bus,
    resyncMs,
    ...(watched && { onHandlerError: (...what: unknown[]) => void failures.push(what) }),
  });
  return { timeline, listener, events, failures };
}

describe("ProcessorListener", () => {
  test("calls the handler's function for each notification, with all that it says, in a later turn", async () => {
    const calls: unknown[] = [];
    const { timeline, listener } = scene({
      added: (...what) => void calls.push(["added", ...what]),
      updated: (...what) => void calls.push(["updated", ...what]),
      deleted: (...what) => void calls.push(["deleted", ...what]),
    });
    for (const flag of [true, false]) {
      listener.add(notification("added", { initial: flag }));
      listener.add(notification("deleted", { tombstone: flag }));
    }
    listener.add(notification("updated"));
    expect([calls, listener.backlog]).toEqual([[], 5]);
    await timeline.runUntil();
    const { object, before, delta } = notification("updated");
    expect(calls).toEqual([
      ["added", object, true, delta],
      ["deleted", object, true, delta],
      ["added", object, false, delta],
      ["deleted", object, false, delta],
      ["updated", before, object, delta],
    ]);
    expect(listener.backlog).toBe(0);
  });

  test("a handler need not have any of the functions", async () => {
    const { timeline, listener, events, failures } = scene({});
    for (const type of ["added", "updated", "deleted"] as const) listener.add(notification(type));
    await timeline.runUntil();
    expect([failures, events.filter((event) => "error" in event)]).toEqual([[], []]);
    expect(events).toHaveLength(3);
  });

  test("a handler that throws gets the next notification, whether somebody wants to know of it or not", async () => {
    for (const watched of [true, false]) {
      let calls = 0;
      const { timeline, listener, events, failures } = scene(
        {
          added: () => {
            if (++calls === 1) throw new Error("no");
            // Whatever is thrown is told.
            if (calls === 2) throw "text" as unknown;
          },
        },
        { watched },
      );
      for (let n = 0; n < 3; n++) listener.add(notification("added"));
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

  test("says how long a notification waited, and how many wait behind it", async () => {
    const { timeline, listener, events } = scene({});
    listener.add(notification("added", { queuedAt: 970 }));
    // Nobody listened when it was queued.
    listener.add(notification("added", { queuedAt: 0 }));
    await timeline.runUntil();
    const notify = { stage: "notify", of: { group: "", kind: "Thing" }, key: "shop/a", delta: 3, handler: "h" };
    expect(events).toMatchObject([
      { ...notify, waitedMs: 30, backlog: 1 },
      { ...notify, waitedMs: 0, backlog: 0 },
    ]);
  });

  test("has delivered the first list when the handler was called for the last object of it", async () => {
    const seen: boolean[] = [];
    const { timeline, listener } = scene({ added: () => void seen.push(listener.initialDelivered) });
    expect(listener.initialDelivered).toBe(true);
    for (const initial of [true, true, false]) listener.add(notification("added", { initial }));
    await timeline.runUntil();
    expect([seen, listener.initialDelivered]).toEqual([[false, false, true], true]);
  });

  test("calls nobody after it was stopped, and holds nothing", async () => {
    let calls = 0;
    const { timeline, listener } = scene({
      added: () => {
        calls++;
        listener.stop();
      },
    });
    for (let n = 0; n < 3; n++) listener.add(notification("added"));
    await timeline.runUntil();
    listener.add(notification("added"));
    await timeline.runUntil();
    expect([calls, listener.backlog]).toEqual([1, 0]);
  });

  test("is resynced when its time has come, then again after its period; until the first time it hears everything", () => {
    const { listener } = scene({}, { resyncMs: 500 });
    expect([listener.syncing, listener.nextResyncAt]).toEqual([true, 1500]);
    expect([listener.takeResync(1499), listener.syncing, listener.nextResyncAt]).toEqual([false, false, 1500]);
    expect([listener.takeResync(1500), listener.syncing, listener.nextResyncAt]).toEqual([true, true, 2000]);
    expect([listener.takeResync(1700), listener.syncing]).toEqual([false, false]);
  });

  test("without a period it is never resynced", () => {
    const { listener } = scene({});
    expect([listener.nextResyncAt, listener.takeResync(1e15), listener.syncing]).toEqual([Infinity, false, false]);
  });
});
