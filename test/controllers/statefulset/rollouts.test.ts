import { describe, expect, test } from "bun:test";
import { ControllerRevisions, PersistentVolumeClaims, Pods, StatefulSets } from "../../../src/api/kinds.ts";
import { garbageCollector } from "../../../src/controllers/garbage-collector/garbage-collector.ts";
import { claimTemplate, statefulSetScene } from "./scene.ts";

const minute = 60_000;
const slow = { "sandbox.kubectl-reconcile.io/ready-after": "9000s" };
const parallel = { podManagementPolicy: "Parallel" };

describe("a StatefulSet in the embedded cluster", () => {
  test("becomes complete, one pod after the other, with a revision in upstream's form", async () => {
    const scene = await statefulSetScene();
    await scene.create();
    const seen = await scene.watch(
      () => scene.images(),
      (images) => images.join() === "db-0 db:1,db-1 db:1,db-2 db:1",
    );
    // A pod that is not ready is always the last one.
    expect(seen.every((images) => images.slice(0, -1).every((image) => !image.endsWith("…")))).toBe(true);
    await scene.pass(minute);
    const [revision, ...others] = await scene.revisions();
    expect(others).toEqual([]);
    const name = revision?.metadata.name ?? "";
    expect((await scene.db()).status).toEqual({
      observedGeneration: 1,
      replicas: 3,
      readyReplicas: 3,
      currentReplicas: 3,
      updatedReplicas: 3,
      currentRevision: name,
      updateRevision: name,
      collisionCount: 0,
      availableReplicas: 3,
    });
    const [first] = await scene.pods();
    expect(first).toMatchObject({
      metadata: {
        generateName: "db-",
        labels: {
          app: "db",
          "apps.kubernetes.io/pod-index": "0",
          "controller-revision-hash": name,
          "statefulset.kubernetes.io/pod-name": "db-0",
        },
      },
      spec: { hostname: "db-0", subdomain: "db" },
    });
    expect(await scene.eventTexts()).toEqual(
      ["db-0", "db-1", "db-2"].map((pod) => `Normal SuccessfulCreate: Create Pod ${pod} in StatefulSet db successful`),
    );
    await scene.stop();
  });

  test("waits forever for a pod that does not become ready, and says for which", async () => {
    const scene = await statefulSetScene();
    await scene.create({ template: { metadata: { annotations: slow } } });
    await scene.pass(minute);
    expect(await scene.images()).toEqual(["db-0 db:1…"]);
    expect(scene.decisions()).toContain("db-0 is not ready → wait; it holds up 2 pods after it");
    await scene.stop();
  });

  test("with Parallel has all its pods at once, ready or not", async () => {
    const scene = await statefulSetScene();
    await scene.create({ spec: parallel, template: { metadata: { annotations: slow } } });
    await scene.pass(minute);
    expect(await scene.images()).toEqual(["db-0 db:1…", "db-1 db:1…", "db-2 db:1…"]);
    await scene.stop();
  });

  test("is scaled down from the end, one pod at a time", async () => {
    const scene = await statefulSetScene();
    await scene.create({ replicas: 4 });
    await scene.pass(minute);
    await scene.patch({ spec: { replicas: 1 } });
    const seen = await scene.watch(
      () => scene.images(),
      (images) => images.length === 1,
    );
    expect(Math.max(...seen.map((images) => images.filter((image) => image.endsWith("†")).length))).toBe(1);
    expect([...new Set(seen.flat().filter((image) => image.endsWith("†")))]).toEqual([
      "db-3 db:1†",
      "db-2 db:1†",
      "db-1 db:1†",
    ]);
    await scene.pass(minute);
    expect((await scene.db()).status).toMatchObject({ replicas: 1, currentReplicas: 1, updatedReplicas: 1 });
    await scene.stop();
  });

  test("rolls out another template from the end, never with more than one pod missing", async () => {
    const scene = await statefulSetScene();
    await scene.create();
    await scene.pass(minute);
    const [old] = await scene.revisions();
    await scene.setImage("db:2");
    const seen = await scene.watch(
      () => scene.images(),
      (images) => images.join() === "db-0 db:2,db-1 db:2,db-2 db:2",
    );
    const ready = seen.map((images) => images.filter((image) => /\d$/.test(image)).length);
    expect(Math.min(...ready)).toBe(2);
    expect([...new Set(seen.flat().filter((image) => image.endsWith("†")))]).toEqual([
      "db-2 db:1†",
      "db-1 db:1†",
      "db-0 db:1†",
    ]);
    await scene.pass(minute);
    const revisions = (await scene.revisions()).map(({ metadata, revision }) => `${metadata.name} ${revision}`);
    const { status } = await scene.db();
    expect(revisions).toEqual([`${old?.metadata.name} 1`, `${status?.updateRevision} 2`]);
    expect(status).toMatchObject({
      currentRevision: status?.updateRevision as string,
      currentReplicas: 3,
      updatedReplicas: 3,
    });
    await scene.stop();
  });

  test("with a partition updates the pods from there on, and the others when it is lowered", async () => {
    const scene = await statefulSetScene();
    const strategy = (partition: number): object => ({
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition } },
    });
    await scene.create({ spec: strategy(2) });
    await scene.pass(minute);
    await scene.setImage("db:2");
    await scene.pass(minute);
    expect(await scene.images()).toEqual(["db-0 db:1", "db-1 db:1", "db-2 db:2"]);
    expect((await scene.db()).status).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 });
    // A deleted pod below the partition is created again with the old revision.
    await scene.during(scene.you.delete(Pods, { namespace: "default", name: "db-0" }));
    await scene.pass(minute);
    expect(await scene.images()).toEqual(["db-0 db:1", "db-1 db:1", "db-2 db:2"]);
    await scene.patch({ spec: strategy(0) });
    await scene.pass(minute);
    expect(await scene.images()).toEqual(["db-0 db:2", "db-1 db:2", "db-2 db:2"]);
    await scene.stop();
  });

  test("with OnDelete updates a pod when it is deleted", async () => {
    const scene = await statefulSetScene();
    await scene.create({ replicas: 2, spec: { updateStrategy: { type: "OnDelete" } } });
    await scene.pass(minute);
    await scene.setImage("db:2");
    await scene.pass(minute);
    expect(await scene.images()).toEqual(["db-0 db:1", "db-1 db:1"]);
    await scene.during(scene.you.delete(Pods, { namespace: "default", name: "db-0" }));
    await scene.pass(minute);
    expect(await scene.images()).toEqual(["db-0 db:2", "db-1 db:1"]);
    await scene.stop();
  });

  test("goes back to an earlier template under its old revision, which becomes the latest", async () => {
    const scene = await statefulSetScene();
    await scene.create({ replicas: 1 });
    await scene.pass(minute);
    const [first] = await scene.revisions();
    await scene.setImage("db:2");
    await scene.pass(minute);
    await scene.setImage("db:1");
    await scene.pass(minute);
    expect(await scene.images()).toEqual(["db-0 db:1"]);
    const revisions = await scene.revisions();
    expect(revisions.map(({ revision }) => revision)).toEqual([2, 3]);
    expect(revisions[1]?.metadata.name).toBe(first?.metadata.name as string);
    await scene.stop();
  });

  test("keeps a broken update broken when the template is fixed, until the pod is deleted", async () => {
    const scene = await statefulSetScene();
    await scene.create();
    await scene.pass(minute);
    await scene.patch({
      spec: { template: { metadata: { annotations: slow }, spec: { containers: [{ name: "db", image: "db:bad" }] } } },
    });
    await scene.pass(minute);
    expect(await scene.images()).toEqual(["db-0 db:1", "db-1 db:1", "db-2 db:bad…"]);
    await scene.patch({
      spec: {
        template: {
          metadata: { annotations: { "sandbox.kubectl-reconcile.io/ready-after": null } },
          spec: { containers: [{ name: "db", image: "db:3" }] },
        },
      },
    });
    await scene.pass(minute);
    expect(await scene.images()).toEqual(["db-0 db:1", "db-1 db:1", "db-2 db:bad…"]);
    await scene.during(scene.you.delete(Pods, { namespace: "default", name: "db-2" }));
    await scene.pass(minute);
    expect(await scene.images()).toEqual(["db-0 db:3", "db-1 db:3", "db-2 db:3"]);
    await scene.stop();
  });

  test("re-creates a pod that has failed", async () => {
    const scene = await statefulSetScene();
    await scene.create({ replicas: 2 });
    await scene.pass(minute);
    const before = (await scene.pods()).map(({ metadata }) => metadata.uid);
    const status = { phase: "Failed" };
    await scene.during(
      scene.you.patch(
        Pods,
        { namespace: "default", name: "db-0" },
        { type: "merge", body: { status } },
        { subresource: "status" },
      ),
    );
    await scene.pass(minute);
    const after = (await scene.pods()).map(({ metadata }) => metadata.uid);
    expect([after[0] === before[0], after[1] === before[1]]).toEqual([false, true]);
    expect(await scene.images()).toEqual(["db-0 db:1", "db-1 db:1"]);
    await scene.stop();
  });

  test("with another start ordinal moves its pods: new ones first, then those below it are deleted", async () => {
    const scene = await statefulSetScene();
    await scene.create({ replicas: 2 });
    await scene.pass(minute);
    await scene.patch({ spec: { ordinals: { start: 5 } } });
    await scene.pass(minute);
    expect(await scene.images()).toEqual(["db-5 db:1", "db-6 db:1"]);
    await scene.stop();
  });

  test("counts pods as available after minReadySeconds, and waits for that", async () => {
    const scene = await statefulSetScene();
    await scene.create({ replicas: 2, spec: { minReadySeconds: 30 } });
    await scene.pass(20_000);
    expect(await scene.images()).toEqual(["db-0 db:1"]);
    expect((await scene.db()).status).toMatchObject({ readyReplicas: 1, availableReplicas: 0 });
    await scene.pass(20_000);
    expect((await scene.db()).status).toMatchObject({ readyReplicas: 2, availableReplicas: 1 });
    await scene.pass(minute);
    expect((await scene.db()).status).toMatchObject({ readyReplicas: 2, availableReplicas: 2 });
    await scene.stop();
  });

  test("keeps revisionHistoryLimit old revisions, the latest ones", async () => {
    const scene = await statefulSetScene();
    await scene.create({ replicas: 1, spec: { revisionHistoryLimit: 2 } });
    for (const version of [2, 3, 4, 5]) {
      await scene.pass(minute);
      await scene.setImage(`db:${version}`);
    }
    await scene.pass(minute);
    expect((await scene.revisions()).map(({ revision }) => revision)).toEqual([3, 4, 5]);
    await scene.stop();
  });

  test("that is deleted leaves its pods and revisions to the garbage collector", async () => {
    const scene = await statefulSetScene({ controllers: [garbageCollector] });
    await scene.create();
    await scene.pass(minute);
    await scene.during(
      scene.you.delete(StatefulSets, { namespace: "default", name: "db" }, { propagationPolicy: "Foreground" }),
    );
    await scene.pass(2 * minute);
    expect(await scene.images()).toEqual([]);
    expect(await scene.list(ControllerRevisions)).toEqual([]);
    expect(await scene.list(StatefulSets)).toEqual([]);
    await scene.stop();
  });

  test("that is orphaned and re-created adopts its pods and revisions", async () => {
    const scene = await statefulSetScene({ controllers: [garbageCollector] });
    await scene.create({ replicas: 2 });
    await scene.pass(minute);
    const before = (await scene.pods()).map(({ metadata }) => metadata.uid);
    await scene.during(
      scene.you.delete(StatefulSets, { namespace: "default", name: "db" }, { propagationPolicy: "Orphan" }),
    );
    await scene.pass(minute);
    await scene.create({ replicas: 2 });
    await scene.pass(minute);
    expect((await scene.pods()).map(({ metadata }) => metadata.uid)).toEqual(before);
    const { uid } = (await scene.db()).metadata;
    const revisions = await scene.revisions();
    expect(revisions.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid)).toEqual([uid]);
    await scene.stop();
  });

  test("whose revision's name is taken counts the collision", async () => {
    const scene = await statefulSetScene();
    await scene.create({ replicas: 1 });
    await scene.pass(minute);
    const [first] = await scene.revisions();
    const name = first?.metadata.name ?? "";
    await scene.during(scene.you.delete(StatefulSets, { namespace: "default", name: "db" }));
    for (const pod of await scene.pods())
      await scene.during(scene.you.delete(Pods, { namespace: "default", name: pod.metadata.name }));
    await scene.during(scene.you.delete(ControllerRevisions, { namespace: "default", name }));
    await scene.pass(minute);
    await scene.during(
      scene.you.create(ControllerRevisions, {
        metadata: { namespace: "default", name },
        data: { other: true },
        revision: 1,
      }),
    );
    await scene.create({ replicas: 1 });
    await scene.pass(minute);
    const { status } = await scene.db();
    expect({ collisions: status?.collisionCount, isOther: status?.updateRevision !== name }).toEqual({
      collisions: 1,
      isOther: true,
    });
    expect(await scene.images()).toEqual(["db-0 db:1"]);
    await scene.stop();
  });
});

describe("its claims", () => {
  const claiming = { volumeClaimTemplates: [claimTemplate("data")] };
  const retention = (whenDeleted: string, whenScaled: string): object => ({
    ...claiming,
    persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
  });
  const owners = async (scene: Awaited<ReturnType<typeof statefulSetScene>>): Promise<string[]> =>
    (await scene.claims()).map(({ metadata }) => {
      const { ownerReferences = [] } = metadata;
      return `${metadata.name}: ${ownerReferences.map(({ kind, name }) => `${kind} ${name}`).join() || "nobody"}`;
    });
  /** Does the work of the claim protection controller: claims that are being deleted are not used by any pod. */
  const unprotect = async (scene: Awaited<ReturnType<typeof statefulSetScene>>): Promise<void> => {
    for (const { metadata } of await scene.claims()) {
      if (metadata.deletionTimestamp === undefined) continue;
      const at = { namespace: "default", name: metadata.name };
      const body = { metadata: { finalizers: null } };
      await scene.during(scene.you.patch(PersistentVolumeClaims, at, { type: "merge", body }));
    }
  };

  test("are retained by default, and used again by the pod of the same name", async () => {
    const scene = await statefulSetScene();
    await scene.create({ replicas: 2, spec: { ...claiming, ...parallel } });
    await scene.pass(minute);
    const before = (await scene.claims()).map(({ metadata }) => metadata.uid);
    await scene.patch({ spec: { replicas: 1 } });
    await scene.pass(minute);
    await scene.patch({ spec: { replicas: 2 } });
    await scene.pass(minute);
    expect((await scene.claims()).map(({ metadata }) => metadata.uid)).toEqual(before);
    expect(await owners(scene)).toEqual(["data-db-0: nobody", "data-db-1: nobody"]);
    expect((await scene.pods())[1]?.spec?.volumes?.[0]).toMatchObject({
      name: "data",
      persistentVolumeClaim: { claimName: "data-db-1" },
    });
    await scene.stop();
  });

  test("belong to the set with whenDeleted: Delete, and are deleted with it", async () => {
    const scene = await statefulSetScene({ controllers: [garbageCollector] });
    await scene.create({ replicas: 2, spec: { ...retention("Delete", "Retain"), ...parallel } });
    await scene.pass(minute);
    expect(await owners(scene)).toEqual(["data-db-0: StatefulSet db", "data-db-1: StatefulSet db"]);
    await scene.during(scene.you.delete(StatefulSets, { namespace: "default", name: "db" }));
    await scene.pass(2 * minute);
    await unprotect(scene);
    expect({ claims: await owners(scene), pods: await scene.images() }).toEqual({ claims: [], pods: [] });
    await scene.stop();
  });

  test("are deleted with a pod that is scaled away with whenScaled: Delete, and re-created with it", async () => {
    const scene = await statefulSetScene({ controllers: [garbageCollector] });
    await scene.create({ replicas: 2, spec: { ...retention("Retain", "Delete"), ...parallel } });
    await scene.pass(minute);
    const [first, second] = await scene.claims();
    await scene.patch({ spec: { replicas: 1 } });
    await scene.pass(minute);
    expect(await owners(scene)).toEqual(["data-db-0: nobody", "data-db-1: Pod db-1"]);
    // The pod is not created while the claim of the earlier pod is being deleted.
    await scene.patch({ spec: { replicas: 2 } });
    await scene.pass(minute);
    expect(await scene.images()).toEqual(["db-0 db:1"]);
    await unprotect(scene);
    await scene.pass(2 * minute);
    // As in upstream, changes of claims do not enqueue the set: the next change of the set or of a pod does.
    await scene.patch({ metadata: { labels: { touched: "yes" } } });
    await scene.pass(minute);
    const after = await scene.claims();
    expect(after.map(({ metadata }) => metadata.name)).toEqual(["data-db-0", "data-db-1"]);
    expect([after[0]?.metadata.uid === first?.metadata.uid, after[1]?.metadata.uid === second?.metadata.uid]).toEqual([
      true,
      false,
    ]);
    await scene.stop();
  });

  test("change their owners when the policy does", async () => {
    const scene = await statefulSetScene();
    await scene.create({ replicas: 1, spec: { ...claiming, ...parallel } });
    await scene.pass(minute);
    expect(await owners(scene)).toEqual(["data-db-0: nobody"]);
    await scene.patch({ spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" } } });
    await scene.pass(minute);
    expect(await owners(scene)).toEqual(["data-db-0: StatefulSet db"]);
    await scene.patch({ spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain" } } });
    await scene.pass(minute);
    expect(await owners(scene)).toEqual(["data-db-0: nobody"]);
    await scene.stop();
  });
});
