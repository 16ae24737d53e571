/**
 * Pods with the same grandparent: the pods of all ReplicaSets of one Deployment.
 * Source: kubernetes v1.36 pkg/controller/replicaset/replica_set.go getReplicaSetsWithSameController, getIndirectlyRelatedPods.
 */
import { Pods } from "../../api/kinds.ts";
import type { ObjectMeta } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Pod } from "../../api/types.ts";
import { parseSelector, type ReplicaOwner, type ReplicaSync } from "./replica-owner.ts";

/** Name of the index of the primary objects by the uid of their controller. */
export const ownerIndex = "controllerUid";

/** Index function of `ownerIndex`: the uid of the object's controller, if it has one. */
export function indexByOwner(object: { readonly metadata: ObjectMeta }): readonly string[] {
  const uid = controllerOf(object)?.uid;
  return uid === undefined ? [] : [uid];
}

/** Pods selected by this object and by all objects with the same controller, each pod once; none if it has no controller. */
export function relatedPods<T extends ReplicaOwner>({
  context,
  config,
  object,
}: Pick<ReplicaSync<T>, "context" | "config" | "object">): Pod[] {
  const siblings = indexByOwner(object).flatMap((uid) => context.cache(config.kind).byIndex(ownerIndex, uid));
  const related = new Map<string, Pod>();
  for (const sibling of siblings) {
    const selector = parseSelector(config, sibling);
    if (selector === undefined) continue;
    for (const pod of context.cache(Pods).listSelected(sibling.metadata.namespace, selector)) {
      related.set(pod.metadata.uid, pod);
    }
  }
  return [...related.values()];
}
