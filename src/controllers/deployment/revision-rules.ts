/** The rules of a Deployment's revisions: its new ReplicaSet, rollbacks, and the history. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

interface Named extends Facts {
  readonly replicaSet: string;
}

const listed = (names: readonly string[]): string => (names.length > 0 ? names.join(", ") : "none");

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
