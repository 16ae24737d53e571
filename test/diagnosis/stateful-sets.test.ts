import { describe, expect, test } from "bun:test";
import { Nodes, PersistentVolumeClaims, Pods, StatefulSets } from "../../src/api/kinds.ts";
import type { StoredObject } from "../../src/api/object.ts";
import type { Event } from "../../src/api/types.ts";
import { type Item, findingsOf } from "../../src/diagnosis/diagnosis.ts";
import { ago, diagnose, type Json, objectOf, ownedBy } from "./world.ts";

const labels = { app: "db" };
const node: Item = {
  kind: Nodes,
  object: objectOf("node-1", { status: { conditions: [{ type: "Ready", status: "True" }] } }),
};

interface PodParts {
  readonly ready?: boolean;
  readonly revision?: string;
  readonly meta?: Json;
}

function podOf(name: string, { ready = true, revision = "db-new", meta = {} }: PodParts = {}): Item {
  const conditions = [{ type: "Ready", status: ready ? "True" : "False", lastTransitionTime: ago(40) }];
  const containerStatuses = [{ name: "db", ready, restartCount: 0, state: { running: {} } }];
  const own = { ...ownedBy("db", StatefulSets), labels: { ...labels, "controller-revision-hash": revision }, ...meta };
  const spec = { nodeName: "node-1", containers: [{ name: "db", readinessProbe: {} }] };
  return {
    kind: Pods,
    object: objectOf(name, { meta: own, spec, status: { phase: "Running", conditions, containerStatuses } }),
  };
}

const set = (status: Json, spec: Json = {}): StoredObject =>
  objectOf("db", {
    meta: { generation: 1 },
    spec: { replicas: 3, selector: { matchLabels: labels }, ...spec },
    status: { observedGeneration: 1, currentRevision: "db-new", updateRevision: "db-new", ...status },
  });

const notesOf = (
  object: StoredObject,
  pods: readonly Item[],
  forbidden: Parameters<typeof diagnose>[2] = {},
): readonly string[] => diagnose(StatefulSets, object, { items: [node, ...pods], ...forbidden }).notes;

describe("of a StatefulSet that waits, `why` names the pod that blocks the rest", () => {
  test("which must still be created", () => {
    const object = set({ replicas: 1, availableReplicas: 0 });
    const diagnosis = diagnose(StatefulSets, object, { items: [node, podOf("db-0", { ready: false })] });
    expect(diagnosis.notes).toEqual([
      "its pods come in order: until db-0 (ordinal 0) is ready, 2 pods after it are not created",
    ]);
    expect(findingsOf(diagnosis)[0]).toMatchObject({
      at: { name: "db-0" },
      why: "readiness probe of container db does not succeed",
    });
  });

  test("which must still be scaled down, or updated", () => {
    const pods = [podOf("db-5"), podOf("db-6", { ready: false }), podOf("db-7"), podOf("db-4")];
    const object = set(
      { replicas: 4, availableReplicas: 3, updatedReplicas: 1, currentRevision: "db-old" },
      { ordinals: { start: 5 } },
    );
    expect(notesOf(object, pods)).toEqual([
      "its pods come in order: until db-6 (ordinal 6) is ready, 1 pod is not scaled down, no other pod is updated",
    ]);
  });

  test("whether it is missing or being deleted", () => {
    const object = set({ replicas: 1 });
    expect(notesOf(object, [podOf("db-2")])[0]).toContain(
      "until db-0 (ordinal 0) is there, 1 pod after it is not created",
    );
    const going = { deletionTimestamp: ago(5) };
    expect(notesOf(object, [podOf("db-0", { meta: going })])[0]).toContain(
      "until db-0 (ordinal 0) is gone and recreated",
    );
  });

  test("and that a pod of an earlier template must be deleted manually", () => {
    const pods = [podOf("db-0"), podOf("db-1"), podOf("db-2", { ready: false, revision: "db-bad" })];
    const object = set({ replicas: 3, availableReplicas: 2, updatedReplicas: 0, currentRevision: "db-old" });
    expect(notesOf(object, pods)).toEqual([
      "its pods come in order: until db-2 (ordinal 2) is ready, no other pod is updated",
      "db-2 is of an earlier template: the set waits for it and does not replace it; delete it to have it recreated",
    ]);
    const onDelete = set({ replicas: 3, availableReplicas: 2 }, { updateStrategy: { type: "OnDelete" }, replicas: 4 });
    expect(notesOf(onDelete, pods)).toEqual([
      "its pods come in order: until db-2 (ordinal 2) is ready, 1 pod after it is not created",
      "1 pod of an earlier template: with OnDelete, it is replaced when somebody deletes it",
    ]);
  });

  test("also after the template was changed back, when no other pod is outdated", () => {
    const pods = [podOf("db-0"), podOf("db-1"), podOf("db-2", { ready: false, revision: "db-bad" })];
    expect(notesOf(set({ replicas: 3, availableReplicas: 2, updatedReplicas: 2 }), pods)).toEqual([
      "db-2 is of an earlier template: the set waits for it and does not replace it; delete it to have it recreated",
    ]);
  });
});

describe("a StatefulSet that has all its pods shows how many are of an earlier template", () => {
  const pods = [podOf("db-0", { revision: "db-old" }), podOf("db-1", { revision: "db-old" }), podOf("db-2")];
  const counts = { replicas: 3, availableReplicas: 3, updatedReplicas: 1, currentRevision: "db-old" };

  test("with OnDelete", () => {
    const diagnosis = diagnose(StatefulSets, set(counts, { updateStrategy: { type: "OnDelete" } }), { items: pods });
    expect(diagnosis).toMatchObject({
      is: "well",
      notes: ["2 pods of an earlier template: with OnDelete, each is replaced when somebody deletes it"],
    });
  });

  test("below the partition", () => {
    const diagnosis = diagnose(StatefulSets, set(counts, { updateStrategy: { rollingUpdate: { partition: 2 } } }), {
      items: pods,
    });
    expect(diagnosis).toMatchObject({ is: "well", notes: ["2 pods of an earlier template: below partition 2"] });
  });
});

describe("no order is mentioned", () => {
  const pods = [podOf("db-0", { ready: false })];

  test("if there is none", () => {
    expect(notesOf(set({ replicas: 1 }, { podManagementPolicy: "Parallel" }), pods)).toEqual([]);
  });

  test("if only the last pod is missing", () => {
    const last = [podOf("db-0"), podOf("db-1"), podOf("db-2", { ready: false })];
    expect(notesOf(set({ replicas: 3, availableReplicas: 2 }), last)).toEqual([]);
  });

  test("if the pods cannot be read", () => {
    expect(notesOf(set({ replicas: 1 }), pods, { forbidden: [Pods] })).toEqual([]);
  });

  test("of a set that is complete", () => {
    const all = ["db-0", "db-1", "db-2"].map((name) => podOf(name));
    const object = set({ replicas: 3, availableReplicas: 3, updatedReplicas: 3 });
    expect(diagnose(StatefulSets, object, { items: [node, ...all] })).toMatchObject({ is: "well", notes: [] });
  });
});

describe("with whenScaled: Delete, missing pods are explained by the claims of earlier ones", () => {
  const statusWritten = (seconds: number): Json => ({
    managedFields: [{ manager: "kube-controller-manager", subresource: "status", time: ago(seconds) }],
  });
  const scaled = (
    spec: Json = {},
    { seconds = 30, status = {} }: { seconds?: number; status?: Json } = {},
  ): StoredObject =>
    objectOf("db", {
      meta: { generation: 1, ...statusWritten(seconds) },
      spec: {
        replicas: 3,
        podManagementPolicy: "Parallel",
        persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" },
        volumeClaimTemplates: [{ metadata: { name: "data" } }],
        selector: { matchLabels: labels },
        ...spec,
      },
      status: { observedGeneration: 1, replicas: 1, availableReplicas: 1, ...status },
    });
  const claimOf = (pod: string, meta: Json = {}): Item => ({
    kind: PersistentVolumeClaims,
    object: objectOf(`data-${pod}`, {
      meta: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: pod, uid: "earlier" }], ...meta },
      status: { phase: "Bound" },
    }),
  });
  const whys = (object: StoredObject, items: readonly Item[]): readonly string[] =>
    findingsOf(diagnose(StatefulSets, object, { items: [node, ...items] })).map(({ at, why }) => `${at.name}: ${why}`);

  test("while these are there, with what blocks their deletion", () => {
    const going = { deletionTimestamp: ago(9), finalizers: ["example.com/hold"] };
    expect(whys(scaled(), [podOf("db-0"), claimOf("db-1", going), claimOf("db-2")])).toEqual([
      "data-db-1: finalizer example.com/hold: the controller that set it has to remove it",
      "data-db-1: left over from an earlier pod: no pod of that name is created until the claim is gone",
      "data-db-2: left over from an earlier pod: no pod of that name is created until the claim is gone",
    ]);
  });

  test("and after they are gone, because that wakes no controller", () => {
    const object = scaled();
    expect(whys(object, [podOf("db-0")])).toEqual([
      "db: db-1, db-2 and their claims are missing, and nothing has made the controller create them: the deletion of an earlier claim does not wake it, any change of the StatefulSet does",
    ]);
    const [finding] = findingsOf(diagnose(StatefulSets, object, { items: [node, podOf("db-0")] }));
    expect(finding?.advice).toEqual([
      { tool: "kubectl", words: "annotate statefulset db woken=yes --overwrite -n shop" },
    ]);
  });

  test("but not if the controller may be about to create them", () => {
    const plain = ["db: 1 of 3 pods are available"];
    expect(whys(scaled({}, { seconds: 3 }), [podOf("db-0")])).toEqual(plain);
    // It has not seen that the pods are gone.
    expect(whys(scaled({}, { status: { replicas: 3 } }), [podOf("db-0")])).toEqual(plain);
  });

  test("nor if something else explains it", () => {
    const plain = ["db: 1 of 3 pods are available"];
    const kept = { persistentVolumeClaimRetentionPolicy: { whenScaled: "Retain" } };
    expect(whys(scaled(kept), [podOf("db-0"), claimOf("db-1")])).toEqual(plain);
    expect(whys(scaled({ volumeClaimTemplates: [] }), [podOf("db-0")])).toEqual(plain);
    const own = claimOf("db-1", { ownerReferences: [] });
    expect(whys(scaled(), [podOf("db-0"), own])).toEqual(plain);
    const message = "create Claim data-db-1 for Pod db-1 in StatefulSet db failed error: exceeded quota: few";
    const refused = { metadata: objectOf("event").metadata, reason: "FailedCreate", message, lastTimestamp: ago(20) };
    const events = [{ ...refused, involvedObject: { uid: "uid-db" } } as Event];
    const [first] = findingsOf(diagnose(StatefulSets, scaled(), { items: [node, podOf("db-0")], events }));
    expect(first?.why).toStartWith("pods cannot be created");
  });

  test("of an ordered set, only the next pod, once all before it are available", () => {
    const ordered = scaled({ podManagementPolicy: "OrderedReady" });
    expect(whys(ordered, [podOf("db-0"), claimOf("db-1"), claimOf("db-2")])).toEqual([
      "data-db-1: left over from an earlier pod: no pod of that name is created until the claim is gone",
    ]);
    const early = scaled({ podManagementPolicy: "OrderedReady" }, { status: { availableReplicas: 0 } });
    expect(whys(early, [podOf("db-0"), claimOf("db-1")])).toEqual(["db: 0 of 3 pods are available"]);
  });
});
