import { afterEach, describe, expect, test } from "bun:test";
import { type Kind, kindOf } from "../../../src/api/kind.ts";
import {
  CustomResourceDefinitions,
  Deployments,
  PodDisruptionBudgets,
  Pods,
  ReplicaSets,
  ReplicationControllers,
  StatefulSets,
} from "../../../src/api/kinds.ts";
import { controllerReference } from "../../../src/api/owner-references.ts";
import type { CreateInput, StoredObject } from "../../../src/api/object.ts";
import { formatTime } from "../../../src/api/time.ts";
import type { CustomResourceDefinition, Pod } from "../../../src/api/types.ts";
import type { ControllerDefinition } from "../../../src/controller/api/definition.ts";
import { defineDisruption, disruption } from "../../../src/controllers/disruption/disruption.ts";
import { type EmbeddedScene, embeddedScene } from "../../support/embedded-scene.ts";

const Jobs: Kind = kindOf({ group: "batch", version: "v1", kind: "Job", plural: "jobs", namespaced: true });
const Widgets: Kind = kindOf({
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
});
const Events: Kind = kindOf({ group: "", version: "v1", kind: "Event", plural: "events", namespaced: true });

const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } };
const soonMs = 30_000;

let scene: EmbeddedScene;
afterEach(() => scene.stop());

/** Without a kubelet: the test sets whether pods are ready. */
async function begin(
  definitions: readonly CreateInput<CustomResourceDefinition>[] = [],
  controller: ControllerDefinition = disruption,
): Promise<void> {
  scene = await embeddedScene({
    controllers: [controller],
    scheduler: false,
    kubelet: false,
    definitions,
  });
}

/** Lets this virtual time pass, even if nothing happens. */
async function pass(ms: number): Promise<void> {
  scene.timeline.after(ms, "test", () => undefined);
  await scene.run(ms);
}

async function create<T extends StoredObject>(kind: Kind<T>, name: string, fields: object = {}): Promise<T> {
  const { metadata = {}, ...rest } = fields as { readonly metadata?: object };
  // Fields that a test omits have defaults.
  const object = { metadata: { namespace: "default", name, ...metadata }, ...rest } as unknown as CreateInput<T>;
  return scene.during(scene.you.create(kind, object));
}

interface PodFields {
  readonly owner?: readonly [kind: Kind, owner: StoredObject];
  readonly ready?: boolean;
  readonly conditions?: readonly object[];
}

async function createPod(name: string, { owner, ready = true, conditions = [] }: PodFields = {}): Promise<void> {
  const ownerReferences = owner === undefined ? [] : [controllerReference(...owner)];
  await create(Pods, name, { metadata: { labels, ownerReferences }, spec: template.spec });
  const all = [{ type: "Ready", status: ready ? "True" : "False" }, ...conditions];
  await patchStatus(Pods, name, { phase: "Running", conditions: all });
}

async function patchStatus(kind: Kind, name: string, status: object): Promise<void> {
  const patch = { type: "merge", body: { status } } as const;
  await scene.during(scene.you.patch(kind, { namespace: "default", name }, patch, { subresource: "status" }));
}

async function budgetOf(spec: object): Promise<void> {
  await create(PodDisruptionBudgets, "web", { spec: { selector: { matchLabels: labels }, ...spec } });
  await scene.run(soonMs);
}

/** The counts of healthy, required and expected pods, the allowed disruptions, and the reason of the condition. */
async function counts(): Promise<readonly unknown[]> {
  await scene.run(soonMs);
  const [budget] = await scene.list(PodDisruptionBudgets);
  const { currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed, conditions } = budget?.status ?? {};
  return [currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed, conditions?.[0]?.reason];
}

async function events(): Promise<readonly string[]> {
  const items = (await scene.list(Events)) as unknown as readonly Readonly<Record<string, string>>[];
  return items.map(({ type, reason, message }) => `${type} ${reason}: ${message}`).sort();
}

function replicated(replicas: number): object {
  return { spec: { replicas, selector: { matchLabels: labels }, template } };
}

describe("a budget with minAvailable", () => {
  test("as a number expects the existing pods, whoever owns them", async () => {
    await begin();
    for (const name of ["a", "b", "c"]) await createPod(name);
    await createPod("d", { ready: false });
    await budgetOf({ minAvailable: 2 });
    expect(await counts()).toEqual([3, 2, 4, 1, "SufficientPods"]);
  });

  test("follows pods that become ready, and pods that are deleted", async () => {
    await begin();
    for (const name of ["a", "b"]) await createPod(name, { ready: false });
    await budgetOf({ minAvailable: 1 });
    expect(await counts()).toEqual([0, 1, 2, 0, "InsufficientPods"]);
    for (const name of ["a", "b"]) await patchStatus(Pods, name, { conditions: [{ type: "Ready", status: "True" }] });
    expect(await counts()).toEqual([2, 1, 2, 1, "SufficientPods"]);
    await scene.during(scene.you.delete(Pods, { namespace: "default", name: "a" }, { gracePeriodSeconds: 0 }));
    expect(await counts()).toEqual([1, 1, 1, 0, "InsufficientPods"]);
  });

  test("as a percentage expects the controllers' replicas, rounded up", async () => {
    await begin();
    const owner = [ReplicaSets, await create(ReplicaSets, "web", replicated(7))] as const;
    for (const name of ["a", "b"]) await createPod(name, { owner });
    await budgetOf({ minAvailable: "50%" });
    expect(await counts()).toEqual([2, 4, 7, 0, "InsufficientPods"]);
  });

  test("without pods reports that, and permits nothing", async () => {
    await begin();
    await budgetOf({ minAvailable: 0 });
    expect(await counts()).toEqual([0, 0, 0, 0, "InsufficientPods"]);
    expect(await events()).toEqual(["Normal NoPods: No matching pods found"]);
  });
});

describe("a budget with maxUnavailable", () => {
  test("counts a ReplicaSet as its Deployment, each once", async () => {
    await begin();
    const deployment = await create(Deployments, "web", replicated(10));
    const owned = { ownerReferences: [controllerReference(Deployments, deployment)] };
    const one = await create(ReplicaSets, "web-1", { metadata: owned, ...replicated(1) });
    const two = await create(ReplicaSets, "web-2", { metadata: owned, ...replicated(1) });
    await createPod("a", { owner: [ReplicaSets, one] });
    await createPod("b", { owner: [ReplicaSets, two] });
    await budgetOf({ maxUnavailable: "25%" });
    // A quarter of 10, rounded up, is 3.
    expect(await counts()).toEqual([2, 7, 10, 0, "InsufficientPods"]);
  });

  test("adds up controllers of several kinds", async () => {
    await begin();
    const set = await create(StatefulSets, "db", { spec: { ...Object(replicated(3)).spec, serviceName: "db" } });
    const controller = await create(ReplicationControllers, "old", {
      spec: { replicas: 2, selector: labels, template },
    });
    await createPod("a", { owner: [StatefulSets, set] });
    await createPod("b", { owner: [ReplicationControllers, controller] });
    await budgetOf({ maxUnavailable: 4 });
    expect(await counts()).toEqual([2, 1, 5, 1, "SufficientPods"]);
  });

  test("never requires less than 0 pods", async () => {
    await begin();
    const owner = [ReplicaSets, await create(ReplicaSets, "web", replicated(1))] as const;
    await createPod("a", { owner });
    await budgetOf({ maxUnavailable: 5 });
    expect(await counts()).toEqual([1, 0, 1, 1, "SufficientPods"]);
  });

  test("excludes pods without a controller, and warns of them", async () => {
    await begin();
    await createPod("a");
    await budgetOf({ maxUnavailable: 1 });
    expect(await counts()).toEqual([1, 0, 0, 0, "InsufficientPods"]);
    expect(await events()).toEqual([
      "Warning UnmanagedPods: Pods selected by this PodDisruptionBudget (selector: " +
        "&LabelSelector{MatchLabels:map[string]string{app: web,},MatchExpressions:[]LabelSelectorRequirement{},}) were " +
        "found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in " +
        'undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.',
    ]);
  });

  test("reads the scale of a custom resource", async () => {
    await begin([widgetDefinition]);
    const owner = [Widgets, await create(Widgets, "w", { spec: { replicas: 4 } })] as const;
    for (const name of ["a", "b", "c", "d"]) await createPod(name, { owner });
    await budgetOf({ maxUnavailable: 1 });
    expect(await counts()).toEqual([4, 3, 4, 1, "SufficientPods"]);
  });

  test("reads the scale in the version that the server prefers, whatever version the pods name", async () => {
    const [v1] = widgetDefinition.spec.versions;
    if (v1 === undefined) throw new Error("no version");
    const { subresources: _scale, ...alpha } = { ...v1, name: "v1alpha1", storage: false };
    await begin([{ ...widgetDefinition, spec: { ...widgetDefinition.spec, versions: [alpha, v1] } }]);
    const early: Kind = { ...Widgets, version: "v1alpha1" };
    const owner = [early, await create(early, "w", { spec: { replicas: 4 } })] as const;
    for (const name of ["a", "b", "c", "d"]) await createPod(name, { owner });
    await budgetOf({ maxUnavailable: 1 });
    expect(await counts()).toEqual([4, 3, 4, 1, "SufficientPods"]);
  });
});

const widgetDefinition: CreateInput<CustomResourceDefinition> = {
  metadata: { name: "widgets.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets", singular: "widget", listKind: "WidgetList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" } },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", properties: { replicas: { type: "integer" } } },
              status: { type: "object", properties: { replicas: { type: "integer" } } },
            },
          },
        },
      },
    ],
  },
};

describe("pods that cannot be counted", () => {
  const message = async (): Promise<string | undefined> => {
    const [budget] = await scene.list(PodDisruptionBudgets);
    return budget?.status?.conditions?.[0]?.message;
  };

  test("because their controller has no subresource scale", async () => {
    await begin();
    const job = await create(Jobs, "j", { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } });
    await createPod("a", { owner: [Jobs, job] });
    await budgetOf({ maxUnavailable: 1 });
    expect(await counts()).toEqual([0, 0, 0, 0, "SyncFailed"]);
    expect(await message()).toBe("jobs.batch does not implement the scale subresource");
    expect(await events()).toEqual([
      "Warning CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: " +
        "jobs.batch does not implement the scale subresource",
    ]);
  });

  test("because their controller's kind is not on the server", async () => {
    await begin();
    const owner = { metadata: { name: "w", uid: "u" } } as StoredObject;
    await createPod("a", { owner: [Widgets, owner] });
    await budgetOf({ maxUnavailable: 1 });
    expect(await message()).toBe('no matches for kind "Widget" in version "example.com/v1"');
  });

  test("because their controller's kind is no longer on the server, which is noticed within 30 s", async () => {
    await begin([widgetDefinition]);
    const owner = [Widgets, await create(Widgets, "w", { spec: { replicas: 1 } })] as const;
    await createPod("a", { owner });
    await budgetOf({ maxUnavailable: 1 });
    expect(await message()).toBe("");
    await scene.during(scene.you.delete(CustomResourceDefinitions, { namespace: "", name: "widgets.example.com" }));
    await pass(31_000);
    await patchStatus(Pods, "a", { conditions: [{ type: "Ready", status: "False" }] });
    await pass(soonMs);
    expect(await message()).toBe('no matches for kind "Widget" in version "example.com/v1"');
  });

  test("because their controller was deleted or replaced; then the budget recovers", async () => {
    await begin();
    const gone = await create(ReplicaSets, "web", replicated(1));
    await scene.during(scene.you.delete(ReplicaSets, { namespace: "default", name: "web" }, {}));
    await createPod("a", { owner: [ReplicaSets, gone] });
    await budgetOf({ maxUnavailable: 1 });
    expect(await message()).toBe('found no controllers for pod "a"');
    const owner = [ReplicaSets, await create(ReplicaSets, "web", replicated(2))] as const;
    await patchStatus(Pods, "a", { conditions: [{ type: "Ready", status: "False" }] });
    expect(await counts()).toEqual([0, 0, 0, 0, "SyncFailed"]);
    await scene.during(scene.you.delete(Pods, { namespace: "default", name: "a" }, { gracePeriodSeconds: 0 }));
    for (const name of ["b", "c"]) await createPod(name, { owner });
    expect(await counts()).toEqual([2, 1, 2, 1, "SufficientPods"]);
    expect(await message()).toBe("");
  });
});

describe("evictions", () => {
  async function evict(name: string): Promise<number> {
    const path = `/api/v1/namespaces/default/pods/${name}/eviction`;
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: "default" } };
    const signal = new AbortController().signal;
    const response = await scene.during(
      scene.cluster.sandbox.transport({ actor: "evictor" }).send({
        method: "POST",
        path,
        headers: { "content-type": "application/json" },
        body: new TextEncoder().encode(JSON.stringify(body)),
        signal,
      }),
    );
    await scene.during(response.body.cancel() ?? Promise.resolve());
    return response.status;
  }

  test("are granted as long as the budget permits them", async () => {
    await begin();
    for (const name of ["a", "b", "c"]) await createPod(name);
    await budgetOf({ minAvailable: 2 });
    expect(await evict("a")).toBe(201);
    expect(await evict("b")).toBe(429);
    expect(await counts()).toEqual([2, 2, 2, 0, "InsufficientPods"]);
    const [budget] = await scene.list(PodDisruptionBudgets);
    expect(budget?.status?.disruptedPods).toBeUndefined();
  });

  test("that were granted but not carried out count for two minutes, then cause a warning", async () => {
    await begin();
    for (const name of ["a", "b", "c"]) await createPod(name);
    await budgetOf({ minAvailable: 2 });
    const granted = formatTime(scene.timeline.now() - 60_000);
    await patchStatus(PodDisruptionBudgets, "web", { disruptedPods: { a: granted }, disruptionsAllowed: 0 });
    await pass(30_000);
    expect(await budgetCounts()).toEqual([2, 0]);
    await pass(20_000);
    expect(await budgetCounts()).toEqual([2, 0]);
    await pass(20_000);
    expect(await budgetCounts()).toEqual([3, 1]);
    expect(await events()).toEqual([
      "Warning NotDeleted: Pod was expected by PDB default/default to be deleted but it wasn't",
    ]);
  });

  /** The counts of healthy pods and allowed disruptions, without time passing. */
  async function budgetCounts(): Promise<readonly unknown[]> {
    const [budget] = await scene.list(PodDisruptionBudgets);
    return [budget?.status?.currentHealthy, budget?.status?.disruptionsAllowed];
  }
});

test("a pod of several budgets causes a warning, and one of them follows it", async () => {
  await begin();
  const selector = { matchLabels: labels };
  for (const name of ["one", "two"]) await create(PodDisruptionBudgets, name, { spec: { selector, minAvailable: 1 } });
  await scene.run(soonMs);
  await createPod("a");
  await scene.run(soonMs);
  const warnings = (await events()).filter((event) => event.startsWith("Warning"));
  expect(warnings).toEqual([
    'Warning MultiplePodDisruptionBudgets: Pod "default"/"a" matches multiple PodDisruptionBudgets.  Chose "one" arbitrarily.',
  ]);
  const healthy = (await scene.list(PodDisruptionBudgets)).map(({ metadata: { name }, status }) => [
    name,
    status?.currentHealthy,
  ]);
  expect(healthy).toEqual([
    ["one", 1],
    ["two", 0],
  ]);
});

describe("the condition DisruptionTarget", () => {
  const announced = (reason: string): object => ({
    type: "DisruptionTarget",
    status: "True",
    reason,
    message: "it is to go",
    lastTransitionTime: formatTime(scene.timeline.now()),
  });
  async function condition(): Promise<NonNullable<Pod["status"]>["conditions"]> {
    const [pod] = await scene.list(Pods);
    return pod?.status?.conditions?.filter(({ type }) => type === "DisruptionTarget");
  }

  test("of a pod that is not deleted becomes False after two minutes", async () => {
    await begin();
    await createPod("a", { conditions: [announced("EvictionByEvictionAPI")] });
    await pass(110_000);
    expect((await condition())?.[0]?.status).toBe("True");
    await pass(20_000);
    const [last] = (await condition()) ?? [];
    expect([last?.status, last?.reason, last?.message]).toEqual(["False", undefined, undefined]);
    expect(last?.lastTransitionTime).toBe(formatTime(Date.UTC(2026, 0, 1, 0, 2)));
  });

  test("becomes False after another time, if that is configured", async () => {
    await begin([], defineDisruption({ staleAfterMs: 3000 }));
    await createPod("a", { conditions: [announced("EvictionByEvictionAPI")] });
    await pass(10_000);
    expect((await condition())?.[0]?.lastTransitionTime).toBe(formatTime(Date.UTC(2026, 0, 1, 0, 0, 3)));
  });

  test("stays if the kubelet has set it, or the pod has finished", async () => {
    await begin();
    await createPod("a", { conditions: [announced("TerminationByKubelet")] });
    await pass(300_000);
    expect((await condition())?.[0]?.status).toBe("True");
    await patchStatus(Pods, "a", { phase: "Failed", conditions: [announced("PreemptionByScheduler")] });
    await pass(300_000);
    expect((await condition())?.[0]?.status).toBe("True");
  });
});
