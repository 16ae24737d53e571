/** Informers of a real kube-apiserver, under churn and across a restart. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Kind, kindOf } from "../../src/api/kind.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { isNotFound } from "../../src/api/status-error.ts";
import { DeltaFIFO } from "../../src/cache/delta-fifo.ts";
import { SharedInformer, type SharedInformerOptions } from "../../src/cache/shared-informer.ts";
import { loadRestConfig } from "../../src/client/config/load-rest-config.ts";
import { connect, type Connection } from "../../src/client/connect.ts";
import type { Client } from "../../src/client/api/verbs.ts";
import { realHost } from "../../src/platform/host.ts";
import { below, realRandom, seededRandom } from "../../src/platform/random.ts";
import { realTimeline } from "../../src/platform/real-timeline.ts";
import { sleep } from "../../src/platform/timeline.ts";
import { TraceBus } from "../../src/trace/bus.ts";
import type { DeltaEvent, WriteEvent } from "../../src/trace/events.ts";
import { type Cluster, clusterMissing, startCluster } from "../support/cluster.ts";

interface ConfigMap extends StoredObject {
  readonly data?: Readonly<Record<string, string>>;
}
const ConfigMaps: Kind<ConfigMap> = kindOf<ConfigMap>({
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
});

const timeline = realTimeline();
const namespace = "churn";
const seed = 20261121;
const versions = (objects: readonly StoredObject[]): Record<string, string> =>
  Object.fromEntries(objects.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));

describe.skipIf(clusterMissing !== undefined)("informers against a real kube-apiserver", () => {
  let cluster: Cluster;
  let connection: Connection;
  const deltas: DeltaEvent[] = [];
  const writes: WriteEvent[] = [];
  const bus = new TraceBus({ now: () => timeline.now() });

  beforeAll(async () => {
    cluster = await startCluster();
    await cluster.createNamespace(namespace);
    const host = { ...realHost(), env: {} };
    connection = connect(await loadRestConfig(host, { kubeconfig: cluster.kubeconfig }), {
      host,
      timeline,
      bus,
      qps: 0,
    });
  });
  afterAll(() => {
    connection.close();
    return cluster.stop();
  });

  /** Random writes by two field managers, in sequence, so that each delta is one write. */
  async function churn(count: number): Promise<void> {
    const random = seededRandom(seed);
    const clients: readonly Client[] = [connection.clientFor("one"), connection.clientFor("two")];
    for (let n = 0; n < count; n++) {
      const client = clients[below(random, 2)] as Client;
      const at = { namespace, name: `c${below(random, 8)}` };
      const data = { [`k${below(random, 3)}`]: String(n) };
      const roll = random.next();
      try {
        if (roll < 0.2) await client.delete(ConfigMaps, at);
        else await client.patch(ConfigMaps, at, { type: "merge", body: { data } });
      } catch (error) {
        if (!isNotFound(error)) throw error;
        await client.create(ConfigMaps, { metadata: at, data });
      }
    }
  }

  function informerWith(options: Partial<SharedInformerOptions<ConfigMap>>): SharedInformer<ConfigMap> {
    const listerWatcher = connection.client.listerWatcher(ConfigMaps, { namespace });
    return new SharedInformer({ listerWatcher, timeline, random: realRandom(), bus, freeze: true, ...options });
  }

  /** Waits until the cache has applied the server's current state, for 60 s at most; returns both. */
  async function settled(informer: SharedInformer<ConfigMap>): Promise<{ there: object; cached: object }> {
    const { items, resourceVersion } = await connection.client.list(ConfigMaps, { namespace });
    // A write of this kind, so that the applied version passes the list's.
    const probe = await connection.client.create(ConfigMaps, { metadata: { namespace, name: "probe" } });
    await connection.client.delete(ConfigMaps, { namespace, name: "probe" });
    for (let n = 0; n < 600; n++) {
      if (Number(informer.lister.appliedResourceVersion()) > Number(probe.metadata.resourceVersion)) break;
      await sleep(timeline, 100, "test");
    }
    expect(Number(informer.lister.appliedResourceVersion())).toBeGreaterThan(Number(resourceVersion));
    return { there: versions(items), cached: versions(informer.lister.list()) };
  }

  const runs: { readonly name: string; readonly options: Partial<SharedInformerOptions<ConfigMap>> }[] = [
    { name: "ordered queue, small pages", options: { pageSize: 3 } },
    { name: "ordered queue, list by watch", options: { watchList: true } },
    { name: "classic queue", options: { createQueue: (options) => new DeltaFIFO(options) } },
  ];
  for (const { name, options } of runs) {
    test(`${name}: the cache equals the server's list after churn`, async () => {
      const informer = informerWith(options);
      const abort = new AbortController();
      const running = informer.run(abort.signal);
      await churn(60);
      const { there, cached } = await settled(informer);
      expect(Object.keys(there).length).toBeGreaterThan(0);
      expect(cached).toEqual(there);
      expect(JSON.stringify(informer.lister.list())).not.toContain("managedFields");
      abort.abort(new Error("done"));
      await running;
    });
  }

  test("the writer of a delta, if it has one, is the real writer", async () => {
    const stopListening = bus.listen((event) => {
      if (event.stage === "delta") deltas.push(event);
      if (event.stage === "write") writes.push(event);
    });
    const informer = informerWith({});
    const abort = new AbortController();
    const running = informer.run(abort.signal);
    await informer.synced;
    await churn(120);
    await settled(informer);
    abort.abort(new Error("done"));
    await running;
    stopListening();
    const watched = deltas.filter(({ type }) => type === "Added" || type === "Updated");
    let named = 0;
    for (const delta of watched) {
      const write = writes.find((w) => w.resourceVersion === delta.resourceVersion);
      expect(write).toBeDefined();
      if (delta.detail.writer === undefined) continue;
      expect(delta.detail.writer).toBe(write?.fieldManager as string);
      named++;
    }
    // Some are not: a manager's second write to its own fields within the same second leaves no trace.
    expect(named).toBeGreaterThan(watched.length / 3);
    expect(deltas.every(({ type, detail }) => type !== "Deleted" || detail.writer === undefined)).toBe(true);
  });

  test("nothing is lost when the server restarts", async () => {
    const informer = informerWith({});
    const abort = new AbortController();
    const running = informer.run(abort.signal);
    await informer.synced;
    await churn(20);
    await cluster.restartApiServer();
    await churn(20);
    const { there, cached } = await settled(informer);
    expect(cached).toEqual(there);
    // A restarted server may no longer know the version; then one relist brings what was missed.
    expect(informer.state().relists).toBeLessThanOrEqual(1);
    abort.abort(new Error("done"));
    await running;
  });
});
