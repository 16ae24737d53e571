/** The rules of the Deployment controller, in the order in which a sync comes to them; those of its status are in status-rules.ts. */
import { adopt, release } from "../../controller/workload/ref-manager.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import { statusRules } from "./status-rules.ts";

interface Named extends Facts {
  readonly replicaSet: string;
}

interface Resize extends Named {
  readonly from: number;
  readonly to: number;
}

const listed = (names: readonly string[]): string => (names.length > 0 ? names.join(", ") : "none");

export const selectsEverything: Rule = rule({
  id: "selects-everything",
  looksAt: ["spec.selector"],
  chooses: "A selector that is empty would take in every ReplicaSet of the namespace: nothing is done.",
  sentence: () => "the selector is empty and would select everything → nothing is done",
  example: {},
  source: "deployment_controller.go syncDeployment",
});

export const beingDeleted: Rule = rule({
  id: "being-deleted",
  looksAt: ["metadata.deletionTimestamp"],
  chooses:
    "Of a Deployment that is being deleted only the status is kept; its ReplicaSets are left to the garbage collector.",
  sentence: () => "it is being deleted → only its status is kept",
  example: {},
  source: "sync.go syncStatusOnly",
});

interface PauseFacts extends Facts {
  readonly paused: boolean;
}

export const pause: Rule<PauseFacts> = rule<PauseFacts>({
  id: "pause",
  looksAt: ["spec.paused", "spec.progressDeadlineSeconds", "condition Progressing"],
  chooses:
    "While it is paused the deadline does not count, and it counts anew from when it goes on; a deadline that has passed stays so.",
  sentence: ({ paused }) =>
    paused
      ? "it is paused → Progressing is Unknown, the deadline does not count"
      : "it goes on after a pause → Progressing is Unknown, the deadline counts anew",
  example: { paused: true },
  source: "sync.go checkPausedConditions",
});

interface RollbackFacts extends Facts {
  /** As asked for; 0 is the last revision. */
  readonly revision: string;
  readonly outcome: "done" | "unchanged" | "no such revision" | "no last revision";
  readonly replicaSet: string | undefined;
}

export const rollback: Rule<RollbackFacts> = rule<RollbackFacts>({
  id: "rollback",
  looksAt: [
    "annotation deprecated.deployment.rollback.to",
    "template and annotations of the ReplicaSet of that revision",
  ],
  chooses:
    "The template and the annotations of an earlier revision are put back, and the wish is taken off, also where it cannot be met.",
  sentence: ({ revision, outcome, replicaSet }) => {
    switch (outcome) {
      case "done":
        return `revision ${revision} is asked for → the template of ${replicaSet} is put back`;
      case "unchanged":
        return `revision ${revision} is asked for, and ${replicaSet} has the same template → nothing to go back to`;
      case "no such revision":
        return `revision ${revision} is asked for, and no ReplicaSet has it → the wish is taken off`;
      case "no last revision":
        return "the last revision is asked for, and there is none → the wish is taken off";
    }
  },
  example: { revision: "3", outcome: "done", replicaSet: "web-7f9b8d" },
  source: "rollback.go rollback",
});

interface RevisionFacts extends Named {
  readonly before: string | undefined;
  readonly revision: string | undefined;
  /** Annotations of the Deployment that it did not have. */
  readonly annotations: readonly string[];
  /** Set where it is another. */
  readonly minReadySeconds: number | undefined;
}

export const revision: Rule<RevisionFacts> = rule<RevisionFacts>({
  id: "revision",
  looksAt: [
    "annotations of the Deployment and its new ReplicaSet",
    "revisions of the old ReplicaSets",
    "spec.minReadySeconds",
  ],
  chooses:
    "The ReplicaSet with the wanted template has the highest revision, the Deployment's annotations and its minReadySeconds.",
  sentence: ({ replicaSet, before, revision, annotations, minReadySeconds }) => {
    const changes = [
      ...(before === revision ? [] : [`revision ${before ?? "none"} → ${revision ?? "none"}`]),
      ...(annotations.length > 0 ? [`annotations ${listed(annotations)}`] : []),
      ...(minReadySeconds === undefined ? [] : [`minReadySeconds ${minReadySeconds}`]),
    ];
    return `${replicaSet} has the wanted template → ${changes.join(", ")}`;
  },
  example: { replicaSet: "web-6d5f4c", before: "4", revision: "5", annotations: [], minReadySeconds: undefined },
  source: "sync.go getNewReplicaSet, deployment_util.go SetNewReplicaSetAnnotations",
});

interface DeploymentRevisionFacts extends Named {
  readonly before: string | undefined;
  readonly revision: string;
  /** Whether the Deployment had no condition Progressing yet. */
  readonly firstFound: boolean;
}

export const deploymentRevision: Rule<DeploymentRevisionFacts> = rule<DeploymentRevisionFacts>({
  id: "deployment-revision",
  looksAt: ["revision of the new ReplicaSet", "revision of the Deployment", "condition Progressing"],
  chooses:
    "The Deployment tells the revision of its new ReplicaSet, and that it was found, where no progress was told yet.",
  sentence: ({ replicaSet, before, revision, firstFound }) => {
    const changes = [
      ...(before === revision ? [] : [`revision ${before ?? "none"} → ${revision || "none"}`]),
      ...(firstFound ? ["Progressing: FoundNewReplicaSet"] : []),
    ];
    return `${replicaSet} has the wanted template → ${changes.join(", ")}`;
  },
  example: { replicaSet: "web-6d5f4c", before: "4", revision: "5", firstFound: false },
  source: "sync.go getNewReplicaSet",
});

interface NewReplicaSetFacts extends Named {
  readonly revision: string;
  readonly replicas: number;
  readonly desired: number;
  /** `maxSurge 25% → 1`; undefined for Recreate. */
  readonly surge: string | undefined;
  /** Paths in the template by which it differs from the newest old ReplicaSet's. */
  readonly changed: readonly string[];
}

export const newReplicaSet: Rule<NewReplicaSetFacts> = rule<NewReplicaSetFacts>({
  id: "new-replicaset",
  looksAt: ["spec.template", "templates of its ReplicaSets", "spec.strategy", "status.collisionCount"],
  chooses:
    "Where no ReplicaSet has the template one is made, named by the template's hash, with as many pods as may be added at once.",
  sentence: ({ replicaSet, revision, replicas, desired, surge, changed }) => {
    const why = changed.length === 0 ? "it has no ReplicaSet yet" : `the template changed at ${firstOf(changed)}`;
    const bound = surge === undefined || replicas === desired ? "" : ` (${surge})`;
    return `${why} → create ${replicaSet} as revision ${revision}, with ${replicas} of ${desired} pods${bound}`;
  },
  example: {
    replicaSet: "web-6d5f4c",
    revision: "5",
    replicas: 1,
    desired: 3,
    surge: "maxSurge 25% → 1",
    changed: [".spec.containers[web].image"],
  },
  source: "sync.go getNewReplicaSet, controller_utils.go ComputeHash",
});

function firstOf(paths: readonly string[]): string {
  return paths.length > 2 ? `${paths.slice(0, 2).join(", ")} and ${paths.length - 2} more` : paths.join(" and ");
}

interface CollisionFacts extends Named {
  readonly before: number | undefined;
  readonly after: number;
}

export const hashCollision: Rule<CollisionFacts> = rule<CollisionFacts>({
  id: "hash-collision",
  looksAt: ["owner and template of the ReplicaSet that has the name already", "status.collisionCount"],
  chooses:
    "A name that another ReplicaSet has is avoided: the collision is counted, and the count goes into the next hash.",
  sentence: ({ replicaSet, before, after }) =>
    `${replicaSet} exists, with another owner or template → collisionCount ${before ?? "none"} → ${after}, and another name next time`,
  example: { replicaSet: "web-6d5f4c", before: undefined, after: 1 },
  source: "sync.go getNewReplicaSet",
});

interface CreateFailedFacts extends Named {
  readonly error: string;
}

export const createFailed: Rule<CreateFailedFacts> = rule<CreateFailedFacts>({
  id: "create-failed",
  looksAt: ["the refusal of the new ReplicaSet"],
  chooses: "A new ReplicaSet that is refused stops the rollout until it is tried again: Progressing is False.",
  sentence: ({ replicaSet, error }) => `${replicaSet} was refused: ${error} → Progressing is False`,
  example: { replicaSet: "web-6d5f4c", error: "exceeded quota" },
  source: "sync.go getNewReplicaSet",
});

export const namespaceEnding: Rule = rule({
  id: "namespace-ending",
  looksAt: ["the refusal of a new ReplicaSet"],
  chooses: "In a namespace that is being deleted nothing can be created: it is not tried again.",
  sentence: () => "the namespace is being deleted, nothing can be created in it → it is not tried again",
  example: {},
  source: "deployment_controller.go handleErr",
});

interface SharesFacts extends Facts {
  readonly desired: number;
  readonly surge: number;
  readonly sizes: readonly { readonly replicaSet: string; readonly from: number; readonly to: number }[];
}

interface ScaleActiveFacts extends Resize {
  readonly active: boolean;
}

export const scaleActive: Rule<ScaleActiveFacts> = rule<ScaleActiveFacts>({
  id: "scale-active",
  looksAt: ["spec.replicas", "annotation deployment.kubernetes.io/desired-replicas", "sizes of the ReplicaSets"],
  chooses:
    "When it is scaled, or paused, and one ReplicaSet at most has pods, that one or else the newest gets all of them.",
  sentence: ({ replicaSet, from, to, active }) =>
    `${replicaSet} is the ${active ? "only active" : "newest"} ReplicaSet → ${from} → ${to}`,
  example: { replicaSet: "web-6d5f4c", from: 3, to: 5, active: true },
  source: "sync.go scale, deployment_util.go FindActiveOrLatest",
});

export const saturated: Rule<Resize> = rule<Resize>({
  id: "saturated",
  looksAt: ["size, annotations and available pods of the new ReplicaSet", "sizes of the old ones"],
  chooses:
    "When it is scaled, or paused, and the new ReplicaSet has all pods, and all available, the old ones are emptied.",
  sentence: ({ replicaSet, from, to }) =>
    `the new ReplicaSet has all pods available → old ${replicaSet} ${from} → ${to}`,
  example: { replicaSet: "web-7f9b8d", from: 1, to: 0 },
  source: "sync.go scale, deployment_util.go IsSaturated",
});

export const proportional: Rule<SharesFacts> = rule<SharesFacts>({
  id: "proportional",
  looksAt: [
    "spec.replicas",
    "maxSurge",
    "size and annotation deployment.kubernetes.io/max-replicas of each active ReplicaSet",
  ],
  chooses:
    "When it is scaled, or paused, amid a rollout, each active ReplicaSet gets its share; what is left over goes to the largest.",
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

interface NewSizeFacts extends Resize {
  readonly desired: number;
  readonly total: number;
  readonly surge: string;
}

export const scaleUpNew: Rule<NewSizeFacts> = rule<NewSizeFacts>({
  id: "scale-up-new",
  looksAt: ["spec.replicas", "maxSurge", "sizes of all ReplicaSets"],
  chooses: "The new ReplicaSet grows as far as the pods of all together stay within desired and surge.",
  sentence: ({ replicaSet, from, to, desired, total, surge }) =>
    `${total} pods where ${desired} are desired, ${surge} → ${replicaSet} ${from} → ${to}`,
  example: { replicaSet: "web-6d5f4c", from: 1, to: 2, desired: 3, total: 3, surge: "maxSurge 25% → 1" },
  source: "rolling.go reconcileNewReplicaSet, deployment_util.go NewRSNewReplicas",
});

export const scaleDownNew: Rule<Resize> = rule<Resize>({
  id: "scale-down-new",
  looksAt: ["spec.replicas", "size of the new ReplicaSet"],
  chooses: "The new ReplicaSet never has more pods than are desired.",
  sentence: ({ replicaSet, from, to }) => `${to} pods are desired → ${replicaSet} ${from} → ${to}`,
  example: { replicaSet: "web-6d5f4c", from: 5, to: 3 },
  source: "rolling.go reconcileNewReplicaSet",
});

interface UnhealthyFacts extends Resize {
  readonly unavailable: number;
  /** How many pods may be taken away in all. */
  readonly most: number;
}

export const cleanupUnhealthy: Rule<UnhealthyFacts> = rule<UnhealthyFacts>({
  id: "cleanup-unhealthy",
  looksAt: ["size and available pods of each old ReplicaSet", "maxUnavailable"],
  chooses:
    "Of the old ReplicaSets the pods that are not available go first, oldest ReplicaSet first: nobody misses them.",
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

export const scaleDownOld: Rule<OldSizeFacts> = rule<OldSizeFacts>({
  id: "scale-down-old",
  looksAt: ["spec.replicas", "maxUnavailable", "available pods of all ReplicaSets"],
  chooses: "Old ReplicaSets shrink, oldest first, as far as enough available pods are left.",
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

export const hold: Rule<HoldFacts> = rule<HoldFacts>({
  id: "hold",
  looksAt: ["maxUnavailable", "maxSurge", "sizes and available pods of all ReplicaSets"],
  chooses: "While no more pods may be added or taken away, the rollout waits for pods of the new ReplicaSet.",
  sentence: ({ replicaSet, old, available, minAvailable, unavailable }) =>
    `${unavailable} ${unavailable === 1 ? "pod" : "pods"} of ${replicaSet} not available; ` +
    `${available} are available in all and ${minAvailable} must stay → ${old} old ${old === 1 ? "pod stays" : "pods stay"} for now`,
  example: { replicaSet: "web-6d5f4c", old: 3, available: 3, minAvailable: 3, unavailable: 1 },
  source: "rolling.go reconcileOldReplicaSets",
});

export const stopOld: Rule<Resize> = rule<Resize>({
  id: "stop-old",
  looksAt: ["spec.strategy.type", "sizes of the old ReplicaSets"],
  chooses: "With Recreate all old pods go before a new one comes.",
  sentence: ({ replicaSet, from, to }) => `Recreate → old ${replicaSet} ${from} → ${to} before new pods come`,
  example: { replicaSet: "web-7f9b8d", from: 3, to: 0 },
  source: "recreate.go scaleDownOldReplicaSetsForRecreate",
});

interface OldPodsFacts extends Facts {
  /** As the old ReplicaSets count them. */
  readonly counted: number;
  /** Pods of old ReplicaSets that have not ended. */
  readonly running: number;
}

export const waitForOld: Rule<OldPodsFacts> = rule<OldPodsFacts>({
  id: "wait-for-old",
  looksAt: ["status.replicas of the old ReplicaSets", "phase of their pods"],
  chooses: "With Recreate no new pod comes while an old one has not ended.",
  sentence: ({ counted, running }) => {
    const left = Math.max(counted, running);
    return `${left} old ${left === 1 ? "pod has" : "pods have"} not ended → wait`;
  },
  example: { counted: 0, running: 2 },
  source: "recreate.go oldPodsRunning",
});

export const startNew: Rule<Resize> = rule<Resize>({
  id: "start-new",
  looksAt: ["spec.replicas", "size of the new ReplicaSet"],
  chooses: "With Recreate the new ReplicaSet gets all pods at once when the old ones have ended.",
  sentence: ({ replicaSet, from, to }) => `no old pod is left → ${replicaSet} ${from} → ${to}`,
  example: { replicaSet: "web-6d5f4c", from: 0, to: 3 },
  source: "recreate.go scaleUpNewReplicaSetForRecreate",
});

interface HistoryFacts extends Named {
  readonly revision: string | undefined;
  readonly old: number;
  readonly limit: number;
}

export const history: Rule<HistoryFacts> = rule<HistoryFacts>({
  id: "history",
  looksAt: ["spec.revisionHistoryLimit", "revisions, sizes and status of the old ReplicaSets"],
  chooses:
    "When a rollout is complete, or paused, old ReplicaSets beyond the limit are deleted, lowest revision first, if they are empty.",
  sentence: ({ replicaSet, revision, old, limit }) =>
    `${old} old ReplicaSets and revisionHistoryLimit ${limit} → delete ${replicaSet} (revision ${revision ?? "none"})`,
  example: { replicaSet: "web-5b8c9d", revision: "1", old: 11, limit: 10 },
  source: "sync.go cleanupDeployment",
});

export const rules: readonly Rule[] = [
  adopt,
  release,
  selectsEverything,
  beingDeleted,
  pause,
  rollback,
  revision,
  deploymentRevision,
  newReplicaSet,
  hashCollision,
  createFailed,
  namespaceEnding,
  scaleActive,
  saturated,
  proportional,
  scaleUpNew,
  scaleDownNew,
  cleanupUnhealthy,
  scaleDownOld,
  hold,
  stopOld,
  waitForOld,
  startNew,
  history,
  ...statusRules,
];
