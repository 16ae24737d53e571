/** Finds the pods from which one is chosen for deletion; the owner may choose another of them. */
import { Pods, ReplicaSets } from "../../api/kinds.ts";
import type { StoredObject } from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { SharedInformerFactory } from "../../cache/shared-informer-factory.ts";
import { decidingCriterion, rankPods } from "../../controller/workload/pod-ranking.ts";
import { chooserOf, type Siblings } from "./intention.ts";
import type { SiblingPair } from "./intentions.ts";

/** The siblings of an object that is not chosen from several. */
export const noSiblings: Siblings = { all: [], related: [] };

/** Ranking criteria whose result depends on the current time, so that two callers a few milliseconds apart may differ. */
const timeDependent: ReadonlySet<string> = new Set(["latest ready first", "newest first"]);

/**
 * The pods of the object's owner, and as `related` the pods that the ranking counts per node: those of all ReplicaSets with the same
 * controller. None if the owner does not choose which pod to delete, like a StatefulSet.
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

/** The criterion by which two pods rank differently; undefined if there is none, or if it depends on the current time. */
export function distinguishedBy({ one, other, related }: SiblingPair, now: number): string | undefined {
  const [a, b] = rankPods([one, other], related);
  const name = a === undefined || b === undefined ? undefined : decidingCriterion(a, b, now)?.criterion.name;
  return name === undefined || timeDependent.has(name) ? undefined : name;
}
