/** Budgets, workloads that do not run, and pods that belong to them. */
import type { Kind } from "../../../../src/api/kind.ts";
import { timeAgo } from "../../acts.ts";
import { podNamed, templateOf } from "../../objects.ts";
import type { Resource, Stage } from "../../stage.ts";

/** The label that the budgets select. */
export const labels = { app: "web" } as const;

/** A budget `web` for all pods with the label. */
export function budget(spec: object): object {
  return { metadata: { name: "web" }, spec: { selector: { matchLabels: labels }, ...spec } };
}

/** Changes the budget's spec. `null` removes a field. */
export function changeBudget(stage: Stage, spec: object): Promise<unknown> {
  return stage.patch("poddisruptionbudgets", "web", { spec });
}

/** A workload with this number of replicas. No controller that would run it is there. */
export function workload(name: string, replicas: number, more: object = {}): object {
  const template = templateOf(name, { labels });
  return { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template, ...more } };
}

/** The same as a ReplicationController. */
export function oldWorkload(name: string, replicas: number): object {
  return { metadata: { name }, spec: { replicas, selector: labels, template: templateOf(name, { labels }) } };
}

/** Returns the owner reference to an object of the stage as the controller. */
export async function controlledBy(stage: Stage, resource: Resource, name: string): Promise<object> {
  const { apiVersion, kind, metadata } = await stage.get(resource, name);
  return { apiVersion, kind, name, uid: (metadata as { readonly uid: string }).uid, controller: true };
}

export interface PodParts {
  /** The controller: `["replicasets", "web"]`. Default: none. */
  readonly of?: readonly [resource: Resource, name: string];
  /** Default true. */
  readonly ready?: boolean;
  /** Conditions in addition to Ready. */
  readonly conditions?: readonly object[];
}

/** Creates a running pod, with the status that its kubelet would write. */
export async function runPod(
  stage: Stage,
  name: string,
  { of, ready = true, conditions }: PodParts = {},
): Promise<void> {
  const ownerReferences = of === undefined ? [] : [await controlledBy(stage, ...of)];
  await stage.create("pods", podNamed(name, labels, { metadata: { ownerReferences } }));
  await report(stage, name, { ready, ...(conditions !== undefined && { conditions }) });
}

/** Writes a pod's status. */
export async function report(
  stage: Stage,
  name: string,
  { ready = true, conditions = [] }: Omit<PodParts, "of">,
): Promise<void> {
  const readiness = { type: "Ready", status: ready ? "True" : "False", lastTransitionTime: timeAgo(stage, 3_600_000) };
  await stage.patch("pods", `${name}/status`, { status: { phase: "Running", conditions: [readiness, ...conditions] } });
}

/** Requests an eviction, which can be rejected. */
export async function evict(stage: Stage, name: string): Promise<void> {
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: stage.namespace } };
  await stage.attempt("POST", `/pods/${name}/eviction`, body);
}

/** A custom kind of the stage. */
export function widgets({ namespace }: Stage): Kind {
  return { group: `${namespace}.example.com`, version: "v1", kind: "Widget", plural: "widgets", namespaced: true };
}

/** Defines that kind, with or without the scale subresource, and waits until it is served. */
export async function define(stage: Stage, hasScale: boolean): Promise<void> {
  const { group, kind, plural } = widgets(stage);
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const replicas = { type: "object", properties: { replicas: { type: "integer" } } };
  await stage.create("customresourcedefinitions", {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { kind, plural, singular: "widget", listKind: "WidgetList" },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          ...(hasScale && { subresources: { scale } }),
          schema: { openAPIV3Schema: { ...open, properties: { spec: replicas, status: replicas } } },
        },
      ],
    },
  });
  const path = `/apis/${group}/v1/namespaces/${stage.namespace}/${plural}`;
  for (let tries = 0; tries < 100; tries++) {
    if ((await stage.cluster.request("GET", path)).status === 200) return;
    await Bun.sleep(100);
  }
  throw new Error(`${path} is not served after 10 s`);
}
