import { describe, expect, test } from "bun:test";
import { Deployments, Pods, ReplicaSets } from "../../src/api/kinds.ts";
import type { StoredObject } from "../../src/api/object.ts";
import { findingsOf, type Is, type Item } from "../../src/diagnosis/diagnosis.ts";
import { ConfigMaps, HorizontalPodAutoscalers } from "../../src/api/kinds.ts";
import { diagnose, type Json, objectOf, ownedBy, Widgets } from "./world.ts";

const widget = (status: Json | undefined, spec: Json = {}): StoredObject =>
  objectOf("w", { meta: { generation: 3 }, spec, ...(status !== undefined && { status }) });
const condition = (type: string, status: string, rest: Json = {}): Json => ({
  conditions: [{ type, status, ...rest }],
});

function owned(available: number): Item {
  const status = { observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: available };
  const spec = { replicas: 2, selector: { matchLabels: { app: "w" } } };
  return {
    kind: Deployments,
    object: objectOf("w-web", { meta: { generation: 1, ...ownedBy("w", Widgets) }, spec, status }),
  };
}

/** The ReplicaSet and the pods of that Deployment. */
const labels = { app: "w" };
const below: readonly Item[] = [
  {
    kind: ReplicaSets,
    object: objectOf("w-web-1", { meta: { ...ownedBy("w-web", Deployments), labels }, status: { replicas: 2 } }),
  },
  ...["a", "b"].map((name) => ({
    kind: Pods,
    object: objectOf(name, {
      meta: { ...ownedBy("w-web-1", ReplicaSets), labels },
      spec: { containers: [] },
      status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
    }),
  })),
];

describe("a custom resource", () => {
  const rows: readonly {
    readonly name: string;
    readonly status: Json | undefined;
    readonly is: Is;
    readonly says: string;
  }[] = [
    {
      name: "without a status",
      status: undefined,
      is: "cannot tell",
      says: "its status has not been written, and it has no known dependents",
    },
    {
      name: "with an empty status",
      status: {},
      is: "cannot tell",
      says: "its status does not reveal its state",
    },
    {
      name: "with a status without known fields",
      status: { url: "x" },
      is: "cannot tell",
      says: "its status does not reveal its state",
    },
    { name: "Ready", status: condition("Ready", "True"), is: "well", says: "condition Ready is True" },
    {
      name: "not Ready",
      status: condition("Ready", "False", { reason: "NoBackend", message: "none found" }),
      is: "waiting",
      says: "condition Ready is False (NoBackend): none found",
    },
    { name: "Ready Unknown", status: condition("Ready", "Unknown"), is: "waiting", says: "condition Ready is Unknown" },
    {
      name: "with ReconcileSuccess False",
      status: condition("ReconcileSuccess", "False"),
      is: "waiting",
      says: "condition ReconcileSuccess is False",
    },
    { name: "Degraded", status: condition("Degraded", "True"), is: "waiting", says: "condition Degraded is True" },
    { name: "not Degraded", status: condition("Degraded", "False"), is: "well", says: "condition Degraded is False" },
    {
      name: "with an unknown type, False",
      status: condition("Frobbed", "False"),
      is: "cannot tell",
      says: "whether condition Frobbed is False is good or bad is not known",
    },
    {
      name: "with an unknown type, False for a reason that is",
      status: condition("Frobbed", "False", { reason: "BackendNotFound" }),
      is: "waiting",
      says: "condition Frobbed is False (BackendNotFound)",
    },
    {
      name: "Ready, of an earlier generation",
      status: condition("Ready", "True", { observedGeneration: 2 }),
      is: "waiting",
      says: "condition Ready is for generation 2, but the spec has generation 3",
    },
    {
      name: "of an earlier generation",
      status: { observedGeneration: 2, ...condition("Ready", "True") },
      is: "waiting",
      says: "its controller has observed generation 2 of 3",
    },
    { name: "in a good phase", status: { phase: "Running" }, is: "well", says: "phase Running" },
    { name: "in a bad phase", status: { phase: "Provisioning" }, is: "waiting", says: "phase Provisioning" },
    {
      name: "in an unknown phase",
      status: { phase: "Frobbing" },
      is: "cannot tell",
      says: "whether phase Frobbing is good or bad is not known",
    },
  ];
  test.each(rows)("$name: $is", ({ status, is, says }) => {
    const diagnosis = diagnose(Widgets, widget(status));
    expect({ is: diagnosis.is, says: diagnosis.says }).toEqual({ is, says: expect.stringContaining(says) as string });
  });

  test("with fewer replicas than desired", () => {
    const diagnosis = diagnose(Widgets, widget({ readyReplicas: 1, ...condition("Ready", "True") }, { replicas: 2 }));
    expect(diagnosis.is).toBe("waiting");
    expect(findingsOf(diagnosis).map(({ why }) => why)).toEqual(["1 of 2 replicas"]);
  });

  test("shows an unknown condition that is False beside a good summary", () => {
    const conditions = [
      { type: "Ready", status: "True" },
      { type: "Sharded", status: "False" },
    ];
    const diagnosis = diagnose(Widgets, widget({ conditions }));
    expect(diagnosis.is).toBe("well");
    expect(diagnosis.notes).toEqual(["condition Sharded is False"]);
  });

  test("is not well if the Deployment that it owns is not", () => {
    const diagnosis = diagnose(Widgets, widget(condition("Ready", "True")), { items: [owned(0)] });
    expect(diagnosis.is).toBe("waiting");
    expect(findingsOf(diagnosis)[0]).toMatchObject({ at: { name: "w-web" }, why: "0 of 2 pods are available" });
  });

  test("is judged by its dependents if it has no status", () => {
    const diagnosis = diagnose(Widgets, widget(undefined), { items: [owned(2), ...below] });
    expect(diagnosis.is).toBe("well");
    expect(diagnosis.says).toBe("it owns Deployment w-web");
  });

  test("is unknown if possible dependents cannot be listed", () => {
    const parts = { items: [owned(2)], forbidden: [Deployments] };
    expect(diagnose(Widgets, widget(undefined), parts).is).toBe("cannot tell");
    const diagnosis = diagnose(Widgets, widget(condition("Ready", "True")), parts);
    expect(diagnosis.is).toBe("well");
    expect(diagnosis.verdict.evidence.unseen).toMatchObject([{ what: "deployments.apps", isDecisive: false }]);
  });
});

test.each([
  { name: "a text", status: "fine" },
  { name: "null", status: null },
  { name: "conditions that are a map", status: { conditions: { Ready: true } } },
  { name: "conditions of no type", status: { conditions: [null, 1, { status: "True" }] } },
])("a status that is $name tells nothing", ({ status }) => {
  expect(diagnose(Widgets, objectOf("w", { spec: {}, status })).is).toBe("cannot tell");
});

test("a ConfigMap is well as soon as it exists", () => {
  expect(diagnose(ConfigMaps, objectOf("c")).is).toBe("well");
});

test("an autoscaler that cannot read metrics", () => {
  const conditions = [
    { type: "ScalingActive", status: "False", reason: "FailedGetResourceMetric", message: "no metrics" },
  ];
  const diagnosis = diagnose(HorizontalPodAutoscalers, objectOf("h", { spec: {}, status: { conditions } }));
  expect(diagnosis.is).toBe("waiting");
  expect(findingsOf(diagnosis)[0]?.why).toContain("FailedGetResourceMetric");
});
