/** What people do to namespaces and to what is in them. */
import type { Kind } from "../../../../src/api/kind.ts";
import { Namespaces } from "../../../../src/api/kinds.ts";
import { known, type ResourceName } from "../../kinds.ts";
import { podNamed } from "../../objects.ts";
import type { Step } from "../../suite.ts";
import type { Resource, Stage } from "../../stage.ts";
import { bind } from "../../acts.ts";

/** The kinds that scripts put finalizers on, or that keep some of their own. */
const holding: readonly ResourceName[] = [
  "pods",
  "configmaps",
  "secrets",
  "services",
  "persistentvolumeclaims",
  "replicasets",
  "deployments",
  "jobs",
  "leases",
];

/** Deletes the stage's namespace. */
export const deleteNamespace: Step = {
  name: "the namespace is deleted",
  act: (stage) => stage.remove("namespaces", stage.namespace),
};

/** Takes finalizers from everything that has some, and ends pods: what is left then goes. */
export async function letAllGo(stage: Stage): Promise<void> {
  for (const name of holding) await letGo(stage, name);
}

/** The same for one kind. */
export async function letGo(stage: Stage, resource: Resource): Promise<void> {
  const kind: Kind = typeof resource === "string" ? known[resource] : resource;
  for (const { metadata } of await stage.all(kind)) {
    if (metadata.namespace !== stage.namespace) continue;
    if ((metadata.finalizers ?? []).length > 0) {
      await tolerant(stage.patch(resource, metadata.name, { metadata: { finalizers: null } }));
    }
    if (resource === "pods" && metadata.deletionTimestamp !== undefined) {
      await tolerant(stage.remove("pods", metadata.name, { gracePeriodSeconds: 0 }));
    }
  }
}

/** What a controller has taken away in between is gone all the same. */
export async function tolerant(answer: Promise<unknown>): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (!/refused with 404/.test(String(error))) throw error;
  }
}

export function letAllGoStep(name = "all finalizers go, and pods end"): Step {
  return {
    name,
    async act(stage) {
      await wake(stage, name);
      await letAllGo(stage);
    },
    until: isLetGo,
  };
}

/** Whether the controller has let the namespace go; another finalizer in the spec may still hold it. */
export async function isLetGo(stage: Stage): Promise<boolean> {
  const mine = (await stage.all(Namespaces)).find(({ metadata }) => metadata.name === stage.namespace);
  const { finalizers = [] } = (mine?.["spec"] ?? {}) as { readonly finalizers?: readonly string[] };
  return !finalizers.includes("kubernetes");
}

/**
 * Touches the namespace, if it is there: its controller comes by in 5 seconds, whatever it has put off. `times` tells this touch from
 * those before.
 */
export async function wake(stage: Stage, times: string): Promise<void> {
  await tolerant(stage.patch("namespaces", stage.namespace, { metadata: { annotations: { woken: times } } }));
}

/** Whether the namespace has gone: a step whose errors are retried ends with it, however long the back-off has grown. */
export async function hasGone(stage: Stage): Promise<boolean> {
  return (await stage.all(Namespaces)).every(({ metadata }) => metadata.name !== stage.namespace);
}

/** A ConfigMap. */
export function configMap(name: string, metadata: object = {}): object {
  return { metadata: { name, ...metadata }, data: { a: "b" } };
}

/** A pod on a node, which takes so long to end. */
export async function placedPod(stage: Stage, name: string, grace: number, metadata: object = {}): Promise<void> {
  const pod = podNamed(name, { app: name }, { metadata, spec: { terminationGracePeriodSeconds: grace } });
  await stage.create("pods", pod);
  await bind(stage, { metadata: { name, uid: "" }, spec: { containers: [] } }, "one");
}

/** `PUT namespaces/NAME/finalize` by a person. */
export async function finalizeByHand(stage: Stage, finalizers: readonly string[]): Promise<void> {
  const namespace = await stage.get("namespaces", stage.namespace);
  const path = `/api/v1/namespaces/${stage.namespace}/finalize`;
  const { status, body } = await stage.cluster.request("PUT", path, { ...namespace, spec: { finalizers } });
  if (status >= 400) throw new Error(`PUT ${path} was refused with ${status}: ${JSON.stringify(body)}`);
}
