/** The order of answers about several objects. */
import type { Answer } from "../../../src/diagnosis/answer.ts";
import { type Is, type Item, type Ref, refOf } from "../../../src/diagnosis/diagnosis.ts";

const badness: Readonly<Record<Is, number>> = {
  failed: 0,
  waiting: 1,
  "being deleted": 2,
  "cannot tell": 3,
  well: 4,
};

/** Kinds in causal order: kinds that create pods come before those that only select or count them. */
const causes = [
  "Deployment",
  "StatefulSet",
  "DaemonSet",
  "ReplicaSet",
  "Job",
  "CronJob",
  "Pod",
  "PersistentVolumeClaim",
];
const consequences = ["Service", "Ingress", "HorizontalPodAutoscaler", "PodDisruptionBudget", "ResourceQuota"];

function rank({ kind: { kind } }: Pick<Ref, "kind">): number {
  const at = causes.indexOf(kind);
  if (at >= 0) return at;
  const after = consequences.indexOf(kind);
  return after < 0 ? causes.length : causes.length + 1 + after;
}

/** Whether an object is cluster-scoped, such as nodes, volumes and classes, on which many others depend. */
function isAboveNamespaces({ namespace }: Ref): boolean {
  return namespace === "";
}

/** Sorts cluster-scoped objects first, then by `causes`. */
export function causesFirst(items: readonly Item[]): readonly Item[] {
  const refs = items.map((item) => ({ item, ref: refOf(item) }));
  const inOrder = refs.sort(
    ({ ref: a }, { ref: b }) => Number(isAboveNamespaces(b)) - Number(isAboveNamespaces(a)) || rank(a) - rank(b),
  );
  return inOrder.map(({ item }) => item);
}

/**
 * Sorts failed objects first and well ones last. Cluster-scoped objects that are not well come before all others, since they may be the
 * cause of the rest. Equal ones are sorted by `causes`, then by name.
 */
export function worstFirst(answers: readonly Answer[]): readonly Answer[] {
  return [...answers].sort(
    (a, b) =>
      Number(isClusterProblem(b)) - Number(isClusterProblem(a)) ||
      badness[a.is] - badness[b.is] ||
      rank(a.of) - rank(b.of) ||
      a.of.namespace.localeCompare(b.of.namespace) ||
      a.of.name.localeCompare(b.of.name),
  );
}

function isClusterProblem({ of, is }: Answer): boolean {
  return isAboveNamespaces(of) && is !== "well" && is !== "cannot tell";
}
