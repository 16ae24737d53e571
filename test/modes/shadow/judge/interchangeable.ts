/** Which of two pods an owner picks if that depends on chance or on the time. */
import type { StoredObject } from "../../../../src/api/object.ts";
import type { Pod } from "../../../../src/api/types.ts";
import { decidingCriterion, rankPods } from "../../../../src/controller/workload/pod-ranking.ts";
import { essenceOf } from "./essence.ts";
import type { Write } from "./round.ts";

/** Criteria whose result can differ between two evaluations a few milliseconds apart. */
const ofTheMoment: ReadonlySet<string> = new Set(["latest ready first", "newest first"]);

/** Other tests with the real controller show which criterion applies; here it only matters whether any distinguishes the two. */
export function alike(one: StoredObject, other: StoredObject): boolean {
  const [a, b] = rankPods([one, other], []);
  const name = a === undefined || b === undefined ? undefined : decidingCriterion(a, b, Date.now())?.criterion.name;
  return name === undefined || ofTheMoment.has(name);
}

/** Whether a rollout can begin with either of two pods of a DaemonSet. */
export function sameTemplate(one: StoredObject, other: StoredObject): boolean {
  const hash = ({ metadata }: StoredObject): string | undefined => metadata.labels?.["controller-revision-hash"];
  return hash(one) === hash(other) && alike(one, other);
}

/**
 * Whether a surge can create one pod instead of the other: they differ only in their nodes, and a rollout can begin with either of the pods
 * on these nodes. kube-controller-manager iterates over a Go map of the nodes.
 * Source: kubernetes v1.36 pkg/controller/daemon/update.go rollingUpdate.
 */
export function comesOfSameRollout(one: Write, other: Write, pods: readonly StoredObject[]): boolean {
  const [node, otherNode] = [nodeOf(one.body), nodeOf(other.body)];
  if (node === undefined || otherNode === undefined) return false;
  if (essenceOf(one).replaceAll(`"${node}"`, `"${otherNode}"`) !== essenceOf(other)) return false;
  const on = (name: string): StoredObject[] => pods.filter((pod) => nodeOf(pod) === name);
  const [outdated, ...more] = on(node);
  const [otherOutdated, ...otherMore] = on(otherNode);
  if (outdated === undefined || otherOutdated === undefined || more.length + otherMore.length > 0) return false;
  return sameTemplate(outdated, otherOutdated);
}

/** The node that a DaemonSet's pod is pinned to. */
function nodeOf(pod: unknown): string | undefined {
  const { spec } = (pod ?? {}) as Partial<Pod>;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const fields = terms.flatMap(({ matchFields = [] }) => matchFields);
  return fields.find(({ key }) => key === "metadata.name")?.values?.[0];
}
