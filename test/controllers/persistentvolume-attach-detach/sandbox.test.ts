/** Volumes in the embedded cluster, on virtual time: attaching is not needed there unless a node requests it. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { Nodes, PersistentVolumeClaims, Pods, VolumeAttachments } from "../../../src/api/kinds.ts";
import { controllersEnabledByDefault } from "../../../src/controllers/index.ts";
import { embeddedScene, type EmbeddedScene } from "../../support/embedded-scene.ts";

const namespace = "default";
let scene: EmbeddedScene;
beforeEach(async () => {
  scene = await embeddedScene({ controllers: controllersEnabledByDefault, nodes: 1 });
});
afterEach(() => scene.stop());

async function makePod(): Promise<void> {
  await scene.during(
    scene.you.create(PersistentVolumeClaims, {
      metadata: { namespace, name: "data" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    }),
  );
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  await scene.during(
    scene.you.create(Pods, {
      metadata: { namespace, name: "web" },
      spec: { containers: [{ name: "web", image: "web:1" }], volumes },
    }),
  );
  await scene.run(30_000);
}

test("a pod with a provisioned volume runs, and nothing is attached", async () => {
  await makePod();
  const [pod] = await scene.list(Pods);
  expect(pod?.status?.phase).toBe("Running");
  expect(await scene.list(VolumeAttachments, "")).toEqual([]);
});

test("on a node that leaves attaching to the controller, it has a VolumeAttachment, which is deleted with the pod", async () => {
  const annotations = { "volumes.kubernetes.io/controller-managed-attach-detach": "true" };
  const patch = { type: "merge", body: { metadata: { annotations } } } as const;
  await scene.during(scene.you.patch(Nodes, { namespace: "", name: "node-1" }, patch));
  await makePod();
  const [attachment] = await scene.list(VolumeAttachments, "");
  expect(attachment?.spec).toMatchObject({
    attacher: "volumes.sandbox.kubectl-reconcile.io",
    nodeName: "node-1",
  });
  const status = { type: "merge", body: { status: { attached: true } } } as const;
  const at = { namespace: "", name: attachment?.metadata.name ?? "" };
  await scene.during(scene.you.patch(VolumeAttachments, at, status, { subresource: "status" }));
  await scene.run(30_000);
  const attached = async (): Promise<number | undefined> =>
    (await scene.list(Nodes, ""))[0]?.status?.volumesAttached?.length;
  expect(await attached()).toBe(1);
  await scene.during(scene.you.delete(Pods, { namespace, name: "web" }));
  await scene.run(60_000);
  expect(await scene.list(VolumeAttachments, "")).toEqual([]);
  expect(await attached()).toBeUndefined();
});
