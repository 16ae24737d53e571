/** The rules for the status of a Deployment. */
import type { FieldChange } from "../../api/field-changes.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

interface ProgressFacts extends Facts {
  readonly verdict: "complete" | "progressing" | "timed out";
  /** The new ReplicaSet; undefined if none exists yet. */
  readonly replicaSet: string | undefined;
  readonly desired: number;
  readonly updated: number;
  readonly available: number;
  readonly deadlineSeconds: number;
}

/** Whether the rollout is complete, progresses or has timed out. */
export const progress: Rule<ProgressFacts> = rule<ProgressFacts>({
  id: "progress",
  looksAt: [
    "status: replicas, updatedReplicas, readyReplicas, availableReplicas, before and now",
    "spec.progressDeadlineSeconds",
    "condition Progressing and its time",
  ],
  chooses:
    "A rollout is complete when all pods are updated and available; it progresses while counts improve, and times out when they have not improved for the deadline.",
  sentence: ({ verdict, replicaSet, desired, updated, available, deadlineSeconds }) => {
    const of = replicaSet === undefined ? "new" : `of ${replicaSet}`;
    const counts = `${updated} of ${desired} pods are ${of}, ${available} available`;
    switch (verdict) {
      case "complete":
        return `${counts} → complete`;
      case "progressing":
        return `${counts}, better than before → progressing`;
      case "timed out":
        return `${counts}, and no better for ${deadlineSeconds} s → the progress deadline is exceeded`;
    }
  },
  example: {
    verdict: "progressing",
    replicaSet: "web-6d5f4c",
    desired: 3,
    updated: 2,
    available: 1,
    deadlineSeconds: 600,
  },
  source:
    "progress.go syncRolloutStatus, deployment_util.go DeploymentComplete, DeploymentProgressing, DeploymentTimedOut",
});

interface StatusFacts extends Facts {
  readonly changes: readonly FieldChange[];
  /** Conditions that are new or changed: `Available True (MinimumReplicasAvailable)`. */
  readonly conditions: readonly string[];
}

/** The status is written. */
export const status: Rule<StatusFacts> = rule<StatusFacts>({
  id: "status",
  looksAt: ["status of its ReplicaSets", "metadata.generation", "maxUnavailable", "conditions"],
  chooses: "Aggregates the status of its ReplicaSets; written only when changed, without a retry on conflict.",
  sentence: ({ changes, conditions }) => [...changes.map(inWords), ...conditions].join(", ") || "conditions changed",
  example: {
    changes: [{ path: ".readyReplicas", before: 2, after: 3 }],
    conditions: ["Available True (MinimumReplicasAvailable)"],
  },
  source: "sync.go calculateStatus, syncDeploymentStatus; progress.go syncRolloutStatus",
});

function inWords({ path, before, after }: FieldChange): string {
  // The status omits zeros.
  const count = (value: unknown): number => (typeof value === "number" ? value : 0);
  return `${path.slice(1)} ${count(before)} → ${count(after)}`;
}

interface ProgressCheckFacts extends Facts {
  readonly deadlineSeconds: number;
  /** Until the deadline; below 1000 the key is requeued at once. Absent once it has passed. */
  readonly leftMs?: number;
  /** How long ago the deadline passed. */
  readonly passedMs?: number;
  /** The rollout was complete before its pods became unavailable: it never exceeds its deadline. */
  readonly wasComplete: boolean;
}

/** A stuck rollout is requeued for its deadline. */
export const progressCheck: Rule<ProgressCheckFacts> = rule<ProgressCheckFacts>({
  id: "progress-check",
  looksAt: ["spec.progressDeadlineSeconds", "time of the last progress", "status"],
  chooses:
    "While a rollout is stuck, its key is requeued for its deadline, because no delta arrives then; a rollout that was complete before is requeued again and again once it is past its deadline.",
  sentence({ deadlineSeconds, leftMs = 0, passedMs, wasComplete }) {
    const deadline = `the progress deadline of ${deadlineSeconds} s`;
    if (passedMs !== undefined) {
      const ago = `${deadline} passed ${seconds(passedMs)} ago`;
      return wasComplete
        ? `${ago}, and a rollout that was complete once never exceeds it → requeued at once`
        : `${ago} → requeued at once`;
    }
    if (leftMs < 1000) return `${deadline} passes within a second → requeued at once`;
    return `no progress, ${seconds(leftMs)} left of the deadline of ${deadlineSeconds} s → requeued for then`;
  },
  example: { deadlineSeconds: 600, leftMs: 252_000, wasComplete: false },
  source: "progress.go requeueStuckDeployment",
});

function seconds(ms: number): string {
  return `${Math.floor(ms / 1000)} s`;
}

/** All of them. */
export const statusRules: readonly Rule[] = [progress, status, progressCheck];
