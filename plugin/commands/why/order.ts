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

/** What makes pods comes before what only counts or leads to them: that is mostly a consequence. */
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

/** Nodes, volumes, classes: what is in no namespace is what many others rest on. */
function isAboveNamespaces({ namespace }: Ref): boolean {
  return namespace === "";
}

/** What is in no namespace first, then what makes pods. */
export function causesFirst(items: readonly Item[]): readonly Item[] {
  const refs = items.map((item) => ({ item, ref: refOf(item) }));
  const inOrder = refs.sort(
    ({ ref: a }, { ref: b }) => Number(isAboveNamespaces(b)) - Number(isAboveNamespaces(a)) || rank(a) - rank(b),
  );
  return inOrder.map(({ item }) => item);
}

/**
 * Failed ones first, well ones last; what is not well and in no namespace before both, since it may be the cause of the rest. Among
 * equals, causes before consequences, then by name.
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
