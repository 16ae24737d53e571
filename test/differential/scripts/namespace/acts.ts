/** Actions of users on namespaces and their contents. */
import type { Kind } from "../../../../src/api/kind.ts";
import { Namespaces } from "../../../../src/api/kinds.ts";
import { known, type ResourceName } from "../../kinds.ts";
import { podNamed } from "../../objects.ts";
import type { Step } from "../../suite.ts";
import type { Resource, Stage } from "../../stage.ts";
import { bind } from "../../acts.ts";

/** The kinds that scripts give finalizers to, or that have finalizers of their own. */
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
  name: "delete the namespace",
  act: (stage) => stage.remove("namespaces", stage.namespace),
};

/** Removes all finalizers and terminates pods: the remaining objects are then deleted. */
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

/** Ignores a 404, because a controller can have deleted the object in the meantime. */
export async function tolerant(request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!/refused with 404/.test(String(error))) throw error;
  }
}

export function letAllGoStep(name = "remove all finalizers and terminating pods"): Step {
  return {
    name,
    async act(stage) {
      await wake(stage, name);
      await letAllGo(stage);
    },
    until: isLetGo,
  };
}

/** Whether the controller has removed its finalizer. Another finalizer in the spec can still hold the namespace. */
export async function isLetGo(stage: Stage): Promise<boolean> {
  const mine = (await stage.all(Namespaces)).find(({ metadata }) => metadata.name === stage.namespace);
  const { finalizers = [] } = (mine?.["spec"] ?? {}) as { readonly finalizers?: readonly string[] };
  return !finalizers.includes("kubernetes");
}

/**
 * Patches the namespace, if it exists: its controller then syncs it within 5 seconds, no matter what it has postponed. `times`
 * distinguishes this patch from earlier ones.
 */
export async function wake(stage: Stage, times: string): Promise<void> {
  await tolerant(stage.patch("namespaces", stage.namespace, { metadata: { annotations: { woken: times } } }));
}

/** Whether the namespace is gone: a step with retried errors ends with it, however long the back-off has become. */
export async function hasGone(stage: Stage): Promise<boolean> {
  return (await stage.all(Namespaces)).every(({ metadata }) => metadata.name !== stage.namespace);
}

export function configMap(name: string, metadata: object = {}): object {
  return { metadata: { name, ...metadata }, data: { a: "b" } };
}

/** Creates a pod on a node, with this termination grace period in seconds. */
export async function placedPod(stage: Stage, name: string, grace: number, metadata: object = {}): Promise<void> {
  const pod = podNamed(name, { app: name }, { metadata, spec: { terminationGracePeriodSeconds: grace } });
  await stage.create("pods", pod);
  await bind(stage, { metadata: { name, uid: "" }, spec: { containers: [] } }, "one");
}

/** `PUT namespaces/NAME/finalize` by a user. */
export async function finalizeByHand(stage: Stage, finalizers: readonly string[]): Promise<void> {
  const namespace = await stage.get("namespaces", stage.namespace);
  const path = `/api/v1/namespaces/${stage.namespace}/finalize`;
  const { status, body } = await stage.cluster.request("PUT", path, { ...namespace, spec: { finalizers } });
  if (status >= 400) throw new Error(`PUT ${path} was refused with ${status}: ${JSON.stringify(body)}`);
}
