import { describe, expect, test } from "bun:test";
import { type Kind, kindOf, resourceOf } from "../../src/api/kind.ts";
import { SharedInformerFactory, type SharedInformerFactoryOptions } from "../../src/cache/shared-informer-factory.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { type VirtualTimeline, virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import { brokenConnection, FakeServer, type Widget, Widgets } from "../support/fake-lister-watcher.ts";

const Gadgets: Kind<Widget> = kindOf({
  group: "",
  version: "v1",
  kind: "Gadget",
  plural: "gadgets",
  namespaced: false,
});

interface Scene {
  readonly timeline: VirtualTimeline;
  readonly factory: SharedInformerFactory;
  readonly server: (kind: Kind) => FakeServer;
  /** Each ListerWatcher that was created: `widgets.example.com in shop`. */
  readonly made: string[];
}

function scene(options: Partial<SharedInformerFactoryOptions> = {}): Scene {
  const timeline = virtualTimeline(0, seededRandom(1));
  const servers = new Map<string, FakeServer>();
  const made: string[] = [];
  const server = (kind: Kind): FakeServer => {
    const found = servers.get(resourceOf(kind)) ?? new FakeServer(timeline);
    servers.set(resourceOf(kind), found);
    return found;
  };
  const listerWatcher = (kind: Kind): never => {
    const fake = server(kind);
    // The fake server serves one kind of object, whatever kind is requested.
    return { kind, list: fake.list.bind(fake), watch: fake.watch.bind(fake) } as never;
  };
  const factory = new SharedInformerFactory({
    client: {
      listerWatcher(kind, scope) {
        made.push(`${resourceOf(kind)} in ${scope?.namespace ?? "all"}`);
        return listerWatcher(kind);
      },
      metadataListerWatcher(kind, scope) {
        made.push(`metadata of ${resourceOf(kind)} in ${scope?.namespace ?? "all"}`);
        return listerWatcher(kind);
      },
    },
    timeline,
    random: seededRandom(2),
    bus: new TraceBus({ now: () => timeline.now() }),
    freeze: true,
    ...options,
  });
  return { timeline, factory, server, made };
}

describe("SharedInformerFactory", () => {
  test("has one informer per kind, however often it is requested", () => {
    const { factory, made } = scene();
    expect(factory.forKind(Widgets)).toBe(factory.forKind({ ...Widgets }));
    factory.forKind(Gadgets);
    expect(made).toEqual(["widgets.example.com in all", "gadgets in all"]);
  });

  test("a namespace applies to namespaced kinds", () => {
    const { factory, made } = scene({ namespace: "shop" });
    factory.forKind(Widgets);
    factory.forKind(Gadgets);
    expect(made).toEqual(["widgets.example.com in shop", "gadgets in all"]);
  });

  test("reads only metadata where that is sufficient, unless the whole objects were requested as well", async () => {
    const { factory, made, timeline, server } = scene({ namespace: "shop" });
    const metadata = factory.forMetadata(Widgets);
    expect(factory.forMetadata({ ...Widgets })).toBe(metadata);
    const whole = factory.forKind(Gadgets);
    expect(factory.forMetadata(Gadgets)).toBe(whole as never);
    expect(made).toEqual(["metadata of widgets.example.com in shop", "gadgets in all"]);
    server(Widgets).put("a");
    factory.start();
    await timeline.runUntil({ ms: 1 });
    // The fake server does not serve metadata only, so it sends whole objects.
    const [object] = metadata.lister.list();
    expect([Object.keys(object ?? {}), object?.metadata.name]).toEqual([["metadata"], "a"]);
  });

  test("decides per kind whether to read only metadata", () => {
    const { factory, made } = scene();
    expect(factory.forMetadata(Gadgets)).not.toBe(factory.forMetadata(Widgets));
    expect(made).toEqual(["metadata of gadgets in all", "metadata of widgets.example.com in all"]);
  });

  test("stops only the informer that reads a kind's metadata; requested again, it restarts", async () => {
    const { factory, timeline, server } = scene();
    factory.forKind(Gadgets);
    const first = factory.forMetadata(Widgets);
    factory.start();
    await timeline.runUntil({ ms: 1 });
    for (const kind of [Widgets, Gadgets]) {
      const ended = factory.stopMetadataInformer(kind);
      await timeline.runUntil({ ms: 1 });
      await ended;
    }
    expect([server(Widgets).openWatches, server(Gadgets).openWatches]).toEqual([0, 1]);
    expect(factory.started().map(({ kind }) => kind.kind)).toEqual(["Gadget"]);
    expect(factory.forMetadata(Widgets)).not.toBe(first);
    factory.start();
    await timeline.runUntil({ ms: 1 });
    expect(server(Widgets).openWatches).toBe(1);
  });

  test("does not stop an informer that another controller still reads", async () => {
    const { factory, timeline, server } = scene();
    const shared = factory.forMetadata(Widgets);
    const [one, other] = ["quota", "garbage collector"].map((name) => shared.addHandler({ name, on: () => undefined }));
    factory.start();
    await timeline.runUntil({ ms: 1 });
    one?.remove();
    await factory.stopMetadataInformer(Widgets);
    expect([server(Widgets).openWatches, factory.forMetadata(Widgets) === shared]).toEqual([1, true]);
    other?.remove();
    const ended = factory.stopMetadataInformer(Widgets);
    await timeline.runUntil({ ms: 1 });
    await ended;
    expect(server(Widgets).openWatches).toBe(0);
  });

  test("decides per kind whether to track field managers", async () => {
    const { factory, timeline, server } = scene({ trackFieldManagersOf: ({ kind }) => kind === "Widget" });
    for (const kind of [Widgets, Gadgets]) factory.forKind(kind);
    factory.start();
    await timeline.runUntil({ ms: 1 });
    const wanted = [Widgets, Gadgets].map((kind) => server(kind).requests[0]?.list?.withoutManagedFields?.());
    expect(wanted).toEqual([false, true]);
  });

  test("starts each requested informer once, and later ones later", async () => {
    const { factory, timeline, server } = scene();
    factory.forKind(Widgets);
    factory.start();
    factory.start();
    factory.forKind(Gadgets);
    await timeline.runUntil({ ms: 1 });
    expect(factory.started().map(({ kind }) => kind.kind)).toEqual(["Widget"]);
    expect(server(Gadgets).requests).toEqual([]);
    factory.start();
    await timeline.runUntil({ ms: 1 });
    expect(factory.states().map(({ kind, phase }) => `${kind} ${phase}`)).toEqual([
      "Widget watching",
      "Gadget watching",
    ]);
    expect(server(Widgets).requests.filter(({ list }) => list !== undefined)).toHaveLength(1);
  });

  test("waits until all caches have their first list", async () => {
    const { factory, timeline, server } = scene();
    const informers = [factory.forKind(Widgets), factory.forKind(Gadgets)];
    server(Gadgets).listErrors.push(brokenConnection);
    factory.start();
    let synced = false;
    const waiting = factory.waitForCacheSync(new AbortController().signal).then(() => (synced = true));
    await timeline.runUntil({ ms: 500 });
    expect([synced, ...informers.map(({ hasSynced }) => hasSynced)]).toEqual([false, true, false]);
    await timeline.runUntil({ ms: 2000 });
    await waiting;
    await factory.waitForCacheSync();
    expect(informers.every(({ hasSynced }) => hasSynced)).toBe(true);
  });

  test("stops waiting when its signal is aborted", async () => {
    const { factory, timeline, server } = scene();
    factory.forKind(Widgets);
    server(Widgets).listErrors.push(brokenConnection);
    factory.start();
    const abort = new AbortController();
    timeline.after(100, "user", () => abort.abort(new Error("enough")));
    const wait = (): Promise<string> =>
      factory.waitForCacheSync(abort.signal).then(
        () => "synced",
        (error: Error) => error.message,
      );
    const outcome = wait();
    await timeline.runUntil({ ms: 200 });
    expect(await outcome).toBe("enough");
    expect(await wait()).toBe("enough");
  });

  test("stops all informers, whose caches can still be read", async () => {
    const { factory, timeline, server } = scene();
    const { lister } = factory.forKind(Widgets);
    server(Widgets).put("a");
    factory.start();
    await timeline.runUntil({ ms: 1 });
    let over = false;
    const stopped = factory.stop().then(() => (over = true));
    for (let n = 0; n < 20; n++) await Promise.resolve();
    // The server completes a request only in its own turn.
    expect(over).toBe(false);
    expect(await timeline.runUntil()).toBe("steady");
    await stopped;
    expect(server(Widgets).openWatches).toBe(0);
    expect(lister.size).toBe(1);
  });

  test("adjusts list options and transforms per kind", async () => {
    const { factory, timeline, server } = scene({
      tweakListOptions: (kind) => (kind.kind === "Widget" ? { fieldSelector: "spec.size=1" } : undefined),
      transform: (object, kind) => ({ ...object, kind: kind.kind }),
    });
    const { lister } = factory.forKind(Widgets);
    factory.forKind(Gadgets);
    server(Widgets).put("a");
    factory.start();
    await timeline.runUntil({ ms: 1 });
    expect(server(Widgets).requests[0]?.list?.fieldSelector).toBe("spec.size=1");
    expect(server(Gadgets).requests[0]?.list?.fieldSelector).toBeUndefined();
    expect(lister.get("shop/a")?.kind).toBe("Widget");
  });
});
