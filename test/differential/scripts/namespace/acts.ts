/** Actions of users on namespaces and their content. */
import type { Kind } from "../../../../src/api/kind.ts";
import { Namespaces } from "../../../../src/api/kinds.ts";
import { known, type ResourceName } from "../../kinds.ts";
import { podNamed } from "../../objects.ts";
import type { Step } from "../../suite.ts";
import type { Resource, Stage } from "../../stage.ts";
import { bind } from "../../acts.ts";

/** The kinds that get finalizers from scripts, or have their own. */
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

/** Removes all finalizers and ends pods, so that everything left is deleted. */
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

/** Ignores that a controller has deleted the object in between. */
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

/** Whether the controller has finalized the namespace; another finalizer in the spec may still block it. */
export async function isLetGo(stage: Stage): Promise<boolean> {
  const mine = (await stage.all(Namespaces)).find(({ metadata }) => metadata.name === stage.namespace);
  const { finalizers = [] } = (mine?.["spec"] ?? {}) as { readonly finalizers?: readonly string[] };
  return !finalizers.includes("kubernetes");
}

/**
 * Changes the namespace, if it exists: its controller processes it in 5 seconds, whatever it has delayed. `times` distinguishes this change
 * from earlier ones.
 */
export async function wake(stage: Stage, times: string): Promise<void> {
  await tolerant(stage.patch("namespaces", stage.namespace, { metadata: { annotations: { woken: times } } }));
}

/** Whether the namespace is gone: a step whose errors are retried ends with that, however long the back-off is. */
export async function hasGone(stage: Stage): Promise<boolean> {
  return (await stage.all(Namespaces)).every(({ metadata }) => metadata.name !== stage.namespace);
}

/** A ConfigMap. */
export function configMap(name: string, metadata: object = {}): object {
  return { metadata: { name, ...metadata }, data: { a: "b" } };
}

/** A pod on a node, with this grace period. */
export async function placedPod(stage: Stage, name: string, grace: number, metadata: object = {}): Promise<void> {
  const pod = podNamed(name, { app: name }, { metadata, spec: { terminationGracePeriodSeconds: grace } });
  await stage.create("pods", pod);
  await bind(stage, { metadata: { name, uid: "" }, spec: { containers: [] } }, "one");
}

/** A user's `PUT namespaces/NAME/finalize`. */
export async function finalizeByHand(stage: Stage, finalizers: readonly string[]): Promise<void> {
  const namespace = await stage.get("namespaces", stage.namespace);
  const path = `/api/v1/namespaces/${stage.namespace}/finalize`;
  const { status, body } = await stage.cluster.request("PUT", path, { ...namespace, spec: { finalizers } });
  if (status >= 400) throw new Error(`PUT ${path} was refused with ${status}: ${JSON.stringify(body)}`);
}
