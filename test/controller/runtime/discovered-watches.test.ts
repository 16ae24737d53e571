import { describe, expect, test } from "bun:test";
import { type Kind, resourceOf } from "../../../src/api/kind.ts";
import { Namespaces, Nodes, ReplicaSets, ServiceAccounts } from "../../../src/api/kinds.ts";
import type { ApiResponse, Transport } from "../../../src/api/transport.ts";
import { SharedInformerFactory } from "../../../src/cache/shared-informer-factory.ts";
import { createClient } from "../../../src/client/api/client.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import { ControllerManager } from "../../../src/controller/runtime/controller-manager.ts";
import { type ControllerDefinition, defineController, watch } from "../../../src/controller/api/definition.ts";
import { plainDiscovery } from "../../support/plain-discovery.ts";
import { virtualCluster, type VirtualCluster, virtualStart } from "../../support/virtual-cluster.ts";

/** The server's response for a group version: `gone` has no kinds, `down` is a 503. */
type Mood = "there" | "gone" | "down";

interface Scene {
  readonly cluster: VirtualCluster;
  readonly manager: ControllerManager;
  /** Keyed by group version: `apps/v1`. */
  readonly moods: Map<string, Mood>;
  /** The controller's notifications: `added namespaces a`. */
  readonly notifications: string[];
  /** Number of kinds in each discovery. */
  readonly discovered: number[];
  /** Kinds that are watched now. */
  watched(): readonly string[];
  /** The list requests, each with its Accept header. */
  readonly lists: string[];
  /** When and why discovery failed. */
  readonly failed: { readonly at: number; readonly why: string }[];
}

const discoveryIntervalMs = 30_000;

function observer(scene: Pick<Scene, "notifications" | "discovered">): ControllerDefinition {
  return defineController({
    name: "observer",
    aliases: [],
    purpose: "looks",
    watches: [],
    dynamicWatches: {
      description: "some kinds",
      select: (kinds) => kinds.filter(({ plural }) => ["namespaces", "nodes", "replicasets"].includes(plural)),
      discoveryIntervalMs,
      initialSyncTimeoutMs: discoveryIntervalMs,
      discovered: (kinds) => void scene.discovered.push(kinds.length),
      on({ type, object }, kind, context) {
        scene.notifications.push(`${type} ${kind.plural} ${object.metadata.name}`);
        expect(Object.keys(object)).toEqual(["metadata"]);
        context.enqueue(`${kind.kind} ${object.metadata.name}`);
      },
    },
    workers: 1,
    rules: [],
    permissions: [],
    component: "observer",
    source: "none",
    sync: () => Promise.resolve(),
  });
}

async function scene(beside: readonly ControllerDefinition[] = []): Promise<Scene> {
  const cluster = await virtualCluster();
  const { timeline, random, bus, sandbox } = cluster;
  const moods = new Map<string, Mood>();
  const lists: string[] = [];
  const notifications: string[] = [];
  const discovered: number[] = [];
  const failed: Scene["failed"] = [];
  const clientFor = (name: string): Client => {
    const transport = moody(plainDiscovery(sandbox.transport({ actor: name })), moods, lists);
    return createClient({ transport, bus, timeline, fieldManager: name });
  };
  const informers = new SharedInformerFactory({ client: clientFor("informers"), timeline, random, bus, freeze: true });
  const manager = new ControllerManager({
    controllers: [...beside, observer({ notifications, discovered })],
    informers,
    clientOf: ({ name }) => clientFor(name),
    bus,
    timeline,
    random,
    onDiscoveryFailed: (_, why) => void failed.push({ at: timeline.now(), why }),
  });
  const watched = (): readonly string[] => (manager.controllers.at(-1)?.discovered?.kinds ?? []).map(resourceOf).sort();
  return { cluster, manager, moods, notifications, discovered, watched, lists, failed };
}

function moody(inner: Transport, moods: ReadonlyMap<string, Mood>, lists: string[]): Transport {
  return {
    async send(request) {
      const { path, query = [], headers = {} } = request;
      if (/\/(nodes|namespaces|replicasets)$/.test(path) && !query.some(([name]) => name === "watch")) {
        lists.push(`${path} ${/as=(\w+)/.exec(headers["accept"] ?? "")?.[1] ?? "whole"}`);
      }
      const mood = moods.get(path.replace(/^\/apis?\//, "")) ?? "there";
      if (mood === "gone") return jsonResponse(200, { kind: "APIResourceList", resources: [] });
      if (mood === "down") return jsonResponse(503, { kind: "Status", code: 503, reason: "ServiceUnavailable" });
      return inner.send(request);
    },
  };
}

function jsonResponse(status: number, body: object): ApiResponse {
  const pieces = [new TextEncoder().encode(JSON.stringify(body))];
  return {
    status,
    header: () => undefined,
    body: { next: () => Promise.resolve(pieces.shift()), cancel: () => undefined },
  };
}

async function started(it: Scene): Promise<void> {
  await it.cluster.settle(it.manager.fillCaches());
  it.manager.startWorkers();
}

/** Waits for the next discovery, which runs in the background. */
async function nextRound({ cluster: { timeline } }: Scene): Promise<void> {
  timeline.after(discoveryIntervalMs + 1000, "test", () => undefined);
  await timeline.runUntil({ ms: discoveryIntervalMs + 1000 });
}

async function stop(it: Scene): Promise<void> {
  await it.cluster.settle(it.manager.stop());
}

describe("a controller that discovers the kinds that it watches", () => {
  test("watches the selected kinds, metadata only", async () => {
    const it = await scene();
    await it.cluster.settle(it.cluster.clientFor("you").create(Nodes, { metadata: { name: "a" } }));
    await started(it);
    expect(it.watched()).toEqual(["namespaces", "nodes", "replicasets.apps"]);
    expect(it.notifications).toContain("added nodes a");
    expect(it.lists.sort()).toEqual([
      "/api/v1/namespaces PartialObjectMetadataList",
      "/api/v1/nodes PartialObjectMetadataList",
      "/apis/apps/v1/replicasets PartialObjectMetadataList",
    ]);
    await stop(it);
  });

  test("shares the informer of a controller that reads whole objects of a kind", async () => {
    const whole = defineController({
      ...observer({ notifications: [], discovered: [] }),
      name: "whole",
      for: Nodes,
      watches: [watch({ kind: Nodes, on: () => undefined })],
    });
    const { dynamicWatches: _, ...withoutDiscovery } = whole;
    const it = await scene([withoutDiscovery]);
    // The scene's observer expects metadata only; no node exists, so it gets no notification.
    await started(it);
    expect(it.watched()).toContain("nodes");
    expect(it.lists.filter((list) => list.startsWith("/api/v1/nodes"))).toEqual(["/api/v1/nodes whole"]);
    await stop(it);
  });

  test("follows kinds that are removed and added again", async () => {
    const it = await scene();
    it.moods.set("apps/v1", "gone");
    await started(it);
    expect(it.watched()).toEqual(["namespaces", "nodes"]);
    it.moods.delete("apps/v1");
    await nextRound(it);
    expect(it.watched()).toEqual(["namespaces", "nodes", "replicasets.apps"]);
    it.moods.set("apps/v1", "gone");
    await nextRound(it);
    expect(it.watched()).toEqual(["namespaces", "nodes"]);
    expect(
      it.cluster.events("watch").filter(({ of, state }) => of.kind === "ReplicaSet" && state === "closed"),
    ).toHaveLength(1);
    expect(it.discovered).toHaveLength(3);
    await stop(it);
  });

  test("reports that discovery fails: at once, then once a minute until it succeeds", async () => {
    const it = await scene();
    const { timeline } = it.cluster;
    const pass = async (ms: number): Promise<void> => {
      timeline.after(ms, "test", () => undefined);
      await timeline.runUntil({ ms });
    };
    it.moods.set("/api", "down");
    const abort = new AbortController();
    const filling = it.manager.fillCaches(abort.signal);
    await pass(130_000);
    it.moods.delete("/api");
    await pass(2000);
    await filling;
    it.moods.set("/api", "down");
    await pass(70_000);
    const seconds = it.failed.map(({ at }) => Math.round((at - virtualStart) / 1000));
    expect(seconds.slice(0, 3)).toEqual([0, 60, 120]);
    expect(seconds.slice(3).map((second) => second > 132)).toEqual([true]);
    expect(it.failed[0]?.why).toContain("503");
    await stop(it);
  });

  test("keeps its watches of a group whose discovery fails", async () => {
    const it = await scene();
    await started(it);
    it.moods.set("apps/v1", "down");
    await nextRound(it);
    expect(it.watched()).toContain("replicasets.apps");
    expect(
      it.cluster.events("watch").filter(({ of, state }) => of.kind === "ReplicaSet" && state === "closed"),
    ).toEqual([]);
    await stop(it);
  });

  test("is notified of kinds once while they stay the same", async () => {
    const it = await scene();
    await started(it);
    await nextRound(it);
    await nextRound(it);
    expect(it.discovered).toHaveLength(1);
    await stop(it);
  });

  test("starts after a wait without a kind that cannot be listed", async () => {
    const it = await scene();
    it.moods.set("apps/v1/replicasets", "down");
    const filling = it.cluster.settle(it.manager.fillCaches(), 2 * discoveryIntervalMs);
    const startedAt = it.cluster.timeline.now();
    await filling;
    expect(it.manager.controllers[0]?.hasSynced).toBe(true);
    expect(it.cluster.timeline.now() - startedAt).toBeGreaterThanOrEqual(discoveryIntervalMs);
    await stop(it);
  });

  test("can read the caches of discovered kinds, and no others", async () => {
    const it = await scene();
    await it.cluster.settle(it.cluster.clientFor("you").create(Nodes, { metadata: { name: "a" } }));
    await started(it);
    const [running] = it.manager.controllers;
    const names = (kind: Kind): unknown =>
      running
        ?.cache(kind)
        .list()
        .map(({ metadata }) => metadata.name);
    expect(names(Nodes)).toEqual(["a"]);
    expect(names(ReplicaSets)).toEqual([]);
    expect(() => names(ServiceAccounts)).toThrow(RangeError);
    await stop(it);
  });
});

describe("defineController", () => {
  const nothing = observer({ notifications: [], discovered: [] });
  const { dynamicWatches: _, ...neither } = nothing;
  const table = [
    { name: "without a kind and without discovery", definition: neither, says: "neither for a kind nor discovers any" },
    {
      name: "for a kind that it does not watch",
      definition: { ...nothing, for: Namespaces },
      says: "does not watch its own kind",
    },
  ];
  for (const { name, definition, says } of table) {
    test(`refuses a controller ${name}`, () => expect(() => defineController(definition)).toThrow(says));
  }
});

test("a controller of all kinds cannot be limited to a scope", async () => {
  const { timeline, random, bus, ...cluster } = await virtualCluster();
  const client = cluster.clientFor("you");
  const informers = new SharedInformerFactory({ client, timeline, random, bus });
  const make = (): ControllerManager =>
    new ControllerManager({
      controllers: [observer({ notifications: [], discovered: [] })],
      informers,
      clientOf: () => client,
      bus,
      timeline,
      random,
      scope: { namespace: "shop" },
    });
  expect(make).toThrow("Cannot run observer in one namespace: it works on objects of every kind and namespace");
});
