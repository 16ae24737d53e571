import { describe, expect, test } from "bun:test";
import { Deployments, Events, Nodes, Pods, ReplicaSets } from "../../src/api/kinds.ts";
import type { ManagedFieldsEntry, StoredObject } from "../../src/api/object.ts";
import type { Event } from "../../src/api/types.ts";
import { type Item, findingsOf } from "../../src/diagnosis/diagnosis.ts";
import { ago, diagnose, type Json, now, objectOf, ownedBy, Widgets } from "./world.ts";

const labels = { app: "web" };
const nodes: Item = {
  kind: Nodes,
  object: objectOf("node-1", { status: { conditions: [{ type: "Ready", status: "True" }] } }),
};

interface SetParts {
  readonly revision: string;
  readonly status: Json;
  readonly image?: string;
  readonly size?: number;
  /** The Deployment's size when it last wrote the ReplicaSet. */
  readonly recorded?: string;
}

function setOf(name: string, { revision, status, image = "web:1", size = 3, recorded }: SetParts): Item {
  const annotations = {
    "deployment.kubernetes.io/revision": revision,
    ...(recorded !== undefined && { "deployment.kubernetes.io/desired-replicas": recorded }),
  };
  const spec = { replicas: size, template: { spec: { containers: [{ name: "web", image }] } } };
  return {
    kind: ReplicaSets,
    object: objectOf(name, { meta: { ...ownedBy("web", Deployments), annotations, labels }, spec, status }),
  };
}

function podOf(name: string, set: string, isReady: boolean): Item {
  const conditions = [{ type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: ago(40) }];
  const containerStatuses = [{ name: "web", ready: isReady, restartCount: 0, state: { running: {} } }];
  const spec = { nodeName: "node-1", containers: [{ name: "web", readinessProbe: {} }] };
  const status = { phase: "Running", conditions, containerStatuses };
  return { kind: Pods, object: objectOf(name, { meta: { ...ownedBy(set, ReplicaSets), labels }, spec, status }) };
}

const deployment = (status: Json, spec: Json = {}, meta: Json = {}): StoredObject =>
  objectOf("web", {
    meta: { generation: 2, ...meta },
    spec: { replicas: 3, progressDeadlineSeconds: 600, selector: { matchLabels: labels }, ...spec },
    status: { observedGeneration: 2, ...status },
  });
const rolling: Json = { replicas: 3, updatedReplicas: 3, availableReplicas: 2 };
const items: readonly Item[] = [
  nodes,
  setOf("web-1", { revision: "2", status: { replicas: 3, availableReplicas: 2 } }),
  podOf("web-1-a", "web-1", false),
  podOf("web-1-b", "web-1", true),
];

describe("what a Deployment waits for", () => {
  test("are pods that are not ready, with the time until its deadline and the last writer", () => {
    const progressing = { type: "Progressing", status: "True", reason: "ReplicaSetUpdated", lastUpdateTime: ago(348) };
    const managedFields: readonly ManagedFieldsEntry[] = [
      { manager: "kubectl-edit", time: ago(48), fieldsV1: { "f:spec": { "f:replicas": {} } } },
      { manager: "kube-controller-manager", time: ago(3), subresource: "status", fieldsV1: {} },
    ];
    const object = deployment({ ...rolling, conditions: [progressing] }, {}, { managedFields });
    const diagnosis = diagnose(Deployments, object, { items });
    expect(diagnosis.is).toBe("waiting");
    expect(diagnosis.says).toBe("2 of 3 pods of ReplicaSet web-1 are available");
    expect(findingsOf(diagnosis)).toMatchObject([
      { at: { name: "web-1-a" }, why: "readiness probe of container web does not succeed", since: now - 40_000 },
    ]);
    expect(diagnosis.next).toEqual(["progress deadline in 4 m 12 s, then Progressing=False"]);
    expect(diagnosis.lastWrites).toEqual([
      { part: "spec", managers: ["kubectl-edit"], untimed: [], agoMs: 48_000, field: ".spec.replicas" },
      { part: "status", managers: ["kube-controller-manager"], untimed: [], agoMs: 3000 },
    ]);
  });

  test("are the new ReplicaSet's pods in a rollout, with the pods of the old one", () => {
    const during = { ...rolling, replicas: 3, updatedReplicas: 1, availableReplicas: 2 };
    const sets = [
      setOf("web-2", { revision: "2", status: { replicas: 1 }, image: "web:2" }),
      setOf("web-1", { revision: "1", status: { replicas: 2, availableReplicas: 2 } }),
    ];
    const pods = [podOf("web-1-a", "web-1", true), podOf("web-1-b", "web-1", true), podOf("web-2-a", "web-2", false)];
    const diagnosis = diagnose(Deployments, deployment(during), { items: [nodes, ...sets, ...pods] });
    expect(diagnosis.says).toBe("0 of 3 pods of the new ReplicaSet web-2 are available, 2 of 2 old ones still serve");
    const down = sets.map((set) => ({ ...set, object: { ...set.object, status: { replicas: 1 } } }));
    expect(diagnose(Deployments, deployment(during), { items: [nodes, ...down] }).says).toBe(
      "0 of 3 pods of the new ReplicaSet web-2 are available, no old one serves",
    );
    expect(findingsOf(diagnosis).map(({ at }) => at.name)).toEqual(["web-2-a"]);
    expect(diagnosis.changes[0]?.text).toBe(".spec.template.spec.containers[web].image web:1 → web:2 (revision 2)");
  });

  test.each([
    {
      name: "a quota",
      object: deployment(rolling),
      parts: [
        setOf("web-1", {
          revision: "2",
          status: {
            conditions: [{ type: "ReplicaFailure", status: "True", message: "exceeded quota: few, requested" }],
          },
        }),
      ],
      why: "pods cannot be created: exceeded quota: few",
      advice: "describe quota few -n shop",
    },
    {
      name: "somebody to resume it",
      object: deployment({ ...rolling, updatedReplicas: 0 }, { paused: true }),
      parts: items,
      why: "it is paused",
      advice: "rollout resume deployment/web -n shop",
    },
    {
      name: "a controller to look at it",
      object: deployment({ ...rolling, observedGeneration: 1 }),
      parts: items,
      why: "its controller has observed generation 1 of 2: is its controller running?",
      advice: undefined,
    },
  ])("$name", ({ object, parts, why, advice }) => {
    const diagnosis = diagnose(Deployments, object, { items: parts });
    expect(diagnosis.is).toBe("waiting");
    expect(findingsOf(diagnosis)[0]?.why).toContain(why);
    expect(findingsOf(diagnosis)[0]?.advice?.[0]?.words).toBe(advice as string);
  });

  test.each([
    { isActive: true, why: "another kubectl reconcile runs here, and may be behind" },
    { isActive: false, why: "no running controller was found for it (looked for another kubectl reconcile)" },
  ])("is the controller that was looked for: active $isActive", ({ isActive, why }) => {
    const reconciler = { who: "another kubectl reconcile", isActive };
    const diagnosis = diagnose(Deployments, deployment({ ...rolling, observedGeneration: 1 }), { items, reconciler });
    expect(findingsOf(diagnosis)[0]?.why).toBe(`its controller has observed generation 1 of 2: ${why}`);
  });

  // kubernetes/kubernetes#138036; test/differential/scripts/deployment/scaling.ts shows that kube-controller-manager is stuck, too.
  describe("a rollout stuck by the size in the annotation of its only active ReplicaSet", () => {
    const unscaled = setOf("web-2", { revision: "2", status: {}, image: "web:2", size: 0 });
    const oldOf = (size: number, recorded: string): Item =>
      setOf("web-1", { revision: "1", status: { replicas: size, availableReplicas: size }, size, recorded });
    const stuck = deployment({ replicas: 3, updatedReplicas: 0, availableReplicas: 3 });
    const why = "its annotation desired-replicas says 4, the Deployment 3: no rollout continues until they agree";

    test("is a failure, with the command that corrects it", () => {
      const diagnosis = diagnose(Deployments, stuck, { items: [unscaled, oldOf(3, "4")] });
      expect(diagnosis.is).toBe("failed");
      expect(diagnosis.says).toBe(
        "its rollout does not progress, 0 of 3 pods of the new ReplicaSet web-2 are available, 3 of 3 old ones still serve",
      );
      expect(findingsOf(diagnosis).map(({ at, why, advice }) => [at.name, why, advice?.[0]?.words])).toEqual([
        ["web-1", why, "annotate rs/web-1 deployment.kubernetes.io/desired-replicas=3 --overwrite -n shop"],
      ]);
    });

    test.each([
      { name: "the annotation agrees", object: stuck, sets: [unscaled, oldOf(3, "3")] },
      { name: "the annotation is no number", object: stuck, sets: [unscaled, oldOf(3, "many")] },
      {
        name: "there is no annotation",
        object: stuck,
        sets: [unscaled, setOf("web-1", { revision: "1", status: {} })],
      },
      { name: "the ReplicaSet has another size", object: stuck, sets: [unscaled, oldOf(2, "4")] },
      { name: "two are active", object: stuck, sets: [oldOf(3, "4"), setOf("web-2", { revision: "2", status: {} })] },
      { name: "its pods are up to date", object: deployment(rolling), sets: [oldOf(3, "4")] },
      {
        name: "it is paused",
        object: deployment({ replicas: 3, availableReplicas: 3 }, { paused: true }),
        sets: [unscaled, oldOf(3, "4")],
      },
      {
        name: "its controller has not seen the spec",
        object: deployment({ replicas: 3, availableReplicas: 3, observedGeneration: 1 }),
        sets: [unscaled, oldOf(3, "4")],
      },
    ])("is not found if $name", ({ object, sets }) => {
      const diagnosis = diagnose(Deployments, object, { items: sets });
      expect(diagnosis.is).toBe("waiting");
      expect(findingsOf(diagnosis).map((finding) => finding.why)).not.toContain(why);
    });
  });

  test("a passed progress deadline is a failure, whose first cause is the pods", () => {
    const late = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: "timed out" };
    const diagnosis = diagnose(Deployments, deployment({ ...rolling, conditions: [late] }), { items });
    expect(diagnosis.is).toBe("failed");
    expect(diagnosis.says).toMatch(/^its rollout does not progress, \d of \d pods/);
    expect(findingsOf(diagnosis).map(({ why }) => why)).toEqual([
      "readiness probe of container web does not succeed",
      "ProgressDeadlineExceeded: timed out",
    ]);
  });

  const rolledOut = deployment({ replicas: 3, updatedReplicas: 3, availableReplicas: 3 });
  const set = setOf("web-1", { revision: "2", status: { replicas: 3, availableReplicas: 3 } });
  const pods = ["a", "b", "c"].map((name) => podOf(`web-1-${name}`, "web-1", true));
  const complete = [nodes, set, ...pods];

  test.each([
    {
      name: "a ReplicaSet",
      items: [nodes, set, ...pods.slice(1)],
      at: "web-1",
      why: "its status counts 3 pods, and only 2 exist: is its controller running?",
    },
    {
      name: "the Deployment, whose ReplicaSet is gone too",
      items: [nodes],
      at: "web",
      why: "its status counts 3 pods, and none exists: is its controller running?",
    },
  ])("are pods that are gone, and that the status of $name still counts", ({ items, at, why }) => {
    const diagnosis = diagnose(Deployments, rolledOut, { items });
    expect(diagnosis.is).toBe("waiting");
    expect(findingsOf(diagnosis)).toMatchObject([{ at: { name: at }, why }]);
  });

  test("is not said of pods that cannot be listed", () => {
    expect(diagnose(Deployments, rolledOut, { items: [nodes, set], forbidden: [Pods] }).is).toBe("well");
  });

  test("are nothing once it is rolled out, unless a controller has something to do", () => {
    expect(diagnose(Deployments, rolledOut, { items: complete }).is).toBe("well");
    const would = [{ controller: "deployment", sentence: "scale-up: …" }];
    const diagnosis = diagnose(Deployments, rolledOut, { items: complete, would });
    expect(diagnosis.is).toBe("waiting");
    expect(findingsOf(diagnosis)[0]?.why).toBe("our deployment would now: scale-up: …");
  });

  test("do not include what a controller would do if it was refused", () => {
    const failure = { type: "ReplicaFailure", status: "True", message: "exceeded quota: few" };
    const would = [{ controller: "replicaset", sentence: "scale-up: 1 of 3 pods are missing" }];
    const parts = { items: [setOf("web-1", { revision: "2", status: { conditions: [failure] } })], would };
    expect(diagnose(Deployments, deployment(rolling), parts).next).toEqual([]);
    expect(diagnose(Deployments, deployment(rolling), { items, would }).next).toEqual([
      "our replicaset would now: scale-up: 1 of 3 pods are missing",
    ]);
  });

  test("include what cannot be read, with an answer from the rest", () => {
    const diagnosis = diagnose(Deployments, deployment(rolling), { forbidden: [ReplicaSets, Pods, Events] });
    expect(diagnosis.says).toBe("2 of 3 pods are available");
    expect(diagnosis.verdict.evidence.unseen.map(({ what }) => what)).toEqual(["replicasets.apps", "pods"]);
  });

  test("include warnings beyond the findings, the latest of each reason once", () => {
    const event = (reason: string, message: string, seconds: number): Event => ({
      metadata: objectOf(`e-${message}`).metadata,
      involvedObject: { kind: "Pod", name: "web-1-a" },
      type: "Warning",
      reason,
      message,
      lastTimestamp: ago(seconds),
      count: 2,
    });
    const events = [
      event("Unhealthy", "probe failed: 500", 9),
      event("Unhealthy", "probe failed: 503", 5),
      event("Odd", "readiness probe of container web does not succeed", 2),
    ];
    const diagnosis = diagnose(Deployments, deployment(rolling), { items, events });
    expect(diagnosis.warnings).toMatchObject([
      { at: { name: "web-1-a" }, text: "Unhealthy: probe failed: 503", seenAt: now - 5000, count: 2 },
    ]);
  });

  test("include its owners, up to the topmost", () => {
    const widget = { kind: Widgets, object: objectOf("w", { status: {} }) };
    const set = setOf("web-1", { revision: "2", status: {} });
    const owner = { kind: Deployments, object: deployment(rolling, {}, ownedBy("w", Widgets)) };
    const diagnosis = diagnose(Pods, podOf("web-1-a", "web-1", true).object, { items: [widget, owner, set] });
    expect(diagnosis.owners.map(({ name }) => name)).toEqual(["web-1", "web", "w"]);
  });
});

describe("who wrote an object last", () => {
  test("without a time is not an earlier one, and is shown with its subresource", () => {
    const managedFields: readonly ManagedFieldsEntry[] = [
      { manager: "kubectl", fieldsV1: { "f:spec": {} }, subresource: "scale" },
      { manager: "you", time: ago(10), fieldsV1: { "f:spec": { "f:a": {}, "f:b": {} } } },
    ];
    expect(diagnose(Widgets, objectOf("w", { meta: { managedFields } })).lastWrites).toEqual([
      { part: "spec", managers: ["you"], untimed: ["kubectl (scale)"], agoMs: 10_000 },
    ]);
  });

  test("has keys that are not identifiers in brackets", () => {
    const fieldsV1 = { "f:metadata": { "f:labels": { ".": {}, "f:kubernetes.io/metadata.name": {} } } };
    const managedFields = [{ manager: "a", time: ago(10), fieldsV1 }];
    const diagnosis = diagnose(Widgets, objectOf("w", { meta: { managedFields } }));
    expect(diagnosis.lastWrites[0]?.field).toBe('.metadata.labels["kubernetes.io/metadata.name"]');
  });
});
