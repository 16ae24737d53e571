import { describe, expect, test } from "bun:test";
import type { ManagedFieldsEntry } from "../../src/api/object.ts";
import { parseSelector } from "../../src/api/selector-parser.ts";
import { DeltaFIFO } from "../../src/cache/delta-fifo.ts";
import { RealFIFO } from "../../src/cache/real-fifo.ts";
import { seededRandom } from "../../src/platform/random.ts";
import { virtualTimeline } from "../../src/platform/virtual-timeline.ts";
import type { DeltaRef } from "../../src/trace/triggers.ts";
import { brokenConnection, FakeServer, gone, refused, Widgets } from "../support/fake-lister-watcher.ts";
import {
  idleHandler,
  type InformerScene,
  informerScene,
  type InformerSceneOptions,
  recorder,
} from "../support/informer-scene.ts";

describe("SharedInformer", () => {
  test("notifies a handler of the first list, then of each change; the store is never behind a notification", async () => {
    const { server, informer, start, pass } = informerScene();
    const handler = recorder("h");
    const sizes: (number | undefined)[] = [];
    informer.addHandler({
      name: "sizes",
      on({ type, object: { metadata } }) {
        if (type === "updated") sizes.push(informer.lister.get(`shop/${metadata.name}`)?.spec.size);
      },
    });
    informer.addHandler(handler);
    server.put("a");
    start();
    await pass(1);
    server.put("b");
    server.put("a", { size: 2 });
    server.put("a", { size: 3 });
    server.delete("b");
    await pass(1);
    expect(handler.lines).toEqual([
      "added shop/a@101 initial",
      "added shop/b@102",
      "updated shop/a@101 -> shop/a@103",
      "updated shop/a@103 -> shop/a@104",
      "deleted shop/b@105",
    ]);
    expect(sizes.every((size) => size !== undefined && size >= 2)).toBe(true);
    expect(informer.lister.list().map(({ spec }) => spec.size)).toEqual([3]);
  });

  test("has synced when the first list is in the store; a handler, when it was notified of it", async () => {
    const { server, informer, start, timeline } = informerScene();
    server.put("a");
    let notifiedAtSync: boolean | undefined;
    const registration = informer.addHandler(idleHandler("h"));
    void informer.synced.then(() => (notifiedAtSync = registration.hasSynced()));
    expect([informer.hasSynced, registration.hasSynced()]).toEqual([false, false]);
    start();
    await timeline.runUntil();
    expect(notifiedAtSync).toBe(false);
    expect([informer.hasSynced, registration.hasSynced()]).toEqual([true, true]);
  });

  test("an empty first list counts as synced, with both queues", async () => {
    const classic: InformerSceneOptions = { createQueue: (options) => new DeltaFIFO(options) };
    for (const options of [{}, classic]) {
      const { informer, start, pass } = informerScene(options);
      const registration = informer.addHandler(idleHandler("h"));
      start();
      await pass(1);
      await informer.synced;
      expect(registration.hasSynced()).toBe(true);
      expect(informer.lister.appliedResourceVersion()).toBe("100");
    }
  });

  test("notifies a handler that is added late of every object, then of changes", async () => {
    const { server, informer, start, pass } = informerScene();
    server.put("a");
    start();
    await pass(1);
    const late = recorder("late");
    const registration = informer.addHandler(late);
    expect(registration.hasSynced()).toBe(false);
    server.put("a", { size: 2 });
    await pass(1);
    expect(late.lines).toEqual(["added shop/a@101 initial", "updated shop/a@101 -> shop/a@102"]);
    expect(registration.hasSynced()).toBe(true);
  });

  test("a handler that throws affects neither other handlers nor its own next call", async () => {
    const failures: string[] = [];
    const { server, informer, start, pass, of } = informerScene({
      onHandlerError: (error, handler, key) => failures.push(`${handler} ${key}: ${(error as Error).message}`),
    });
    const [good, bad] = [recorder("good"), recorder("bad")];
    informer.addHandler({
      ...bad,
      on(notification) {
        bad.on(notification);
        throw new Error("no");
      },
    });
    informer.addHandler(good);
    server.put("a");
    server.put("b");
    start();
    await pass(1);
    expect(bad.lines).toEqual(good.lines);
    expect(good.lines).toHaveLength(2);
    expect(failures).toEqual(["bad shop/a: no", "bad shop/b: no"]);
    expect(of("notify").filter(({ error }) => error !== undefined)).toMatchObject([
      { handler: "bad", key: "shop/a", error: "no" },
      { handler: "bad", key: "shop/b", error: "no" },
    ]);
  });

  test("does not call a handler after its removal, nor after the informer has stopped", async () => {
    const { server, informer, start, stop, pass } = informerScene();
    const [kept, removed] = [recorder("kept"), recorder("removed")];
    informer.addHandler(kept);
    const registration = informer.addHandler(removed);
    start();
    await pass(1);
    registration.remove();
    server.put("a");
    await pass(1);
    await stop();
    server.put("b");
    await pass(1);
    expect(removed.lines).toEqual([]);
    expect(kept.lines).toEqual(["added shop/a@101"]);
    expect(informer.lister.size).toBe(1);
  });

  test("a relist reports what was missed: changes, additions, and deletions with tombstones", async () => {
    const { server, informer, start, pass } = informerScene();
    const handler = recorder("h");
    for (const name of ["same", "changed", "deleted"]) server.put(name);
    informer.addHandler(handler, { resyncMs: 3_600_000 });
    start();
    await pass(3_600_001);
    await pass(3_600_000);
    handler.lines.length = 0;
    // Only listeners that are being resynced are notified of unchanged objects.
    await pass(1000);
    server.losing = true;
    server.put("changed");
    server.put("new");
    server.delete("deleted");
    server.losing = false;
    server.sendError(gone);
    await pass(2000);
    expect(handler.lines.filter((line) => !line.includes("same"))).toEqual([
      "deleted shop/deleted@103 tombstone",
      "updated shop/changed@102 -> shop/changed@104",
      "added shop/new@105",
    ]);
  });

  test("an object that was deleted and re-created unseen is one update between two uids, as upstream", async () => {
    const { server, informer, start, pass } = informerScene();
    const uids: string[] = [];
    informer.addHandler({
      name: "h",
      on(notification) {
        if (notification.type !== "updated") return;
        uids.push(notification.before.metadata.uid, notification.object.metadata.uid);
      },
    });
    server.put("a");
    start();
    await pass(1);
    server.losing = true;
    server.delete("a");
    server.put("a");
    server.losing = false;
    server.forget();
    server.endWatches(brokenConnection);
    await pass(10_000);
    expect(uids).toEqual(["uid-1", "uid-2"]);
  });

  test("resyncs each handler at its own times", async () => {
    const { server, informer, start, pass } = informerScene();
    const [often, seldom, never] = [recorder("often"), recorder("seldom"), recorder("never")];
    informer.addHandler(often, { resyncMs: 10_000 });
    informer.addHandler(seldom, { resyncMs: 25_000 });
    informer.addHandler(never, { resyncMs: 0 });
    server.put("a");
    start();
    await pass(31_000);
    expect(often.lines.slice(1)).toEqual(Array(3).fill("updated shop/a@101 -> shop/a@101"));
    expect(seldom.lines.slice(1)).toHaveLength(1);
    expect(never.lines.slice(1)).toEqual([]);
  });

  test("resyncs a handler that was added while it runs, and not one that was removed", async () => {
    const { server, informer, start, pass, of } = informerScene();
    server.put("a");
    start();
    await pass(1);
    const late = recorder("late");
    const registration = informer.addHandler(late, { resyncMs: 10_000 });
    await pass(10_001);
    expect(late.lines).toEqual(["added shop/a@101 initial", "updated shop/a@101 -> shop/a@101"]);
    const { length } = of("delta");
    registration.remove();
    await pass(10_001);
    expect([late.lines.length, of("delta").length]).toEqual([2, length]);
  });

  test("sets resync timers only while it runs and a handler needs them, for a second at least", async () => {
    const resyncs: number[] = [];
    const timeline = virtualTimeline(0, seededRandom(1));
    const after: typeof timeline.after = (ms, actor, fn, options) => {
      if (actor.startsWith("resync")) resyncs.push(ms);
      return timeline.after(ms, actor, fn, options);
    };
    const server = new FakeServer(timeline);
    const { informer } = informerScene({ timeline: { ...timeline, after }, listerWatcher: server, resyncMs: 0 });
    informer.addHandler(recorder("early"), { resyncMs: 20_000 });
    expect(resyncs).toEqual([]);
    const abort = new AbortController();
    const running = informer.run(abort.signal);
    expect(resyncs).toEqual([20_000]);
    informer.addHandler(recorder("never"));
    informer.addHandler(recorder("often"), { resyncMs: 1 });
    expect(resyncs).toEqual([20_000, 20_000, 1000]);
    abort.abort(new Error("enough"));
    await timeline.runUntil({ ms: 10 });
    await running;
    informer.addHandler(recorder("late"), { resyncMs: 5000 });
    expect(resyncs).toHaveLength(3);
    await timeline.runUntil({ ms: 60_000 });
    expect(resyncs).toHaveLength(3);
    const idle = informerScene({ timeline: { ...timeline, after }, listerWatcher: server, resyncMs: 0 });
    idle.informer.addHandler(recorder("never"));
    idle.start();
    expect(resyncs).toHaveLength(3);
  });

  test("resyncs with the classic queue, too", async () => {
    const { server, informer, start, pass } = informerScene({ createQueue: (options) => new DeltaFIFO(options) });
    const handler = recorder("h");
    informer.addHandler(handler, { resyncMs: 10_000 });
    server.put("a");
    start();
    await pass(10_500);
    expect(handler.lines.slice(1)).toEqual(["updated shop/a@101 -> shop/a@101"]);
  });

  test("resyncs after 12 to 24 hours by default, and a virtual run does not wait for it", async () => {
    const { informer, start, timeline, pass, server } = informerScene({ seed: 7 });
    const handler = recorder("h");
    informer.addHandler(handler);
    server.put("a");
    start();
    expect(await timeline.runUntil()).toBe("steady");
    expect(timeline.now()).toBe(0);
    await pass(12 * 3_600_000 - 1);
    expect(handler.lines).toHaveLength(1);
    await pass(12 * 3_600_000 + 1);
    expect(handler.lines.length).toBeGreaterThan(1);
  });

  test("cached objects are frozen if enabled, so that code that changes one fails", async () => {
    const { server, informer, start, pass } = informerScene({ freeze: true });
    server.put("a", { labels: { app: "x" } });
    start();
    await pass(1);
    server.put("b");
    await pass(1);
    for (const object of informer.lister.list()) {
      expect(() => ((object.spec as { size: number }).size = 9)).toThrow(TypeError);
      expect(Object.isFrozen(object.metadata)).toBe(true);
    }
    expect(informer.lister.size).toBe(2);
  });

  test("a transform gets each object before it is cached, without managedFields", async () => {
    const seen: string[] = [];
    const { server, informer, start, pass } = informerScene({
      transform: (object) => {
        seen.push(`${object.metadata.name} ${object.metadata.managedFields === undefined}`);
        return { ...object, spec: { size: -1 } };
      },
    });
    server.put("a", { managedFields: [{ manager: "x" }] });
    start();
    await pass(1);
    server.put("b", { managedFields: [{ manager: "x" }] });
    await pass(1);
    expect(seen).toEqual(["a true", "b true"]);
    expect(informer.lister.list().map(({ spec }) => spec.size)).toEqual([-1, -1]);
  });

  test("keeps cached objects that a relist leaves unchanged", async () => {
    const { server, informer, start, pass } = informerScene();
    server.put("a");
    start();
    await pass(1);
    const before = informer.lister.get("shop/a");
    server.put("b");
    await pass(1);
    server.sendError(gone);
    await pass(1);
    expect(informer.state().relists).toBe(1);
    expect(informer.lister.get("shop/a")).toBe(before as NonNullable<typeof before>);
  });

  test("an index added to a full cache is complete", async () => {
    const { server, informer, start, pass } = informerScene();
    server.put("a", { size: 4 });
    start();
    await pass(1);
    informer.addIndexes({ size: ({ spec }) => [String(spec.size)] });
    expect(informer.lister.byIndex("size", "4")).toHaveLength(1);
  });

  test("its lister reads by namespace and name, and by labels", async () => {
    const { server, informer, start, pass } = informerScene();
    server.put("a", { labels: { app: "x" } });
    server.put("b");
    server.put("a", { namespace: "lab", size: 2 });
    start();
    await pass(1);
    expect(informer.lister.getNamespaced("lab", "a")?.spec.size).toBe(2);
    const selected = informer.lister.listSelected("shop", parseSelector("app=x"));
    expect(selected.map(({ metadata }) => metadata.name)).toEqual(["a"]);
    expect(informer.lister.list("lab")).toHaveLength(1);
  });

  test("reports how long the oldest delta has waited, and how many wait", async () => {
    const { server, informer, start, pass } = informerScene({
      createQueue: (options) => new RealFIFO({ ...options, wake: () => undefined }),
    });
    await pass(50);
    start();
    await pass(100);
    server.put("a");
    await pass(30);
    expect(informer.state()).toMatchObject({ lagMs: 130, waiting: 2, objects: 0 });
  });

  test("a removed handler is no longer in its state, and its registration reports what waits", async () => {
    const { server, informer, start, pass } = informerScene();
    server.put("a");
    server.put("b");
    start();
    await pass(1);
    const registration = informer.addHandler(recorder("h"));
    expect([registration.backlog, informer.state().handlers]).toEqual([2, [{ name: "h", backlog: 2 }]]);
    await pass(1);
    expect(registration.backlog).toBe(0);
    registration.remove();
    expect(informer.state().handlers).toEqual([]);
  });

  test("shows its state in views", async () => {
    const { server, informer, start, pass } = informerScene();
    informer.addHandler(idleHandler("h"));
    server.put("a");
    expect(informer.state()).toMatchObject({ phase: "listing", objects: 0, resourceVersion: "" });
    start();
    await pass(1);
    expect(informer.state()).toEqual({
      kind: "Widget",
      phase: "watching",
      objects: 1,
      isServed: true,
      resourceVersion: "101",
      relists: 0,
      bytes: 100,
      lagMs: 0,
      waiting: 0,
      handlers: [{ name: "h", backlog: 0 }],
    });
  });

  describe("of an optional kind", () => {
    const optionalScene = (): InformerScene => {
      const scene = informerScene();
      scene.server.kind = { ...Widgets, optional: true };
      return scene;
    };

    test("is filled and empty while the server does not serve the kind", async () => {
      const { server, informer, start, pass, of } = optionalScene();
      const handler = recorder("h");
      const registration = informer.addHandler(handler);
      server.put("a");
      server.listErrors.push(refused(404, "NotFound"), refused(404, "NotFound"));
      start();
      await pass(1);
      expect({ isFilled: registration.hasSynced(), handled: handler.lines }).toEqual({ isFilled: true, handled: [] });
      expect(informer.state()).toMatchObject({ objects: 0, isServed: false, relists: 0 });
      expect(of("list")).toMatchObject([{ why: "start", error: "404 NotFound", notServed: true }]);
      await pass(10_000);
      expect(of("list").map(({ notServed }) => notServed)).toEqual([true, true, undefined]);
      expect(handler.lines).toEqual(["added shop/a@101"]);
      expect(informer.state()).toMatchObject({ objects: 1, isServed: true, relists: 0, phase: "watching" });
    });

    test("keeps what it has if the server no longer serves the kind", async () => {
      const { server, informer, start, pass } = optionalScene();
      server.put("a");
      start();
      await pass(1);
      server.forget();
      server.listErrors.push(refused(404, "NotFound"));
      server.bookmark();
      server.forget();
      server.sendError(gone);
      await pass(1);
      expect(server.listErrors).toEqual([]);
      expect(informer.state()).toMatchObject({ objects: 1, isServed: true });
    });

    test.each([
      { name: "a missing right", error: refused(403, "Forbidden") },
      { name: "a server that is not ready", error: refused(503, "ServiceUnavailable") },
      { name: "a broken connection", error: brokenConnection },
    ])("waits after any other failure: $name", async ({ error }) => {
      const { server, informer, start, pass } = optionalScene();
      server.listErrors.push(error);
      start();
      await pass(1);
      expect(informer.hasSynced).toBe(false);
      expect(informer.state().isServed).toBe(true);
    });
  });

  test("waits for a kind that is not optional until the server serves it", async () => {
    const { server, informer, start, pass, of } = informerScene();
    server.listErrors.push(refused(404, "NotFound"));
    start();
    await pass(1);
    expect(informer.hasSynced).toBe(false);
    expect(of("list").map((event) => "notServed" in event)).toEqual([false]);
    await pass(10_000);
    expect(informer.hasSynced).toBe(true);
  });

  test("runs only once", async () => {
    const { informer, start, pass } = informerScene();
    start();
    await pass(1);
    const again = informer.run(new AbortController().signal).catch((error: unknown) => String(error));
    expect(await again).toContain("it was run before");
  });
});

describe("The stage events of an informer", () => {
  test("delta, store and notify follow and reference each other", async () => {
    const { server, informer, start, pass, events } = informerScene();
    const refs: DeltaRef[] = [];
    informer.addHandler({ name: "h", on: ({ delta }) => refs.push(delta) });
    start();
    await pass(5);
    server.put("a");
    await pass(1);
    const path = events.filter(({ stage }) => stage !== "list" && stage !== "watch");
    expect(path).toMatchObject([
      { stage: "delta", type: "Added", key: "shop/a", uid: "uid-1", resourceVersion: "101", receivedAt: 5 },
      { stage: "store", key: "shop/a", replaced: "", resourceVersion: "101" },
      {
        stage: "notify",
        of: { group: "example.com", kind: "Widget" },
        handler: "h",
        key: "shop/a",
        delta: path[0]?.seq as number,
        waitedMs: 0,
        backlog: 0,
      },
    ]);
    expect(refs).toEqual([
      {
        cause: "delta",
        kind: "Widget",
        type: "Added",
        key: "shop/a",
        resourceVersion: "101",
        delta: path[0]?.seq as number,
      },
    ]);
  });

  test("nothing is emitted without a listener, and references have no number", async () => {
    const { server, informer, start, pass, bus, events } = informerScene({ quiet: true });
    const refs: number[] = [];
    informer.addHandler({ name: "h", on: ({ delta }) => refs.push(delta.delta) });
    server.put("a");
    start();
    await pass(1);
    expect(refs).toEqual([0]);
    bus.listen((event) => events.push(event));
    server.put("b");
    await pass(1);
    expect(events.map(({ stage }) => stage)).toEqual(["delta", "store", "notify"]);
    expect(refs[1]).toBe(1);
  });

  test("a relist marks its deltas, and reports unchanged objects only to handlers that are being resynced", async () => {
    const { server, informer, start, pass, of } = informerScene();
    informer.addHandler(idleHandler("h"), { resyncMs: 0 });
    server.put("same");
    server.put("gone");
    start();
    await pass(1);
    expect(of("delta").map(({ type, relist }) => ({ type, relist }))).toEqual(
      Array.from({ length: 2 }, () => ({ type: "Replaced", relist: undefined })),
    );
    server.losing = true;
    server.put("new");
    server.delete("gone");
    server.losing = false;
    server.bookmark();
    await pass(1);
    server.sendError(gone);
    await pass(1);
    expect(
      of("delta")
        .slice(2)
        .filter(({ key }) => key !== "shop/same"),
    ).toMatchObject([
      { type: "Deleted", key: "shop/gone", tombstone: true, relist: true },
      { type: "Replaced", key: "shop/new", relist: true },
    ]);
  });

  const size = { "f:spec": { "f:size": {} } };
  const entry = (manager: string, time: string): ManagedFieldsEntry => ({
    manager,
    operation: "Update",
    time,
    fieldsV1: size,
  });

  test("the detail of a delta names the changed fields and the writer; managedFields are not cached", async () => {
    const { server, informer, start, pass, of } = informerScene();
    server.put("a", { managedFields: [entry("kubectl", "10:00")] });
    start();
    await pass(1);
    server.put("a", { size: 5, managedFields: [entry("scaler", "10:00")] });
    server.put("a", { size: 6, managedFields: [entry("kubectl", "10:07")] });
    server.put("b", { managedFields: [entry("maker", "10:00")] });
    server.delete("a");
    await pass(1);
    const writers = of("delta").map(
      ({ type, key, detail }) => `${type} ${key} ${detail.changes.map((c) => c.path).join()} ${detail.writer}`,
    );
    expect(writers).toEqual([
      "Replaced shop/a  undefined",
      "Updated shop/a .spec.size scaler",
      "Updated shop/a .spec.size kubectl",
      "Added shop/b  maker",
      "Deleted shop/a  undefined",
    ]);
    expect(JSON.stringify(informer.lister.list())).not.toContain("managedFields");
  });

  test("a writer is not inferred from events before there was a listener, unless field managers are tracked", async () => {
    for (const { trackFieldManagers, expected } of [
      { trackFieldManagers: false, expected: undefined },
      { trackFieldManagers: true, expected: "scaler" },
    ]) {
      const { server, start, pass, bus, events, of } = informerScene({ quiet: true, trackFieldManagers });
      server.put("a", { managedFields: [entry("kubectl", "10:00")] });
      start();
      await pass(1);
      bus.listen((event) => events.push(event));
      server.put("a", { size: 5, managedFields: [entry("scaler", "10:00")] });
      await pass(1);
      expect(of("delta").map(({ detail }) => detail.writer)).toEqual([expected]);
    }
  });

  test("selectors that select everything hide nothing: the creator of a new object is named", async () => {
    const { server, start, pass, of } = informerScene({ selectors: {} });
    start();
    await pass(1);
    server.put("a", { managedFields: [entry("maker", "10:00")] });
    await pass(1);
    expect(of("delta").map(({ detail }) => detail.writer)).toEqual(["maker"]);
  });

  test("in a cache with a selector an object that appears may be old: no creator is named", async () => {
    const { server, start, pass, of } = informerScene({ selectors: { labelSelector: "app=x" } });
    start();
    await pass(1);
    server.put("a", { managedFields: [entry("maker", "10:00")] });
    await pass(1);
    expect(server.requests.every(({ list, watch }) => (list ?? watch)?.labelSelector === "app=x")).toBe(true);
    expect(of("delta").map(({ detail }) => detail.writer)).toEqual([undefined]);
  });
});
