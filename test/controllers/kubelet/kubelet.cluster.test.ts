/** Scheduler and kubelet with a real kube-apiserver: it accepts their writes, and kubectl can read them. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Leases, Nodes, Pods, ReplicaSets, ResourceClaims } from "../../../src/api/kinds.ts";
import type { CreateInput } from "../../../src/api/object.ts";
import type { Pod, ResourceClaim } from "../../../src/api/types.ts";
import { SharedInformerFactory } from "../../../src/cache/shared-informer-factory.ts";
import { loadRestConfig } from "../../../src/client/config/load-rest-config.ts";
import { connect } from "../../../src/client/connect.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import { ControllerManager } from "../../../src/controller/runtime/controller-manager.ts";
import { isPodReady } from "../../../src/controller/workload/pod-status.ts";
import { kubelet, nodeHeartbeat } from "../../../src/controllers/kubelet/kubelet.ts";
import { simulatedNode } from "../../../src/controllers/kubelet/node.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { scheduler } from "../../../src/controllers/scheduler/scheduler.ts";
import { serviceaccount } from "../../../src/controllers/serviceaccount/serviceaccount.ts";
import { realHost } from "../../../src/platform/host.ts";
import { realRandom } from "../../../src/platform/random.ts";
import { realTimeline } from "../../../src/platform/real-timeline.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import type { StageEvent } from "../../../src/trace/events.ts";
import { type Cluster, clusterMissing, startCluster } from "../../support/cluster.ts";
import { podOf, type PodParts } from "../../support/pods.ts";
import { allocation, deviceClaim, others } from "../scheduler/device-placings.ts";

const namespace = "default";

interface AllocatedParts {
  /** The number of pods that use the claim. */
  readonly users?: number;
  /** The only node on which its devices can be used. */
  readonly node?: string;
}

describe.skipIf(clusterMissing !== undefined)("on a real kube-apiserver", () => {
  let cluster: Cluster;
  let client: Client;
  let manager: ControllerManager;
  let close: () => void;
  const events: StageEvent[] = [];
  const lost: string[] = [];

  beforeAll(async () => {
    cluster = await startCluster({});
    const timeline = realTimeline();
    const bus = new TraceBus({ now: () => timeline.now() });
    bus.listen((event) => void events.push(event));
    const host = realHost();
    const access = await loadRestConfig(host, { kubeconfig: cluster.kubeconfig });
    const connection = connect(access, { host, timeline, bus, qps: 5000, burst: 5000 });
    client = connection.clientFor("test");
    close = () => connection.close();
    for (const n of [0, 1]) await client.create(Nodes, simulatedNode(n));
    const random = realRandom();
    manager = new ControllerManager({
      controllers: [serviceaccount, scheduler, kubelet, nodeHeartbeat, replicaset],
      informers: new SharedInformerFactory({ client, timeline, random, bus, freeze: true }),
      clientOf: ({ name }) => connection.clientFor(name),
      bus,
      timeline,
      random,
      onEventLost: (why) => void lost.push(why),
    });
    await manager.fillCaches();
    manager.startWorkers();
    await until(async () => (await accounts()).includes("default"));
  });

  afterAll(async () => {
    await manager?.stop();
    close?.();
    await cluster?.stop();
  });

  const accounts = async (): Promise<string> =>
    (await cluster.kubectl(["get", "serviceaccounts", "-n", namespace, "-o", "name"])).stdout;

  const pods = async (app: string): Promise<readonly Pod[]> =>
    (await client.list(Pods, { namespace, labelSelector: `app=${app}` })).items;

  /** Waits for the real server, at most 20 seconds. */
  async function until(holds: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      if (await holds()) return;
      await Bun.sleep(100);
    }
    throw new Error("it did not come about within 20 seconds");
  }

  test("a ReplicaSet's pods are placed, run and become ready; nodes hold their Leases", async () => {
    const labels = { app: "web" };
    await client.create(ReplicaSets, {
      metadata: { namespace, name: "web" },
      spec: {
        replicas: 4,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } },
      },
    });
    await until(async () => (await pods("web")).filter(isPodReady).length === 4);
    const all = await pods("web");
    expect(new Set(all.map(({ spec }) => spec?.nodeName)).size).toBe(2);
    expect(new Set(all.map(({ status }) => status?.podIP)).size).toBe(4);
    const leases = (await client.list(Leases, { namespace: "kube-node-lease" })).items;
    expect(leases.map(({ metadata }) => metadata.name).sort()).toEqual(["node-1", "node-2"]);
    const { stdout } = await cluster.kubectl(["get", "nodes"]);
    expect(stdout).toMatch(/node-1 +Ready/);
  });

  test("a deleted pod ends gracefully, is removed, and is replaced", async () => {
    const [first] = await pods("web");
    const name = first?.metadata.name ?? "";
    await client.delete(Pods, { namespace, name });
    await until(async () => {
      const now = await pods("web");
      return now.every(({ metadata }) => metadata.name !== name) && now.filter(isPodReady).length === 4;
    });
    expect((await pods("web")).length).toBe(4);
  });

  test("a crashing container is counted as kubectl shows it", async () => {
    await client.create(Pods, podOf("crashing", { labels: { app: "crashing" }, annotations: { crashes: "1" } }));
    await until(async () => (await pods("crashing"))[0]?.status?.containerStatuses?.[0]?.restartCount === 1);
    await until(async () => (await pods("crashing")).every(isPodReady));
    const { stdout } = await cluster.kubectl(["get", "pod", "crashing", "-n", namespace]);
    expect(stdout).toMatch(/crashing +1\/1 +Running +1 /);
  });

  test("a pod without a suitable node has a condition that says so", async () => {
    await client.create(Pods, podOf("large", { labels: { app: "large" }, requests: { cpu: "100" } }));
    await until(async () => (await pods("large"))[0]?.status?.conditions !== undefined);
    const [large] = await pods("large");
    expect(large?.status?.conditions?.[0]).toMatchObject({
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      message: "0/2 nodes are available: 2 Insufficient cpu.",
    });
  });

  /** Creates a claim as the driver and the device scheduler would leave it. */
  async function allocatedClaim(name: string, { users = 0, node }: AllocatedParts = {}): Promise<void> {
    // The kind determines the type of the object.
    await client.create(ResourceClaims, deviceClaim(name, { finalizers: [] }).object as CreateInput<ResourceClaim>);
    const selector = [{ key: "kubernetes.io/hostname", operator: "In", values: [node] }];
    const given = {
      ...allocation(name),
      ...(node !== undefined && { nodeSelector: { nodeSelectorTerms: [{ matchExpressions: selector }] } }),
    };
    const body = { status: { allocation: given, reservedFor: others(users) } };
    await client.patch(ResourceClaims, { namespace, name }, { type: "merge", body }, { subresource: "status" });
  }

  const usersOf = async (name: string): Promise<readonly string[]> =>
    ((await client.get(ResourceClaims, { namespace, name })).status?.reservedFor ?? []).map((user) => user.name);

  const using = (...claims: readonly string[]): NonNullable<PodParts["spec"]> => ({
    resourceClaims: claims.map((resourceClaimName, n) => ({ name: `claim-${n}`, resourceClaimName })),
  });

  test("a pod is placed on a node with the devices of its claim, and reserved in it; an idle claim loses unusable devices", async () => {
    await allocatedClaim("here", { node: "node-2" });
    await client.create(Pods, podOf("device", { labels: { app: "device" }, spec: using("here") }));
    await until(async () => (await pods("device")).some(isPodReady));
    expect((await pods("device"))[0]?.spec?.nodeName).toBe("node-2");
    expect(await usersOf("here")).toEqual(["device"]);
    await allocatedClaim("far", { node: "node-9" });
    await client.create(Pods, podOf("farther", { labels: { app: "farther" }, spec: using("far") }));
    const at = { namespace, name: "far" };
    await until(async () => (await client.get(ResourceClaims, at)).status?.allocation === undefined);
    expect((await pods("farther"))[0]?.spec?.nodeName).toBeUndefined();
  });

  test("the server refused none of their writes, except for conflicts", () => {
    const refused = events.flatMap((event) =>
      event.stage === "write" && event.status >= 400 && event.status !== 409
        ? [`${event.controller ?? ""} ${event.verb} ${event.of.kind} ${event.status} ${event.error ?? ""}`]
        : [],
    );
    expect({ refused, lost }).toEqual({ refused: [], lost: [] });
  });

  test("a claim is released if another one of the pod cannot be satisfied", async () => {
    await allocatedClaim("room");
    await allocatedClaim("full", { users: 256 });
    await client.create(Pods, podOf("crowd", { labels: { app: "crowd" }, spec: using("room", "full") }));
    await until(async () => (await pods("crowd"))[0]?.status?.conditions?.[0]?.reason === "SchedulerError");
    expect(await usersOf("room")).toEqual([]);
    const writes = events.filter((event) => event.stage === "write" && event.key === `${namespace}/room`);
    expect(writes.map((event) => event.stage === "write" && `${event.verb} ${event.status}`)).toContain("patch 200");
  });
});
