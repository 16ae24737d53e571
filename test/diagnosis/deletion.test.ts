import { describe, expect, test } from "bun:test";
import { type Kind } from "../../src/api/kind.ts";
import { Deployments, Namespaces, Pods, ReplicaSets } from "../../src/api/kinds.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { findingsOf } from "../../src/diagnosis/diagnosis.ts";
import { ConfigMaps } from "../../src/api/kinds.ts";
import { ago, diagnose, type Json, now, objectOf, ownedBy } from "./world.ts";

const going = (name: string, rest: Json = {}): StoredObject =>
  objectOf(name, { meta: { deletionTimestamp: ago(180), ...rest } });
const foreground = { finalizers: ["foregroundDeletion"] };

describe("what a deletion waits for", () => {
  test("a finalizer that its controller has to remove", () => {
    const diagnosis = diagnose(ConfigMaps, going("a", { finalizers: ["example.com/hold"] }));
    expect(diagnosis.is).toBe("being deleted");
    expect(diagnosis.says).toBe("a finalizer blocks it");
    expect(findingsOf(diagnosis)).toMatchObject([
      { why: "finalizer example.com/hold: the controller that set it has to remove it", since: now - 180_000 },
    ]);
  });

  test("in the foreground: the finalizer of the last dependent, in one question", () => {
    const set = { kind: ReplicaSets, object: going("web-1", { ...foreground, ...ownedBy("web", Deployments) }) };
    const held = { finalizers: ["example.com/drain"], ...ownedBy("web-1", ReplicaSets) };
    const pod = { kind: Pods, object: going("web-1-a", held) };
    const diagnosis = diagnose(Deployments, going("web", foreground), { items: [set, pod] });
    expect(findingsOf(diagnosis).map(({ at, why }) => `${at.name}: ${why}`)).toEqual([
      "web-1-a: finalizer example.com/drain: the controller that set it has to remove it",
      "web-1: finalizer foregroundDeletion: waiting for its dependents to be deleted: Pod web-1-a",
      "web: finalizer foregroundDeletion: waiting for its dependents to be deleted: ReplicaSet web-1",
    ]);
  });

  test("in the foreground: dependents of a ConfigMap, of any kind", () => {
    const owned = { kind: ConfigMaps, object: objectOf("b", { meta: ownedBy("a", ConfigMaps) }) };
    const diagnosis = diagnose(ConfigMaps, going("a", foreground), { items: [owned] });
    expect(findingsOf(diagnosis).map(({ why }) => why)).toEqual([
      "not deleted yet: the garbage collector has to delete it first",
      "finalizer foregroundDeletion: waiting for its dependents to be deleted: ConfigMap b",
    ]);
  });

  const namespace = (conditions: readonly Json[]): StoredObject =>
    Object.assign(going("shop", { namespace: undefined }), {
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Terminating", conditions },
    });
  const remaining = {
    type: "NamespaceContentRemaining",
    status: "True",
    message: "Some resources are remaining: configmaps. has 1 resource instances",
  };

  test("a namespace: the objects and the finalizers that hold it", () => {
    const held = { kind: ConfigMaps, object: going("held", { finalizers: ["example.com/hold"] }) };
    const other = { kind: ConfigMaps, object: going("other") };
    const diagnosis = diagnose(Namespaces, namespace([remaining]), { items: [held, other] });
    expect(diagnosis.says).toBe("1 object in it has finalizers");
    expect(
      findingsOf(diagnosis)
        .map(({ at, why }) => `${at.name}: ${why}`)
        .slice(0, 2),
    ).toEqual([
      "held: finalizer example.com/hold: the controller that set it has to remove it",
      "shop: 1 configmap left in it, without finalizers: they will be deleted",
    ]);
  });

  test("a namespace with a pod that is still running: the pod", () => {
    const pod = Object.assign(going("slow", { deletionTimestamp: ago(-570), deletionGracePeriodSeconds: 600 }), {
      spec: { nodeName: "node-2", containers: [{ name: "c" }] },
      status: { phase: "Running", containerStatuses: [{ name: "c", state: { running: {} } }] },
    });
    const items = [
      { kind: Pods, object: pod },
      { kind: ConfigMaps, object: objectOf("other") },
    ];
    const diagnosis = diagnose(Namespaces, namespace([]), { items });
    expect(diagnosis.says).toBe("1 pod is still terminating in it");
    expect(findingsOf(diagnosis)[0]).toMatchObject({
      at: { name: "slow" },
      why: "being deleted, until its containers have terminated on node node-2 (grace period 600 s)",
    });
  });

  test("a namespace whose content cannot be read: what its controller reports", () => {
    const diagnosis = diagnose(Namespaces, namespace([remaining]), { forbidden: [ConfigMaps] });
    expect(findingsOf(diagnosis).map(({ why }) => why)).toContain(`NamespaceContentRemaining: ${remaining.message}`);
    expect(diagnosis.verdict.evidence.unseen).toMatchObject([{ what: "configmaps", why: "no right to list" }]);
  });

  test("a namespace with an API group that does not respond", () => {
    const failure = { type: "NamespaceDeletionDiscoveryFailure", status: "True", message: "stale GroupVersion: a/v1" };
    expect(findingsOf(diagnose(Namespaces, namespace([failure])))[0]?.why).toContain("stale GroupVersion: a/v1");
  });

  test("a pod whose node does not respond", () => {
    const pod = Object.assign(going("a", { deletionTimestamp: ago(5), deletionGracePeriodSeconds: 30 }), {
      spec: { nodeName: "node-1", containers: [{ name: "web" }] },
      status: { phase: "Running", containerStatuses: [{ name: "web", ready: true, state: { running: {} } }] },
    });
    expect(findingsOf(diagnose(Pods, pod))[0]?.why).toBe(
      "being deleted, until its containers have terminated on node node-1 (grace period 30 s)",
    );
  });
});

describe("the surroundings of an object", () => {
  const ready = { spec: {}, status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } };
  const pod = objectOf("a", { meta: ownedBy("web-1", ReplicaSets), ...ready });
  const found = (kind: Kind, object: StoredObject): readonly string[] =>
    findingsOf(diagnose(Pods, pod, { items: [{ kind, object }] })).map(({ at, why }) => `${at.name}: ${why}`);

  test("a namespace that is being deleted, and an owner that is gone", () => {
    const namespace = { ...going("shop"), metadata: { ...going("shop").metadata, uid: "n" } };
    expect(found(Namespaces, namespace)).toEqual([
      "shop: it is being deleted: nothing can be created in it, and everything in it will be deleted",
      "a: its owner ReplicaSet web-1 does not exist: the garbage collector will delete it",
    ]);
  });

  test("an owner that is being deleted in the foreground", () => {
    expect(found(ReplicaSets, going("web-1", foreground))).toEqual([
      "web-1: this owner is being deleted in the foreground, after its dependents",
    ]);
  });
});
