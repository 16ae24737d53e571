/** The rules of a rollout: RollingUpdate, then Recreate. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import type { Resize } from "./scaling-rules.ts";

interface NewSizeFacts extends Resize {
  readonly desired: number;
  readonly total: number;
  readonly surge: string;
}

/** The new ReplicaSet is scaled up. */
export const scaleUpNew: Rule<NewSizeFacts> = rule<NewSizeFacts>({
  id: "scale-up-new",
  looksAt: ["spec.replicas", "maxSurge", "sizes of all ReplicaSets"],
  chooses: "The new ReplicaSet is scaled up as long as the total number of pods stays within desired plus surge.",
  sentence: ({ replicaSet, from, to, desired, total, surge }) =>
    `${total} pods where ${desired} are desired, ${surge} → ${replicaSet} ${from} → ${to}`,
  example: { replicaSet: "web-6d5f4c", from: 1, to: 2, desired: 3, total: 3, surge: "maxSurge 25% → 1" },
  source: "rolling.go reconcileNewReplicaSet, deployment_util.go NewRSNewReplicas",
});

/** The new ReplicaSet is scaled down. */
export const scaleDownNew: Rule<Resize> = rule<Resize>({
  id: "scale-down-new",
  looksAt: ["spec.replicas", "size of the new ReplicaSet"],
  chooses: "The new ReplicaSet never has more pods than desired.",
  sentence: ({ replicaSet, from, to }) => `${to} pods are desired → ${replicaSet} ${from} → ${to}`,
  example: { replicaSet: "web-6d5f4c", from: 5, to: 3 },
  source: "rolling.go reconcileNewReplicaSet",
});

interface UnhealthyFacts extends Resize {
  readonly unavailable: number;
  /** How many pods may be removed in total. */
  readonly most: number;
}

/** Unavailable pods of old ReplicaSets are removed. */
export const cleanupUnhealthy: Rule<UnhealthyFacts> = rule<UnhealthyFacts>({
  id: "cleanup-unhealthy",
  looksAt: ["size and available pods of each old ReplicaSet", "maxUnavailable"],
  chooses:
    "Unavailable pods of old ReplicaSets are scaled down first, oldest ReplicaSet first; this does not reduce availability.",
  sentence: ({ replicaSet, from, to, unavailable, most }) =>
    `${unavailable} of ${from} pods of old ${replicaSet} are not available, ${most} may be removed → ${from} → ${to}`,
  example: { replicaSet: "web-7f9b8d", from: 3, to: 2, unavailable: 1, most: 1 },
  source: "rolling.go cleanupUnhealthyReplicas",
});

interface OldSizeFacts extends Resize {
  readonly available: number;
  readonly minAvailable: number;
  readonly bound: string;
}

/** Available pods of old ReplicaSets are removed. */
export const scaleDownOld: Rule<OldSizeFacts> = rule<OldSizeFacts>({
  id: "scale-down-old",
  looksAt: ["spec.replicas", "maxUnavailable", "available pods of all ReplicaSets"],
  chooses: "Old ReplicaSets are scaled down, oldest first, as long as enough pods stay available.",
  sentence: ({ replicaSet, from, to, available, minAvailable, bound }) =>
    `${available} pods are available and ${minAvailable} must stay (${bound}) → old ${replicaSet} ${from} → ${to}`,
  example: { replicaSet: "web-7f9b8d", from: 3, to: 2, available: 4, minAvailable: 3, bound: "maxUnavailable 25% → 0" },
  source: "rolling.go scaleDownOldReplicaSetsForRollingUpdate",
});

interface HoldFacts extends Facts {
  readonly replicaSet: string;
  readonly old: number;
  readonly available: number;
  readonly minAvailable: number;
  /** Of the new ReplicaSet. */
  readonly unavailable: number;
}

/** The rollout waits for pods of the new ReplicaSet. */
export const hold: Rule<HoldFacts> = rule<HoldFacts>({
  id: "hold",
  looksAt: ["maxUnavailable", "maxSurge", "sizes and available pods of all ReplicaSets"],
  chooses:
    "While no pod may be added or removed, the rollout waits for pods of the new ReplicaSet to become available.",
  sentence: ({ replicaSet, old, available, minAvailable, unavailable }) =>
    `${unavailable} ${unavailable === 1 ? "pod" : "pods"} of ${replicaSet} not available; ` +
    `${available} are available in total and ${minAvailable} must stay → ${old} old ${old === 1 ? "pod stays" : "pods stay"} for now`,
  example: { replicaSet: "web-6d5f4c", old: 3, available: 3, minAvailable: 3, unavailable: 1 },
  source: "rolling.go reconcileOldReplicaSets",
});

/** Recreate: old ReplicaSets are scaled to 0. */
export const stopOld: Rule<Resize> = rule<Resize>({
  id: "stop-old",
  looksAt: ["spec.strategy.type", "sizes of the old ReplicaSets"],
  chooses: "With Recreate, all old pods are removed before new ones are created.",
  sentence: ({ replicaSet, from, to }) => `Recreate → old ${replicaSet} ${from} → ${to} before new pods are created`,
  example: { replicaSet: "web-7f9b8d", from: 3, to: 0 },
  source: "recreate.go scaleDownOldReplicaSetsForRecreate",
});

interface OldPodsFacts extends Facts {
  /** As the old ReplicaSets count them. */
  readonly counted: number;
  /** Pods of old ReplicaSets that are not terminal. */
  readonly running: number;
}

/** Recreate: old pods have not ended yet. */
export const waitForOld: Rule<OldPodsFacts> = rule<OldPodsFacts>({
  id: "wait-for-old",
  looksAt: ["status.replicas of the old ReplicaSets", "phase of their pods"],
  chooses: "With Recreate, no new pod is created until all old ones have ended.",
  sentence: ({ counted, running }) => {
    const left = Math.max(counted, running);
    return `${left} old ${left === 1 ? "pod has" : "pods have"} not ended → wait`;
  },
  example: { counted: 0, running: 2 },
  source: "recreate.go oldPodsRunning",
});

/** Recreate: the new ReplicaSet is scaled up. */
export const startNew: Rule<Resize> = rule<Resize>({
  id: "start-new",
  looksAt: ["spec.replicas", "size of the new ReplicaSet"],
  chooses: "With Recreate, the new ReplicaSet is scaled up in one step once all old pods have ended.",
  sentence: ({ replicaSet, from, to }) => `no old pod is left → ${replicaSet} ${from} → ${to}`,
  example: { replicaSet: "web-6d5f4c", from: 0, to: 3 },
  source: "recreate.go scaleUpNewReplicaSetForRecreate",
});
