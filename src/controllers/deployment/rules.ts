/**
 * The rules of the Deployment controller, in the order in which a sync evaluates them; status-rules.ts has the rules of
 * its status.
 */
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

/** An empty selector stops the sync. */
export const selectsEverything: Rule = rule({
  id: "selects-everything",
  looksAt: ["spec.selector"],
  chooses: "An empty selector would select every ReplicaSet of the namespace: nothing is done.",
  sentence: () => "the selector is empty and would select everything → nothing is done",
  example: {},
  source: "deployment_controller.go syncDeployment",
});

/** Only the status of a Deployment that is being deleted is updated. */
export const beingDeleted: Rule = rule({
  id: "being-deleted",
  looksAt: ["metadata.deletionTimestamp"],
  chooses:
    "For a Deployment that is being deleted, only the status is updated; its ReplicaSets are left to the garbage collector.",
  sentence: () => "it is being deleted → only its status is updated",
  example: {},
  source: "sync.go syncStatusOnly",
});

interface PauseFacts extends Facts {
  readonly paused: boolean;
}

/** The condition Progressing follows pausing and resuming. */
export const pause: Rule<PauseFacts> = rule<PauseFacts>({
  id: "pause",
  looksAt: ["spec.paused", "spec.progressDeadlineSeconds", "condition Progressing"],
  chooses:
    "While it is paused, the progress deadline is suspended; resuming restarts it. A deadline that has passed stays exceeded.",
  sentence: ({ paused }) =>
    paused
      ? "it is paused → Progressing is Unknown, the deadline is suspended"
      : "it was resumed → Progressing is Unknown, the deadline restarts",
  example: { paused: true },
  source: "sync.go checkPausedConditions",
});

interface RollbackFacts extends Facts {
  /** As requested; 0 is the last revision. */
  readonly revision: string;
  readonly outcome: "done" | "unchanged" | "no such revision" | "no last revision";
  readonly replicaSet: string | undefined;
}

/** A rollback requested by annotation. */
export const rollback: Rule<RollbackFacts> = rule<RollbackFacts>({
  id: "rollback",
  looksAt: [
    "annotation deprecated.deployment.rollback.to",
    "template and annotations of the ReplicaSet of that revision",
  ],
  chooses:
    "The template and annotations of an earlier revision are restored, and the rollback annotation is removed even if the revision does not exist.",
  sentence: ({ revision, outcome, replicaSet }) => {
    switch (outcome) {
      case "done":
        return `revision ${revision} is requested → the template of ${replicaSet} is restored`;
      case "unchanged":
        return `revision ${revision} is requested, and ${replicaSet} has the current template → nothing to roll back`;
      case "no such revision":
        return `revision ${revision} is requested, and no ReplicaSet has it → the rollback annotation is removed`;
      case "no last revision":
        return "the last revision is requested, and there is none → the rollback annotation is removed";
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
  /** Set if it changes. */
  readonly minReadySeconds: number | undefined;
}

/** The new ReplicaSet is brought up to date. */
export const revision: Rule<RevisionFacts> = rule<RevisionFacts>({
  id: "revision",
  looksAt: [
    "annotations of the Deployment and its new ReplicaSet",
    "revisions of the old ReplicaSets",
    "spec.minReadySeconds",
  ],
  chooses:
    "The ReplicaSet with the Deployment's template gets the highest revision, the Deployment's annotations and its minReadySeconds.",
  sentence: ({ replicaSet, before, revision, annotations, minReadySeconds }) => {
    const changes = [
      ...(before === revision ? [] : [`revision ${before ?? "none"} → ${revision ?? "none"}`]),
      ...(annotations.length > 0 ? [`annotations ${listed(annotations)}`] : []),
      ...(minReadySeconds === undefined ? [] : [`minReadySeconds ${minReadySeconds}`]),
    ];
    return `${replicaSet} has the Deployment's template → ${changes.join(", ")}`;
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

/** The Deployment's revision follows its new ReplicaSet's. */
export const deploymentRevision: Rule<DeploymentRevisionFacts> = rule<DeploymentRevisionFacts>({
  id: "deployment-revision",
  looksAt: ["revision of the new ReplicaSet", "revision of the Deployment", "condition Progressing"],
  chooses:
    "The Deployment copies the revision of its new ReplicaSet and, if it has no condition Progressing yet, reports that the ReplicaSet was found.",
  sentence: ({ replicaSet, before, revision, firstFound }) => {
    const changes = [
      ...(before === revision ? [] : [`revision ${before ?? "none"} → ${revision || "none"}`]),
      ...(firstFound ? ["Progressing: FoundNewReplicaSet"] : []),
    ];
    return `${replicaSet} has the Deployment's template → ${changes.join(", ")}`;
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
  /** Paths at which the template differs from that of the newest old ReplicaSet. */
  readonly changed: readonly string[];
}

/** The new ReplicaSet is created. */
export const newReplicaSet: Rule<NewReplicaSetFacts> = rule<NewReplicaSetFacts>({
  id: "new-replicaset",
  looksAt: ["spec.template", "templates of its ReplicaSets", "spec.strategy", "status.collisionCount"],
  chooses:
    "If no ReplicaSet has the template, one is created, named after the template's hash, with as many pods as may be added at once.",
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

/** The name of the new ReplicaSet is taken. */
export const hashCollision: Rule<CollisionFacts> = rule<CollisionFacts>({
  id: "hash-collision",
  looksAt: ["owner and template of the ReplicaSet that has the name already", "status.collisionCount"],
  chooses: "If another ReplicaSet has the name, the collision is counted; the count changes the next hash.",
  sentence: ({ replicaSet, before, after }) =>
    `${replicaSet} exists, with another owner or template → collisionCount ${before ?? "none"} → ${after}, so the next name differs`,
  example: { replicaSet: "web-6d5f4c", before: undefined, after: 1 },
  source: "sync.go getNewReplicaSet",
});

interface CreateFailedFacts extends Named {
  readonly error: string;
}

/** The API server refused the new ReplicaSet. */
export const createFailed: Rule<CreateFailedFacts> = rule<CreateFailedFacts>({
  id: "create-failed",
  looksAt: ["the refusal of the new ReplicaSet"],
  chooses:
    "If the API server refuses the new ReplicaSet, the rollout stops until a retry succeeds: Progressing is False.",
  sentence: ({ replicaSet, error }) => `${replicaSet} was refused: ${error} → Progressing is False`,
  example: { replicaSet: "web-6d5f4c", error: "exceeded quota" },
  source: "sync.go getNewReplicaSet",
});

/** The namespace is terminating: no retry. */
export const namespaceEnding: Rule = rule({
  id: "namespace-ending",
  looksAt: ["the refusal of a new ReplicaSet"],
  chooses: "In a namespace that is being deleted nothing can be created: the sync is not retried.",
  sentence: () => "the namespace is being deleted, nothing can be created in it → not retried",
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

interface HistoryFacts extends Named {
  readonly revision: string | undefined;
  readonly old: number;
  readonly limit: number;
}

/** An old ReplicaSet in excess of the limit is deleted. */
export const history: Rule<HistoryFacts> = rule<HistoryFacts>({
  id: "history",
  looksAt: ["spec.revisionHistoryLimit", "revisions, sizes and status of the old ReplicaSets"],
  chooses:
    "When a rollout is complete or paused, old ReplicaSets in excess of the limit are deleted if they have no pods, lowest revision first.",
  sentence: ({ replicaSet, revision, old, limit }) =>
    `${old} old ReplicaSets and revisionHistoryLimit ${limit} → delete ${replicaSet} (revision ${revision ?? "none"})`,
  example: { replicaSet: "web-5b8c9d", revision: "1", old: 11, limit: 10 },
  source: "sync.go cleanupDeployment",
});

/** All of them, including adoption, release and the status rules. */
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
  staleSize,
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
