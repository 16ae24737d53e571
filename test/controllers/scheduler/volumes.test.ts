/** Pods with claims: their placement, and the interplay of claims, volumes, nodes and pods in the embedded cluster. */
import { describe, expect, test } from "bun:test";
import {
  Events,
  Nodes,
  PersistentVolumeClaims,
  PersistentVolumes,
  Pods,
  StatefulSets,
} from "../../../src/api/kinds.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../../src/api/types.ts";
import { persistentVolumeBinder } from "../../../src/controllers/persistentvolume-binder/persistentvolume-binder.ts";
import { persistentVolumeProtection } from "../../../src/controllers/persistentvolume-protection/persistentvolume-protection.ts";
import { persistentVolumeClaimProtection } from "../../../src/controllers/persistentvolumeclaim-protection/persistentvolumeclaim-protection.ts";
import { scheduler } from "../../../src/controllers/scheduler/scheduler.ts";
import { statefulset } from "../../../src/controllers/statefulset/statefulset.ts";
import { embeddedScene, type EmbeddedScene } from "../../support/embedded-scene.ts";
import { nodeOf, type NodeParts, podOf } from "../../support/pods.ts";
import type { Named } from "./placings.ts";
import { storagePlacings, type Stored } from "./storage-placings.ts";

/** New nodes are tainted until they are ready. */
async function createNodes(scene: EmbeddedScene, nodes: Named<NodeParts>): Promise<void> {
  for (const [name, parts] of nodes) {
    const { status, ...node } = nodeOf(name, parts);
    await scene.during(scene.you.create(Nodes, node));
    const at = { namespace: "", name };
    await scene.during(scene.you.patch(Nodes, at, { type: "merge", body: { status } }, { subresource: "status" }));
    await scene.during(scene.you.patch(Nodes, at, { type: "merge", body: { spec: { taints: null } } }));
  }
}

async function store(scene: EmbeddedScene, { kind, object, status, isDeleted }: Stored): Promise<void> {
  const at = { namespace: kind.namespaced ? "default" : "", name: object.metadata.name };
  await scene.during(scene.you.create(kind, object));
  if (status !== undefined) {
    await scene.during(scene.you.patch(kind, at, { type: "merge", body: { status } }, { subresource: "status" }));
  }
  if (isDeleted === true) await scene.during(scene.you.delete(kind, at));
}

describe("a pod is placed by", () => {
  test.each(storagePlacings)("$name", async ({ nodes, storage, pod, node, message }) => {
    const scene = await embeddedScene({ nodes: 0, kubelet: false, controllers: [scheduler] });
    await createNodes(scene, nodes);
    for (const each of storage) await store(scene, each);
    await scene.run(100);
    await scene.during(scene.you.create(Pods, podOf("pod", pod)));
    await scene.run(1000);
    const [placed] = await scene.list(Pods);
    expect(placed?.spec?.nodeName).toBe(node);
    const condition = placed?.status?.conditions?.find(({ type }) => type === "PodScheduled");
    if (message !== undefined) expect(condition).toMatchObject({ status: "False", reason: "Unschedulable", message });
    await scene.stop();
  });
});

const controllers = [persistentVolumeBinder, persistentVolumeProtection, persistentVolumeClaimProtection, statefulset];
const claimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "2Gi" } } };
const claim = { metadata: { namespace: "default", name: "data" }, spec: claimSpec };
const user = podOf("db", {
  spec: { volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }] },
});

const claimsIn = (scene: EmbeddedScene): Promise<readonly PersistentVolumeClaim[]> =>
  scene.list(PersistentVolumeClaims);
const volumesIn = (scene: EmbeddedScene): Promise<readonly PersistentVolume[]> => scene.list(PersistentVolumes, "");

describe("in the embedded cluster", () => {
  test("a claim waits for its pod, which waits for it; both continue together", async () => {
    const scene = await embeddedScene({ controllers });
    await scene.during(scene.you.create(PersistentVolumeClaims, claim));
    await scene.run(20_000);
    expect((await claimsIn(scene)).map(({ status }) => status?.phase)).toEqual(["Pending"]);
    await scene.during(scene.you.create(Pods, user));
    await scene.run(5000);
    const [pod] = await scene.list(Pods);
    const [bound] = await claimsIn(scene);
    const [volume] = await volumesIn(scene);
    expect(pod?.status?.phase).toBe("Running");
    expect(bound?.metadata.annotations?.["volume.kubernetes.io/selected-node"]).toBe(pod?.spec?.nodeName ?? "none");
    expect(bound?.spec).toMatchObject({ storageClassName: "standard", volumeName: `pvc-${bound?.metadata.uid}` });
    expect(bound?.status).toMatchObject({ phase: "Bound", capacity: { storage: "2Gi" } });
    expect(volume?.spec?.claimRef?.uid).toBe(bound?.metadata.uid);
    const reasons = (await scene.list(Events)).map(({ reason }) => reason);
    for (const each of ["WaitForFirstConsumer", "ExternalProvisioning", "ProvisioningSucceeded", "Scheduled"]) {
      expect(reasons).toContain(each);
    }
    await scene.stop();
  });

  test("a volume is deleted with its claim, which stays while a pod uses it", async () => {
    const scene = await embeddedScene({ controllers });
    await scene.during(scene.you.create(PersistentVolumeClaims, claim));
    await scene.during(scene.you.create(Pods, user));
    await scene.run(5000);
    await scene.during(scene.you.delete(PersistentVolumeClaims, { namespace: "default", name: "data" }));
    await scene.run(5000);
    expect((await volumesIn(scene)).length).toBe(1);
    await scene.during(scene.you.delete(Pods, { namespace: "default", name: "db" }));
    await scene.run(60_000);
    expect([await claimsIn(scene), await volumesIn(scene)]).toEqual([[], []]);
    await scene.stop();
  });

  test("a free volume is used before one is provisioned, on a node that can reach it", async () => {
    const scene = await embeddedScene({ controllers });
    const matchExpressions = [{ key: "kubernetes.io/hostname", operator: "In", values: ["node-2"] }];
    await scene.during(
      scene.you.create(PersistentVolumes, {
        metadata: { name: "disk" },
        spec: {
          capacity: { storage: "5Gi" },
          accessModes: ["ReadWriteOnce"],
          storageClassName: "standard",
          persistentVolumeReclaimPolicy: "Retain",
          csi: { driver: "example.com", volumeHandle: "disk" },
          nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
        },
      }),
    );
    await scene.during(scene.you.create(PersistentVolumeClaims, claim));
    await scene.run(1000);
    const cordon = { type: "merge", body: { spec: { unschedulable: true } } } as const;
    for (const name of ["node-1", "node-3"])
      await scene.during(scene.you.patch(Nodes, { namespace: "", name }, cordon));
    await scene.during(scene.you.create(Pods, user));
    await scene.run(5000);
    expect((await scene.list(Pods)).map(({ spec }) => spec?.nodeName)).toEqual(["node-2"]);
    expect((await claimsIn(scene)).map(({ spec }) => spec?.volumeName)).toEqual(["disk"]);
    expect((await volumesIn(scene)).map(({ status }) => status?.phase)).toEqual(["Bound"]);
    await scene.stop();
  });

  test("each pod of a StatefulSet has a separate volume, and gets it again", async () => {
    const scene = await embeddedScene({ controllers });
    const labels = { app: "db" };
    const at = { namespace: "default", name: "db" };
    await scene.during(
      scene.you.create(StatefulSets, {
        metadata: at,
        spec: {
          replicas: 2,
          serviceName: "db",
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "i" }] } },
          volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claimSpec }],
        },
      }),
    );
    await scene.run(20_000);
    const before = (await claimsIn(scene)).map(({ metadata, spec }) => `${metadata.name} ${spec?.volumeName}`);
    expect(before.length).toBe(2);
    expect(new Set((await volumesIn(scene)).map(({ metadata }) => metadata.name)).size).toBe(2);
    await scene.during(scene.you.delete(Pods, { namespace: "default", name: "db-0" }));
    await scene.run(60_000);
    expect((await scene.list(Pods)).map(({ status }) => status?.phase)).toEqual(["Running", "Running"]);
    expect((await claimsIn(scene)).map(({ metadata, spec }) => `${metadata.name} ${spec?.volumeName}`)).toEqual(before);
    await scene.stop();
  });

  test("without a binder, pods are placed as if their claims were bound, and there is no class", async () => {
    const scene = await embeddedScene({ controllers: [statefulset] });
    await scene.during(scene.you.create(PersistentVolumeClaims, claim));
    await scene.during(scene.you.create(Pods, user));
    await scene.run(5000);
    expect((await scene.list(Pods)).map(({ status }) => status?.phase)).toEqual(["Running"]);
    expect((await claimsIn(scene)).map(({ spec }) => spec?.storageClassName)).toEqual([undefined]);
    await scene.stop();
  });
});
