/**
 * The rules of the Deployment controller, in the order in which a sync evaluates them. Those of revisions, scaling, rollouts
 * and the status are in files of their own.
 */
import { adopt, release } from "../../controller/workload/ref-manager.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import {
  createFailed,
  deploymentRevision,
  hashCollision,
  history,
  newReplicaSet,
  revision,
  rollback,
} from "./revision-rules.ts";
import {
  cleanupUnhealthy,
  hold,
  scaleDownNew,
  scaleDownOld,
  scaleUpNew,
  startNew,
  stopOld,
  waitForOld,
} from "./rollout-rules.ts";
import { proportional, saturated, scaleActive, staleSize } from "./scaling-rules.ts";
import { statusRules } from "./status-rules.ts";

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

/** The namespace is terminating: no retry. */
export const namespaceEnding: Rule = rule({
  id: "namespace-ending",
  looksAt: ["the refusal of a new ReplicaSet"],
  chooses: "In a namespace that is being deleted nothing can be created: the sync is not retried.",
  sentence: () => "the namespace is being deleted, nothing can be created in it → not retried",
  example: {},
  source: "deployment_controller.go handleErr",
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
