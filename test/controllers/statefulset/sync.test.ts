import { beforeEach, describe, expect, test } from "bun:test";
import { ControllerRevisions, PersistentVolumeClaims, Pods, StatefulSets } from "../../../src/api/kinds.ts";
import type { ControllerRevision, Pod, StatefulSet } from "../../../src/api/types.ts";
import { CacheBehindError } from "../../../src/controller/api/consistency.ts";
import { statefulset } from "../../../src/controllers/statefulset/statefulset.ts";
import { rejection } from "../../support/rejection.ts";
import { type Call, refusal, type Scene, syncScene } from "../../support/sync-context.ts";
import { podOf, statefulSetOf } from "../../support/workloads.ts";
import {
  claimingSet,
  claimNamed,
  going,
  ownedByPod,
  ownedBySet,
  podAt,
  podsAt,
  revisionFor,
  volumeFor,
} from "./objects.ts";

const key = "shop/db";

let scene: Scene;
beforeEach(() => {
  scene = syncScene(statefulset);
});

/** Caches the set with its revision and pods. */
function has(set: StatefulSet, ...pods: readonly Pod[]): StatefulSet {
  scene.put(StatefulSets, set);
  scene.put(ControllerRevisions, revisionFor(set));
  scene.put(Pods, ...pods);
  return set;
}

const parallel = { podManagementPolicy: "Parallel" };
const sent = (): string[] => scene.calls.map(({ verb, name }) => `${verb} ${name}`);
/** The object that the n-th call sent, starting with 0. */
const body = (n: number): unknown => scene.calls[n]?.body;
const rulesUsed = (): string[] => scene.decisions.map(({ rule }) => rule);
const eventTexts = (): string[] => scene.events.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
const written = (): StatefulSet["status"] =>
  (scene.calls.findLast(({ verb }) => verb === "updateStatus")?.body as StatefulSet | undefined)?.status;

/** The status of a set whose pods match its revision and are available. */
function complete(set: StatefulSet, replicas: number): object {
  const { name } = revisionFor(set).metadata;
  const counts = {
    readyReplicas: replicas,
    availableReplicas: replicas,
    currentReplicas: replicas,
    updatedReplicas: replicas,
  };
  return { observedGeneration: 1, replicas, ...counts, currentRevision: name, updateRevision: name, collisionCount: 0 };
}

function completeSet(replicas: number, more: object = {}): StatefulSet {
  const set = statefulSetOf({ replicas, ...more });
  return { ...set, status: complete(set, replicas) as NonNullable<StatefulSet["status"]> };
}

const refuseCreate =
  (...names: readonly string[]) =>
  ({ verb, name }: Call): Error | undefined =>
    verb === "create" && names.includes(name) ? refusal(403, "Forbidden", `${name}: exceeded quota`) : undefined;

describe("a sync", () => {
  test("of a set without changes writes nothing", async () => {
    const set = completeSet(3);
    has(set, ...podsAt(set, [0, 1, 2]));
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
    expect(scene.decisions.map(({ sentence }) => sentence)).toEqual(["3 pods → nothing to do"]);
  });

  test("of a new set creates a revision, the first pod, and then writes the status", async () => {
    const set = statefulSetOf();
    scene.put(StatefulSets, set);
    await scene.sync(key);
    const { name } = revisionFor(set).metadata;
    expect(sent()).toEqual([`create ${name}`, "create db-0", "updateStatus db"]);
    expect(scene.calls.map(({ because }) => because?.rule)).toEqual(["new-revision", "create-pods", "status"]);
    expect(written()).toEqual({
      observedGeneration: 1,
      replicas: 0,
      currentRevision: name,
      updateRevision: name,
      collisionCount: 0,
      availableReplicas: 0,
    });
    expect(eventTexts()).toEqual(["Normal SuccessfulCreate: Create Pod db-0 in StatefulSet db successful"]);
  });

  test("with Parallel creates all missing pods, by one decision", async () => {
    const set = statefulSetOf({ replicas: 3, spec: parallel });
    has(set, podAt(set, 1));
    await scene.sync(key);
    expect(sent().filter((call) => call.startsWith("create"))).toEqual(["create db-0", "create db-2"]);
    expect(rulesUsed().filter((rule) => rule === "create-pods").length).toBe(1);
  });

  test("creates pods below the partition from the current revision, with its label", async () => {
    const before = statefulSetOf();
    const current = revisionFor(before);
    const set = statefulSetOf({
      replicas: 2,
      spec: {
        ...parallel,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } },
        template: { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "db", image: "db:2" }] } },
      },
      status: { currentRevision: current.metadata.name },
    });
    has(set);
    scene.put(ControllerRevisions, current, revisionFor(set, 2));
    await scene.sync(key);
    const made = scene.calls.filter(({ kind }) => kind === "Pod").map(({ body }) => body as Pod);
    expect(
      made.map(({ spec, metadata }) => [spec?.containers[0]?.image, metadata.labels?.["controller-revision-hash"]]),
    ).toEqual([
      ["db:1", current.metadata.name],
      ["db:2", revisionFor(set).metadata.name],
    ]);
  });

  test("of a deleted set does nothing", async () => {
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
  });

  test("of a set with an invalid selector does nothing, and is not retried", async () => {
    has(statefulSetOf({ spec: { selector: { matchExpressions: [{ key: "app", operator: "In" }] } } }));
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
  });

  test("of a set that is being deleted only writes the status, which counts pods without an ordinal, too", async () => {
    const set = statefulSetOf({ replicas: 1, meta: going });
    has(set, podAt(set, 2), podAt(set, "db-2147483648"));
    await scene.sync(key);
    expect(sent()).toEqual(["updateStatus db"]);
    expect(written()).toMatchObject({ replicas: 2 });
    expect(rulesUsed()).toEqual(["being-deleted", "status"]);
  });

  test("does not count pods without an ordinal otherwise", async () => {
    const set = statefulSetOf({ replicas: 1 });
    has(set, podAt(set, 0), podAt(set, "db-2147483648"));
    await scene.sync(key);
    expect(written()).toMatchObject({ replicas: 1 });
  });
});

describe("pods", () => {
  test("that match, have no owner and have the set's name are adopted", async () => {
    const set = completeSet(1);
    has(set, podAt(set, 0, { owner: "none" }), podAt(set, "other-1", { owner: "none" }));
    await scene.sync(key);
    expect(sent()).toEqual(["get db", "patch db-0"]);
    expect(rulesUsed()).toEqual(["adopt", "steady"]);
  });

  test("of the set that do not match or have another name are released, and not counted", async () => {
    const set = statefulSetOf({ replicas: 0 });
    has(set, podAt(set, 0, { labels: { app: "other" } }), podAt(set, "other-1"));
    await scene.sync(key);
    expect(sent()).toEqual(["patch db-0", "patch other-1", "updateStatus db"]);
    expect(written()).toMatchObject({ replicas: 0 });
  });

  test("that cannot be claimed end the sync", async () => {
    const set = statefulSetOf({ replicas: 0 });
    has(set, podAt(set, "other-1"));
    scene.refuse = ({ verb }) => (verb === "patch" ? refusal(500, "InternalError", "down") : undefined);
    expect((await rejection(scene.sync(key)))?.message).toBe("down");
    expect(sent()).toEqual(["patch other-1"]);
  });

  test("that have finished are deleted, and the ordered set waits until they are gone", async () => {
    const set = statefulSetOf({ replicas: 2 });
    has(set, podAt(set, 0, { phase: "Failed" }));
    await scene.sync(key);
    expect(sent()).toEqual(["delete db-0", "updateStatus db"]);
    expect(eventTexts()).toEqual(["Normal SuccessfulDelete: Delete Pod db-0 in StatefulSet db successful"]);
    scene.deliver();
    scene.put(Pods, podAt(set, 0, { phase: "Failed", meta: going }));
    await scene.sync(key);
    expect(sent()).toEqual(["updateStatus db"]);
    expect(scene.decisions[0]?.sentence).toBe("db-0 has ended and is being deleted → wait; it holds up 1 pod after it");
  });

  test("that are surplus and already gone count as deleted", async () => {
    const set = statefulSetOf({ replicas: 0 });
    has(set, podAt(set, 0));
    scene.refuse = ({ verb }) => (verb === "delete" ? refusal(404, "NotFound", "gone") : undefined);
    await scene.sync(key);
    expect(eventTexts()).toEqual(["Normal SuccessfulDelete: Delete Pod db-0 in StatefulSet db successful"]);
  });

  test("that cannot be deleted are reported in an Event, and the status is still written", async () => {
    const set = statefulSetOf({ replicas: 0 });
    has(set, podAt(set, 0));
    scene.refuse = ({ verb }) => (verb === "delete" ? refusal(403, "Forbidden", "no") : undefined);
    expect((await rejection(scene.sync(key)))?.message).toBe("no");
    expect(eventTexts()).toEqual(["Warning FailedDelete: Delete Pod db-0 in StatefulSet db failed error: no"]);
    expect(sent()).toEqual(["delete db-0", "updateStatus db"]);
  });

  test("that cannot be created are reported in an Event, and the status is still written", async () => {
    has(statefulSetOf());
    scene.refuse = refuseCreate("db-0");
    expect((await rejection(scene.sync(key)))?.message).toBe("db-0: exceeded quota");
    expect(eventTexts()).toEqual([
      "Warning FailedCreate: Create Pod db-0 in StatefulSet db failed error: db-0: exceeded quota",
    ]);
    expect(sent()).toEqual(["create db-0", "updateStatus db"]);
  });

  test("that exist but are not cached are not reported as a failure", async () => {
    has(statefulSetOf());
    scene.refuse = ({ verb }) => (verb === "create" ? refusal(409, "AlreadyExists", "there") : undefined);
    expect((await rejection(scene.sync(key)))?.message).toBe("there");
    expect(eventTexts()).toEqual([]);
  });

  test("in Parallel are created in growing batches, the last of which is one with an error", async () => {
    has(statefulSetOf({ replicas: 10, spec: parallel }));
    scene.refuse = refuseCreate("db-3", "db-5");
    const error = await rejection(scene.sync(key));
    expect(error?.message).toBe("[db-3: exceeded quota, db-5: exceeded quota]");
    expect(sent().filter((call) => call.startsWith("create"))).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((n) => `create db-${n}`),
    );
  });

  test("in Parallel are processed in batches of at most 500", async () => {
    const set = statefulSetOf({ replicas: 1600, spec: parallel });
    has(set);
    let most = 0;
    let open = 0;
    scene.refuse = ({ kind }) => {
      if (kind === "Pod") most = Math.max(most, ++open);
      return undefined;
    };
    scene.lose = () => {
      open = 0;
      return undefined;
    };
    await scene.sync(key);
    expect(scene.calls.filter(({ kind }) => kind === "Pod").length).toBe(1600);
    expect(most).toBe(500);
  });
});

describe("a repair of a pod", () => {
  const unlabelled = (set: StatefulSet): Pod =>
    podAt(set, 0, { labels: { app: "db", "controller-revision-hash": revisionFor(set).metadata.name } });

  test("restores the label of its name, and continues with the next pod", async () => {
    const set = statefulSetOf({ replicas: 2 });
    has(set, unlabelled(set));
    await scene.sync(key);
    expect(sent()).toEqual(["update db-0", "create db-1", "updateStatus db"]);
    expect((body(0) as Pod).metadata.labels).toMatchObject({
      "statefulset.kubernetes.io/pod-name": "db-0",
      "apps.kubernetes.io/pod-index": "0",
    });
    expect(eventTexts()[0]).toBe("Normal SuccessfulUpdate: Update Pod db-0 in StatefulSet db successful");
  });

  test("is repeated on the cached pod after a conflict", async () => {
    const set = completeSet(1);
    const pod = unlabelled(set);
    has(set, pod);
    scene.writeLive(Pods, { ...pod, spec: { containers: [], priority: 3 } });
    scene.onSleep = () => scene.deliver();
    await scene.sync(key);
    expect(sent()).toEqual(["update db-0", "update db-0", "update db-0"]);
    expect(scene.live(Pods)[0]).toMatchObject({
      spec: { priority: 3 },
      metadata: { labels: { "statefulset.kubernetes.io/pod-name": "db-0" } },
    });
    expect(eventTexts()).toEqual(["Normal SuccessfulUpdate: Update Pod db-0 in StatefulSet db successful"]);
  });

  test("is given up after the fourth conflict, and reported once", async () => {
    const set = completeSet(1);
    has(set, unlabelled(set));
    scene.refuse = ({ verb }) => (verb === "update" ? refusal(409, "Conflict", "changed") : undefined);
    expect((await rejection(scene.sync(key)))?.message).toBe("changed");
    expect(sent()).toEqual(["update db-0", "update db-0", "update db-0", "update db-0"]);
    expect(eventTexts()).toEqual(["Warning FailedUpdate: Update Pod db-0 in StatefulSet db failed error: changed"]);
  });

  test("adds missing volumes for claims, and creates these claims", async () => {
    const set = claimingSet({ replicas: 1 });
    has(set, podAt(set, 0));
    await scene.sync(key);
    expect(sent()).toEqual(["create data-db-0", "update db-0", "updateStatus db"]);
    expect((body(1) as Pod).spec).toMatchObject(volumeFor("db-0"));
  });
});

describe("claims", () => {
  test("are created before their pod", async () => {
    has(claimingSet());
    await scene.sync(key);
    expect(sent()).toEqual(["create data-db-0", "create db-0", "updateStatus db"]);
    expect(eventTexts()).toEqual([
      "Normal SuccessfulCreate: Create Claim data-db-0 Pod db-0 in StatefulSet db success",
      "Normal SuccessfulCreate: Create Pod db-0 in StatefulSet db successful",
    ]);
  });

  test("that exist are used", async () => {
    has(claimingSet());
    scene.put(PersistentVolumeClaims, claimNamed("data-db-0"));
    await scene.sync(key);
    expect(sent()).toEqual(["create db-0", "updateStatus db"]);
  });

  test("that cannot be created prevent the creation of the pod, and all are tried", async () => {
    const templates = ["data", "log", "tmp"].map((name) => ({ metadata: { name }, spec: {} }));
    has(claimingSet({ spec: { volumeClaimTemplates: templates } }));
    scene.refuse = refuseCreate("data-db-0", "tmp-db-0");
    await rejection(scene.sync(key));
    expect(sent()).toEqual(["create data-db-0", "create log-db-0", "create tmp-db-0", "updateStatus db"]);
    expect(eventTexts()).toEqual([
      "Warning FailedCreate: Create Claim data-db-0 for Pod db-0 in StatefulSet db failed error: data-db-0: exceeded quota",
      "Normal SuccessfulCreate: Create Claim log-db-0 Pod db-0 in StatefulSet db success",
      "Warning FailedCreate: Create Claim tmp-db-0 for Pod db-0 in StatefulSet db failed error: tmp-db-0: exceeded quota",
      "Warning FailedCreate: Create Pod db-0 in StatefulSet db failed error: [failed to create PVC data-db-0: data-db-0: exceeded quota, failed to create PVC tmp-db-0: tmp-db-0: exceeded quota]",
    ]);
  });

  test("that exist but are not cached are reported only for the pod", async () => {
    has(claimingSet());
    scene.refuse = ({ verb, name }) =>
      verb === "create" && name === "data-db-0" ? refusal(409, "AlreadyExists", "there") : undefined;
    await rejection(scene.sync(key));
    expect(eventTexts()).toEqual([
      "Warning FailedCreate: Create Pod db-0 in StatefulSet db failed error: failed to create PVC data-db-0: there",
    ]);
  });

  test("that are being deleted prevent the creation of the pod", async () => {
    has(claimingSet());
    scene.put(PersistentVolumeClaims, claimNamed("data-db-0", { meta: going }));
    expect((await rejection(scene.sync(key)))?.message).toBe("pvc data-db-0 is being deleted");
    expect(sent()).toEqual(["updateStatus db"]);
  });

  test("of a pending pod that are missing are created, and get their owners", async () => {
    const set = claimingSet({
      replicas: 2,
      whenDeleted: "Delete",
      spec: { volumeClaimTemplates: ["data", "log"].map((name) => ({ metadata: { name }, spec: {} })) },
    });
    has(set, podAt(set, 0, { phase: "Pending", ready: false }));
    scene.put(PersistentVolumeClaims, claimNamed("log-db-0"));
    await scene.sync(key);
    expect(sent()).toEqual(["create data-db-0", "update log-db-0", "updateStatus db"]);
    expect(scene.calls[1]?.body).toMatchObject({ metadata: { ownerReferences: [ownedBySet(set)] } });
    expect(rulesUsed()).toEqual(["create-claim", "claim-owners", "wait-for-pod", "status"]);
  });

  test("get other owners when the policy changes, and the pod is written with them", async () => {
    const set = claimingSet({ replicas: 1, whenDeleted: "Delete" });
    has(set, podAt(set, 0, { spec: volumeFor("db-0") }));
    scene.put(PersistentVolumeClaims, claimNamed("data-db-0"));
    await scene.sync(key);
    expect(sent()).toEqual(["update data-db-0", "update db-0", "updateStatus db"]);
    expect(scene.decisions.map(({ sentence }) => sentence)).toContain(
      "whenDeleted: Delete, whenScaled: Retain → data-db-0 is owned by StatefulSet db",
    );
    expect(eventTexts()).toEqual(["Normal SuccessfulUpdate: Update Pod db-0 in StatefulSet db successful"]);
  });

  test("lose their owners without leaving an empty list", async () => {
    const set = claimingSet({ replicas: 1 });
    has(set, podAt(set, 0, { spec: volumeFor("db-0") }));
    scene.put(PersistentVolumeClaims, claimNamed("data-db-0", { owners: [ownedBySet(set)] }));
    await scene.sync(key);
    expect(scene.calls[0]?.body).toEqual(claimNamed("data-db-0"));
  });

  test("of surplus pods get these as owners before they are deleted", async () => {
    const set = claimingSet({ replicas: 0, whenDeleted: "Delete", whenScaled: "Delete" });
    has(set, podAt(set, 0), podAt(set, 1));
    scene.put(PersistentVolumeClaims, ...[0, 1].map((n) => claimNamed(`data-db-${n}`, { owners: [ownedBySet(set)] })));
    await scene.sync(key);
    expect(sent()).toEqual(["update data-db-1", "update data-db-0", "delete db-1", "updateStatus db"]);
    expect(scene.calls[0]?.body).toMatchObject({ metadata: { ownerReferences: [ownedByPod("db-1")] } });
  });

  test("that cannot get their pods as owners prevent the pods' deletion", async () => {
    const set = claimingSet({ replicas: 0, whenScaled: "Delete" });
    has(set, podAt(set, 0));
    scene.put(PersistentVolumeClaims, claimNamed("data-db-0"));
    scene.refuse = ({ verb }) => (verb === "update" ? refusal(403, "Forbidden", "no") : undefined);
    expect((await rejection(scene.sync(key)))?.message).toBe(
      "could not update claim data-db-0 for delete policy ownerRefs: no",
    );
    expect(sent()).toEqual(["update data-db-0", "updateStatus db"]);
  });

  test("of an earlier pod are waited for", async () => {
    const set = claimingSet({ whenScaled: "Delete" });
    has(set);
    scene.put(PersistentVolumeClaims, claimNamed("data-db-0", { owners: [ownedByPod("db-0", { uid: "earlier" })] }));
    await scene.sync(key);
    expect(sent()).toEqual(["updateStatus db"]);
    expect(scene.decisions[0]?.sentence).toBe(
      "data-db-0 belongs to an earlier db-0, with which it will be deleted → wait",
    );
  });

  test("with another controller are left alone, with an Event", async () => {
    const set = claimingSet({ replicas: 1, whenDeleted: "Delete" });
    has(set, podAt(set, 0, { phase: "Pending", ready: false }));
    const manager = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "x", controller: true };
    scene.put(PersistentVolumeClaims, claimNamed("data-db-0", { owners: [manager] }));
    await scene.sync(key);
    expect(sent()).toEqual(["updateStatus db"]);
    expect(eventTexts()).toEqual([
      "Warning ConflictingController: PersistentVolumeClaim data-db-0 has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim",
    ]);
  });
});

describe("a pod that is waited for", () => {
  test("gets no claim while it runs, and the claims of surplus pods are left alone", async () => {
    const set = claimingSet({ replicas: 1, whenScaled: "Delete" });
    has(set, podAt(set, 0, { ready: false }), podAt(set, 4));
    scene.put(PersistentVolumeClaims, claimNamed("data-db-4"));
    await scene.sync(key);
    expect(sent()).toEqual(["updateStatus db"]);
    expect(scene.decisions.map(({ sentence }) => sentence)[0]).toBe(
      "db-0 is not ready → wait; it holds up 1 pod to scale down",
    );
  });

  test("prevents changes of those after it in an ordered set, also when its update fails", async () => {
    const set = statefulSetOf({ replicas: 3 });
    const labels = { app: "db", "controller-revision-hash": revisionFor(set).metadata.name };
    has(set, ...podsAt(set, [0, 1, 2], { labels }));
    scene.refuse = ({ verb, name }) =>
      verb === "update" && name === "db-1" ? refusal(403, "Forbidden", "no") : undefined;
    expect((await rejection(scene.sync(key)))?.message).toBe("no");
    expect(sent()).toEqual(["update db-0", "update db-1", "updateStatus db"]);
  });
});

describe("with Parallel", () => {
  test("a pending pod gets its missing claims", async () => {
    const set = claimingSet({ replicas: 1, spec: parallel });
    has(set, podAt(set, 0, { phase: "Pending", ready: false, spec: volumeFor("db-0") }));
    await scene.sync(key);
    expect(sent()).toEqual(["create data-db-0", "updateStatus db"]);
  });

  test("no finished pod is reported as waited for", async () => {
    const set = statefulSetOf({ replicas: 2, spec: parallel });
    has(set, podAt(set, 0, { phase: "Failed", meta: going }), podAt(set, 1));
    await scene.sync(key);
    expect(rulesUsed()).not.toContain("wait-for-pod");
  });
});

describe("claims of surplus pods", () => {
  test("are left to another controller without an Event", async () => {
    const set = claimingSet({ replicas: 0, whenScaled: "Delete" });
    has(set, podAt(set, 0));
    const manager = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "x", controller: true };
    scene.put(PersistentVolumeClaims, claimNamed("data-db-0", { owners: [manager] }));
    await scene.sync(key);
    expect(sent()).toEqual(["delete db-0", "updateStatus db"]);
    expect(scene.events.map(({ reason }) => reason)).toEqual(["SuccessfulDelete"]);
  });
});

describe("a sync that has finished with its pods", () => {
  const onDelete = { ...parallel, updateStrategy: { type: "OnDelete" } };

  test("reports that nothing is to be done only if nothing was", async () => {
    const missing = statefulSetOf({ replicas: 2, spec: onDelete });
    has(missing, podAt(missing, 0));
    await scene.sync(key);
    expect(rulesUsed()).toEqual(["create-pods", "status"]);
    scene.deliver();
    const excess = statefulSetOf({ replicas: 2, spec: onDelete });
    has(excess, ...podsAt(excess, [0, 1, 2]));
    await scene.sync(key);
    expect(rulesUsed()).toEqual(["scale-down", "status"]);
    scene.deliver();
    const unlabelled = statefulSetOf({ replicas: 2, spec: onDelete });
    has(unlabelled, podAt(unlabelled, 0, { labels: { app: "db" } }));
    await scene.sync(key);
    expect(rulesUsed().slice(0, 1)).toEqual(["repair-pod"]);
    expect(rulesUsed()).not.toContain("steady");
  });

  test("counts as many current pods as exist, if none was deleted to be updated", async () => {
    const old = { revision: "db-old" };
    const waiting = statefulSetOf({ replicas: 3, spec: parallel, status: { currentRevision: "db-old" } });
    scene.put(ControllerRevisions, {
      ...revisionFor(waiting),
      metadata: { ...revisionFor(waiting).metadata, name: "db-old" },
      data: {},
    });
    has(waiting, ...podsAt(waiting, [0, 1], old), podAt(waiting, 2, { ready: false }));
    await scene.sync(key);
    expect(written()).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 });
    scene.deliver();
    const resting = statefulSetOf({ replicas: 3, spec: onDelete, status: { currentRevision: "db-old" } });
    has(resting, ...podsAt(resting, [0, 1], old), podAt(resting, 2));
    await scene.sync(key);
    expect(written()).toMatchObject({ currentReplicas: 2, updatedReplicas: 1 });
  });

  test("fails if its history cannot be shortened", async () => {
    const set = statefulSetOf({ replicas: 0, spec: { revisionHistoryLimit: 0 } });
    has(set);
    scene.put(ControllerRevisions, revisionFor(statefulSetOf({ spec: { template: {} } }), 0));
    scene.refuse = ({ verb }) => (verb === "delete" ? refusal(403, "Forbidden", "no") : undefined);
    expect((await rejection(scene.sync(key)))?.message).toBe("no");
  });
});

describe("the sentences", () => {
  const first = async (set: StatefulSet, ...pods: readonly Pod[]): Promise<string> => {
    has(set, ...pods);
    await scene.sync(key);
    return scene.decisions[0]?.sentence ?? "";
  };
  const { name } = revisionFor(statefulSetOf()).metadata;

  test("of a creation in order have the pod, its revision, and what was waited for", async () => {
    const set = statefulSetOf({ replicas: 4 });
    expect(await first(set, ...podsAt(set, [0, 1]))).toBe(
      `db-2 is missing, all 2 before it available → create it from ${name}`,
    );
  });

  test("of a wait have the number of pods after it", async () => {
    const set = statefulSetOf({ replicas: 4 });
    expect(await first(set, podAt(set, 0), podAt(set, 1, { ready: false }))).toBe(
      "db-1 is not ready → wait; it holds up 2 pods after it",
    );
  });

  test("of creations in Parallel have the first few, and the batches", async () => {
    const set = statefulSetOf({ replicas: 11, spec: parallel });
    expect(await first(set, podAt(set, 3))).toBe(
      `10 of 11 pods are missing → create db-0, db-1, db-2, db-4, db-5, db-6, db-7, db-8 and 2 more from ${name}, in batches of 1, 2, 4, 3`,
    );
  });

  test("of a finished pod have its end", async () => {
    const set = statefulSetOf({ replicas: 1 });
    expect(await first(set, podAt(set, 0, { phase: "Succeeded" }))).toBe(
      "db-0 has succeeded → delete it, to recreate it",
    );
  });

  test("of a scale-down have the desired ordinals, and the number of surplus pods", async () => {
    const set = statefulSetOf({ replicas: 2, spec: { ordinals: { start: 3 } } });
    expect(await first(set, ...podsAt(set, [3, 4, 5, 6]))).toBe(
      "ordinals 3 to 4 are desired, 2 pods too many → delete db-6",
    );
  });

  test("of a scale-down that waits have both pods", async () => {
    const set = statefulSetOf({ replicas: 0 });
    const unready = { ready: false };
    expect(await first(set, podAt(set, 0, unready), podAt(set, 1, unready))).toBe(
      "db-1 is too many, db-0 is not ready → wait",
    );
  });

  test("of an update that waits have the pod, and how many are left", async () => {
    const set = statefulSetOf({ replicas: 3, spec: parallel });
    const old = { revision: "db-old" };
    expect(await first(set, ...podsAt(set, [0, 1], old), podAt(set, 2, { ready: false }))).toBe(
      "db-2 is not available → wait before 2 older pods are updated",
    );
  });

  test("of repairs have what differs from the set", async () => {
    const set = statefulSetOf({ replicas: 1 });
    expect(await first(set, podAt(set, 0, { labels: { app: "db" } }))).toBe(
      "db-0 differs from what the set specifies (identity) → update it",
    );
  });
});

describe("a rolling update", () => {
  const from = statefulSetOf();
  const old = { revision: revisionFor(from).metadata.name };
  const template = { metadata: { labels: { app: "db" } }, spec: { containers: [{ name: "db", image: "db:2" }] } };

  /** Caches the set with a new template that does not have a revision yet. */
  function changed(more: object = {}): StatefulSet {
    const set = statefulSetOf({ spec: { template, ...more }, status: complete(from, 3) });
    scene.put(StatefulSets, set);
    scene.put(ControllerRevisions, revisionFor(from));
    scene.put(Pods, ...podsAt(from, [0, 1, 2], old));
    return set;
  }

  test("creates the revision, deletes the highest pod, and no longer counts that one", async () => {
    const set = changed();
    const { name } = revisionFor(set).metadata;
    await scene.sync(key);
    expect(sent()).toEqual([`create ${name}`, "delete db-2", "updateStatus db"]);
    expect(written()).toMatchObject({
      replicas: 3,
      currentReplicas: 2,
      currentRevision: old.revision,
      updateRevision: name,
    });
    expect(scene.decisions.map(({ sentence }) => sentence).slice(0, 2)).toEqual([
      `the template changed at .spec.containers[db].image → create ControllerRevision ${name} as revision 2`,
      `db-2 is of ${old.revision}, not of ${name} → delete it`,
    ]);
  });

  test("that cannot delete the pod still counts it", async () => {
    changed();
    scene.refuse = ({ verb }) => (verb === "delete" ? refusal(403, "Forbidden", "no") : undefined);
    expect((await rejection(scene.sync(key)))?.message).toBe("no");
    expect(written()).toMatchObject({ currentReplicas: 3 });
  });

  test("with OnDelete leaves the pods alone, and says so", async () => {
    changed({ updateStrategy: { type: "OnDelete" } });
    await scene.sync(key);
    expect(scene.decisions.map(({ sentence }) => sentence)).toContain(
      "3 pods, 3 of an older revision, which OnDelete leaves alone → nothing to do",
    );
  });

  test("reports what the partition keeps", async () => {
    const set = changed({ updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 1 } } });
    scene.put(Pods, ...podsAt(set, [1, 2]));
    await scene.sync(key);
    expect(scene.decisions.map(({ sentence }) => sentence)).toContain(
      "3 pods, 1 of an older revision, which the partition keeps → nothing to do",
    );
  });

  test("back to an earlier template makes its revision the latest", async () => {
    const [first, second] = [revisionFor(statefulSetOf({ spec: { template } }), 1), revisionFor(from, 2)];
    scene.put(StatefulSets, statefulSetOf({ spec: { template }, status: complete(from, 3) }));
    scene.put(ControllerRevisions, first, second);
    scene.put(Pods, ...podsAt(from, [0, 1, 2], old));
    await scene.sync(key);
    expect(sent()).toEqual([`update ${first.metadata.name}`, "delete db-2", "updateStatus db"]);
    expect(written()).toMatchObject({ updateRevision: first.metadata.name, currentRevision: old.revision });
    expect((body(0) as ControllerRevision).revision).toBe(3);
  });

  test("whose revision cannot be created ends there, and the history is trimmed to the pods' revisions", async () => {
    const set = changed({ revisionHistoryLimit: 0 });
    scene.put(ControllerRevisions, revisionFor(statefulSetOf({ spec: { template: {} } }), 0));
    scene.refuse = refuseCreate(revisionFor(set).metadata.name);
    expect((await rejection(scene.sync(key)))?.message).toContain("exceeded quota");
    const unused = revisionFor(statefulSetOf({ spec: { template: {} } })).metadata.name;
    expect(sent()).toEqual([`create ${revisionFor(set).metadata.name}`, `delete ${unused}`]);
  });
});

describe("the history", () => {
  test("without an owner is adopted first", async () => {
    const set = completeSet(1);
    scene.put(StatefulSets, set);
    scene.put(ControllerRevisions, revisionFor(set, 1, { ownerReferences: [] }));
    scene.put(Pods, podAt(set, 0));
    await scene.sync(key);
    expect(sent()).toEqual(["get db", `patch ${revisionFor(set).metadata.name}`]);
  });

  test("keeps the revisions of the status and of pods, and as many of the others as the limit", async () => {
    const set = statefulSetOf({
      replicas: 1,
      spec: { revisionHistoryLimit: 1 },
      status: { currentRevision: "db-current" },
    });
    const named = (name: string, revision: number): ControllerRevision => ({
      ...revisionFor(set, revision),
      data: { name },
      metadata: { ...revisionFor(set).metadata, name },
    });
    has(set, podAt(set, 0, { revision: "db-of-pod" }));
    const others = ["db-1", "db-2", "db-of-pod", "db-current", "db-3"].map((name, n) => named(name, n + 1));
    scene.put(ControllerRevisions, ...others, revisionFor(set, 9));
    await scene.sync(key);
    expect(sent().filter((call) => call.startsWith("delete"))).toEqual(["delete db-0", "delete db-1", "delete db-2"]);
  });
});

describe("writing the status", () => {
  test("is repeated on the cached set after a conflict", async () => {
    const set = statefulSetOf({ replicas: 0, meta: { generation: 4 } });
    has(set);
    scene.writeLive(StatefulSets, {
      ...set,
      spec: { ...(set.spec as NonNullable<StatefulSet["spec"]>), replicas: 5 },
      metadata: { ...set.metadata, generation: 5 },
    });
    scene.onSleep = () => scene.deliver();
    await scene.sync(key);
    expect(sent()).toEqual(["updateStatus db", "updateStatus db", "updateStatus db"]);
    expect(scene.live(StatefulSets)[0]).toMatchObject({ spec: { replicas: 5 }, status: { observedGeneration: 4 } });
  });

  test("is given up after the fifth conflict", async () => {
    has(statefulSetOf({ replicas: 0 }));
    scene.refuse = ({ verb }) => (verb === "updateStatus" ? refusal(409, "Conflict", "changed") : undefined);
    expect((await rejection(scene.sync(key)))?.message).toBe("changed");
    expect(sent().length).toBe(5);
  });

  test("is not retried after another refusal, which comes second to an earlier failure", async () => {
    has(statefulSetOf());
    scene.refuse = ({ verb }) => refusal(403, "Forbidden", `no ${verb}`);
    expect((await rejection(scene.sync(key)))?.message).toBe("no create");
    expect(sent()).toEqual(["create db-0", "updateStatus db"]);
    scene.refuse = ({ verb }) => (verb === "updateStatus" ? refusal(403, "Forbidden", "no status") : undefined);
    expect((await rejection(scene.sync(key)))?.message).toBe("no status");
  });
});

describe("the consistency check", () => {
  const behind = (): Promise<boolean> =>
    scene.sync(key).then(
      () => false,
      (error: unknown) => error instanceof CacheBehindError,
    );

  test("delays the key until the caches have its pods, its claims and its status", async () => {
    has(claimingSet());
    await scene.sync(key);
    // The claim, the pod and the status.
    const seen: boolean[] = [];
    for (let n = 0; n < 3; n++) {
      seen.push(await behind());
      scene.deliver(1);
    }
    expect(seen).toEqual([true, true, true]);
    expect(await behind()).toBe(false);
  });

  test("waits for adopted pods and for deletions, too", async () => {
    const set = completeSet(1);
    has(set, podAt(set, 0, { owner: "none" }));
    await scene.sync(key);
    expect(await behind()).toBe(true);
    scene.deliver();
    scene.put(StatefulSets, { ...set, spec: { ...(set.spec as NonNullable<StatefulSet["spec"]>), replicas: 0 } });
    await scene.sync(key);
    expect(sent()).toEqual(["delete db-0"]);
    expect(await behind()).toBe(true);
    scene.deliver();
    expect(await behind()).toBe(false);
  });

  test("forgets a deleted set", async () => {
    has(statefulSetOf());
    await scene.sync(key);
    scene.deleteLive(StatefulSets, key);
    scene.deliver();
    scene.put(StatefulSets, statefulSetOf({ replicas: 0, meta: { uid: "another" } }));
    expect(await behind()).toBe(false);
  });
});

describe("availability", () => {
  const patient = { minReadySeconds: 30 };

  test("in the future requeues the key for the next pod", async () => {
    const set = statefulSetOf({ replicas: 2, spec: { ...parallel, ...patient } });
    has(set, podAt(set, 0, { readyForMs: 10_000 }), podAt(set, 1, { readyForMs: 25_000 }));
    await scene.sync(key);
    expect(scene.requeues).toEqual([{ ms: 5000, why: "0 of 2 ready pods are available → requeue in 5 s, for db-1" }]);
  });

  test("is checked again after minReadySeconds if no pod has the time of its readiness", async () => {
    const set = statefulSetOf({ replicas: 1, spec: patient });
    has(set, podAt(set, 0, { status: { conditions: [{ type: "Ready", status: "True" }] } }));
    await scene.sync(key);
    expect(scene.requeues.map(({ ms }) => ms)).toEqual([30_000]);
  });

  test("of all ready pods, or without minReadySeconds, requeues nothing", async () => {
    const set = statefulSetOf({ replicas: 1, spec: patient });
    has(set, podAt(set, 0, { readyForMs: 30_000 }));
    await scene.sync(key);
    expect(scene.requeues).toEqual([]);
    scene.deliver();
    const other = statefulSetOf({ replicas: 1 });
    has(other, podAt(other, 0, { ready: false }));
    await scene.sync(key);
    expect(scene.requeues).toEqual([]);
  });

  test("is checked again when a pod becomes ready", () => {
    const set = statefulSetOf({ spec: patient });
    has(set);
    const [before, object] = [false, true].map((ready) => podAt(set, 0, { ready }));
    const changed = { ...(object as Pod), metadata: { ...(object as Pod).metadata, resourceVersion: "11" } };
    scene.notify(Pods, { type: "updated", before: before as Pod, object: changed });
    expect(scene.wokenLater).toEqual([{ key, ms: 30_000 }]);
  });
});

describe("notifications", () => {
  test("of claims and revisions enqueue nothing", () => {
    const set = has(claimingSet());
    scene.notify(PersistentVolumeClaims, {
      type: "added",
      object: claimNamed("data-db-0", { owners: [ownedBySet(set)] }),
      initial: false,
    });
    scene.notify(ControllerRevisions, { type: "added", object: revisionFor(set), initial: false });
    expect(scene.woken).toEqual([]);
  });

  test("of pods enqueue their set, or those that may adopt them", () => {
    const set = has(statefulSetOf());
    scene.notify(Pods, { type: "added", object: podAt(set, 0), initial: false });
    scene.notify(Pods, {
      type: "added",
      object: podOf("db-1", { owner: "none", labels: { app: "db" } }),
      initial: false,
    });
    scene.notify(Pods, { type: "added", object: podOf("x", { owner: "none", labels: { app: "x" } }), initial: false });
    expect(scene.woken).toEqual([key, key]);
  });
});
