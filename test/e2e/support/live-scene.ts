/**
 * The ReplicaSet controller running live behind faulty proxies, while changes are made directly on the API server; also an observer whose
 * connection has no faults. Everything runs in this process, so that the caches can be inspected.
 */
import { expect } from "bun:test";
import { Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import { controllerOf } from "../../../src/api/owner-references.ts";
import type { Pod } from "../../../src/api/types.ts";
import { SharedInformer } from "../../../src/cache/shared-informer.ts";
import type { LiveRun } from "../../../src/modes/run/live.ts";
import { below, type Random, realRandom } from "../../../src/platform/random.ts";
import { realTimeline } from "../../../src/platform/real-timeline.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import type { Cluster } from "../../support/cluster.ts";
import type { Scene } from "./faults.ts";
import { connectedBy, startFaultyRun } from "./faulty-run.ts";
import { eventually, type PodSeen, Workload } from "./workload.ts";

const timeline = realTimeline();
const replicaSets = ["a", "b", "c", "d"];
const mostReplicas = 8;
const waitMs = 180_000;

/** Its changes scale ReplicaSets, and delete and relabel pods. */
export interface LiveScene extends Scene {
  readonly workload: Workload;
  /**
   * Waits until each ReplicaSet has exactly the pods that it specifies, and the caches equal the server's lists. Returns the peak number of
   * pods of a ReplicaSet in excess of the most that it ever specified.
   */
  converged(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the controller in a new namespace, with its requests sent to `url`, and a few ReplicaSets whose pods already exist. */
export async function startLiveScene(cluster: Cluster, url: string, namespace: string): Promise<LiveScene> {
  await cluster.createNamespace(namespace);
  const workload = new Workload(cluster, namespace);
  const maxDesired = new Map<string, number>();
  for (const name of replicaSets) await requestReplicas(name, 3, () => workload.createReplicaSet(name, 3));
  const observer = await observe(cluster, namespace, maxDesired);
  const run = await startFaultyRun(cluster, url, { controllers: ["replicaset"], namespace });
  const { live, failures } = run;
  for (const name of replicaSets) await workload.settled(name, 3);

  /** The maximum is recorded before the request is sent. */
  async function requestReplicas(name: string, replicas: number, request: () => Promise<unknown>): Promise<void> {
    maxDesired.set(name, Math.max(maxDesired.get(name) ?? 0, replicas));
    await request();
  }

  /**
   * Pods not yet in the cache are left alone: if one is gone before a relist can show it, its creation stays expected for 5 minutes, and
   * nothing wakes its ReplicaSet meanwhile. Upstream does the same (controller_utils.go ControllerExpectations).
   */
  function isCached({ metadata }: PodSeen): boolean {
    return live.manager.controllers[0]?.cache(Pods).get(`${namespace}/${metadata.name}`) !== undefined;
  }

  async function step(random: Random): Promise<void> {
    const name = replicaSets[below(random, replicaSets.length)] ?? "a";
    const roll = random.next();
    if (roll < 0.5) {
      // Often the maximum, because an excess pod shows there.
      const replicas = random.next() < 0.5 ? mostReplicas : below(random, mostReplicas);
      return requestReplicas(name, replicas, () => workload.scale(name, replicas));
    }
    const pods = (await workload.pods(await workload.replicaSet(name))).filter(isCached);
    const pod = pods[below(random, pods.length)]?.metadata.name;
    if (pod === undefined) return;
    if (roll < 0.9) await workload.deletePod(pod);
    else await workload.relabelPod(pod, { app: "released" });
  }

  return {
    workload,
    failures,
    async churn(random, steps) {
      for (let n = 0; n < steps; n++) {
        // The pod may be gone by now, or the server may be down.
        await step(random).catch(() => undefined);
        await Bun.sleep(below(random, 40));
      }
    },
    async converged() {
      await eventually(() => expectConverged(workload, live, cluster), waitMs);
      // Again, after deltas that were still in flight have arrived.
      await Bun.sleep(300);
      await eventually(() => expectConverged(workload, live, cluster), waitMs);
      expect(run.leasesLost).toEqual([]);
      return observer.excess;
    },
    async stop() {
      await run.stop();
      await observer.stop();
    },
  };
}

interface Observer {
  /** Peak number of pods of one ReplicaSet beyond the most that it ever specified. */
  readonly excess: number;
  stop(): Promise<void>;
}

async function observe(
  cluster: Cluster,
  namespace: string,
  maxDesired: ReadonlyMap<string, number>,
): Promise<Observer> {
  const bus = new TraceBus({ now: () => timeline.now() });
  const sound = await connectedBy(cluster.kubeconfig, bus);
  const listerWatcher = sound.client.listerWatcher(Pods, { namespace });
  const informer = new SharedInformer<Pod>({ listerWatcher, timeline, random: realRandom(), bus });
  const active = new Map<string, Set<string>>();
  let excess = 0;
  const see = (pod: Pod, gone: boolean): void => {
    for (const uids of active.values()) uids.delete(pod.metadata.uid);
    const owner = controllerOf(pod)?.name;
    if (owner === undefined || gone || pod.metadata.deletionTimestamp !== undefined) return;
    const uids = active.get(owner) ?? new Set();
    active.set(owner, uids.add(pod.metadata.uid));
    excess = Math.max(excess, uids.size - (maxDesired.get(owner) ?? 0));
  };
  informer.addHandler({
    name: "observer",
    on: ({ type, object }) => see(object, type === "deleted"),
  });
  const abort = new AbortController();
  const running = informer.run(abort.signal);
  return {
    get excess() {
      return excess;
    },
    async stop() {
      abort.abort(new Error("the test is over"));
      await running;
      sound.close();
    },
  };
}

const versions = (objects: readonly Pick<StoredObject, "metadata">[]): Record<string, string> =>
  Object.fromEntries(objects.map(({ metadata }) => [metadata.name, metadata.resourceVersion]));

async function expectConverged(workload: Workload, live: LiveRun, cluster: Cluster): Promise<void> {
  const { namespace } = workload;
  const [controller] = live.manager.controllers;
  for (const name of replicaSets) {
    const { spec } = await workload.replicaSet(name);
    await workload.settled(name, spec.replicas, 0).catch((cause: unknown) => {
      const { creations = 0, deletions = new Set() } = controller?.expectations.of(`${namespace}/${name}`) ?? {};
      const waits = `it expects ${creations} creations and ${deletions.size} deletions that it has not seen`;
      throw new Error(`ReplicaSet ${name} has not what it asks for: ${waits}`, { cause });
    });
  }
  for (const kind of [Pods, ReplicaSets]) {
    const group = kind.group === "" ? "api" : `apis/${kind.group}`;
    const path = `/${group}/${kind.version}/namespaces/${namespace}/${kind.plural}`;
    const { body } = await cluster.request("GET", path);
    const cached = controller?.cache<StoredObject>(kind).list() ?? [];
    expect(versions(cached)).toEqual(versions((body as { items: StoredObject[] }).items));
  }
}
