/** The pods among which one is chosen for deletion: any of them may be the one that the owner deletes. */
import { Pods, ReplicaSets } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import { decidingCriterion, rankPods } from "../../controller/workload/pod-ranking.ts";
import { chooserOf, type Siblings } from "./intention.ts";
import type { SiblingPair } from "./intentions.ts";

/** For objects that are not chosen among others. */
export const noSiblings: Siblings = { all: [], related: [] };

/** Criteria whose result may differ between two callers a few milliseconds apart. */
const ofTheMoment: ReadonlySet<string> = new Set(["latest ready first", "newest first"]);

/**
 * None for a pod that nobody chooses, as of a StatefulSet, which goes by its ordinal. Otherwise the pods of the object's owner, and those that count with them on their nodes: pods of all objects with
 * the owner's controller.
 */
export function siblingsOf(informers: SharedInformerFactory, object: StoredObject): Siblings {
  const owner = controllerOf(object);
  if (chooserOf(object) === undefined) return noSiblings;
  const pods = informers.forKind(Pods).lister.list(object.metadata.namespace);
  const all = pods.filter((pod) => controllerOf(pod)?.uid === owner?.uid);
  const sets =
    owner?.kind === ReplicaSets.kind ? informers.forKind(ReplicaSets).lister.list(object.metadata.namespace) : [];
  const above = sets.map((set) => ({ uid: set.metadata.uid, by: controllerOf(set)?.uid }));
  const by = above.find(({ uid }) => uid === owner?.uid)?.by;
  const related = new Set(by === undefined ? [] : above.filter((each) => each.by === by).map(({ uid }) => uid));
  return { all, related: pods.filter((pod) => related.has(controllerOf(pod)?.uid ?? "")) };
}

/** The criterion by which two pods rank differently; undefined if there is none, or its result depends on the moment. */
export function distinguishedBy({ one, other, related }: SiblingPair, now: number): string | undefined {
  const [a, b] = rankPods([one, other], related);
  const name = a === undefined || b === undefined ? undefined : decidingCriterion(a, b, now)?.criterion.name;
  return name === undefined || ofTheMoment.has(name) ? undefined : name;
}
