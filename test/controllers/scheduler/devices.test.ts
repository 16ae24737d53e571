/** Pods with claims of devices: when they wait, which nodes they get, and how claims are reserved for them. */
import { describe, expect, test } from "bun:test";
import {
  DeviceClasses,
  Deployments,
  Events,
  Nodes,
  Pods,
  ResourceClaims,
  ResourceClaimTemplates,
  ResourceSlices,
} from "../../../src/api/kinds.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import { type ApiRequest, type Transport, TransportError } from "../../../src/api/transport.ts";
import type { Pod, ResourceClaim } from "../../../src/api/types.ts";
import { SharedInformerFactory } from "../../../src/cache/shared-informer-factory.ts";
import { createClient } from "../../../src/client/api/client.ts";
import { ControllerManager } from "../../../src/controller/runtime/controller-manager.ts";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import { resourceclaim } from "../../../src/controllers/resourceclaim/resourceclaim.ts";
import { scheduler } from "../../../src/controllers/scheduler/scheduler.ts";
import { embeddedScene, type EmbeddedScene } from "../../support/embedded-scene.ts";
import { nodeOf, type NodeParts, podOf } from "../../support/pods.ts";
import { virtualCluster } from "../../support/virtual-cluster.ts";
import { allocation, deviceClaim, devicePlacings, others } from "./device-placings.ts";
import type { Named } from "./placings.ts";
import type { Stored } from "./storage-placings.ts";

const at = (name: string): { readonly namespace: string; readonly name: string } => ({ namespace: "default", name });
const status = { subresource: "status" } as const;
const merge = (body: object): { readonly type: "merge"; readonly body: object } => ({ type: "merge", body });

/** New nodes are tainted until they are ready. */
async function createNodes(scene: EmbeddedScene, nodes: Named<NodeParts>): Promise<void> {
  for (const [name, parts] of nodes) {
    const { status: reported, ...node } = nodeOf(name, parts);
    await scene.during(scene.you.create(Nodes, node));
    const node_ = { namespace: "", name };
    await scene.during(scene.you.patch(Nodes, node_, merge({ status: reported }), status));
    await scene.during(scene.you.patch(Nodes, node_, merge({ spec: { taints: null } })));
  }
}

async function store(scene: EmbeddedScene, { kind, object, status: objectStatus, isDeleted }: Stored): Promise<void> {
  const where = { namespace: kind.namespaced ? "default" : "", name: object.metadata.name };
  await scene.during(scene.you.create(kind, object));
  if (objectStatus !== undefined)
    await scene.during(scene.you.patch(kind, where, merge({ status: objectStatus }), status));
  if (isDeleted === true) await scene.during(scene.you.delete(kind, where));
}

const podIn = async (scene: EmbeddedScene, name = "pod"): Promise<Pod | undefined> =>
  (await scene.list(Pods)).find(({ metadata }) => metadata.name === name);
const claimIn = (scene: EmbeddedScene, name: string): Promise<ResourceClaim> =>
  scene.during(scene.you.get(ResourceClaims, at(name)));
const scheduled = (pod: Pod | undefined): object | undefined =>
  pod?.status?.conditions?.find(({ type }) => type === "PodScheduled");
const usersOf = ({ status: claimStatus }: ResourceClaim): readonly string[] =>
  (claimStatus?.reservedFor ?? []).map(({ resource, name }) => `${resource} ${name}`);
/** The scheduler's decisions as `rule: sentence`, such as `await-devices: …`. */
const decisions = (scene: EmbeddedScene): readonly string[] =>
  scene.events.flatMap((event) =>
    event.stage === "decision" && event.controller === "scheduler" ? [`${event.rule}: ${event.sentence}`] : [],
  );

describe("a pod is placed by", () => {
  test.each(devicePlacings)("$name", async (placing) => {
    const {
      nodes,
      storage,
      pod,
      node,
      message,
      isHeld = false,
      reason = "Unschedulable",
      reserved = {},
      freed,
      kept,
    } = placing;
    const scene = await embeddedScene({ nodes: 0, kubelet: false, controllers: [scheduler] });
    await createNodes(scene, nodes);
    for (const each of storage) await store(scene, each);
    await scene.run(100);
    await scene.during(scene.you.create(Pods, podOf("pod", pod)));
    await scene.run(900);
    const placed = await podIn(scene);
    expect(placed?.spec?.nodeName).toBe(node);
    if (isHeld) {
      expect(scheduled(placed)).toBeUndefined();
      expect(await scene.list(Events)).toEqual([]);
      expect(decisions(scene).some((each) => each.startsWith("await-devices: "))).toBe(true);
    }
    if (message !== undefined) {
      const condition = scheduled(placed) as { readonly message: string };
      expect(condition).toMatchObject({ status: "False", reason });
      expect(condition.message.slice(0, message.length)).toBe(message);
      const events = (await scene.list(Events)).map((event) => `${event.type} ${event.reason} ${event.message}`);
      expect(events.some((each) => each.startsWith(`Warning FailedScheduling ${message}`))).toBe(true);
    }
    for (const claim of [freed, kept].flatMap((each) => each ?? []))
      expect((await claimIn(scene, claim)).status?.allocation !== undefined).toBe(claim === kept);
    for (const [claim, users] of Object.entries(reserved))
      expect([claim, usersOf(await claimIn(scene, claim)).length]).toEqual([claim, users]);
    await scene.stop();
  });
});

const web = podOf("web", { spec: { resourceClaims: [{ name: "gpu", resourceClaimName: "gpu" }] } });
const gpuClass = { metadata: { name: "gpu.example.com" }, spec: {} };

/** Creates a claim `gpu` without devices, and its class. */
async function openClaim(scene: EmbeddedScene): Promise<void> {
  await scene.during(scene.you.create(DeviceClasses, gpuClass));
  await store(scene, deviceClaim("gpu"));
}

const allocate = (scene: EmbeddedScene, claim: string, given: object = allocation("gpu-0")): Promise<StoredObject> =>
  scene.during(scene.you.patch(ResourceClaims, at(claim), merge({ status: { allocation: given } }), status));

describe("a waiting pod is retried", () => {
  test("when its claim is created, which then waits for devices, and when it gets some", async () => {
    const scene = await embeddedScene();
    await scene.during(scene.you.create(Pods, web));
    await scene.run(60_000);
    expect(scheduled(await podIn(scene, "web"))).toBeUndefined();
    await openClaim(scene);
    await scene.run(1000);
    const message = "0/3 nodes are available: 3 cannot allocate all claims.";
    expect(scheduled(await podIn(scene, "web"))).toMatchObject({ reason: "Unschedulable", message });
    await scene.run(60_000);
    await allocate(scene, "gpu");
    await scene.run(3000);
    expect((await podIn(scene, "web"))?.status?.phase).toBe("Running");
    expect(usersOf(await claimIn(scene, "gpu"))).toEqual(["pods web"]);
    await scene.stop();
  });

  test("when the class of its devices is added", async () => {
    const scene = await embeddedScene();
    await store(scene, deviceClaim("gpu"));
    await scene.during(scene.you.create(Pods, web));
    await scene.run(30_000);
    const missing = "0/3 nodes are available: request one: device class gpu.example.com does not exist.";
    expect(scheduled(await podIn(scene, "web"))).toMatchObject({ message: missing });
    await scene.during(scene.you.create(DeviceClasses, gpuClass));
    await scene.run(1000);
    const message = "0/3 nodes are available: 3 cannot allocate all claims.";
    expect(scheduled(await podIn(scene, "web"))).toMatchObject({ message });
    await scene.stop();
  });

  test("when its status has the claim of its template, and not for a claim that it does not control", async () => {
    const scene = await embeddedScene({ controllers: [resourceclaim] });
    await openClaim(scene);
    await allocate(scene, "gpu");
    const entry = { name: "own", resourceClaimTemplateName: "one" };
    await scene.during(scene.you.create(Pods, podOf("web", { spec: { resourceClaims: [entry] } })));
    await scene.run(5000);
    const names = (claim: string): Promise<StoredObject> => {
      const resourceClaimStatuses = [{ name: "own", resourceClaimName: claim }];
      return scene.during(scene.you.patch(Pods, at("web"), merge({ status: { resourceClaimStatuses } }), status));
    };
    await names("gpu");
    await scene.run(5000);
    expect(scheduled(await podIn(scene, "web"))).toBeUndefined();
    expect(decisions(scene).at(-1)).toBe(
      "await-devices: ResourceClaim default/gpu was not created for Pod default/web (Pod is not owner) → wait",
    );
    const spec = { devices: { requests: [{ name: "one", exactly: { deviceClassName: "gpu.example.com" } }] } };
    await scene.during(scene.you.patch(Pods, at("web"), merge({ status: { resourceClaimStatuses: null } }), status));
    await scene.during(scene.you.create(ResourceClaimTemplates, { metadata: at("one"), spec: { spec } }));
    await scene.run(5000);
    const own = (await scene.list(ResourceClaims)).find(({ metadata }) => metadata.name !== "gpu")?.metadata.name ?? "";
    await allocate(scene, own, allocation("gpu-1"));
    await scene.run(3000);
    expect((await podIn(scene, "web"))?.status?.phase).toBe("Running");
    expect(usersOf(await claimIn(scene, own))).toEqual(["pods web"]);
    await scene.stop();
  });

  test("when a user releases its full claim", async () => {
    const scene = await embeddedScene();
    await openClaim(scene);
    await allocate(scene, "gpu");
    const reservedFor = others(256);
    await scene.during(scene.you.patch(ResourceClaims, at("gpu"), merge({ status: { reservedFor } }), status));
    await scene.during(scene.you.create(Pods, web));
    await scene.run(30_000);
    expect(scheduled(await podIn(scene, "web"))).toMatchObject({ status: "False", reason: "SchedulerError" });
    await scene.during(
      scene.you.patch(ResourceClaims, at("gpu"), merge({ status: { reservedFor: reservedFor.slice(1) } }), status),
    );
    await scene.run(12_000);
    expect((await podIn(scene, "web"))?.status?.phase).toBe("Running");
    await scene.stop();
  });
});

test("in a sandbox, pods of a Deployment with a template wait for devices, run with them, and release them", async () => {
  const scene = await embeddedScene({ controllers: controllersEnabledByDefault });
  const { you } = scene;
  await scene.during(you.create(DeviceClasses, gpuClass));
  const spec = { devices: { requests: [{ name: "one", exactly: { deviceClassName: "gpu.example.com" } }] } };
  await scene.during(you.create(ResourceClaimTemplates, { metadata: at("one"), spec: { spec } }));
  const labels = { app: "web" };
  const entry = { name: "gpu", resourceClaimTemplateName: "one" };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: "c", image: "i" }], resourceClaims: [entry] },
  };
  const deployment = { metadata: at("web"), spec: { replicas: 2, selector: { matchLabels: labels }, template } };
  await scene.during(you.create(Deployments, deployment));
  await scene.run(60_000);
  const available = async (): Promise<number> =>
    (await scene.during(you.get(Deployments, at("web")))).status?.availableReplicas ?? 0;
  const phases = async (): Promise<string> =>
    (await scene.list(Pods))
      .map(({ status: podStatus }) => podStatus?.phase ?? "")
      .sort()
      .join(" ");
  expect([await available(), await phases()]).toEqual([0, "Pending Pending"]);
  const [first, second] = (await scene.list(ResourceClaims)).map(({ metadata }) => metadata.name);
  const hold = merge({ metadata: { finalizers: ["resource.kubernetes.io/delete-protection"] } });
  await scene.during(you.patch(ResourceClaims, at(first ?? ""), hold));
  await allocate(scene, first ?? "");
  await scene.run(5000);
  expect(await available()).toBe(1);
  expect(await phases()).toBe("Pending Running");
  await allocate(scene, second ?? "", allocation("gpu-1"));
  await scene.run(15_000);
  expect([await available(), await phases()]).toEqual([2, "Running Running"]);
  const scale = merge({ spec: { replicas: 0 } });
  await scene.during(you.patch(Deployments, at("web"), scale));
  await scene.run(60_000);
  expect([await scene.list(Pods), await scene.list(ResourceClaims)]).toEqual([[], []]);
  await scene.stop();
});

test.each([
  {
    name: "not served",
    instead: (request: ApiRequest) => ({ ...request, path: "/apis/none/v1/things" }),
    says: 'resourceclaim "gpu" not found → wait',
  },
  {
    name: "not readable",
    instead: (): never => {
      throw new TransportError("the connection broke");
    },
    says: "ResourceClaims, DeviceClasses and ResourceSlices could not be listed yet → wait",
  },
])("where resource.k8s.io is $name, other pods are placed, and those with claims block no worker", async (given) => {
  const cluster = await virtualCluster();
  const { timeline, random, bus } = cluster;
  const transport = cluster.sandbox.transport({ actor: "informers" });
  const without: Transport = {
    ...transport,
    send: async (request) =>
      transport.send(request.path.includes("resource.k8s.io") ? given.instead(request) : request),
  };
  const manager = new ControllerManager({
    controllers: [scheduler],
    informers: new SharedInformerFactory({
      client: createClient({ transport: without, bus, timeline, fieldManager: "informers" }),
      timeline,
      random,
      bus,
    }),
    clientOf: ({ name }) => cluster.clientFor(name),
    bus,
    timeline,
    random,
  });
  const you = cluster.clientFor("you");
  await cluster.settle(you.create(Nodes, nodeOf("a")));
  await cluster.settle(you.patch(Nodes, { namespace: "", name: "a" }, merge({ status: nodeOf("a").status }), status));
  await cluster.settle(you.patch(Nodes, { namespace: "", name: "a" }, merge({ spec: { taints: null } })));
  const names = Array.from({ length: 9 }, (_, n) => `with-${n}`);
  for (const name of names) {
    const { spec } = web;
    await cluster.settle(you.create(Pods, podOf(name, { ...(spec !== undefined && { spec }) })));
  }
  const filling = new AbortController();
  manager.fillCaches(filling.signal).catch(() => undefined);
  await timeline.runUntil({ ms: 1000 });
  manager.startWorkers();
  await timeline.runUntil({ ms: 1000 });
  await cluster.settle(you.create(Pods, podOf("plain")));
  await timeline.runUntil({ ms: 10_000 });
  const { items } = await cluster.settle(you.list(Pods, { namespace: "default" }));
  expect(items.filter(({ spec }) => spec?.nodeName === "a").map(({ metadata }) => metadata.name)).toEqual(["plain"]);
  const decided = cluster.events("decision").filter(({ rule }) => rule === "await-devices");
  expect(new Set(decided.map(({ key }) => key)).size).toBe(names.length);
  expect(new Set(decided.map(({ sentence }) => sentence))).toEqual(new Set([given.says]));
  filling.abort(new Error("filled for long enough"));
  await cluster.settle(manager.stop());
});

describe("the scheduler", () => {
  test("reports that it allocates no devices if there are some that the node could use", async () => {
    const scene = await embeddedScene();
    await openClaim(scene);
    const pool = { name: "node-1", generation: 1, resourceSliceCount: 1 };
    const spec = { driver: "gpu.example.com", nodeName: "node-1", pool, devices: [{ name: "gpu-0" }] };
    await scene.during(scene.you.create(ResourceSlices, { metadata: { name: "one" }, spec }));
    await scene.during(scene.you.create(Pods, web));
    await scene.run(1000);
    const why = "cannot allocate all claims";
    expect(scheduled(await podIn(scene, "web"))).toMatchObject({
      message: `0/3 nodes are available: 1 ${why} (the simulated scheduler allocates no devices), 2 ${why}.`,
    });
    await scene.stop();
  });

  test("reserves once, and has the decision", async () => {
    const scene = await embeddedScene();
    await openClaim(scene);
    await allocate(scene, "gpu");
    for (const name of ["a", "b", "c", "d", "e", "f"])
      await scene.during(scene.you.create(Pods, podOf(name, { ...(web.spec && { spec: web.spec }) })));
    await scene.run(5000);
    const users = usersOf(await claimIn(scene, "gpu"));
    expect(users.toSorted()).toEqual(["a", "b", "c", "d", "e", "f"].map((name) => `pods ${name}`));
    const pods = await scene.list(Pods);
    expect(pods.map(({ status: podStatus }) => podStatus?.phase)).toEqual(pods.map(() => "Running"));
    // Some pods met a conflict, which must not be reported.
    expect((await scene.list(Events)).filter(({ reason }) => reason === "FailedScheduling")).toEqual([]);
    const reserved = decisions(scene).filter((each) => each.startsWith("reserve-devices"));
    expect(reserved[0]).toMatch(/^reserve-devices: gpu: reserve for the pod, which goes to node-\d$/);
    await scene.stop();
  });

  test("does not retry pods without claims when a claim changes", async () => {
    const scene = await embeddedScene();
    await openClaim(scene);
    await scene.during(scene.you.create(Pods, podOf("large", { requests: { cpu: "1000" } })));
    await scene.run(30_000);
    await allocate(scene, "gpu");
    await scene.run(30_000);
    expect(decisions(scene).filter((each) => each.startsWith("unschedulable")).length).toBe(1);
    await scene.stop();
  });

  test("does not lose pods that wait for their claims without further changes", () => {
    const pod = (entries: object): Pod => ({
      metadata: { name: "web", namespace: "default", uid: "u", resourceVersion: "1", creationTimestamp: "" },
      spec: { containers: [{ name: "c" }], ...entries },
    });
    expect(scheduler.isLeftUndone?.(pod({}))).toBe(true);
    expect(scheduler.isLeftUndone?.(pod(web.spec ?? {}))).toBe(false);
  });

  test("removes a reservation if the binding is refused", async () => {
    const refusal = { refuse: true };
    const wrap = (transport: Transport): Transport => ({
      ...transport,
      send: (request) =>
        refusal.refuse && request.path.endsWith("/binding")
          ? Promise.reject(new Error("the connection broke"))
          : transport.send(request),
    });
    const scene = await embeddedScene({ wrap });
    await openClaim(scene);
    await allocate(scene, "gpu");
    await scene.during(scene.you.create(Pods, web));
    await scene.run(1);
    await scene.run(1000);
    refusal.refuse = false;
    const writes = scene.events.flatMap((event) =>
      event.stage === "write" && event.of.kind === "ResourceClaim" && event.controller === "scheduler"
        ? [event.verb]
        : [],
    );
    expect(writes.slice(0, 2)).toEqual(["update", "patch"]);
    await scene.run(20_000);
    expect((await podIn(scene, "web"))?.status?.phase).toBe("Running");
    expect(usersOf(await claimIn(scene, "gpu"))).toEqual(["pods web"]);
    await scene.stop();
  });

  test("binds a pod once its devices are ready, and no pod whose devices cannot be made ready", async () => {
    const scene = await embeddedScene();
    await openClaim(scene);
    const [result] = (allocation("gpu-0") as { readonly devices: { readonly results: readonly object[] } }).devices
      .results;
    const conditions = { bindingConditions: ["Attached"], bindingFailureConditions: ["Broken"] };
    await allocate(scene, "gpu", { ...allocation("gpu-0"), devices: { results: [{ ...result, ...conditions }] } });
    await scene.during(scene.you.create(Pods, web));
    await scene.run(20_000);
    expect((await podIn(scene, "web"))?.spec?.nodeName).toBeUndefined();
    expect(usersOf(await claimIn(scene, "gpu"))).toEqual(["pods web"]);
    expect((await scene.list(Events)).map(({ reason }) => reason)).toContain("BindingConditionsPending");
    const says = (type: string): Promise<StoredObject> => {
      const condition = { type, status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
      const devices = [{ driver: "gpu.example.com", pool: "pool", device: "gpu-0", conditions: [condition] }];
      return scene.during(scene.you.patch(ResourceClaims, at("gpu"), merge({ status: { devices } }), status));
    };
    await says("Broken");
    await scene.run(3000);
    // The claim can be allocated again with other devices.
    expect((await claimIn(scene, "gpu")).status?.allocation).toBeUndefined();
    const message = "0/3 nodes are available: 3 cannot allocate all claims.";
    expect(scheduled(await podIn(scene, "web"))).toMatchObject({ message });
    await allocate(scene, "gpu", { ...allocation("gpu-0"), devices: { results: [{ ...result, ...conditions }] } });
    await scene.run(12_000);
    expect((await podIn(scene, "web"))?.spec?.nodeName).toBeUndefined();
    await says("Attached");
    await scene.run(12_000);
    expect((await podIn(scene, "web"))?.status?.phase).toBe("Running");
    await scene.stop();
  });
});
