/**
 * Pods that share an owner two floors up: those of all ReplicaSets of one Deployment.
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set.go getReplicaSetsWithSameController, getIndirectlyRelatedPods.
 */
import { Pods } from "../../api/kind.ts";
import type { Selector } from "../../api/labels.ts";
import type { ObjectMeta } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Pod } from "../../api/types.ts";
import type { SyncContext } from "../../controller/sync-context.ts";
import type { Flavour, Replicated } from "./replicated.ts";

/** The index of the primary objects by the uid of their controller. */
export const ownerIndex = "controllerUid";

export function indexByOwner(object: { readonly metadata: ObjectMeta }): readonly string[] {
  const uid = controllerOf(object)?.uid;
  return uid === undefined ? [] : [uid];
}

/** The pods selected by this object and by all that have the same controller; none if it has no controller. Each pod once. */
export function relatedPods<T extends Replicated>(context: SyncContext, flavour: Flavour<T>, object: T): Pod[] {
  const uid = controllerOf(object)?.uid;
  if (uid === undefined) return [];
  const related = new Map<string, Pod>();
  for (const sibling of context.cache(flavour.kind).byIndex(ownerIndex, uid)) {
    const namespace = sibling.metadata.namespace ?? "";
    for (const pod of context.cache(Pods).listSelected(namespace, usableSelector(flavour, sibling))) {
      related.set(pod.metadata.uid, pod);
    }
  }
  return [...related.values()];
}

function usableSelector<T extends Replicated>(flavour: Flavour<T>, object: T): Selector {
  try {
    return flavour.selectorOf(object);
  } catch (error) {
    if (error instanceof RangeError) return "nothing";
    throw error;
  }
}
