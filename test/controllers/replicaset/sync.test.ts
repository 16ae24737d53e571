import { beforeEach, describe, expect, test } from "bun:test";
import { Pods, ReplicaSets } from "../../../src/api/kinds.ts";
import type { Pod, ReplicaSet } from "../../../src/api/types.ts";
import { CacheBehindError } from "../../../src/controller/api/consistency.ts";
import { relatedPods } from "../../../src/controllers/replicaset/related.ts";
import type { ReplicaControllerConfig } from "../../../src/controllers/replicaset/replica-owner.ts";
import { replicaset } from "../../../src/controllers/replicaset/replicaset.ts";
import { syncReplicaSet } from "../../../src/controllers/replicaset/sync.ts";
import { rejection } from "../../support/rejection.ts";
import { refusal, type Scene, sceneStart, syncScene } from "../../support/sync-context.ts";
import {
  deploymentOf,
  ownedBy,
  podOf,
  type PodParts,
  replicaSetOf,
  type ReplicaSetParts,
} from "../../support/workloads.ts";

const key = "shop/web";
const going = { deletionTimestamp: "2026-11-21T09:59:00Z" };

let scene: Scene;
beforeEach(() => {
  scene = syncScene(replicaset);
});

function has(parts: ReplicaSetParts, ...pods: readonly Pod[]): ReplicaSet {
  const object = replicaSetOf(parts);
  scene.put(ReplicaSets, object);
  scene.put(Pods, ...pods);
  return object;
}

function podsOf(count: number, parts: PodParts = {}): Pod[] {
  return Array.from({ length: count }, (_, index) => podOf(`pod-${index}`, parts));
}

const verbs = (): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(scene.calls, ({ verb }) => verb)].map(([verb, calls]) => [verb, calls.length]));
const rulesUsed = (): string[] => scene.decisions.map(({ rule }) => rule);
const written = (): ReplicaSet["status"] =>
  (scene.calls.findLast(({ verb }) => verb === "updateStatus")?.body as ReplicaSet | undefined)?.status;

/** A configuration whose selector matches everything. */
const plain: ReplicaControllerConfig<ReplicaSet> = {
  kind: ReplicaSets,
  selectorOf: () => [],
  checksConsistency: false,
  countsTerminating: false,
  ranksWithRelated: true,
};

/** The status if all replicas are as desired. */
const steadyStatus = (replicas: number): NonNullable<ReplicaSet["status"]> => ({
  replicas,
  fullyLabeledReplicas: replicas,
  terminatingReplicas: 0,
  observedGeneration: 1,
});

describe("a sync", () => {
  test("with as many pods as desired and the right status writes nothing", async () => {
    has({ replicas: 2, status: steadyStatus(2) }, ...podsOf(2));
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
    expect(scene.decisions.map(({ sentence }) => sentence)).toEqual(["2 of 2 pods → nothing to do"]);
  });

  test("creates the missing pods, and writes the status from before", async () => {
    has(
      { replicas: 5, status: { replicas: 3, fullyLabeledReplicas: 3, observedGeneration: 4 }, meta: { generation: 5 } },
      ...podsOf(2),
    );
    await scene.sync(key);
    expect(verbs()).toEqual({ create: 3, updateStatus: 1 });
    expect(scene.decisions.map(({ sentence }) => sentence)).toEqual([
      "3 of 5 pods are missing → create 3, in batches of 1 and 2",
      "replicas 3 → 2, observedGeneration 4 → 5",
    ]);
    expect(scene.calls.map(({ because }) => because?.rule)).toEqual(["scale-up", "scale-up", "scale-up", "status"]);
    expect(scene.events.map(({ reason }) => reason)).toEqual([
      "SuccessfulCreate",
      "SuccessfulCreate",
      "SuccessfulCreate",
    ]);
    expect(written()).toMatchObject({ replicas: 2, observedGeneration: 5 });
  });

  test("deletes surplus pods, the least valuable first", async () => {
    has({ replicas: 1 }, podOf("ready", { ready: true }), podOf("starting"), podOf("waiting", { phase: "Pending" }));
    await scene.sync(key);
    expect(scene.calls.filter(({ verb }) => verb === "delete").map(({ name }) => name)).toEqual([
      "waiting",
      "starting",
    ]);
    expect(scene.decisions[0]?.sentence).toBe("2 of 3 pods are too many → delete 2, not ready first");
    expect(scene.decisions[0]?.facts).toMatchObject({ chosen: ["waiting", "starting"], by: "not ready first" });
    expect(scene.events.map(({ message }) => message)).toEqual(["Deleted pod: waiting", "Deleted pod: starting"]);
    expect([...(scene.expectations.of(key)?.deletions ?? [])]).toEqual(["shop/waiting", "shop/starting"]);
  });

  test("counts neither finished nor terminating pods as replicas, and counts terminating ones separately", async () => {
    has(
      { replicas: 2 },
      podOf("ended", { phase: "Succeeded" }),
      podOf("failed", { phase: "Failed" }),
      podOf("going", { meta: going }),
    );
    await scene.sync(key);
    expect(verbs()).toEqual({ create: 2, updateStatus: 1 });
    expect(written()).toEqual({ replicas: 0, terminatingReplicas: 1, observedGeneration: 1 });
  });

  test.each([
    { minor: 34, terminatingReplicas: undefined },
    { minor: 35, terminatingReplicas: 1 },
  ])("on a server of version 1.$minor reports $terminatingReplicas terminating pods", async ({ minor, ...counted }) => {
    scene.serverVersion = { ...scene.serverVersion, minor };
    has({ replicas: 0 }, podOf("going", { meta: going }));
    await scene.sync(key);
    expect(written()?.terminatingReplicas).toBe(counted.terminatingReplicas);
  });

  test("counts a terminating pod only if it is owned and still matches", async () => {
    has(
      { replicas: 0 },
      podOf("mine", { meta: going }),
      podOf("relabelled", { meta: going, labels: { app: "x" } }),
      podOf("orphan", { meta: going, owner: "none" }),
      podOf("ended", { meta: going, phase: "Failed" }),
    );
    await scene.sync(key);
    expect(written()?.terminatingReplicas).toBe(1);
  });

  test("adopts before it counts", async () => {
    has({ replicas: 2 }, podOf("orphan", { owner: "none" }), podOf("relabelled", { labels: { app: "x" } }));
    await scene.sync(key);
    expect(rulesUsed()).toEqual(["release", "adopt", "scale-up", "status"]);
    expect(verbs()).toEqual({ get: 1, patch: 2, create: 1, updateStatus: 1 });
    expect(written()?.replicas).toBe(1);
  });

  test("leaves a matching pod of another controller alone", async () => {
    has({ replicas: 2 }, podOf("theirs", { owner: replicaSetOf({ name: "another" }) }));
    await scene.sync(key);
    expect(verbs()).toEqual({ create: 2, updateStatus: 1 });
  });

  test("ends when pods cannot be claimed: nothing is created, no status written, both were tried", async () => {
    has({ replicas: 3 }, podOf("a", { owner: "none" }), podOf("b", { owner: "none" }));
    scene.refuse = ({ verb }) => (verb === "patch" ? refusal(500, "InternalError", "broken") : undefined);
    expect((await rejection(scene.sync(key))).message).toContain("broken");
    expect(verbs()).toEqual({ get: 1, patch: 2 });
  });

  test("of a deleted object forgets its expectations", async () => {
    scene.expectations.expectCreations(key, 1);
    scene.consistency.wrote({ key, uid: "uid-web" }, Pods, "1");
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
    expect(scene.expectations.of(key)).toBeUndefined();
  });

  test("of an object with an invalid selector does nothing", async () => {
    const selector = { matchExpressions: [{ key: "app", operator: "Like", values: ["web"] }] };
    has({ replicas: 2, spec: { selector } });
    await scene.sync(key);
    expect(scene.calls).toEqual([]);
  });

  test("of an object whose selector fails for any other reason fails as well: that is a bug", async () => {
    has({ replicas: 2 });
    const config: ReplicaControllerConfig<ReplicaSet> = {
      ...plain,
      selectorOf() {
        throw new TypeError("a defect");
      },
    };
    expect((await rejection(syncReplicaSet(scene.context(key), config))).message).toBe("a defect");
    const owned = ownedBy(deploymentOf("shop"), {});
    scene.put(ReplicaSets, owned);
    expect(() => relatedPods({ context: scene.context(key), config, object: owned })).toThrow("a defect");
  });

  test("desires one replica by default", async () => {
    has({ spec: { replicas: undefined } });
    await scene.sync(key);
    expect(verbs()["create"]).toBe(1);
  });

  // Source: kubernetes v1.36 pkg/controller/controller_utils.go createPods: the controller would not find a pod without labels again.
  test("of an object without a spec desires one pod, and has no template for it", async () => {
    scene.put(ReplicaSets, { metadata: replicaSetOf().metadata });
    expect((await rejection(scene.sync(key))).message).toBe("unable to create pods, no labels");
    expect(verbs()).toEqual({ updateStatus: 1 });
    expect(scene.decisions[0]?.facts).toEqual({ desired: 1, active: 0, create: 1 });
  });

  test("of an object without a spec and with a pod does nothing", async () => {
    scene.put(ReplicaSets, { metadata: replicaSetOf().metadata });
    scene.put(Pods, podOf("mine", { ready: true }));
    await syncReplicaSet(scene.context(key), plain);
    expect(scene.requeues).toEqual([]);
  });

  test("names at most 8 of the deleted pods in its decision", async () => {
    has({ replicas: 0 }, ...podsOf(9));
    await scene.sync(key);
    expect(verbs()["delete"]).toBe(9);
    expect(scene.decisions[0]?.facts).toMatchObject({
      delete: 9,
      chosen: podsOf(8).map(({ metadata }) => metadata.name),
    });
  });
});

describe("of an object that is being deleted", () => {
  test("pods are neither adopted, created nor deleted; the status is kept up to date", async () => {
    has(
      { replicas: 2, meta: going },
      podOf("orphan", { owner: "none" }),
      podOf("mine"),
      podOf("other", { labels: { app: "x" } }),
    );
    await scene.sync(key);
    expect(verbs()).toEqual({ updateStatus: 1 });
    expect(rulesUsed()).toEqual(["being-deleted", "status"]);
    expect(written()?.replicas).toBe(1);
  });

  test("on the server but not in the cache: the live object stops the adoption and the sync", async () => {
    has({ replicas: 2 }, podOf("orphan", { owner: "none" }));
    scene.putLive(ReplicaSets, replicaSetOf({ replicas: 2, meta: going }));
    expect((await rejection(scene.sync(key))).message).toContain("is being deleted since");
    expect(verbs()).toEqual({ get: 1 });
  });
});

describe("expectations", () => {
  test("that are not met prevent creations, but the status is written", async () => {
    has({ replicas: 3 });
    scene.expectations.expectCreations(key, 2);
    await scene.sync(key);
    expect(verbs()).toEqual({ updateStatus: 1 });
    expect(scene.decisions[0]).toMatchObject({
      rule: "wait",
      sentence: "2 created not observed yet → wait",
      facts: { desired: 3, active: 0, creations: 2, deletions: 0 },
    });
  });

  test("include deletions", async () => {
    has({ replicas: 1 }, ...podsOf(2));
    scene.expectations.expectDeletions(key, ["shop/pod-0"]);
    await scene.sync(key);
    expect(verbs()["delete"]).toBeUndefined();
    expect(scene.decisions[0]?.sentence).toBe("1 deleted not observed yet → wait");
  });

  test("do not include a failed create", async () => {
    has({ replicas: 2 }, podOf("a"));
    scene.refuse = ({ verb }) => (verb === "create" ? new Error("fake error") : undefined);
    expect((await rejection(scene.sync(key))).message).toContain("fake error");
    expect(scene.expectations.satisfied(key)).toBeTrue();
    scene.refuse = () => undefined;
    scene.deliver();
    await scene.sync(key);
    expect(verbs()["create"]).toBe(1);
  });

  test("do not include those never tried: a quota of 10 costs at most 15 requests for 100", async () => {
    has({ replicas: 100 });
    let created = 0;
    scene.refuse = ({ verb }) =>
      verb === "create" && ++created > 10 ? refusal(403, "Forbidden", "exceeded quota") : undefined;
    expect((await rejection(scene.sync(key))).message).toContain("exceeded quota");
    expect(verbs()).toEqual({ create: 15, updateStatus: 1 });
    expect(scene.expectations.of(key)?.creations).toBe(10);
    expect(scene.events.filter(({ reason }) => reason === "FailedCreate")).toHaveLength(5);
  });

  test("do not include a failed deletion, whose first failure is thrown; an already deleted pod is not a failure", async () => {
    has({ replicas: 0 }, ...podsOf(3));
    scene.refuse = ({ verb, name }) => {
      if (verb !== "delete") return undefined;
      if (name === "pod-0") return refusal(404, "NotFound", "gone");
      return name === "pod-1" ? refusal(500, "InternalError", "broken") : undefined;
    };
    expect((await rejection(scene.sync(key))).message).toContain("unable to delete pods: broken");
    expect([...(scene.expectations.of(key)?.deletions ?? [])]).toEqual(["shop/pod-2"]);
    expect(written()?.conditions?.[0]).toMatchObject({
      reason: "FailedDelete",
      message: "unable to delete pods: broken",
    });
  });

  test("are checked before the pods are listed: one that is added in between is not created again", async () => {
    has({ replicas: 2 }, podOf("first"));
    scene.expectations.satisfied = () => {
      scene.put(Pods, podOf("second"));
      return true;
    };
    await scene.sync(key);
    expect(verbs()).toEqual({ updateStatus: 1 });
  });

  test("ignore creates in a namespace that is being deleted: no Event, no condition, no error", async () => {
    has({ replicas: 2 });
    scene.refuse = ({ verb }) =>
      verb === "create" ? refusal(403, "Forbidden", "no", "NamespaceTerminating") : undefined;
    await scene.sync(key);
    expect(scene.events).toEqual([]);
    expect(written()?.conditions).toBeUndefined();
    // As in upstream, they count as successful, so they stay expected although they never arrive.
    expect(scene.expectations.of(key)?.creations).toBe(2);
  });
});

describe("the consistency check", () => {
  test("fails a sync until the caches have its own writes", async () => {
    has({ replicas: 1 });
    await scene.sync(key);
    expect(await rejection(scene.sync(key))).toBeInstanceOf(CacheBehindError);
    scene.deliver(1);
    expect((await rejection(scene.sync(key))).message).toContain("the cache of replicasets.apps");
    expect(scene.calls).toEqual([]);
    scene.deliver();
    await scene.sync(key);
    expect(verbs()).toEqual({ updateStatus: 1 });
  });

  test("counts an adoption, but neither a release nor a deletion", async () => {
    const status = { ...steadyStatus(0) };
    has({ replicas: 0, status }, podOf("other", { labels: { app: "x" } }));
    await scene.sync(key);
    expect(rulesUsed()).toEqual(["release", "steady"]);
    expect(() => scene.consistency.ensureReady(key)).not.toThrow();
    scene.put(Pods, podOf("orphan", { owner: "none" }));
    scene.refuse = ({ verb }) => (verb === "updateStatus" || verb === "delete" ? new Error("stop") : undefined);
    expect((await rejection(scene.sync(key))).message).toContain("stop");
    expect(rulesUsed()).toContain("adopt");
    expect(() => scene.consistency.ensureReady(key)).toThrow("the cache of pods");
  });
});

describe("availability", () => {
  const readyFor = (name: string, ms: number): Pod => podOf(name, { ready: true, readyAt: sceneStart - ms });

  test("requeues the key for the next available pod", async () => {
    has(
      { replicas: 4, spec: { minReadySeconds: 5 } },
      podOf("pending", { phase: "Pending" }),
      readyFor("a", 0),
      readyFor("b", 2000),
      readyFor("c", 4000),
    );
    await scene.sync(key);
    expect(written()).toMatchObject({ readyReplicas: 3 });
    expect(written()?.availableReplicas).toBeUndefined();
    expect(scene.requeues).toEqual([{ ms: 1000, why: "0 of 3 ready pods are available → requeue in 1 s, for c" }]);
  });

  test("does not if all ready pods are available, or none has to wait", async () => {
    has({ replicas: 1, spec: { minReadySeconds: 5 } }, readyFor("a", 6000));
    await scene.sync(key);
    expect(written()?.availableReplicas).toBe(1);
    expect(scene.requeues).toEqual([]);
  });

  test("requeues after minReadySeconds if no pod has the time of its readiness", async () => {
    has({ replicas: 1, spec: { minReadySeconds: 5 } }, podOf("a", { ready: true }));
    await scene.sync(key);
    expect(scene.requeues).toMatchObject([{ ms: 5000 }]);
    expect(scene.decisions.at(-1)?.facts).toStrictEqual({ ready: 1, available: 0, inMs: 5000 });
  });

  test("is that of the written object: without minReadySeconds nothing is requeued", async () => {
    has({ replicas: 1, spec: { minReadySeconds: 5 } }, readyFor("a", 0));
    scene.putLive(ReplicaSets, replicaSetOf({ spec: { minReadySeconds: 0 }, meta: { resourceVersion: "77" } }));
    await scene.sync(key);
    expect(scene.calls.map(({ verb }) => verb)).toEqual(["updateStatus", "get", "updateStatus"]);
    expect(written()).toMatchObject({ readyReplicas: 1 });
    expect(scene.requeues).toEqual([]);
  });

  test("of a sync that failed to create requeues nothing: it is retried anyway", async () => {
    has({ replicas: 2, spec: { minReadySeconds: 5 } }, readyFor("a", 0));
    scene.refuse = ({ verb }) => (verb === "create" ? new Error("no") : undefined);
    expect((await rejection(scene.sync(key))).message).toContain("no");
    expect(scene.requeues).toEqual([]);
  });
});
