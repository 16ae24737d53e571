import { describe, expect, test } from "bun:test";
import { TraceBus } from "../../src/trace/bus.ts";
import type { StageEvent, StageEventBody } from "../../src/trace/events.ts";

const store = (key: string): StageEventBody => ({
  stage: "store",
  of: { group: "", kind: "Pod" },
  key,
  replaced: "",
  resourceVersion: "1",
});
const seen = (events: readonly StageEvent[]): string[] =>
  events.map((e) => (e.stage === "store" ? `${e.seq} ${e.key}` : e.stage));

describe("TraceBus", () => {
  test("is off without listeners, and then emits nothing", () => {
    const bus = new TraceBus({ now: () => 5 });
    expect([bus.on, bus.emit(store("a"))]).toEqual([false, 0]);
    const events: StageEvent[] = [];
    const stop = bus.listen((event) => events.push(event));
    expect([bus.on, bus.emit(store("b"))]).toEqual([true, 1]);
    stop();
    expect(bus.on).toBe(false);
    expect(events).toEqual([
      {
        v: 1,
        seq: 1,
        at: 5,
        stage: "store",
        of: { group: "", kind: "Pod" },
        key: "b",
        replaced: "",
        resourceVersion: "1",
      },
    ]);
  });

  test("gives every listener the same order, also for events that a listener emits", () => {
    const bus = new TraceBus({ now: () => 0 });
    const [first, second]: [StageEvent[], StageEvent[]] = [[], []];
    bus.listen((event) => {
      first.push(event);
      if (event.stage === "store" && event.key === "a") bus.emit(store("from a"));
    });
    bus.listen((event) => second.push(event));
    bus.emit(store("a"));
    bus.emit(store("b"));
    expect(seen(first)).toEqual(["1 a", "2 from a", "3 b"]);
    expect(seen(second)).toEqual(seen(first));
  });

  test("calls a listener with its stages, and reports which stages have a listener", () => {
    const bus = new TraceBus({ now: () => 0 });
    const link: StageEventBody = { stage: "link", write: 1, delta: 2, by: "uid" };
    const [links, all]: [StageEvent[], StageEvent[]] = [[], []];
    expect([bus.hears("link"), bus.hears("store")]).toEqual([false, false]);
    bus.listen((event) => links.push(event), { stages: ["link"] });
    expect([bus.hears("link"), bus.hears("store")]).toEqual([true, false]);
    const stop = bus.listen((event) => all.push(event));
    expect([bus.hears("link"), bus.hears("store")]).toEqual([true, true]);
    bus.emit(store("a"));
    bus.emit({ ...link });
    stop();
    expect([bus.hears("link"), bus.hears("store")]).toEqual([true, false]);
    bus.emit({ ...link });
    expect([seen(links), seen(all)]).toEqual([
      ["link", "link"],
      ["1 a", "link"],
    ]);
  });

  test("removes a listener that throws, reports it, and continues with the others", () => {
    const errors: unknown[] = [];
    const bus = new TraceBus({ now: () => 0, onListenerError: (error) => errors.push(error) });
    const events: StageEvent[] = [];
    bus.listen(() => {
      throw new Error("broken view");
    });
    bus.listen((event) => events.push(event));
    bus.emit(store("a"));
    bus.emit(store("b"));
    expect(seen(events)).toEqual(["1 a", "2 b"]);
    expect(errors.map(String)).toEqual(["Error: broken view"]);
  });
});
