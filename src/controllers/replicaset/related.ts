/**
 * Pods that share an owner two floors up: those of all ReplicaSets of one Deployment.
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set.go getReplicaSetsWithSameController, getIndirectlyRelatedPods.
 */
import { Pods } from "../../api/kind.ts";
import type { ObjectMeta } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Pod } from "../../api/types.ts";
import type { SyncContext } from "../../controller/api/sync-context.ts";
import { type Flavour, type Replicated, usableSelector } from "./replicated.ts";

/** The index of the primary objects by the uid of their controller. */
export const ownerIndex = "controllerUid";

export function indexByOwner(object: { readonly metadata: ObjectMeta }): readonly string[] {
  const uid = controllerOf(object)?.uid;
  return uid === undefined ? [] : [uid];
}

/** The pods selected by this object and by all that have the same controller; none if it has no controller. Each pod once. */
export function relatedPods<T extends Replicated>(context: SyncContext, flavour: Flavour<T>, object: T): Pod[] {
  const siblings = indexByOwner(object).flatMap((uid) => context.cache(flavour.kind).byIndex(ownerIndex, uid));
  const related = new Map<string, Pod>();
  for (const sibling of siblings) {
    const selector = usableSelector(flavour, sibling) ?? "nothing";
    for (const pod of context.cache(Pods).listSelected(sibling.metadata.namespace, selector)) {
      related.set(pod.metadata.uid, pod);
    }
  }
  return [...related.values()];
}
