import { describe, expect, test } from "bun:test";
import { Indexer } from "../../src/cache/indexer.ts";
import { ObjectTransformer } from "../../src/cache/object-transformer.ts";
import { RealFIFO } from "../../src/cache/real-fifo.ts";
import { Reflector } from "../../src/cache/reflector.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { type VirtualTimeline, virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { ListEvent, StageEvent, WatchEvent } from "../../src/trace/events.ts";
import { brokenConnection, FakeServer, gone, refused, type Widget, Widgets } from "../support/fake-lister-watcher.ts";

interface Scene {
  readonly timeline: VirtualTimeline;
  readonly server: FakeServer;
  readonly reflector: Reflector<Widget>;
  readonly bus: TraceBus;
  readonly events: StageEvent[];
  /** The deltas popped from the queue, one line each. */
  readonly popped: string[];
  /** The number of objects in each list that was popped. */
  readonly sizes: number[];
  readonly running: Promise<void>;
  readonly stop: () => void;
  /** Advances the clock by `ms`. */
  readonly pass: (ms: number) => Promise<void>;
}

interface Options {
  readonly pageSize?: number;
  readonly watchList?: boolean;
  readonly tracksFieldManagers?: boolean;
  /** The value of every random number; 0 makes delays exact. */
  readonly chance?: number;
  readonly before?: (server: FakeServer) => void;
}

function scene(options: Options = {}): Scene {
  const timeline = virtualTimeline(0, seededRandom(1));
  const server = new FakeServer(timeline);
  server.put("a");
  server.put("b");
  options.before?.(server);
  const bus = new TraceBus({ now: () => timeline.now() });
  const events: StageEvent[] = [];
  bus.listen((event) => events.push(event));
  const popped: string[] = [];
  const sizes: number[] = [];
  const queue: RealFIFO<Widget> = new RealFIFO<Widget>({
    now: () => timeline.now(),
    wake: () =>
      void timeline.hop("consumer").then(() => {
        while (
          queue.pop((delta) => {
            if (delta.type === "SyncAll") return;
            const version = "resourceVersion" in delta ? delta.resourceVersion : delta.object.metadata.resourceVersion;
            if (delta.type === "ReplacedAll") sizes.push(delta.objects.length);
            popped.push(`${delta.type} ${"key" in delta ? `${delta.key}@` : "@"}${version}`);
          })
        );
      }),
  });
  const transformer = new ObjectTransformer({
    indexer: new Indexer<Widget>(),
    tracksFieldManagers: () => options.tracksFieldManagers ?? false,
  });
  const reflector = new Reflector({
    listerWatcher: server,
    queue,
    transformer,
    timeline,
    random: { next: () => options.chance ?? 0 },
    bus,
    ...options,
  });
  const abort = new AbortController();
  const running = reflector.run(abort.signal);
  return {
    timeline,
    server,
    reflector,
    bus,
    events,
    popped,
    sizes,
    running,
    stop: () => abort.abort(new Error("enough")),
    pass: async (ms) => {
      let over = false;
      timeline.after(ms, "test", () => (over = true));
      await timeline.runUntil({ ms });
      expect(over).toBe(true);
    },
  };
}

const requests = (server: FakeServer): string[] =>
  server.requests.map(({ at, list, watch }) => {
    if (list !== undefined) return `${at} list${list.continueToken === undefined ? "" : ` ${list.continueToken}`}`;
    return `${at} watch ${watch?.resourceVersion === "" ? "everything" : watch?.resourceVersion}`;
  });
const lists = (events: readonly StageEvent[]): ListEvent[] => events.filter((event) => event.stage === "list");
const watches = (events: readonly StageEvent[]): string[] =>
  events
    .filter((event): event is StageEvent & WatchEvent => event.stage === "watch")
    .map((e) => `${e.state} @${e.resourceVersion}: ${e.why}`);

describe("Reflector", () => {
  test("reads a consistent list in pages, then watches from the list's version", async () => {
    const { server, pass, popped, events } = scene({
      pageSize: 2,
      before: (s) => ["c", "d", "e"].forEach((n) => s.put(n)),
    });
    await pass(10);
    expect(requests(server)).toEqual(["0 list", "0 list 105/3", "0 list 105/1", "0 watch 105"]);
    expect(server.requests.every(({ list }) => list?.resourceVersion === undefined)).toBe(true);
    expect(popped).toEqual(["ReplacedAll @105"]);
    expect(lists(events)).toMatchObject([{ why: "start", objects: 5, pages: 3, bytes: 500, resourceVersion: "105" }]);
    expect(watches(events)).toEqual(["opened @105: start"]);
  });

  describe("of an optional kind", () => {
    const optional = (server: FakeServer): void => void (server.kind = { ...Widgets, optional: true });
    const notServed = refused(404, "NotFound");

    test("queues one empty list while the server does not serve the kind, and the objects once it does", async () => {
      const { pass, popped, sizes, events, reflector } = scene({
        before(server) {
          optional(server);
          server.listErrors.push(notServed, notServed);
        },
      });
      expect(reflector.isServed).toBe(true);
      await pass(1);
      expect({ popped, isServed: reflector.isServed }).toEqual({ popped: ["ReplacedAll @"], isServed: false });
      await pass(10_000);
      expect({ popped, isServed: reflector.isServed }).toEqual({
        popped: ["ReplacedAll @", "ReplacedAll @102"],
        isServed: true,
      });
      expect(sizes).toEqual([0, 2]);
      expect(lists(events).map(({ error, notServed: isMissing }) => [error, isMissing])).toEqual([
        ["404 NotFound", true],
        ["404 NotFound", true],
        [undefined, undefined],
      ]);
    });

    test("queues nothing after another failure", async () => {
      for (const error of [refused(403, "Forbidden"), refused(503, "ServiceUnavailable"), brokenConnection]) {
        const { pass, popped, events, reflector } = scene({
          before(server) {
            optional(server);
            server.listErrors.push(error);
          },
        });
        await pass(1);
        expect({ popped, isServed: reflector.isServed }).toEqual({ popped: [], isServed: true });
        expect(lists(events).map((event) => "notServed" in event)).toEqual([false]);
      }
    });

    test("queues nothing if the kind is no longer served after a list that worked", async () => {
      const { server, pass, popped, events, reflector } = scene({ before: optional });
      await pass(2000);
      server.bookmark();
      server.forget();
      server.listErrors.push(notServed);
      server.sendError(gone);
      await pass(1);
      expect(server.listErrors).toEqual([]);
      expect({ lists: popped.filter((each) => each.startsWith("ReplacedAll")), isServed: reflector.isServed }).toEqual({
        lists: ["ReplacedAll @102"],
        isServed: true,
      });
      expect(lists(events).at(-1)).not.toHaveProperty("notServed");
    });

    test("lists instead of a WatchList that is refused because the kind is not served", async () => {
      const { pass, popped, events } = scene({
        watchList: true,
        before(server) {
          optional(server);
          server.watchErrors.push(notServed);
          server.listErrors.push(notServed);
        },
      });
      await pass(1);
      expect(popped).toEqual(["ReplacedAll @"]);
      expect(lists(events).map((event) => "notServed" in event)).toEqual([false, true]);
    });
  });

  test("queues nothing for another kind that the server does not serve", async () => {
    const { pass, popped, events, reflector } = scene({
      before: (server) => server.listErrors.push(refused(404, "NotFound")),
    });
    await pass(1);
    expect({ popped, isServed: reflector.isServed }).toEqual({ popped: [], isServed: true });
    expect(lists(events).map((event) => "notServed" in event)).toEqual([false]);
  });

  test("requests pages of 500 and watches of 5 to 10 minutes", async () => {
    for (const [chance, seconds] of [
      [0, 300],
      [0.999, 599],
    ] as const) {
      const { server, pass } = scene({ chance });
      await pass(1);
      expect(server.requests[0]?.list).toMatchObject({ limit: 500 });
      expect(server.requests[1]?.watch).toMatchObject({ resourceVersion: "102", timeoutSeconds: seconds });
    }
  });

  test("queues changes and bookmarks in the order of the watch", async () => {
    const { server, pass, popped } = scene();
    await pass(1);
    server.put("c");
    server.put("a", { size: 7 });
    server.delete("b");
    server.bookmark();
    await pass(1);
    expect(popped.slice(1)).toEqual(["Added shop/c@103", "Updated shop/a@104", "Deleted shop/b@105", "Bookmark @106"]);
  });

  test("resumes a broken watch from the last version, and loses nothing", async () => {
    const { server, pass, popped, events } = scene();
    await pass(1);
    server.put("c");
    await pass(1);
    server.endWatches(brokenConnection);
    server.put("d");
    await pass(1);
    expect(requests(server).slice(1)).toEqual(["0 watch 102", "2 watch 103"]);
    expect(popped.slice(1)).toEqual(["Added shop/c@103", "Added shop/d@104"]);
    expect(watches(events)).toEqual([
      "opened @102: start",
      "failed @103: connection broke: the connection was reset",
      "opened @103: resume",
    ]);
  });

  test("resumes after a deletion from the deletion's version", async () => {
    const { server, pass } = scene();
    await pass(1);
    server.delete("a");
    await pass(1);
    server.endWatches(brokenConnection);
    await pass(1);
    expect(requests(server).at(-1)).toBe("2 watch 103");
  });

  test("resumes from the version of a bookmark in quiet times", async () => {
    const { server, pass } = scene();
    await pass(1);
    server.bookmark();
    await pass(1);
    server.forget();
    server.endWatches();
    await pass(1);
    expect(requests(server).slice(2)).toEqual(["2 watch 103"]);
  });

  test("a watch that the server ended by its timeout is resumed at once; the event says so", async () => {
    const { server, pass, events } = scene();
    await pass(300_000);
    server.endWatches();
    await pass(1);
    expect(requests(server).at(-1)).toBe("300000 watch 102");
    expect(watches(events).slice(1)).toEqual(["closed @102: timeout by the server", "opened @102: resume"]);
  });

  test("a watch that ends at once without events is not reopened in a busy loop", async () => {
    const { server, pass } = scene();
    await pass(1);
    server.endWatches();
    await pass(700);
    expect(requests(server)).toHaveLength(2);
    await pass(200);
    expect(requests(server).at(-1)).toBe("801 watch 102");
  });

  test("lists again at once after an ERROR frame with an expired version", async () => {
    const { server, pass, popped, events, reflector } = scene();
    await pass(1);
    server.put("c");
    await pass(1);
    server.losing = true;
    server.delete("a");
    server.losing = false;
    server.sendError(gone);
    await pass(1);
    expect(requests(server).slice(2)).toEqual(["2 list", "2 watch 104"]);
    expect(popped.at(-1)).toBe("ReplacedAll @104");
    expect(lists(events).map(({ why, objects }) => ({ why, objects }))).toEqual([
      { why: "start", objects: 2 },
      { why: "expired", objects: 2 },
    ]);
    expect(watches(events)).toContain("failed @103: 410 Expired");
    expect(reflector.relists).toBe(1);
  });

  test("lists again after a status with an expired version", async () => {
    const { server, pass } = scene();
    await pass(1);
    server.put("c");
    await pass(1);
    server.watchErrors.push(refused(410, "Gone"));
    server.endWatches();
    await pass(1);
    expect(requests(server).slice(2)).toEqual(["2 watch 103", "2 list", "2 watch 103"]);
  });

  test("a server that expires every version at once gets requests at growing intervals", async () => {
    const { server, pass } = scene();
    for (let n = 0; n < 20; n++) server.watchErrors.push(refused(410, "Expired"));
    await pass(12_000);
    const times = server.requests.filter(({ list }) => list !== undefined).map(({ at }) => at);
    expect(times).toEqual([0, 800, 2400, 5600, 12000]);
  });

  test("a list that expires between its pages is repeated without a limit, and half of it is never visible", async () => {
    const { server, pass, popped, events } = scene({ pageSize: 1 });
    server.listErrors.push(undefined, refused(410, "Expired"));
    await pass(10);
    expect(requests(server)).toEqual(["0 list", "0 list 102/1", "0 list", "0 watch 102"]);
    expect(server.requests.map(({ list }) => list?.limit)).toEqual([1, 1, undefined, undefined]);
    expect(popped).toEqual(["ReplacedAll @102"]);
    expect(lists(events)).toMatchObject([
      { error: "410 Expired", objects: 1, pages: 1 },
      { why: "expired", objects: 2, pages: 1 },
    ]);
  });

  test("a list that fails is retried after 0.8, 1.6, 3.2, … s", async () => {
    const { server, pass } = scene();
    for (const error of [brokenConnection, refused(500, "InternalError"), refused(403, "Forbidden")])
      server.listErrors.push(error);
    await pass(6000);
    expect(requests(server)).toEqual(["0 list", "800 list", "2400 list", "5600 list", "5600 watch 102"]);
  });

  test("jitter makes a delay longer by up to 100 %", async () => {
    const { server, pass } = scene({ chance: 0.5 });
    server.listErrors.push(brokenConnection, brokenConnection);
    await pass(5000);
    expect(requests(server).slice(0, 3)).toEqual(["0 list", "1200 list", "3600 list"]);
  });

  test("a server that asks again and again for a short pause is asked less and less often", async () => {
    const { server, pass, stop } = scene({
      chance: 0,
      before: (s) => void s.listErrors.push(...Array.from({ length: 6 }, () => refused(429, "TooManyRequests", 1000))),
    });
    await pass(120_000);
    const times = server.requests.filter(({ list }) => list !== undefined).map(({ at }) => at);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(pauses.slice(0, 6)).toEqual([1000, 1600, 3200, 6400, 12_800, 25_600]);
    stop();
  });

  test("429 keeps the version of the watch, and waits as long as the server says", async () => {
    const { server, pass } = scene();
    await pass(1);
    server.watchErrors.push(refused(429, "TooManyRequests", 7000));
    server.put("c");
    await pass(1);
    server.endWatches();
    await pass(8000);
    expect(requests(server).slice(2)).toEqual(["2 watch 103", "7002 watch 103"]);
  });

  test("an unavailable server gets requests at growing intervals, and the watch then continues where it was", async () => {
    const { server, pass, popped } = scene();
    await pass(1);
    server.watchErrors.push(brokenConnection, brokenConnection, brokenConnection);
    server.put("c");
    await pass(1);
    server.endWatches(brokenConnection);
    server.put("d");
    await pass(6000);
    expect(requests(server).slice(2)).toEqual(["2 watch 103", "802 watch 103", "2402 watch 103", "5602 watch 103"]);
    expect(popped.at(-1)).toBe("Added shop/d@104");
  });

  test("500 in the stream resumes from the last version after a wait", async () => {
    const { server, pass } = scene();
    await pass(1);
    server.put("c");
    await pass(1);
    server.sendError({ code: 500, reason: "InternalError" });
    await pass(1000);
    expect(requests(server).slice(2)).toEqual(["802 watch 103"]);
  });

  test("a watch without events is resumed at once if it lasted a second, otherwise after a wait", async () => {
    // The second watch opens at 801 ms.
    for (const { lastedMs, resumedAt } of [
      { lastedMs: 999, resumedAt: 801 + 999 + 1600 },
      { lastedMs: 1000, resumedAt: 801 + 1000 },
    ]) {
      const { server, pass } = scene();
      await pass(1);
      server.endWatches();
      await pass(800 + lastedMs);
      server.endWatches();
      await pass(5000);
      expect(requests(server)[3]).toBe(`${resumedAt} watch 102`);
    }
  });

  test("the back-off restarts after two quiet minutes", async () => {
    const { server, pass } = scene();
    server.listErrors.push(brokenConnection, brokenConnection);
    await pass(2400);
    expect(requests(server).at(-1)).toBe("2400 watch 102");
    await pass(200_000);
    server.watchErrors.push(brokenConnection);
    server.endWatches();
    await pass(1000);
    expect(requests(server).slice(-2)).toEqual(["202400 watch 102", "203200 watch 102"]);
  });

  test("counts what it has read: pages, finished watches, and the open one", async () => {
    const { server, pass, reflector } = scene({ pageSize: 1 });
    expect(reflector.bytes).toBe(0);
    await pass(1);
    expect(reflector.bytes).toBe(200);
    server.put("c");
    await pass(1);
    expect(reflector.bytes).toBe(210);
    server.endWatches(brokenConnection);
    await pass(1);
    server.put("d");
    server.put("e");
    await pass(1);
    expect(reflector.bytes).toBe(230);
  });

  test("requests lists and watches without managedFields unless field managers are tracked", async () => {
    for (const tracksFieldManagers of [true, false]) {
      const { server, pass } = scene({ tracksFieldManagers });
      await pass(1);
      expect(server.requests.map(({ list, watch }) => (list ?? watch)?.withoutManagedFields?.())).toEqual([
        !tracksFieldManagers,
        !tracksFieldManagers,
      ]);
    }
  });

  test("reports the kind of a list and a watch, and the duration of the list", async () => {
    for (const watchList of [false, true]) {
      const { pass, events } = scene({ watchList, before: (s) => (s.slowMs = 30) });
      await pass(100);
      const of = { group: "example.com", kind: "Widget" };
      expect(events.find(({ stage }) => stage === "list")).toMatchObject({ of, ms: 30 });
      expect(events.find(({ stage }) => stage === "watch")).toMatchObject({ of });
    }
  });

  test("reports why a watch cannot be opened, and at which version", async () => {
    const { server, pass, events } = scene();
    server.watchErrors.push(refused(403, "Forbidden"));
    await pass(1000);
    expect(watches(events)).toEqual(["failed @102: 403 Forbidden", "opened @102: start"]);
  });

  for (const { phase, at, options } of [
    { phase: "listing", at: 5, options: { before: (s) => (s.slowMs = 10) } },
    { phase: "opening", at: 15, options: { before: (s) => (s.slowMs = 10) } },
    { phase: "watching", at: 25, options: { before: (s) => (s.slowMs = 10) } },
    { phase: "backing off", at: 25, options: { before: (s) => void s.listErrors.push(brokenConnection) } },
    { phase: "streaming", at: 5, options: { watchList: true, before: (s) => (s.slowMs = 10) } },
    { phase: "streaming", at: 15, options: { watchList: true, before: (s) => (s.withholdsEnd = true) } },
  ] satisfies { phase: string; at: number; options: Options }[]) {
    test(`stopped while ${phase} at ${at} ms, ends at once: no failure is reported, no timer is left`, async () => {
      const { timeline, running, stop, events, reflector, pass } = scene(options);
      await pass(at);
      expect(reflector.phase).toBe(phase as "listing");
      const failures = (): unknown[] =>
        events.filter((event) => JSON.stringify(event).includes("fail") || "error" in event);
      const before = failures();
      stop();
      expect(await timeline.runUntil({ ms: 10 })).toBe("steady");
      await running;
      expect(failures()).toEqual(before);
      // No further step and no back-off has started.
      expect(reflector.phase).toBe(phase as "listing");
      if (phase === "watching") expect(watches(events).at(-1)).toBe("closed @102: stopped");
    });
  }

  for (const watchList of [false, true])
    test(`a watch that opens as the Reflector is stopped is closed${watchList ? ", by list too" : ""}`, async () => {
      const { timeline, running, bus, stop, server, events } = scene({ watchList });
      bus.listen((event) => {
        if (event.stage === "watch" && event.state === "opened") stop();
      });
      expect(await timeline.runUntil({ ms: 10 })).toBe("steady");
      await running;
      const from = watchList ? "" : "102";
      expect(watches(events)).toEqual([`opened @${from}: start`, "closed @102: stopped"]);
      expect(server.openWatches).toBe(0);
    });
});

for (const watchList of [false, true])
  test(`bytes that came before a watch broke are counted${watchList ? ", in a list by watch, too" : ""}`, async () => {
    const { reflector, pass } = scene({
      watchList,
      before(server) {
        if (watchList) server.watchErrors.push(brokenConnection);
        server.watch = async () => {
          await Promise.resolve();
          const error = server.watchErrors.shift();
          if (error !== undefined) throw error;
          const stream = { bytes: 0, cancel: () => undefined };
          const next = (): Promise<never> => {
            stream.bytes = 7;
            return Promise.reject(brokenConnection);
          };
          return Object.assign(stream, { next });
        };
      },
    });
    await pass(1);
    const listed = watchList ? 0 : 200;
    expect(reflector.bytes).toBe(watchList ? 0 : listed + 7);
    await pass(1000);
    expect(reflector.bytes).toBe(watchList ? 7 : listed + 14);
  });

test("a Reflector whose signal is already aborted sends no requests", async () => {
  const timeline = virtualTimeline(0, seededRandom(1));
  const server = new FakeServer(timeline);
  const reflector = new Reflector({
    listerWatcher: server,
    queue: new RealFIFO<Widget>({ now: () => 0, wake: () => undefined }),
    transformer: new ObjectTransformer({ indexer: new Indexer<Widget>(), tracksFieldManagers: () => false }),
    timeline,
    random: seededRandom(1),
    bus: new TraceBus({ now: () => 0 }),
  });
  await reflector.run(AbortSignal.abort());
  expect([server.requests, reflector.phase]).toEqual([[], "listing"]);
});

describe("Reflector with lists by watch", () => {
  test("the end of the initial events is not progress: after an immediate 410 it waits", async () => {
    const { server, pass } = scene({ watchList: true });
    await pass(1);
    server.sendError(gone);
    await pass(700);
    expect(requests(server)).toEqual(["0 watch everything"]);
    await pass(200);
    expect(requests(server)).toEqual(["0 watch everything", "801 watch everything"]);
  });

  test("reads everything from one watch, and continues with it", async () => {
    const { server, reflector, pass, popped, events } = scene({ watchList: true });
    await pass(1);
    expect(reflector.bytes).toBe(30);
    server.put("c");
    await pass(1);
    expect(reflector.bytes).toBe(40);
    expect(requests(server)).toEqual(["0 watch everything"]);
    expect(server.requests[0]?.watch).toMatchObject({ sendInitialEvents: true });
    expect(popped).toEqual(["ReplacedAll @102", "Added shop/c@103"]);
    expect(lists(events)).toMatchObject([{ why: "start", objects: 2, resourceVersion: "102" }]);
  });

  test("reads what came in the same chunk as the end of the initial events", async () => {
    const { server, pass, popped, timeline } = scene({ watchList: true });
    timeline.after(0, "a", () => server.put("c"));
    await pass(1);
    await pass(1);
    expect(popped.at(-1)).toMatch(/@103$/);
  });

  test("falls back to pages if the server does not support it", async () => {
    const { server, pass, popped } = scene({ watchList: true, before: (s) => (s.supportsWatchList = false) });
    await pass(1);
    expect(requests(server)).toEqual(["0 watch everything", "0 list", "0 watch 102"]);
    expect(popped).toEqual(["ReplacedAll @102"]);
  });

  test("restarts when the watch breaks before the end of the initial events", async () => {
    const { server, pass, popped } = scene({ watchList: true });
    server.watchErrors.push(brokenConnection);
    await pass(1000);
    expect(requests(server)).toEqual(["0 watch everything", "800 watch everything"]);
    expect(popped).toEqual(["ReplacedAll @102"]);
  });

  test("lists by watch again when the version has expired", async () => {
    const { server, pass } = scene({ watchList: true });
    await pass(1);
    server.put("c");
    await pass(1);
    server.sendError(gone);
    await pass(1);
    expect(requests(server)).toEqual(["0 watch everything", "2 watch everything"]);
  });

  const initial = (options: Options = {}): Scene =>
    scene({ watchList: true, before: (server) => (server.withholdsEnd = true), ...options });

  test("collects initial events over many chunks, with changes among them, and mistakes no other bookmark for their end", async () => {
    const { server, pass, popped, events } = initial();
    server.framesAChunk = 1;
    await pass(1);
    server.delete("a");
    server.put("b", { size: 2 });
    server.bookmark();
    await pass(1);
    expect(popped).toEqual([]);
    server.endInitialEvents();
    await pass(1);
    expect(popped).toEqual(["ReplacedAll @105"]);
    expect(lists(events)).toMatchObject([{ objects: 1, pages: 1, bytes: 60, resourceVersion: "105" }]);
  });

  for (const { name, how, why, again } of [
    {
      name: "that breaks",
      how: (server: FakeServer) => server.endWatches(brokenConnection),
      why: "connection broke: the connection was reset",
      again: "801 watch everything",
    },
    {
      name: "that the server ends",
      how: (server: FakeServer) => server.endWatches(),
      why: "the watch ended before the last of the initial events",
      again: "801 watch everything",
    },
    {
      name: "that the server ends with an error",
      how: (server: FakeServer) => server.sendError({ code: 500, reason: "InternalError" }),
      why: "500 InternalError",
      again: "1 list",
    },
  ])
    test(`a watch ${name} before the end of the initial events has no result, and says why`, async () => {
      const { server, pass, popped, events } = initial();
      await pass(1);
      how(server);
      await pass(1000);
      expect(popped.length).toBe(again === "1 list" ? 1 : 0);
      expect(lists(events)[0]).toMatchObject({ error: why, objects: 2 });
      expect(watches(events).slice(0, 2)).toEqual(["opened @: start", `failed @: ${why}`]);
      expect(requests(server)[1]).toBe(again);
    });
});
