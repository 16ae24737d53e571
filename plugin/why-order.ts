/** In which order answers about several objects are told. */
import type { Answer } from "../src/diagnosis/answer.ts";
import type { Is } from "../src/diagnosis/diagnosis.ts";

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

function rank({ of: { kind } }: Answer): number {
  const at = causes.indexOf(kind.kind);
  if (at >= 0) return at;
  const after = consequences.indexOf(kind.kind);
  return after < 0 ? causes.length : causes.length + 1 + after;
}

/** Failed ones first, well ones last; among equals, causes before consequences, then by name. */
export function worstFirst(answers: readonly Answer[]): readonly Answer[] {
  return [...answers].sort(
    (a, b) => badness[a.is] - badness[b.is] || rank(a) - rank(b) || a.of.name.localeCompare(b.of.name),
  );
}
