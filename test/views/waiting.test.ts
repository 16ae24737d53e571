import { describe, expect, test } from "bun:test";
import type { ManagedFieldsEntry, StoredObject } from "../../src/api/object.ts";
import type { Event } from "../../src/api/types.ts";
import type { Answer, Snapshot } from "../../src/views/snapshot.ts";
import { answerFor } from "../../src/views/waiting.ts";

/** 2026-11-21T10:00:00Z */
const now = Date.UTC(2026, 10, 21, 10);
const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString().replace(".000", "");

type Json = Readonly<Record<string, unknown>>;

function objectOf(name: string, { meta = {}, ...rest }: Json & { readonly meta?: Json } = {}): StoredObject {
  const metadata = { namespace: "shop", uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: ago(60) };
  return { metadata: { name, ...metadata, ...meta }, ...rest };
}

const controlledBy = (owner: string, kind: string): Json => ({
  ownerReferences: [
    { apiVersion: "v1", kind, name: owner, uid: `uid-${owner}`, controller: true, blockOwnerDeletion: true },
  ],
});

function podOf(name: string, status: Json, rest: Json & { readonly meta?: Json } = {}): StoredObject {
  const spec = {
    nodeName: "node-1",
    containers: [{ name: "web", ...(rest["container"] as Json) }],
    ...(rest["spec"] as Json),
  };
  return objectOf(name, { meta: { ...controlledBy("web-1", "ReplicaSet"), ...rest.meta }, spec, status });
}

const unready = (container: Json): Json => ({
  phase: "Running",
  conditions: [{ type: "Ready", status: "False", lastTransitionTime: ago(40) }],
  containerStatuses: [{ name: "web", ready: false, restartCount: 0, ...container }],
});
const ready: Json = { phase: "Running", conditions: [{ type: "Ready", status: "True", lastTransitionTime: ago(40) }] };

function answer(kind: string, object: StoredObject, rest: Partial<Snapshot> = {}): Answer {
  const nothing = { namespace: undefined, owners: [], owned: [], events: [], wouldDo: [], reconciler: undefined };
  return answerFor({ now, kind, object, ...nothing, ...rest });
}

describe("what a pod waits for", () => {
  test.each([
    {
      name: "a node",
      pod: podOf(
        "a",
        {
          phase: "Pending",
          conditions: [
            { type: "PodScheduled", status: "False", reason: "Unschedulable", message: "0/3 nodes are available" },
          ],
        },
        { spec: { nodeName: "" } },
      ),
      why: "not scheduled: 0/3 nodes are available",
    },
    {
      name: "a scheduler",
      pod: podOf("a", { phase: "Pending" }, { spec: { nodeName: "" } }),
      why: "no scheduler has looked at it",
    },
    {
      name: "a scheduling gate",
      pod: podOf(
        "a",
        { phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }] },
        { spec: { nodeName: "", schedulingGates: [{ name: "example.com/hold" }] } },
      ),
      why: "held back by scheduling gates: example.com/hold",
    },
    { name: "its kubelet", pod: podOf("a", { phase: "Pending" }), why: "waits for the kubelet of node node-1" },
    {
      name: "an image",
      pod: podOf(
        "a",
        unready({ state: { waiting: { reason: "ImagePullBackOff", message: 'Back-off pulling image "nope"' } } }),
      ),
      why: 'container web: ImagePullBackOff: Back-off pulling image "nope"',
    },
    {
      name: "the end of a back-off",
      pod: podOf(
        "a",
        unready({
          restartCount: 5,
          state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 2m40s restarting failed container=web" } },
          lastState: { terminated: { exitCode: 137, reason: "OOMKilled", finishedAt: ago(30) } },
        }),
      ),
      why: "container web: CrashLoopBackOff, ended with exit code 137 (OOMKilled), 5 restarts",
      next: "container web is started again 2m40s after it ended, 30 s of them gone",
    },
    {
      name: "a readiness probe",
      pod: podOf("a", unready({ state: { running: {} }, started: true }), { container: { readinessProbe: {} } }),
      why: "readiness probe of container web",
    },
    {
      name: "a startup probe",
      pod: podOf("a", unready({ state: { running: {} }, started: false }), {
        container: { startupProbe: {}, readinessProbe: {} },
      }),
      why: "startup probe of container web",
    },
    {
      name: "an init container",
      pod: podOf("a", {
        ...unready({ state: { waiting: { reason: "PodInitializing" } } }),
        initContainerStatuses: [
          {
            name: "load",
            ready: false,
            restartCount: 2,
            state: { waiting: { reason: "CrashLoopBackOff" } },
            lastState: { terminated: { exitCode: 1, reason: "Error" } },
          },
        ],
      }),
      why: "init container load: CrashLoopBackOff, ended with exit code 1, 2 restarts",
    },
    {
      name: "a readiness gate",
      pod: podOf(
        "a",
        {
          ...ready,
          conditions: [{ type: "Ready", status: "False" }],
          containerStatuses: [{ name: "web", ready: true, restartCount: 0, state: { running: {} } }],
        },
        { spec: { readinessGates: [{ conditionType: "example.com/lb" }] } },
      ),
      why: "readiness gate example.com/lb is not True",
    },
  ])("$name", ({ pod, why, next }) => {
    const said = answer("Pod", pod);
    expect(said.is).toBe("waiting");
    expect(said.waits[0]?.why).toContain(why);
    if (next !== undefined) expect(said.next).toEqual([next]);
  });

  test("one that is ready, and one that has succeeded, wait for nothing", () => {
    expect(answer("Pod", podOf("a", ready)).is).toBe("as desired");
    expect(answer("Pod", podOf("a", { phase: "Succeeded" })).is).toBe("as desired");
  });

  test("one that has failed says with which exit code", () => {
    const terminated = { exitCode: 3, reason: "Error" };
    const said = answer(
      "Pod",
      podOf("a", { phase: "Failed", containerStatuses: [{ name: "web", state: { terminated } }] }),
    );
    expect(said.is).toBe("failed");
    expect(said.waits[0]?.why).toBe("container web ended with exit code 3");
  });
});

describe("what a Deployment waits for", () => {
  const set = objectOf("web-1", {
    meta: { ...controlledBy("web", "Deployment"), annotations: { "deployment.kubernetes.io/revision": "2" } },
    spec: { replicas: 3 },
    status: { replicas: 3, availableReplicas: 2 },
  });
  const deployment = (status: Json, spec: Json = {}): StoredObject =>
    objectOf("web", {
      meta: { generation: 2 },
      spec: { replicas: 3, progressDeadlineSeconds: 600, ...spec },
      status: { observedGeneration: 2, ...status },
    });
  const rolling: Json = { replicas: 3, updatedReplicas: 3, availableReplicas: 2 };
  const owned = [
    { kind: "ReplicaSet", object: set },
    {
      kind: "Pod",
      object: podOf("web-1-a", unready({ state: { running: {} } }), { container: { readinessProbe: {} } }),
    },
    { kind: "Pod", object: podOf("web-1-b", ready) },
  ];

  test("pods that are not ready, the time until its deadline, and who wrote it", () => {
    const progressing = { type: "Progressing", status: "True", reason: "ReplicaSetUpdated", lastUpdateTime: ago(348) };
    const managedFields: readonly ManagedFieldsEntry[] = [
      { manager: "kubectl-edit", time: ago(48), fieldsV1: { "f:spec": { "f:replicas": {} } } },
      { manager: "kube-controller-manager", time: ago(3), subresource: "status", fieldsV1: {} },
    ];
    const object = deployment({ ...rolling, conditions: [progressing] });
    const said = answer("Deployment", { ...object, metadata: { ...object.metadata, managedFields } }, { owned });
    expect(said.is).toBe("waiting");
    expect(said.says).toBe("2 of 3 pods of ReplicaSet web-1 are available");
    expect(said.waits).toEqual([
      { about: "Pod web-1-a", why: "readiness probe of container web", since: now - 40_000 },
    ]);
    expect(said.next).toEqual(["progress deadline in 4 m 12 s, then Progressing=False"]);
    expect(said.lastWrites).toEqual([
      { part: "spec", managers: ["kubectl-edit"], untimed: [], agoMs: 48_000, field: ".spec.replicas" },
      { part: "status", managers: ["kube-controller-manager"], untimed: [], agoMs: 3000 },
    ]);
  });

  test.each([
    {
      name: "a quota",
      object: deployment(rolling),
      owned: [
        {
          kind: "ReplicaSet",
          object: {
            ...set,
            status: { conditions: [{ type: "ReplicaFailure", status: "True", message: "exceeded quota: few" }] },
          },
        },
      ],
      why: "pods cannot be created: exceeded quota: few",
    },
    {
      name: "somebody to resume it",
      object: deployment({ ...rolling, updatedReplicas: 0 }, { paused: true }),
      owned,
      why: "it is paused",
    },
    {
      name: "a controller to look at it",
      object: deployment({ ...rolling, observedGeneration: 1 }),
      owned,
      why: "its controller has seen generation 1 of 2: is whoever reconciles it at work?",
    },
    {
      name: "pods of older revisions",
      object: deployment({ ...rolling, replicas: 5 }),
      owned,
      why: "2 pods of older revisions still there",
    },
  ])("$name", ({ object, owned, why }) => {
    const said = answer("Deployment", object, { owned });
    expect(said.is).toBe("waiting");
    expect(said.waits.map((wait) => wait.why).join("\n")).toContain(why);
  });

  test("one whose progress deadline has passed has failed", () => {
    const late = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: "timed out" };
    const said = answer("Deployment", deployment({ ...rolling, conditions: [late] }), { owned });
    expect(said).toMatchObject({
      is: "failed",
      says: expect.stringMatching(/^its rollout does not get on, \d of \d pods/),
    });
    expect(said.waits[0]).toMatchObject({ about: "", why: "ProgressDeadlineExceeded: timed out" });
  });

  test("one that is rolled out waits for nothing, unless a controller would still do something", () => {
    const object = deployment({ replicas: 3, updatedReplicas: 3, availableReplicas: 3 });
    expect(answer("Deployment", object, { owned: [] }).is).toBe("as desired");
    const wouldDo = [{ controller: "deployment", sentence: "scale-up: …" }];
    const said = answer("Deployment", object, { wouldDo });
    expect(said).toMatchObject({ is: "waiting", next: ["our deployment would now: scale-up: …"] });
  });

  test("warnings say what the waits do not, the latest of each reason once", () => {
    const event = (reason: string, message: string, seconds: number): Event => ({
      metadata: objectOf("e").metadata,
      involvedObject: {
        kind: "Pod",
        name: "web-1-a",
      },
      type: "Warning",
      reason,
      message,
      lastTimestamp: ago(seconds),
      count: 2,
    });
    const events = [
      event("Unhealthy", "probe failed: 500", 9),
      event("Unhealthy", "probe failed: 503", 5),
      event("Odd", "readiness probe of container web", 2),
    ];
    const said = answer("Deployment", deployment(rolling), { owned, events });
    expect(said.warnings).toEqual([
      { about: "Pod web-1-a", text: "Unhealthy: probe failed: 503", at: now - 5000, count: 2 },
    ]);
  });
});

describe("what a deletion waits for", () => {
  const going = (name: string, rest: Json): StoredObject =>
    objectOf(name, { meta: { deletionTimestamp: ago(180), ...rest } });

  test("a finalizer that somebody has to take off", () => {
    const said = answer("ConfigMap", going("a", { finalizers: ["example.com/hold"] }));
    expect(said.is).toBe("being deleted");
    expect(said.waits).toEqual([
      { about: "", why: "finalizer example.com/hold: whoever set it has to take it off", since: now - 180_000 },
    ]);
  });

  test("what it owns, in the foreground", () => {
    const owned = [{ kind: "Pod", object: objectOf("p", { meta: controlledBy("a", "ReplicaSet") }) }];
    const said = answer("ReplicaSet", going("a", { finalizers: ["foregroundDeletion"] }), { owned });
    expect(said.waits[0]?.why).toBe("finalizer foregroundDeletion: it goes when what it owns is gone: Pod p");
  });

  test("a namespace says what is left in it", () => {
    const condition = {
      type: "NamespaceContentRemaining",
      status: "True",
      message: "Some resources are remaining: pods. has 1 resource instances",
    };
    const object = {
      ...going("shop", {}),
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Terminating", conditions: [condition] },
    };
    expect(answer("Namespace", object).waits.map(({ why }) => why)).toEqual([
      "finalizer kubernetes: the namespace controller empties it first",
      "NamespaceContentRemaining: Some resources are remaining: pods. has 1 resource instances",
    ]);
  });

  test("a pod whose node does not answer", () => {
    const pod = podOf(
      "a",
      { phase: "Running", containerStatuses: [{ name: "web", ready: true, restartCount: 0, state: { running: {} } }] },
      { meta: { deletionTimestamp: ago(5), deletionGracePeriodSeconds: 30 } },
    );
    expect(answer("Pod", pod).waits[0]?.why).toBe(
      "being deleted, until its containers have ended on node node-1 (grace period 30 s)",
    );
  });
});

describe("what surrounds an object", () => {
  test("a namespace and an owner that are being deleted, an owner that is gone", () => {
    const namespace = objectOf("shop", { meta: { deletionTimestamp: ago(20) } });
    const reference = { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-1", uid: "uid-web-1", controller: true };
    const foreground = objectOf("web-1", { meta: { deletionTimestamp: ago(9), finalizers: ["foregroundDeletion"] } });
    const said = answer("Pod", podOf("a", ready), { namespace, owners: [{ reference, owner: foreground }] });
    expect(said.is).toBe("waiting");
    expect(said.waits.map(({ about, why }) => `${about}: ${why}`)).toEqual([
      "Namespace shop: the namespace is being deleted: nothing new can be created in it, and everything in it goes",
      "ReplicaSet web-1: its owner is being deleted in the foreground, and this one first",
    ]);
    const orphan = answer("Pod", podOf("a", ready), { owners: [{ reference, owner: undefined }] });
    expect(orphan.waits[0]?.why).toBe("its owner is gone: the garbage collector deletes it");
    expect(answer("Pod", podOf("a", ready), { owners: [{ reference, owner: "unknown" }] }).is).toBe("as desired");
  });

  test("of a kind that nobody knows, generations, conditions and the phase are read", () => {
    const conditions = [
      { type: "Ready", status: "False", reason: "NoBackend", message: "none found", lastTransitionTime: ago(7) },
    ];
    const said = answer(
      "Widget",
      objectOf("w", { meta: { generation: 3 }, spec: {}, status: { observedGeneration: 2, conditions } }),
    );
    expect(said.says).toBe("its controller has seen generation 2 of 3: is whoever reconciles it at work?");
    expect(said.waits.map(({ why }) => why)).toEqual(["condition Ready is False (NoBackend): none found"]);
    expect(answer("Widget", objectOf("w", { spec: {} })).is).toBe("as desired");
    expect(answer("PersistentVolumeClaim", objectOf("w", { status: { phase: "Pending" } })).says).toBe("phase Pending");
  });

  test("a write without a time is no earlier one", () => {
    const managedFields: readonly ManagedFieldsEntry[] = [
      { manager: "kubectl", fieldsV1: { "f:spec": {} }, subresource: "scale" },
      { manager: "you", time: ago(10), fieldsV1: { "f:spec": { "f:a": {}, "f:b": {} } } },
    ];
    const object = objectOf("w", { meta: { managedFields } });
    expect(answer("Widget", object).lastWrites).toEqual([
      { part: "spec", managers: ["you"], untimed: ["kubectl"], agoMs: 10_000 },
    ]);
  });
});
