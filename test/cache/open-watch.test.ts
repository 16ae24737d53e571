import { describe, expect, test } from "bun:test";
import { OpenWatch } from "../../src/cache/open-watch.ts";
import { WatchReport } from "../../src/cache/reflector-reports.ts";
import type { WatchFrame } from "../../src/client/api/lister-watcher.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { StageEvent } from "../../src/trace/events.ts";

type Frames = readonly WatchFrame<string>[];
const added = (object: string): WatchFrame<string> => ({ type: "ADDED", object });

/** A watch opened at resourceVersion 5 and at 0 ms; its stream yields these chunks, 10 bytes each. */
function scene(chunks: Frames[] = []): {
  readonly watch: OpenWatch<string>;
  readonly events: StageEvent[];
  readonly cancelled: string[];
  readonly at: (ms: number) => void;
} {
  let now = 0;
  const bus = new TraceBus({ now: () => now });
  const events: StageEvent[] = [];
  bus.listen((event) => events.push(event));
  const report = new WatchReport({ bus, of: { group: "", kind: "Pod" }, timeoutSeconds: 300, now: () => now });
  report.opened("5", "start");
  const cancelled: string[] = [];
  let read = 0;
  const stream = {
    next: () => Promise.resolve(chunks[read++]),
    get bytes() {
      return 10 * Math.min(read, chunks.length);
    },
    cancel: (why: string) => void cancelled.push(why),
  };
  const watch = new OpenWatch({ stream, report, resourceVersion: "5", now: () => now });
  return { watch, events, cancelled, at: (ms) => (now = ms) };
}

describe("OpenWatch", () => {
  test("returns the frames that came with the end of the initial events first, then those of the stream", async () => {
    const { watch } = scene([[added("b")]]);
    watch.initialEventsEnded("8", [added("a")]);
    expect([await watch.next(), await watch.next(), await watch.next()]).toEqual([
      [added("a")],
      [added("b")],
      undefined,
    ]);
    expect(watch.progress).toEqual({ resourceVersion: "8", progressed: false });
  });

  test("has made progress after one frame was read, or after a second", () => {
    const { watch, at } = scene();
    expect(watch.progress).toEqual({ resourceVersion: "5", progressed: false });
    at(999);
    expect(watch.progress.progressed).toBe(false);
    at(1000);
    expect(watch.progress).toEqual({ resourceVersion: "5", progressed: true });
    at(0);
    watch.advance("6");
    expect(watch.progress).toEqual({ resourceVersion: "6", progressed: true });
  });

  test("counts each byte once", async () => {
    const { watch } = scene([[added("a")], [added("b")]]);
    expect(watch.uncountedBytes()).toBe(0);
    await watch.next();
    expect([watch.uncountedBytes(), watch.uncountedBytes()]).toEqual([10, 0]);
    await watch.next();
    expect([watch.bytes, watch.uncountedBytes()]).toEqual([20, 10]);
  });

  test("ends once: the first reason counts", () => {
    const { watch, events, cancelled } = scene();
    watch.advance("7");
    watch.end("failed", "no");
    watch.end("closed", "stopped");
    watch.endedByServer();
    expect(cancelled).toEqual(["no"]);
    expect(events.slice(1)).toMatchObject([{ stage: "watch", state: "failed", resourceVersion: "7", why: "no" }]);
  });

  test("closed by the server, reports the reason", () => {
    const { watch, events } = scene();
    watch.endedByServer();
    expect(events.at(-1)).toMatchObject({ state: "closed", resourceVersion: "5", why: "ended by the server" });
  });
});
