import { beforeEach, describe, expect, test } from "bun:test";
import { PersistentVolumeClaims, Pods } from "../../../src/api/kinds.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { PersistentVolumeClaim, Pod } from "../../../src/api/types.ts";
import { ephemeralVolume } from "../../../src/controllers/ephemeral-volume/ephemeral-volume.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";

const key = "shop/web";
const creationTimestamp = formatTime(sceneStart - 60_000);
const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

let scene: Scene;
beforeEach(() => {
  scene = syncScene(ephemeralVolume);
});

type Volume = NonNullable<NonNullable<Pod["spec"]>["volumes"]>[number];

const ephemeral = (name: string, metadata?: object): Volume => ({
  name,
  ephemeral: { volumeClaimTemplate: { ...(metadata !== undefined && { metadata }), spec } },
});

function podOf(volumes: readonly Volume[], meta: Partial<Pod["metadata"]> = {}): Pod {
  return {
    metadata: { name: "web", namespace: "shop", uid: "uid-web", resourceVersion: "1", creationTimestamp, ...meta },
    spec: { containers: [{ name: "c" }], volumes },
  };
}

const owner = {
  apiVersion: "v1",
  kind: "Pod",
  name: "web",
  uid: "uid-web",
  controller: true,
  blockOwnerDeletion: true,
};

function claimOf(
  name: string,
  ownerReferences: PersistentVolumeClaim["metadata"]["ownerReferences"] = [owner],
): PersistentVolumeClaim {
  const metadata = { name, namespace: "shop", uid: `uid-${name}`, resourceVersion: "1", creationTimestamp };
  return { metadata: { ...metadata, ownerReferences }, spec };
}

const calls = (): string[] => scene.calls.map(({ verb, name }) => `${verb} ${name}`);
const says = (): readonly string[] => scene.decisions.map(({ sentence }) => sentence);

describe("a pod", () => {
  test("gets the claim of its ephemeral volume, which it controls, from the template", async () => {
    scene.put(Pods, podOf([ephemeral("scratch", { labels: { a: "b" }, annotations: { c: "d" } })]));
    await scene.sync(key);
    expect(scene.calls).toMatchObject([{ verb: "create", kind: "PersistentVolumeClaim" }]);
    expect(scene.calls[0]?.body).toEqual({
      metadata: {
        namespace: "shop",
        name: "web-scratch",
        labels: { a: "b" },
        annotations: { c: "d" },
        ownerReferences: [owner],
      },
      spec,
    });
    expect(says()).toEqual(["volume scratch has no claim → create web-scratch"]);
    scene.deliver();
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(says()).toEqual(["its ephemeral volumes have their claims: web-scratch"]);
  });

  test("gets the missing ones, in the order of its volumes; other volumes have none", async () => {
    const volumes = [ephemeral("b"), { name: "c", persistentVolumeClaim: { claimName: "c" } }, ephemeral("a")];
    scene.put(Pods, podOf([...volumes, { name: "d", emptyDir: {} }, ephemeral("e")]));
    scene.put(PersistentVolumeClaims, claimOf("web-a"), claimOf("unrelated", []));
    await scene.sync(key);
    expect(calls()).toEqual(["create web-b", "create web-e"]);
    expect(scene.calls[0]?.body).not.toHaveProperty("metadata.labels");
    expect(scene.calls[0]?.body).not.toHaveProperty("metadata.annotations");
  });

  test("that is being deleted or is already gone gets none", async () => {
    await scene.sync(key);
    expect([...scene.calls, ...scene.decisions]).toEqual([]);
    scene.put(Pods, podOf([ephemeral("scratch")], { deletionTimestamp: formatTime(sceneStart) }));
    await scene.sync(key);
    expect(calls()).toEqual([]);
    expect(says()).toEqual(["it is being deleted → create no claim"]);
  });

  for (const { whose, references } of [
    { whose: "nobody's", references: [] },
    { whose: "an earlier pod's of the name", references: [{ ...owner, uid: "uid-before" }] },
    { whose: "of a pod that does not control it", references: [{ ...owner, controller: false }] },
  ]) {
    test(`waits while the claim is ${whose}: an Event says so, and claims of later volumes wait, too`, async () => {
      scene.put(Pods, podOf([ephemeral("a"), ephemeral("scratch"), ephemeral("z")]));
      scene.put(PersistentVolumeClaims, claimOf("web-scratch", references));
      const why = "PVC shop/web-scratch was not created for pod shop/web (pod is not owner)";
      expect(await rejection(scene.sync(key))).toMatchObject({
        message: `pod shop/web, ephemeral volume scratch: ${why}`,
      });
      expect(calls()).toEqual(["create web-a"]);
      expect(scene.events).toEqual([
        { type: "Warning", reason: "FailedBinding", message: `ephemeral volume scratch: ${why}`, about: "Pod web" },
      ]);
      expect(scene.decisions.at(-1)?.rule).toBe("not-own");
    });
  }

  test("is retried when the server refuses its claim", async () => {
    scene.put(Pods, podOf([ephemeral("scratch")]));
    scene.refuse = () => refusal(409, "AlreadyExists", "it is there");
    expect(await rejection(scene.sync(key))).toMatchObject({
      message: "pod shop/web, ephemeral volume scratch: create PVC web-scratch: it is there",
    });
    expect(scene.events.map(({ message }) => message)).toEqual([
      "ephemeral volume scratch: create PVC web-scratch: it is there",
    ]);
  });
});

describe("a pod is synced", () => {
  const pod = podOf([ephemeral("scratch")]);

  test("when it is added, if it has an ephemeral volume and is not being deleted, and at no change of it", () => {
    for (const object of [
      podOf([]),
      podOf([{ name: "c", persistentVolumeClaim: { claimName: "c" } }]),
      podOf([ephemeral("scratch")], { deletionTimestamp: formatTime(sceneStart) }),
    ])
      scene.notify(Pods, { type: "added", object, initial: false });
    scene.notify(Pods, { type: "updated", before: pod, object: pod });
    scene.notify(Pods, { type: "deleted", object: pod, tombstone: false });
    expect(scene.woken).toEqual([]);
    scene.notify(Pods, { type: "added", object: pod, initial: true });
    expect(scene.woken).toEqual([key]);
  });

  test("when a claim of one of its volumes is deleted, but not when claims are added or change", () => {
    scene.put(Pods, pod, podOf([ephemeral("scratch")], { name: "api", uid: "uid-api" }));
    const claim = claimOf("web-scratch");
    scene.notify(PersistentVolumeClaims, { type: "added", object: claim, initial: false });
    scene.notify(PersistentVolumeClaims, { type: "updated", before: claim, object: claim });
    scene.notify(PersistentVolumeClaims, { type: "deleted", object: claimOf("other"), tombstone: false });
    expect(scene.woken).toEqual([]);
    scene.notify(PersistentVolumeClaims, { type: "deleted", object: claim, tombstone: false });
    expect(scene.woken).toEqual([key]);
  });
});
