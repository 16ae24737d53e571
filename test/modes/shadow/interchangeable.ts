/** Which pods of an owner are interchangeable, because its choice is random or depends on timing. */
import type { StoredObject } from "../../../src/api/object.ts";
import type { Pod } from "../../../src/api/types.ts";
import { decidingCriterion, rankPods } from "../../../src/controller/workload/pod-ranking.ts";
import { essenceOf } from "./essence.ts";
import type { Write } from "./judged.ts";

/** Criteria that two callers can evaluate differently a few milliseconds apart. */
const ofTheMoment: ReadonlySet<string> = new Set(["latest ready first", "newest first"]);

/** Whether no criterion distinguishes the two pods. Other tests compare the criteria with the real controller. */
export function alike(one: StoredObject, other: StoredObject): boolean {
  const [a, b] = rankPods([one, other], []);
  const name = a === undefined || b === undefined ? undefined : decidingCriterion(a, b, Date.now())?.criterion.name;
  return name === undefined || ofTheMoment.has(name);
}

/** Whether a rollout can start with either of two pods of a DaemonSet. */
export function sameTemplate(one: StoredObject, other: StoredObject): boolean {
  const hash = ({ metadata }: StoredObject): string | undefined => metadata.labels?.["controller-revision-hash"];
  return hash(one) === hash(other) && alike(one, other);
}

/**
 * Whether a surge can create the one pod instead of the other: they differ only in their nodes, whose pods the rollout can start with.
 * kube-controller-manager iterates over a Go map of the nodes. Source: kubernetes v1.36 pkg/controller/daemon/update.go rollingUpdate.
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

/** The node to which a DaemonSet's pod is pinned. */
function nodeOf(pod: unknown): string | undefined {
  const { spec } = (pod ?? {}) as Partial<Pod>;
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const fields = terms.flatMap(({ matchFields = [] }) => matchFields);
  return fields.find(({ key }) => key === "metadata.name")?.values?.[0];
}
