/**
 * How many pods the controllers of a budget's pods want.
 * Source: kubernetes v1.36 pkg/controller/disruption/disruption.go getExpectedScale, finders.
 */
import { objectKey } from "../../api/key.ts";
import { groupOf, type Kind } from "../../api/kind.ts";
import { Deployments, ReplicaSets, ReplicationControllers, StatefulSets } from "../../api/kinds.ts";
import type { OwnerReference, StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Pod } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { type ControllerNamed, type ControllerScale, scaleOf } from "./scale-subresource.ts";

/** The sum over the controllers of some pods. */
export interface ExpectedScale {
  readonly pods: number;
  /** Names of pods without a controller, which the sum cannot include. */
  readonly unmanaged: readonly string[];
}

/** A pod's controller, or that controller's own controller. */
type Workload = StoredObject & { readonly spec?: { readonly replicas?: number } };

/** Groups in which an owner reference may name a workload: `extensions` predates `apps`. */
const appsGroups = ["apps", "extensions"];

/**
 * Adds up the replicas, each controller once. A ReplicaSet counts as its Deployment.
 * @throws Error for a pod whose controller is gone or whose kind lacks the subresource `scale`; the API server's refusal.
 */
export async function expectedScale(context: SyncContext, pods: readonly Pod[]): Promise<ExpectedScale> {
  const scales = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const { name, namespace = "" } = pod.metadata;
    const controller = controllerOf(pod);
    if (controller === undefined) {
      unmanaged.push(name);
      continue;
    }
    if (scales.has(controller.uid)) continue;
    const named = { controller, namespace };
    const found = cachedScale(context, named) ?? (await scaleOf(context, named));
    if (found === undefined) throw new Error(`found no controllers for pod "${name}"`);
    scales.set(found.uid, found.replicas);
  }
  return { pods: [...scales.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
}

/** The scale of a pod's controller; undefined if its kind is not cached here, or it is not in the cache. */
function cachedScale(context: SyncContext, { controller, namespace }: ControllerNamed): ControllerScale | undefined {
  const cached = <T extends Workload>(kind: Kind<T>, groups: readonly string[]): T | undefined =>
    cachedOwner(context, { kind, groups, namespace, reference: controller });
  const replicaSet = cached(ReplicaSets, appsGroups);
  if (replicaSet !== undefined) return scaleAbove(context, replicaSet);
  const other = cached(ReplicationControllers, [""]) ?? cached(StatefulSets, ["apps"]);
  return other && scaleIn(other);
}

/** The scale of the ReplicaSet's Deployment, or its own without one. Undefined if the Deployment is not in the cache. */
function scaleAbove(context: SyncContext, replicaSet: Workload): ControllerScale | undefined {
  const reference = controllerOf(replicaSet);
  if (reference?.kind !== Deployments.kind) return scaleIn(replicaSet);
  const { namespace = "" } = replicaSet.metadata;
  const deployment = cachedOwner(context, { kind: Deployments, groups: appsGroups, namespace, reference });
  return deployment && scaleIn(deployment);
}

function scaleIn({ metadata: { uid }, spec }: Workload): ControllerScale {
  return { uid, replicas: spec?.replicas ?? 1 };
}

interface Sought<T extends StoredObject> {
  readonly kind: Kind<T>;
  readonly groups: readonly string[];
  readonly namespace: string;
  readonly reference: OwnerReference;
}

/** The object that an owner reference names, if kind and uid match and it is in the cache. */
function cachedOwner<T extends StoredObject>(context: SyncContext, sought: Sought<T>): T | undefined {
  const { kind, groups, namespace, reference } = sought;
  if (reference.kind !== kind.kind || !groups.includes(groupOf(reference.apiVersion))) return undefined;
  const object = context.cache(kind).get(objectKey(namespace, reference.name));
  return object?.metadata.uid === reference.uid ? object : undefined;
}
