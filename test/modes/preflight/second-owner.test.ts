/** How preflight detects another owner of the same objects: by evidence of its work, and by unfinished work. */
import { expect, test } from "bun:test";
import { kindOf } from "../../../src/api/kind.ts";
import {
  ConfigMaps,
  Events,
  Leases,
  Namespaces,
  Nodes,
  PersistentVolumeClaims,
  Pods,
  ReplicaSets,
  ResourceClaims,
  ValidatingAdmissionPolicies,
} from "../../../src/api/kinds.ts";
import type { StoredObject } from "../../../src/api/object.ts";
import { formatMicroTime } from "../../../src/api/time.ts";
import type { Transport } from "../../../src/api/transport.ts";
import type { ReplicaSet } from "../../../src/api/types.ts";
import { createClient } from "../../../src/client/api/client.ts";
import type { Client } from "../../../src/client/api/verbs.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import type { ControllerManager } from "../../../src/controller/runtime/controller-manager.ts";
import { deployment } from "../../../src/controllers/deployment/deployment.ts";
import { garbageCollector } from "../../../src/controllers/garbage-collector/garbage-collector.ts";
import { kubelet, nodeHeartbeat } from "../../../src/controllers/kubelet/kubelet.ts";
import { namespace } from "../../../src/controllers/namespace/namespace.ts";
import { nodeLifecycle } from "../../../src/controllers/node-lifecycle/node-lifecycle.ts";
import { persistentVolumeClaimProtection } from "../../../src/controllers/persistentvolumeclaim-protection/persistentvolumeclaim-protection.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { resourceclaim } from "../../../src/controllers/resourceclaim/resourceclaim.ts";
import { scheduler } from "../../../src/controllers/scheduler/scheduler.ts";
import { serviceCidr } from "../../../src/controllers/service-cidr/service-cidr.ts";
import { taintEviction } from "../../../src/controllers/taint-eviction/taint-eviction.ts";
import { ttl } from "../../../src/controllers/ttl/ttl.ts";
import { validatingAdmissionPolicyStatus } from "../../../src/controllers/validatingadmissionpolicy-status/validatingadmissionpolicy-status.ts";
import { OwnerWatch } from "../../../src/modes/preflight/owner-watch.ts";
import { findSecondOwner, findSecondOwners, type SecondOwner } from "../../../src/modes/preflight/second-owner.ts";
import { sleep } from "../../../src/platform/timeline.ts";
import { TraceBus } from "../../../src/trace/bus.ts";
import { embeddedScene, type EmbeddedScene } from "../../support/embedded-scene.ts";
import { statusOf } from "../../support/refused.ts";

const ClusterRoles = kindOf<StoredObject & { readonly aggregationRule: unknown }>({
  group: "rbac.authorization.k8s.io",
  version: "v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  namespaced: false,
});

/** Adds the server's time to each response, as HTTP does, and its name if it has one. */
function withDate({ cluster, timeline }: EmbeddedScene, server?: string): Transport {
  const inner = cluster.sandbox.transport({ actor: "preflight" });
  return {
    async send(request) {
      const response = await inner.send(request);
      const header = (name: string): string | undefined => {
        if (name === "server") return server;
        return name === "date" ? new Date(timeline.now()).toUTCString() : response.header(name);
      };
      return { status: response.status, body: response.body, header };
    },
  };
}

/** The steps that were made on the cluster. */
class Story {
  readonly scene: EmbeddedScene;

  constructor(scene: EmbeddedScene) {
    this.scene = scene;
  }

  as(name: string): Client {
    return this.scene.cluster.clientFor(name);
  }

  pass(seconds: number): Promise<void> {
    return sleep(this.scene.timeline, seconds * 1000, "story");
  }

  createReplicaSet(): Promise<ReplicaSet> {
    const labels = { app: "web" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web" }] } };
    return this.as("kubectl-create").create(ReplicaSets, {
      metadata: { namespace: "default", name: "web" },
      spec: { replicas: 0, selector: { matchLabels: labels }, template },
    });
  }

  async writeStatus(manager: string): Promise<void> {
    const there = await this.as("test").get(ReplicaSets, { namespace: "default", name: "web" });
    const status = { replicas: 0, observedGeneration: there.metadata.generation ?? 1 };
    await this.as(manager).updateStatus(ReplicaSets, { ...there, status });
  }

  /** A claim with devices allocated by the given scheduler. */
  async createDeviceClaim(scheduler: string): Promise<void> {
    const request = { name: "one", exactly: { deviceClassName: "gpu.example.com" } };
    const finalizers = ["resource.kubernetes.io/delete-protection"];
    const made = await this.as("kubectl-create").create(ResourceClaims, {
      metadata: { namespace: "default", name: "gpu", finalizers },
      spec: { devices: { requests: [request] } },
    });
    const device = { request: "one", driver: "gpu.example.com", pool: "one", device: "gpu-1" };
    const status = { allocation: { devices: { results: [device] } } };
    await this.as(scheduler).updateStatus(ResourceClaims, { ...made, status });
  }

  /** A claim with a status written by the given resizer. */
  async createClaim(resizer: string): Promise<void> {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const metadata = { namespace: "default", name: "data" };
    const made = await this.as("kubectl-create").create(PersistentVolumeClaims, { metadata, spec });
    await this.as(resizer).updateStatus(PersistentVolumeClaims, { ...made, status: { phase: "Bound" } });
  }

  async renewLease(holder: string): Promise<void> {
    const spec = {
      holderIdentity: "somebody",
      leaseDurationSeconds: 15,
      renewTime: formatMicroTime(this.scene.timeline.now()),
    };
    await this.as(holder).create(Leases, { metadata: { namespace: "kube-system", name: holder }, spec });
  }

  /** A ClusterRole as kube-apiserver creates it; kube-controller-manager aggregates its rules. */
  async createAdminRole(): Promise<void> {
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { "example.com/aggregate": "true" } }] };
    await this.as("kube-apiserver").create(ClusterRoles, { metadata: { name: "admin" }, aggregationRule });
  }

  async recordEvent(manager: string, { name, component }: { name: string; component: string }): Promise<void> {
    await this.as(manager).create(Events, {
      metadata: { namespace: "default", name },
      involvedObject: { kind: "ReplicaSet", namespace: "default", name: "web" },
      reason: "SuccessfulCreate",
      message: "Created pod: web-1",
      type: "Normal",
      source: { component },
    });
  }

  async createNode(): Promise<void> {
    const annotations = { "kwok.x-k8s.io/node": "fake" };
    await this.as("kubectl-create").create(Nodes, { metadata: { name: "fake-0", annotations } });
  }

  async renewNodeLease(manager: string): Promise<void> {
    const renewTime = formatMicroTime(this.scene.timeline.now());
    const spec = { holderIdentity: "fake-0", leaseDurationSeconds: 40, renewTime };
    await this.as(manager).create(Leases, { metadata: { namespace: "kube-node-lease", name: "fake-0" }, spec });
  }

  /** A policy with a status applied by the field manager that kube-controller-manager and this program share. */
  async createCheckedPolicy(): Promise<void> {
    const name = "one";
    const resourceRules = [{ apiGroups: ["*"], apiVersions: ["*"], resources: ["*"], operations: ["*"] }];
    const spec = { matchConstraints: { resourceRules }, validations: [{ expression: "true" }] };
    await this.as("kubectl-create").create(ValidatingAdmissionPolicies, { metadata: { name }, spec });
    const { apiVersion, kind } = { apiVersion: "admissionregistration.k8s.io/v1", kind: "ValidatingAdmissionPolicy" };
    const body = { apiVersion, kind, metadata: { name }, status: { observedGeneration: 1, typeChecking: {} } };
    const options = { subresource: "status", fieldManager: "validatingadmissionpolicy-status" };
    await this.as("any").patch(
      ValidatingAdmissionPolicies,
      { namespace: "", name },
      { type: "apply", body, force: true },
      options,
    );
  }

  async createPod(): Promise<void> {
    const spec = { containers: [{ name: "web", image: "web" }] };
    await this.as("kubectl-create").create(Pods, { metadata: { namespace: "default", name: "web" }, spec });
  }
}

interface Case {
  readonly name: string;
  readonly controller?: ControllerDefinition;
  readonly happened: (story: Story) => Promise<void>;
  readonly is: SecondOwner["is"];
  readonly who?: string;
  readonly evidence: string | RegExp;
}

const process = "kube-controller-manager";

const cases: readonly Case[] = [
  {
    name: "a status that it has written is evidence",
    async happened(story) {
      await story.createReplicaSet();
      await story.writeStatus(process);
      await story.pass(20);
    },
    is: "active",
    who: process,
    evidence: `ReplicaSet default/web was written by ${process} 20 s ago`,
  },
  {
    name: "a distribution runs it in another program",
    async happened(story) {
      await story.createReplicaSet();
      await story.writeStatus("k3s");
    },
    is: "active",
    who: "k3s",
    evidence: "ReplicaSet default/web was written by k3s 0 s ago",
  },
  {
    name: "after a quiet minute it may still run",
    async happened(story) {
      await story.createReplicaSet();
      await story.writeStatus(process);
      await story.pass(180);
    },
    is: "unknown",
    who: process,
    evidence: `ReplicaSet default/web was written by ${process} 3 m ago, and nothing shows that it has stopped`,
  },
  {
    name: "without work there is no evidence",
    happened: (story) => story.pass(180),
    is: "unknown",
    evidence: `no Lease kube-system/${process}, and nothing here waits for it`,
  },
  {
    name: "our own writes, and a person's, are not evidence",
    async happened(story) {
      await story.createReplicaSet();
      await story.writeStatus("kubectl-reconcile-replicaset");
      await story.writeStatus("kubectl-edit");
    },
    is: "unknown",
    evidence: `no Lease kube-system/${process}, and nothing here waits for it`,
  },
  {
    name: "a status that the controller does not write is not evidence",
    controller: persistentVolumeClaimProtection,
    happened: (story) => story.createClaim("external-resizer"),
    is: "unknown",
    evidence: `no Lease kube-system/${process}, and nothing here waits for it`,
  },
  {
    name: "an object that waits for a sync shows that no controller runs",
    async happened(story) {
      await story.createReplicaSet();
      await story.pass(15);
    },
    is: "none found",
    evidence: "ReplicaSet default/web has waited for a sync for 15 s",
  },
  {
    name: "the API server's status of its own range is not evidence, but an unsynced one shows that no controller runs",
    controller: serviceCidr,
    happened: (story) => story.pass(15),
    is: "none found",
    evidence: "ServiceCIDR kubernetes has waited for a sync for 15 s",
  },
  {
    name: "one that has waited for some seconds shows nothing yet",
    async happened(story) {
      await story.createReplicaSet();
      await story.pass(4);
    },
    is: "unknown",
    evidence: /^no Lease /,
  },
  {
    name: "a status under a name that it shares with us is not evidence: it may be ours",
    controller: validatingAdmissionPolicyStatus,
    async happened(story) {
      await story.createCheckedPolicy();
      await story.pass(20);
    },
    is: "unknown",
    evidence: `no Lease kube-system/${process}, and nothing here waits for it`,
  },
  {
    name: "if its process runs, an object must have waited for longer",
    async happened(story) {
      await story.createReplicaSet();
      await story.pass(30);
      await story.renewLease(process);
    },
    is: "active",
    who: process,
    evidence: `Lease kube-system/${process}, renewed 0 s ago`,
  },
  {
    name: "its process runs, and it is disabled there",
    async happened(story) {
      await story.createReplicaSet();
      await story.pass(90);
      await story.renewLease(process);
    },
    is: "none found",
    evidence: "ReplicaSet default/web has waited for a sync for 90 s",
  },
  {
    name: "evidence of the controller itself counts more than an object that waits",
    async happened(story) {
      await story.createReplicaSet();
      await story.writeStatus(process);
      await story
        .as("kubectl-patch")
        .patch(ReplicaSets, { namespace: "default", name: "web" }, { type: "merge", body: { spec: { replicas: 1 } } });
      await story.pass(40);
    },
    is: "active",
    who: process,
    evidence: `ReplicaSet default/web was written by ${process} 40 s ago`,
  },
  {
    name: "one object that its process would have created is missing: that controller may be disabled",
    controller: deployment,
    happened: (story) => story.pass(60),
    is: "unknown",
    evidence: `no Lease kube-system/${process}, and nothing here waits for it`,
  },
  {
    name: "two objects that its process would have created are missing",
    controller: garbageCollector,
    async happened(story) {
      await story.createAdminRole();
      await story.pass(60);
    },
    is: "none found",
    evidence:
      "Namespace default has had no ConfigMap kube-root-ca.crt for 60 s, ClusterRole admin has had no rules for 60 s",
  },
  {
    name: "a leader without a successor has gone",
    async happened(story) {
      await story.renewLease(process);
      await story.pass(300);
    },
    is: "none found",
    evidence: `Lease kube-system/${process}, renewed 5 m ago`,
  },
  {
    name: "a leader that is late may be followed by another",
    async happened(story) {
      await story.renewLease(process);
      await story.pass(30);
    },
    is: "active",
    who: process,
    evidence: `Lease kube-system/${process}, renewed 30 s ago`,
  },
  {
    name: "a Lease left by a process that now runs without one",
    async happened(story) {
      await story.renewLease(process);
      await story.pass(300);
      await story.createReplicaSet();
      await story.writeStatus(process);
      await story.pass(120);
    },
    is: "unknown",
    evidence: /was written by kube-controller-manager 2 m ago/,
  },
  {
    name: "a namespace whose deletion does not start",
    controller: namespace,
    async happened(story) {
      await story.as("kubectl-create").create(Namespaces, { metadata: { name: "old" } });
      await story.pass(60);
      await story.as("kubectl-delete").delete(Namespaces, { namespace: "", name: "old" });
      await story.pass(20);
    },
    is: "none found",
    evidence: "Namespace old has waited for a sync for 20 s",
  },
  {
    name: "a Lease of kube-scheduler",
    controller: scheduler,
    happened: (story) => story.renewLease("kube-scheduler"),
    is: "active",
    who: "kube-scheduler",
    evidence: "Lease kube-system/kube-scheduler, renewed 0 s ago",
  },
  {
    name: "a pod that no scheduler has processed",
    controller: scheduler,
    async happened(story) {
      await story.createPod();
      await story.pass(20);
    },
    is: "none found",
    evidence: "Pod default/web has waited for a sync for 20 s",
  },
  {
    name: "a kubelet's writes to a pod are not evidence of a scheduler",
    controller: scheduler,
    async happened(story) {
      await story.createPod();
      await story
        .as("kwok")
        .patch(
          Pods,
          { namespace: "default", name: "web" },
          { type: "merge", body: { status: { conditions: [{ type: "PodScheduled", status: "True" }] } } },
          { subresource: "status" },
        );
    },
    is: "unknown",
    evidence: "no Lease kube-system/kube-scheduler, and nothing here waits for it",
  },
  {
    name: "a kubelet's writes to a pod are not evidence of a controller of pods",
    controller: taintEviction,
    async happened(story) {
      await story.createPod();
      const status = { phase: "Running" };
      const at = { namespace: "default", name: "web" };
      await story.as("kubelet").patch(Pods, at, { type: "merge", body: { status } }, { subresource: "status" });
    },
    is: "unknown",
    evidence: "no Lease kube-system/kube-controller-manager, and nothing here waits for it",
  },
  {
    name: "a scheduler's writes to a ResourceClaim are not evidence of its controller",
    controller: resourceclaim,
    async happened(story) {
      await story.createDeviceClaim("kube-scheduler");
    },
    is: "unknown",
    evidence: "no Lease kube-system/kube-controller-manager, and nothing here waits for it",
  },
  {
    name: "a ResourceClaim that waits for its deletion shows that no controller runs",
    controller: resourceclaim,
    async happened(story) {
      await story.createDeviceClaim("kube-scheduler");
      const at = { namespace: "default", name: "gpu" };
      await story.as("kubectl-delete").delete(ResourceClaims, at);
      await story.pass(20);
    },
    is: "none found",
    evidence: "ResourceClaim default/gpu has waited for a sync for 20 s",
  },
  {
    name: "a node whose Lease is renewed",
    controller: kubelet,
    async happened(story) {
      await story.createNode();
      await story.renewNodeLease("kwok");
      await story.pass(20);
    },
    is: "active",
    who: "kwok",
    evidence: "the Lease of Node fake-0 was renewed by kwok 20 s ago",
  },
  {
    name: "a node whose Lease has expired",
    controller: kubelet,
    async happened(story) {
      await story.createNode();
      await story.renewNodeLease("kwok");
      await story.pass(100);
    },
    is: "none found",
    evidence: "Node fake-0 has had no heartbeat for 60 s",
  },
  {
    name: "a node that only an earlier run of ours has kept alive",
    controller: kubelet,
    async happened(story) {
      await story.createNode();
      await story.renewNodeLease("kubectl-reconcile-node-heartbeat");
      await story.pass(12);
    },
    is: "none found",
    evidence: "Node fake-0 has had no heartbeat but ours for 12 s",
  },
  {
    name: "without simulated nodes there is no evidence of a kubelet",
    controller: kubelet,
    happened: (story) => story.pass(60),
    is: "unknown",
    who: "a kubelet",
    evidence: "no simulated nodes would show it",
  },
];

test.each([...cases])("$name: $is", async ({ controller = replicaset, happened, is, who, evidence }) => {
  const scene = await embeddedScene({ nodes: 0, scheduler: false, kubelet: false });
  await scene.during(happened(new Story(scene)));
  const transport = withDate(scene);
  const owner = await scene.during(findSecondOwner({ transport, client: scene.you, namespace: undefined }, controller));
  expect(owner).toMatchObject({ is, ...(who !== undefined && { who }) });
  if (typeof evidence === "string") expect(owner.evidence).toBe(evidence);
  else expect(owner.evidence).toMatch(evidence);
  expect(owner.verdict.is).toBe({ active: "found", "none found": "well", unknown: "cannot tell" }[is] as "well");
  await scene.stop();
});

test.each([
  [nodeHeartbeat, ["the Lease of Node fake-0 was renewed by kwok"]],
  [nodeLifecycle, []],
  [ttl, []],
] as const)(
  "while $name runs, heartbeats of nodes show another kubelet, and no other owner",
  async (definition, says) => {
    const scene = await embeddedScene({ nodes: 0, scheduler: false, kubelet: false });
    const story = new Story(scene);
    const { timeline, you: client } = scene;
    const found: string[] = [];
    const watching = new OwnerWatch({
      manager: { controllers: [{ definition }] } as unknown as ControllerManager,
      client,
      bus: new TraceBus({ now: () => timeline.now() }),
      timeline,
      since: timeline.now(),
      onFound: (_controller, sign) => void found.push(sign),
    });
    await scene.during(story.pass(5));
    await scene.during(story.createNode().then(() => story.renewNodeLease("kwok")));
    await scene.during(story.pass(40));
    expect(found).toEqual([...says]);
    watching.stop();
    await scene.stop();
  },
);

test("a user who cannot read the Lease gets no answer, even if two objects are missing", async () => {
  const scene = await embeddedScene({ nodes: 0, scheduler: false, kubelet: false });
  const story = new Story(scene);
  await scene.during(story.createAdminRole().then(() => story.pass(60)));
  const inner = scene.cluster.sandbox.transport({ actor: "preflight" });
  const transport: Transport = {
    send: (request) =>
      request.path.includes("/leases/") ? Promise.resolve(statusOf(403, "Forbidden")) : inner.send(request),
  };
  const { timeline } = scene;
  const client = createClient({ transport, bus: new TraceBus({ now: () => timeline.now() }), timeline });
  const owner = await scene.during(findSecondOwner({ transport, client, namespace: undefined }, replicaset));
  expect(owner).toMatchObject({
    is: "unknown",
    evidence: `Lease kube-system/${process} cannot be read by this user`,
  });
  await scene.stop();
});

test.each([
  ["runs the controller", "scheduler,replicaset", "kubectl", "active", "it is a sandbox that runs replicaset itself"],
  ["runs others", "scheduler,kubelet", "kubectl", "none found", /runs only scheduler, kubelet, and nothing else has/],
  ["runs none", "", "kubectl", "none found", /^it is a sandbox that runs no controllers, and nothing else has/],
  ["runs others, beside another program", "scheduler", "kcm", "active", /^ReplicaSet default\/web was written by kcm/],
] as const)("a sandbox that %s", async (_, runs, writer, is, evidence) => {
  const scene = await embeddedScene({ nodes: 0, scheduler: false, kubelet: false });
  const story = new Story(scene);
  await scene.during(story.createReplicaSet().then(() => story.writeStatus(writer)));
  // As the sandbox itself does.
  const map = { metadata: { namespace: "kube-system", name: "kube-root-ca.crt" } };
  await scene.during(story.as("kube-controller-manager").create(ConfigMaps, map));
  const transport = withDate(scene, `kubectl-reconcile-sandbox ${runs}`.trimEnd());
  const found = await scene.during(findSecondOwner({ transport, client: scene.you, namespace: undefined }, replicaset));
  expect(found.is).toBe(is);
  expect(found.evidence).toMatch(evidence);
  await scene.stop();
});

/** Passes on to `inner`, and adds the path and query of each request to `places`. */
function counted(inner: Transport, places: string[]): Transport {
  return {
    send(request) {
      places.push(`${request.path} ${(request.query ?? []).join("&")}`);
      return inner.send(request);
    },
  };
}

test("a search for several controllers reads each place once, and finds what searches one by one find", async () => {
  const scene = await embeddedScene({ nodes: 0, scheduler: false, kubelet: false });
  const story = new Story(scene);
  await scene.during(story.createReplicaSet().then(() => story.writeStatus("k3s")));
  await scene.during(story.createNode().then(() => story.pass(10)));
  const places: string[] = [];
  const transport = counted(withDate(scene), places);
  const { timeline } = scene;
  const client = createClient({ transport, bus: new TraceBus({ now: () => timeline.now() }), timeline });
  const cluster = { transport, client, namespace: undefined };
  const controllers = [replicaset, deployment, nodeLifecycle, taintEviction, ttl, namespace, garbageCollector];
  const found = await scene.during(findSecondOwners(cluster, controllers));
  expect(places.length).toBeGreaterThan(controllers.length);
  expect(places.toSorted()).toEqual([...new Set(places)].sort());
  expect(found.map(({ controller }) => controller)).toEqual(controllers);
  for (const { controller, owner } of found) {
    expect(owner).toEqual(await scene.during(findSecondOwner(cluster, controller)));
  }
  expect(found.map(({ owner }) => owner.is)).toContain("active");
  await scene.stop();
});

test.each([
  [1, [replicaset, deployment]],
  [600, [replicaset, deployment]],
  [5100, [replicaset, deployment, namespace, nodeLifecycle, taintEviction, resourceclaim]],
] as const)("beside %d Events of others, those of one component are found", async (others, controllers) => {
  const scene = await embeddedScene({ nodes: 0, scheduler: false, kubelet: false });
  const story = new Story(scene);
  const transport = withDate(scene);
  const { timeline } = scene;
  await scene.during(
    (async () => {
      for (let at = 0; at < others; at++) await story.recordEvent("kubelet", { name: `a-${at}`, component: "kubelet" });
      await story.recordEvent("k3s", { name: "b", component: "replicaset-controller" });
      await story.pass(5);
    })(),
  );
  const client = createClient({ transport, bus: new TraceBus({ now: () => timeline.now() }), timeline });
  const cluster = { transport, client, namespace: undefined };
  const [ofReplicaSet, ofDeployment] = await scene.during(findSecondOwners(cluster, controllers));
  expect(ofReplicaSet?.owner).toMatchObject({ is: "active", who: "k3s" });
  expect(ofDeployment?.owner.verdict.evidence.seen.join()).not.toContain("Events of");
  await scene.stop();
});
