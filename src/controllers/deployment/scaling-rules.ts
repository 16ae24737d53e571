/** The rules by which the ReplicaSets of a Deployment that is scaled or paused get their sizes. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

/** A ReplicaSet gets another size, in pods. */
export interface Resize extends Facts {
  readonly replicaSet: string;
  readonly from: number;
  readonly to: number;
}

interface ScaleActiveFacts extends Resize {
  readonly active: boolean;
}

/** The only active ReplicaSet is scaled with the Deployment. */
export const scaleActive: Rule<ScaleActiveFacts> = rule<ScaleActiveFacts>({
  id: "scale-active",
  looksAt: ["spec.replicas", "annotation deployment.kubernetes.io/desired-replicas", "sizes of the ReplicaSets"],
  chooses:
    "When it is scaled or paused and at most one ReplicaSet has pods, that one (or else the newest) gets all of them.",
  sentence: ({ replicaSet, from, to, active }) =>
    `${replicaSet} is the ${active ? "only active" : "newest"} ReplicaSet → ${from} → ${to}`,
  example: { replicaSet: "web-6d5f4c", from: 3, to: 5, active: true },
  source: "sync.go scale, deployment_util.go FindActiveOrLatest",
});

interface StaleSizeFacts extends Facts {
  readonly replicaSet: string;
  readonly size: number;
  readonly annotated: number;
}

/** The only active ReplicaSet has the right size, but its annotation records another: no rollout until it is scaled. */
export const staleSize: Rule<StaleSizeFacts> = rule<StaleSizeFacts>({
  id: "stale-size",
  looksAt: ["spec.replicas", "annotation deployment.kubernetes.io/desired-replicas", "sizes of the ReplicaSets"],
  chooses:
    "When the only active ReplicaSet has all pods but its annotation records another size, every sync is taken for a change of size, and nothing corrects the annotation: no rollout starts or continues until spec.replicas changes.",
  sentence: ({ replicaSet, size, annotated }) =>
    `${replicaSet} has all ${size} pods, but its annotation desired-replicas says ${annotated} → taken for a change of size, no rollout until spec.replicas changes`,
  example: { replicaSet: "web-6d5f4c", size: 4, annotated: 5 },
  source: "sync.go isScalingEvent, scale; known as kubernetes/kubernetes#138036",
});

/** Old ReplicaSets are scaled to 0 because the new one has all pods. */
export const saturated: Rule<Resize> = rule<Resize>({
  id: "saturated",
  looksAt: ["size, annotations and available pods of the new ReplicaSet", "sizes of the old ones"],
  chooses:
    "When it is scaled or paused and the new ReplicaSet has all pods, all of them available, the old ones are scaled to 0.",
  sentence: ({ replicaSet, from, to }) =>
    `the new ReplicaSet has all pods available → old ${replicaSet} ${from} → ${to}`,
  example: { replicaSet: "web-7f9b8d", from: 1, to: 0 },
  source: "sync.go scale, deployment_util.go IsSaturated",
});

interface SharesFacts extends Facts {
  readonly desired: number;
  readonly surge: number;
  readonly sizes: readonly { readonly replicaSet: string; readonly from: number; readonly to: number }[];
}

/** Several active ReplicaSets are scaled in proportion. */
export const proportional: Rule<SharesFacts> = rule<SharesFacts>({
  id: "proportional",
  looksAt: [
    "spec.replicas",
    "maxSurge",
    "size and annotation deployment.kubernetes.io/max-replicas of each active ReplicaSet",
  ],
  chooses:
    "When it is scaled or paused during a rollout, each active ReplicaSet is scaled in proportion to its size; the remainder goes to the largest.",
  sentence: ({ desired, surge, sizes }) => {
    const shares = sizes.map(({ replicaSet, from, to }) => `${replicaSet} ${from === to ? from : `${from} → ${to}`}`);
    return `${desired} pods are desired and ${surge} more allowed, ${sizes.length} ReplicaSets share them → ${shares.join(", ")}`;
  },
  example: {
    desired: 10,
    surge: 3,
    sizes: [
      { replicaSet: "web-6d5f4c", from: 4, to: 8 },
      { replicaSet: "web-7f9b8d", from: 3, to: 5 },
    ],
  },
  source: "sync.go scale, deployment_util.go GetReplicaSetProportion",
});
