import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { DeltaFIFO } from "../../src/cache/delta-fifo.ts";
import type { CreateDeltaQueue } from "../../src/cache/delta-queue.ts";
import type { Notification } from "../../src/cache/handler.ts";
import { RealFIFO } from "../../src/cache/real-fifo.ts";
import { brokenConnection, type FakeServer, gone, refused, type Widget } from "../support/fake-lister-watcher.ts";
import { informerScene } from "../support/informer-scene.ts";

/** An action on the server, and the time that passes after it. */
interface Happening {
  readonly what:
    | "put"
    | "delete"
    | "cut"
    | "end"
    | "forget"
    | "410 frame"
    | "500 frame"
    | "429 watch"
    | "list error"
    | "410 list"
    | "lose"
    | "find"
    | "bookmark";
  readonly name: string;
  readonly ms: number;
}

const happening: fc.Arbitrary<Happening> = fc.record({
  what: fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom("put" as const, "delete" as const) },
    {
      weight: 5,
      arbitrary: fc.constantFrom(
        ...([
          "cut",
          "end",
          "forget",
          "410 frame",
          "500 frame",
          "429 watch",
          "list error",
          "410 list",
          "lose",
          "find",
          "bookmark",
        ] as const),
      ),
    },
  ),
  name: fc.constantFrom("a", "b", "c", "d"),
  ms: fc.constantFrom(0, 0, 0, 1, 500, 5000),
});

function happen(server: FakeServer, { what, name }: Happening): void {
  switch (what) {
    case "put":
      server.put(name);
      break;
    case "delete":
      server.delete(name);
      break;
    case "cut":
      server.endWatches(brokenConnection);
      break;
    case "end":
      server.endWatches();
      break;
    case "forget":
      server.forget();
      server.endWatches(brokenConnection);
      break;
    case "410 frame":
      server.sendError(gone);
      break;
    case "500 frame":
      server.sendError({ code: 500, reason: "InternalError" });
      break;
    case "429 watch":
      server.watchErrors.push(refused(429, "TooManyRequests", 300));
      break;
    case "list error":
      server.listErrors.push(brokenConnection);
      break;
    case "410 list":
      server.listErrors.push(undefined, refused(410, "Expired"));
      break;
    case "lose":
      server.losing = true;
      break;
    case "find":
      // A connection that has lost events never delivers again.
      if (server.losing) server.endWatches(brokenConnection);
      server.losing = false;
      break;
    case "bookmark":
      server.bookmark();
      break;
  }
}

/** The objects that a handler knows; checks that each notification is possible after the previous ones. */
class NotifiedObjects {
  readonly objects: Map<string, Widget> = new Map();

  on(notification: Notification<Widget>): void {
    if (notification.type === "added") this.#added(notification.object);
    else if (notification.type === "updated") this.#updated(notification.before, notification.object);
    else this.#deleted(notification.object);
  }

  #added(object: Widget): void {
    const { name } = object.metadata;
    expect(this.objects.has(name)).toBe(false);
    this.objects.set(name, object);
  }

  #updated(before: Widget, object: Widget): void {
    const { name } = object.metadata;
    expect(this.objects.get(name)).toBe(before);
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(before.metadata.resourceVersion));
    this.objects.set(name, object);
  }

  #deleted(object: Widget): void {
    const { name } = object.metadata;
    const before = this.objects.get(name);
    expect(before).toBeDefined();
    expect(Number(object.metadata.resourceVersion)).toBeGreaterThanOrEqual(Number(before?.metadata.resourceVersion));
    this.objects.delete(name);
  }
}

const queues: { readonly name: string; readonly createQueue: CreateDeltaQueue }[] = [
  { name: "RealFIFO", createQueue: (options) => new RealFIFO(options) },
  { name: "DeltaFIFO", createQueue: (options) => new DeltaFIFO(options) },
];

for (const { name, createQueue } of queues) {
  for (const watchList of [false, true]) {
    describe(`An informer with ${name}${watchList ? ", with lists by watch" : ""}`, () => {
      test("ends in the server's state, whatever happens in between, and all its notifications are valid", async () => {
        await fc.assert(
          fc.asyncProperty(
            fc.integer({ min: 1, max: 1_000_000 }),
            fc.array(happening, { maxLength: 25 }),
            async (seed, story) => {
              const failures: unknown[] = [];
              const { server, informer, start, stop, pass, timeline } = informerScene({
                seed,
                createQueue,
                watchList,
                pageSize: 2,
                onHandlerError: (error) => failures.push(error),
              });
              const notified = [new NotifiedObjects(), new NotifiedObjects()];
              for (const [index, one] of notified.entries()) {
                informer.addHandler(
                  {
                    name: `h${index}`,
                    on: (notification) => one.on(notification),
                  },
                  { resyncMs: index === 0 ? 2000 : 0 },
                );
              }
              server.put("a");
              start();
              for (const step of story) {
                happen(server, step);
                if (step.ms > 0) await pass(step.ms);
              }
              happen(server, { what: "find", name: "", ms: 0 });
              server.listErrors.length = 0;
              server.watchErrors.length = 0;
              await pass(120_000);
              const there = new Map([...server.objects].map(([key, { metadata }]) => [key, metadata.resourceVersion]));
              const cached = new Map(
                informer.lister.list().map((o) => [`shop/${o.metadata.name}`, o.metadata.resourceVersion]),
              );
              expect(Object.fromEntries(cached)).toEqual(Object.fromEntries(there));
              for (const one of notified)
                expect(new Set(one.objects.values())).toEqual(new Set(informer.lister.list()));
              expect(Number(informer.lister.appliedResourceVersion())).toBeLessThanOrEqual(server.version);
              expect(informer.hasSynced).toBe(true);
              expect(failures).toEqual([]);
              await stop();
              expect(await timeline.runUntil({ steps: 100 })).toBe("steady");
            },
          ),
          { seed: 20261121, numRuns: 150 },
        );
      });
    });
  }
}
