import { describe, expect, test } from "bun:test";
import { keyOf, splitKey } from "../../../src/api/key.ts";
import { kindOf } from "../../../src/api/kind.ts";
import { ReplicaSets } from "../../../src/api/kinds.ts";
import { parseSelector } from "../../../src/api/selector-parser.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import type { ReplicaSet } from "../../../src/api/types.ts";
import type { Notification } from "../../../src/cache/handler.ts";
import { SharedInformerFactory } from "../../../src/cache/shared-informer-factory.ts";
import {
  ControllerManager,
  type ControllerManagerOptions,
} from "../../../src/controller/runtime/controller-manager.ts";
import { type ControllerDefinition, defineController, watch } from "../../../src/controller/api/definition.ts";
import { rule } from "../../../src/controller/api/rule.ts";
import { TerminalError } from "../../../src/controller/api/sync-context.ts";
import { sleep } from "../../../src/platform/timeline.ts";
import type { DeltaRef } from "../../../src/trace/triggers.ts";
import { exponentialFailureLimiter, type RateLimiter } from "../../../src/workqueue/rate-limiters.ts";
import { virtualCluster, type VirtualCluster, virtualStart } from "../../support/virtual-cluster.ts";

const look = rule<{ replicas: number }>({
  id: "look",
  looksAt: ["spec.replicas"],
  chooses: "Looks at the replicas.",
  sentence: ({ replicas }) => `${replicas} replicas`,
  source: "none",
});

type Sync = ControllerDefinition["sync"];

function looker(sync: Sync, rest: Partial<ControllerDefinition> = {}): ControllerDefinition {
  return defineController<ReplicaSet>({
    name: "looker",
    aliases: [],
    purpose: "looks",
    for: ReplicaSets,
    watches: [
      watch<ReplicaSet>({
        kind: ReplicaSets,
        on: (notification, context) => context.enqueue(keyOf(notification.object)),
      }),
    ],
    workers: 2,
    rules: [look],
    permissions: [],
    component: "looker",
    source: "none",
    sync,
    ...rest,
  });
}

async function createReplicaSet(
  cluster: VirtualCluster,
  name: string,
  labels: Record<string, string> = {},
): Promise<void> {
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const spec = { replicas: 1, selector: { matchLabels: { app: name } }, template };
  const created = cluster
    .clientFor("user")
    .create(ReplicaSets, { metadata: { namespace: "default", name, labels }, spec });
  await cluster.settle(created);
}

function manage(
  cluster: VirtualCluster,
  controllers: readonly ControllerDefinition[],
  rest: Partial<ControllerManagerOptions> = {},
): ControllerManager {
  const { timeline, random, bus } = cluster;
  return new ControllerManager({
    controllers,
    informers: new SharedInformerFactory({
      client: cluster.clientFor("informers"),
      timeline,
      random,
      bus,
      freeze: true,
    }),
    clientOf: ({ name }) => cluster.clientFor(name),
    bus,
    timeline,
    random,
    ...rest,
  });
}

async function start(
  cluster: VirtualCluster,
  sync: Sync,
  rest: Partial<ControllerDefinition> = {},
): Promise<ControllerManager> {
  const manager = manage(cluster, [looker(sync, rest)]);
  await cluster.settle(manager.fillCaches());
  manager.startWorkers();
  return manager;
}

function passTime(cluster: VirtualCluster, ms: number): Promise<void> {
  return cluster.settle(sleep(cluster.timeline, ms, "test"), ms + 1000);
}

describe("a sync", () => {
  test("gets its key, the cache and a separate number; success forgets the key", async () => {
    const cluster = await virtualCluster();
    await createReplicaSet(cluster, "web");
    await start(cluster, async (key, context) => {
      const replicaSet = context.cache(ReplicaSets).get(key);
      context.decide(look, { replicas: replicaSet?.spec?.replicas ?? -1 });
    });
    await cluster.timeline.runUntil({ ms: 1000 });
    const [decision] = cluster.events("decision");
    expect(decision).toMatchObject({
      controller: "looker",
      key: "default/web",
      sync: 1,
      rule: "look",
      sentence: "1 replicas",
    });
    expect(cluster.events("done").map(({ outcome }) => outcome)).toEqual([{ is: "forgotten" }]);
  });

  test("that fails is retried after 5, 10, 20 ms, and knows why it was queued", async () => {
    const cluster = await virtualCluster();
    await createReplicaSet(cluster, "web");
    const at: number[] = [];
    const manager = await start(cluster, async (_key, context) => {
      at.push(context.now());
      await Promise.resolve();
      if (at.length <= 3) throw new Error(`failure ${at.length}`);
    });
    await cluster.timeline.runUntil({ ms: 1000 });
    expect(at.slice(1).map((time, index) => time - (at[index] ?? 0))).toEqual([5, 10, 20]);
    expect(cluster.events("done").map(({ outcome, error }) => [outcome, error])).toEqual([
      [{ is: "rate-limited", delayMs: 5, failures: 1 }, "failure 1"],
      [{ is: "rate-limited", delayMs: 10, failures: 2 }, "failure 2"],
      [{ is: "rate-limited", delayMs: 20, failures: 3 }, "failure 3"],
      [{ is: "forgotten" }, undefined],
    ]);
    const last = cluster.events("get").at(-1);
    expect(last?.triggers.first).toEqual([{ cause: "retry", sync: 3, failures: 3 }]);
    expect(last?.failures).toBe(3);
    expect(manager.controllers[0]?.failing.size).toBe(0);
  });

  test("that throws a TerminalError is not retried", async () => {
    const cluster = await virtualCluster();
    await createReplicaSet(cluster, "web");
    const manager = await start(cluster, () => Promise.reject(new TerminalError("no retry can mend this")));
    await cluster.timeline.runUntil({ ms: 10_000 });
    expect(cluster.events("done").map(({ outcome }) => outcome)).toEqual([{ is: "dropped", failures: 1 }]);
    expect([...(manager.controllers[0]?.failing.keys() ?? [])]).toEqual(["default/web"]);
  });

  test("is given up after the controller's maximum of retries", async () => {
    const cluster = await virtualCluster();
    await createReplicaSet(cluster, "web");
    await start(cluster, () => Promise.reject(new Error("again")), { retry: { maxRetries: 2 } });
    await cluster.timeline.runUntil({ ms: 10_000 });
    expect(cluster.events("done").map(({ outcome }) => outcome.is)).toEqual([
      "rate-limited",
      "rate-limited",
      "dropped",
    ]);
  });

  test("that requests an immediate requeue runs again after 5 ms each time, and has not failed", async () => {
    const cluster = await virtualCluster();
    await createReplicaSet(cluster, "web");
    let syncs = 0;
    await start(cluster, async (_key, context) => {
      if (++syncs < 4) context.enqueueRateLimited("the deadline passes now");
    });
    await cluster.timeline.runUntil({ ms: 1000 });
    expect(cluster.events("done").map(({ outcome }) => outcome)).toEqual([
      { is: "requeued", delayMs: 5 },
      { is: "requeued", delayMs: 5 },
      { is: "requeued", delayMs: 5 },
      { is: "forgotten" },
    ]);
    expect(cluster.events("get").map(({ failures }) => failures)).toEqual([0, 0, 0, 0]);
  });

  test("can request a requeue, which is not a failure", async () => {
    const cluster = await virtualCluster();
    await createReplicaSet(cluster, "web");
    let syncs = 0;
    await start(cluster, async (_key, context) => {
      if (++syncs === 1) return { requeueAfterMs: 700 };
      if (syncs === 2) context.enqueueAfter(300, "the pod may be available by then");
      return undefined;
    });
    await cluster.timeline.runUntil({ ms: 10_000 });
    expect(cluster.events("done").map(({ outcome, at }) => [outcome, at - virtualStart])).toMatchObject([
      [{ is: "requeued", delayMs: 700 }, expect.any(Number)],
      [{ is: "requeued", delayMs: 300 }, expect.any(Number)],
      [{ is: "forgotten" }, expect.any(Number)],
    ]);
    const triggers = cluster.events("get").map((event) => event.triggers.first.at(-1));
    expect(triggers.slice(1)).toEqual([
      { cause: "requeue", why: "requested by the sync", sync: 1 },
      { cause: "requeue", why: "the pod may be available by then", sync: 2 },
    ]);
  });

  test("is delayed by the controller's initial delay", async () => {
    const cluster = await virtualCluster();
    await createReplicaSet(cluster, "web");
    const beforeMs = cluster.timeline.now();
    await start(cluster, () => Promise.resolve(), { retry: { firstDelayMs: 5000 } });
    await cluster.timeline.runUntil({ ms: 10_000 });
    expect((cluster.events("get")[0]?.at ?? 0) - beforeMs).toBeGreaterThanOrEqual(5000);
  });

  test("recognizes a conflict", async () => {
    const cluster = await virtualCluster();
    await createReplicaSet(cluster, "web");
    let conflicts = 0;
    await start(cluster, async (key, context) => {
      const replicaSet = await context.client.get(ReplicaSets, splitKey(key));
      const stale = { ...replicaSet, metadata: { ...replicaSet.metadata, resourceVersion: "1" } };
      if (++conflicts === 1)
        await context.client.updateStatus(ReplicaSets, stale, { because: context.decide(look, { replicas: 1 }) });
    });
    await cluster.timeline.runUntil({ ms: 1000 });
    expect(cluster.events("done").map(({ expected }) => expected)).toEqual(["conflict", undefined]);
    const write = cluster.events("write").find(({ controller }) => controller === "looker");
    expect(write).toMatchObject({
      sync: 1,
      decision: cluster.events("decision")[0]?.seq as number,
      status: 409,
      verb: "update",
      subresource: "status",
    });
  });

  test("cannot read the cache of a kind that its controller has not declared", async () => {
    const cluster = await virtualCluster();
    await createReplicaSet(cluster, "web");
    const Foos = kindOf<StoredObject>({
      group: "example.com",
      version: "v1",
      kind: "Foo",
      plural: "foos",
      namespaced: true,
    });
    await start(cluster, async (_key, context) => void context.cache(Foos), { retry: { maxRetries: 0 } });
    await cluster.timeline.runUntil({ ms: 1000 });
    expect(cluster.events("done")[0]?.error).toBe(
      "Cannot read the cache of Foo: looker does not declare that it watches it",
    );
  });

  test("that changes a cached object fails if caches are frozen", async () => {
    const cluster = await virtualCluster();
    await createReplicaSet(cluster, "web");
    const sync: Sync = async (key, context) => {
      const replicaSet = context.cache(ReplicaSets).get(key) as unknown as { spec: { replicas: number } };
      replicaSet.spec.replicas = 7;
      return Promise.resolve();
    };
    await start(cluster, sync, { retry: { maxRetries: 0 } });
    await cluster.timeline.runUntil({ ms: 1000 });
    expect(cluster.events("done")[0]?.error).toMatch(/readonly|read only/);
  });
});

describe("the queue of a controller", () => {
  test("merges changes while a key waits, and keeps each delta as a trigger", async () => {
    const cluster = await virtualCluster();
    await createReplicaSet(cluster, "web");
    const manager = manage(cluster, [looker(() => Promise.resolve())]);
    await cluster.settle(manager.fillCaches());
    for (const replicas of [2, 3]) {
      const body = { spec: { replicas } };
      await cluster.settle(
        cluster.clientFor("user").patch(ReplicaSets, { namespace: "default", name: "web" }, { type: "merge", body }),
      );
    }
    manager.startWorkers();
    await cluster.timeline.runUntil({ ms: 1000 });
    const [get] = cluster.events("get");
    expect(get?.triggers.first.map((trigger) => (trigger.cause === "delta" ? trigger.type : trigger.cause))).toEqual([
      "Replaced",
      "Updated",
      "Updated",
    ]);
    expect(cluster.events("enqueue").map(({ merged }) => merged)).toEqual([false, true, true]);
    const deltas = cluster.events("delta").map(({ seq }) => seq);
    expect(get?.triggers.first.map((trigger) => (trigger.cause === "delta" ? trigger.delta : 0))).toEqual(deltas);
  });
});

test("a delta is the same object in the notification and in the triggers of every key that it enqueues", async () => {
  const cluster = await virtualCluster();
  await createReplicaSet(cluster, "web");
  const notified: Notification<ReplicaSet>[] = [];
  const watching = (key: string): Partial<ControllerDefinition> => ({
    watches: [
      watch<ReplicaSet>({
        kind: ReplicaSets,
        on(notification, context) {
          notified.push(notification);
          context.enqueue(key);
        },
      }),
    ],
  });
  const sync = (): Promise<void> => Promise.resolve();
  const controllers = [looker(sync, watching("default/a")), looker(sync, { ...watching("default/b"), name: "other" })];
  const manager = manage(cluster, controllers);
  await cluster.settle(manager.fillCaches());
  manager.startWorkers();
  await cluster.timeline.runUntil({ ms: 1000 });
  const [first, second] = notified;
  expect(notified).toHaveLength(2);
  expect(second).toBe(first as Notification<ReplicaSet>);
  const triggers = cluster.events("get").flatMap((get) => get.triggers.first);
  expect(triggers).toHaveLength(2);
  for (const trigger of triggers) expect(trigger).toBe(first?.delta as DeltaRef);
});

describe("a scan", () => {
  test("is called when the caches have synced and then periodically; its keys are synced, with its name as their trigger", async () => {
    const cluster = await virtualCluster();
    await createReplicaSet(cluster, "web");
    const seen: { readonly at: number; readonly cached: number }[] = [];
    const synced: number[] = [];
    const manager = await start(
      cluster,
      async (_key, context) => {
        await Promise.resolve();
        synced.push(context.now());
      },
      {
        watches: [watch<ReplicaSet>({ kind: ReplicaSets, on() {} })],
        scans: [
          {
            name: "all of them",
            everyMs: 20_000,
            on(context) {
              const cached = context.cache(ReplicaSets).list();
              seen.push({ at: context.now(), cached: cached.length });
              for (const each of cached) context.enqueue(keyOf(each));
            },
          },
        ],
      },
    );
    const startedAt = cluster.timeline.now();
    await cluster.timeline.runUntil({ ms: 1000 });
    expect(seen).toEqual([{ at: startedAt, cached: 1 }]);
    await passTime(cluster, 50_000);
    expect(seen.map(({ at }) => at - startedAt)).toEqual([0, 20_000, 40_000]);
    expect(synced).toHaveLength(3);
    const [first] = cluster.events("get");
    expect(first?.triggers.first).toEqual([{ cause: "requeue", why: "all of them", sync: 0 }]);
    await cluster.settle(manager.stop());
    await passTime(cluster, 60_000);
    expect(seen).toHaveLength(3);
  });

  test("has no runs after the end", async () => {
    const cluster = await virtualCluster();
    let calls = 0;
    await start(cluster, () => Promise.resolve(), {
      scans: [{ name: "nothing", everyMs: 5000, on: () => void calls++ }],
    });
    expect(await cluster.timeline.runUntil({ ms: 60_000 })).toBe("steady");
    expect(calls).toBe(1);
  });
});

describe("the scope of a run", () => {
  test("limits primary objects by a selector, and hides none from the cache", async () => {
    const cluster = await virtualCluster();
    await createReplicaSet(cluster, "web", { tier: "front" });
    await createReplicaSet(cluster, "db", { tier: "back" });
    let cached = 0;
    const sync: Sync = async (_key, context) => {
      cached = context.cache(ReplicaSets).size;
      return Promise.resolve();
    };
    const manager = manage(cluster, [looker(sync)], { scope: { selector: parseSelector("tier=front") } });
    await cluster.settle(manager.fillCaches());
    manager.startWorkers();
    await cluster.timeline.runUntil({ ms: 1000 });
    expect(cluster.events("get").map(({ key }) => key)).toEqual(["default/web"]);
    expect(cached).toBe(2);
  });

  test("cannot be a namespace for a controller of a cluster-scoped kind", async () => {
    const cluster = await virtualCluster();
    const Things = kindOf<StoredObject>({
      group: "example.com",
      version: "v1",
      kind: "Thing",
      plural: "things",
      namespaced: false,
    });
    const wide = looker(() => Promise.resolve(), {
      watches: [
        watch({ kind: ReplicaSets, on: () => undefined }),
        watch({ kind: Things, owned: true, on: () => undefined }),
      ],
    });
    expect(() => manage(cluster, [wide], { scope: { namespace: "shop" } })).toThrow(
      "Cannot run looker in one namespace: it works on things, which have no namespace; use -A",
    );
  });
});

describe("ControllerManager.stop", () => {
  test("lets syncs in flight finish, takes no new keys, and counts the keys that were waiting", async () => {
    const cluster = await virtualCluster();
    for (const name of ["a", "b", "c"]) await createReplicaSet(cluster, name);
    const finished: string[] = [];
    let release: (() => void) | undefined;
    const sync: Sync = async (key) => {
      await new Promise<void>((resolve) => (release = resolve));
      finished.push(key);
    };
    const manager = manage(cluster, [looker(sync)], { workers: 1 });
    await cluster.settle(manager.fillCaches());
    manager.startWorkers();
    await cluster.timeline.runUntil({ ms: 1000 });
    const stopped = manager.stop();
    release?.();
    expect(await cluster.settle(stopped)).toBe(2);
    expect(finished).toEqual(["default/a"]);
  });

  interface Left {
    readonly name: string;
    /** What the first sync of `web` does; later ones wait until the run has stopped. */
    readonly first: Sync;
    /** Whether `web` changes after the first sync. */
    readonly change?: boolean;
    /** The result of the sync that is in flight when the run stops. */
    readonly last?: "fails";
    /** Whether `web` changes during that sync. */
    readonly changeAgain?: boolean;
    readonly left: number;
  }
  const failed: Sync = () => Promise.reject(new Error("refused"));
  const rows: readonly Left[] = [
    { name: "nothing if all keys are synced", first: () => Promise.resolve(), left: 0 },
    {
      name: "no key that only waits for its time",
      first: () => Promise.resolve({ requeueAfterMs: 3600_000 }),
      left: 0,
    },
    { name: "a key that waits for its retry", first: failed, left: 1 },
    {
      name: "a key that changes during its sync",
      first: () => Promise.resolve(),
      change: true,
      changeAgain: true,
      left: 1,
    },
    { name: "a key whose last sync fails", first: () => Promise.resolve(), change: true, last: "fails", left: 1 },
    { name: "a key that failed and has changed since, once", first: failed, change: true, changeAgain: true, left: 1 },
    { name: "no key that failed and was then synced", first: failed, change: true, left: 0 },
  ];
  for (const { name, first, change, last, changeAgain, left } of rows) {
    test(`counts ${name}`, async () => {
      const cluster = await virtualCluster();
      await createReplicaSet(cluster, "web");
      const end = Promise.withResolvers<void>();
      let syncs = 0;
      const sync: Sync = async (key, context) => {
        if (++syncs === 1) return first(key, context);
        await end.promise;
        if (last === "fails") throw new Error("the last one fails");
        return undefined;
      };
      // A retry comes only after everything else in the test.
      const rateLimiter = (): RateLimiter => exponentialFailureLimiter({ baseDelayMs: 600_000, maxDelayMs: 600_000 });
      const manager = await start(cluster, sync, { retry: { rateLimiter } });
      const label = async (value: string): Promise<void> => {
        const patch = { type: "merge", body: { metadata: { labels: { changed: value } } } } as const;
        const at = { namespace: "default", name: "web" };
        await cluster.settle(cluster.clientFor("user").patch(ReplicaSets, at, patch));
        await cluster.timeline.runUntil({ ms: 1000 });
      };
      await cluster.timeline.runUntil({ ms: 1000 });
      expect(syncs).toBe(1);
      if (change === true) await label("once");
      if (changeAgain === true) await label("twice");
      const stopped = manager.stop();
      end.resolve();
      expect(await cluster.settle(stopped)).toBe(left);
      expect(syncs).toBe(change === true ? 2 : 1);
    });
  }
});

describe("a cache that does not sync", () => {
  /** A kind that no server knows: each list of it is refused. */
  const Things = kindOf<StoredObject>({
    group: "example.com",
    version: "v1",
    kind: "Thing",
    plural: "things",
    namespaced: true,
  });
  const withThings = (deferred: object): Pick<ControllerDefinition, "watches"> => ({
    watches: [
      watch<ReplicaSet>({ kind: ReplicaSets, on: ({ object }, context) => context.enqueue(keyOf(object)) }),
      watch({ kind: Things, on: () => undefined, ...deferred }),
    ],
  });

  async function startUnfilled(controllers: readonly ControllerDefinition[]): Promise<{
    readonly cluster: VirtualCluster;
    readonly manager: ControllerManager;
  }> {
    const cluster = await virtualCluster();
    await createReplicaSet(cluster, "web");
    const manager = manage(cluster, controllers);
    const ending = new AbortController();
    manager.fillCaches(ending.signal).catch(() => undefined);
    await cluster.timeline.runUntil({ ms: 1000 });
    ending.abort(new Error("filled for long enough"));
    manager.startWorkers();
    await cluster.timeline.runUntil({ ms: 1000 });
    return { cluster, manager };
  }

  test("holds up the workers of its controller, but not those of others, nor a stop", async () => {
    const synced: string[] = [];
    const sync: Sync = (_key, context) => Promise.resolve(void synced.push(context.controller));
    const waiting = looker(sync, { name: "waiting", ...withThings({}) });
    const { cluster, manager } = await startUnfilled([waiting, looker(sync)]);
    expect(manager.isReady).toBe(false);
    expect(synced).toEqual(["looker"]);
    expect(await cluster.settle(manager.stop())).toBe(1);
  });

  test("holds up only syncs that wait for it, if its watch is deferred", async () => {
    const log: string[] = [];
    const sync: Sync = async (_key, context) => {
      try {
        context.cache(Things);
      } catch (error) {
        log.push(String(error));
      }
      await context.waitForCacheSync(ReplicaSets);
      log.push("waits");
      await context.waitForCacheSync(Things);
      log.push("never said");
    };
    const { cluster, manager } = await startUnfilled([looker(sync, withThings({ deferred: true }))]);
    expect(manager.isReady).toBe(true);
    expect(log).toEqual([
      "RangeError: Cannot read the cache of Thing: its first list is not there; wait for it with waitForCacheSync()",
      "waits",
    ]);
    await cluster.settle(manager.stop());
    expect(cluster.events("done").map(({ error }) => error)).toEqual(["the run ends before the caches are filled"]);
    expect(log).toHaveLength(2);
  });
});

test("defineController refuses a contradictory definition", () => {
  expect(() => looker(() => Promise.resolve(), { rules: [look, look] })).toThrow("two rules have the id look");
  expect(() => looker(() => Promise.resolve(), { watches: [] })).toThrow("it does not watch its own kind ReplicaSet");
});
