/** The rules of the Job controller, in the order in which a sync evaluates them. */
import type { FieldChange } from "../../api/field-changes.ts";
import { pluralize } from "../../api/pluralize.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import { adopt, release } from "../../controller/workload/ref-manager.ts";
import type { StatusChange } from "./job-sync.ts";
import { backOff, beingDeleted, endPods, scaleDown, scaleUp, steady, suspendPods, wait } from "./pod-rules.ts";

/** A Job that another controller manages is left alone. */
export const managedElsewhere: Rule<{ readonly manager: string }> = rule<{ readonly manager: string }>({
  id: "managed-elsewhere",
  looksAt: ["spec.managedBy"],
  chooses: "A Job with another manager than kubernetes.io/job-controller is left alone.",
  sentence: ({ manager }) => `it is managed by ${manager} → nothing is done here`,
  example: { manager: "example.com/queue" },
  source: "job_controller.go syncJob, managedByExternalController",
});

/** Nothing is done for a finished Job. */
export const finished: Rule<{ readonly isSeen: boolean }> = rule<{ readonly isSeen: boolean }>({
  id: "finished",
  looksAt: ["conditions Complete and Failed", "whether this controller has finished it"],
  chooses: "Nothing is done for a finished Job, or for one whose last status has not been observed.",
  sentence: ({ isSeen }) =>
    isSeen ? "it is finished → nothing to do" : "it is finished, not observed yet → nothing to do",
  example: { isSeen: true },
  source: "job_controller.go syncJob, finishedJobExpectations",
});

/** A Job with a completion mode that this version does not know is left alone. */
export const unknownMode: Rule<{ readonly mode: string }> = rule<{ readonly mode: string }>({
  id: "unknown-mode",
  looksAt: ["spec.completionMode"],
  chooses: "A Job whose completion mode is neither NonIndexed nor Indexed is left alone.",
  sentence: ({ mode }) => `the completion mode ${mode} is unknown → nothing is done`,
  example: { mode: "Sorted" },
  source: "job_controller.go syncJob",
});

interface EndFacts extends Facts {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  /** Whether the status already has it. */
  readonly isKnown: boolean;
}

/** The Job ends. */
export const end: Rule<EndFacts> = rule<EndFacts>({
  id: "end",
  looksAt: [
    "conditions SuccessCriteriaMet and FailureTarget",
    "spec.podFailurePolicy and failed pods",
    "spec.backoffLimit; failed pods, or restarts of containers with restartPolicy OnFailure",
    "spec.activeDeadlineSeconds and status.startTime",
    "spec.maxFailedIndexes and failed indexes",
    "spec.successPolicy and succeeded indexes",
    "spec.completions and succeeded pods",
  ],
  chooses:
    "Earlier decisions stand. Then: a pod failure policy with FailJob, the back-off limit, the deadline, failed indexes, the success policy, and enough completions; the first that applies ends the Job.",
  sentence: ({ type, reason, message, isKnown }) =>
    isKnown ? `it is ending: ${reason}` : `${message} → ${type} (${reason})`,
  example: {
    type: "FailureTarget",
    reason: "BackoffLimitExceeded",
    message: "Job has reached the specified backoff limit",
    isKnown: false,
  },
  source: "job_controller.go syncJob; pod_failure_policy.go, success_policy.go, indexed_job_utils.go",
});

/** A Job with a deadline is requeued for when it passes. */
export const deadline: Rule<{ readonly inMs: number }> = rule<{ readonly inMs: number }>({
  id: "deadline",
  looksAt: ["spec.activeDeadlineSeconds", "status.startTime"],
  chooses: "A Job with a deadline is synced again when the deadline passes.",
  sentence: ({ inMs }) => `its deadline is in ${Math.ceil(inMs / 1000)} s → sync again then`,
  example: { inMs: 30_000 },
  source: "job_controller.go syncJob, pastActiveDeadline",
});

/** The condition Suspended changes. */
export const suspension: Rule<{ readonly suspended: boolean }> = rule<{ readonly suspended: boolean }>({
  id: "suspension",
  looksAt: ["spec.suspend", "condition Suspended"],
  chooses: "Suspended follows spec.suspend; suspending a Job clears its start time, resuming sets a new one.",
  sentence: ({ suspended }) =>
    suspended ? "it is suspended → Suspended is True" : "it is resumed → Suspended is False, it starts now",
  example: { suspended: true },
  source: "job_controller.go syncJob, ensureJobConditionStatus",
});

/** The status is written before finalizers are removed. */
export const status: Rule<StatusChange> = rule<StatusChange>({
  id: "status",
  looksAt: ["pods that have ended and have finalizers", "active, ready and terminating pods", "conditions"],
  chooses:
    "The status lists finished pods, at most 500, before their finalizers are removed, so each is counted once, even if it is deleted meanwhile.",
  sentence: statusInWords,
  example: { changes: [{ path: ".active", before: 2, after: 1 }], uncounted: 1 },
  source: "job_controller.go trackJobStatusAndRemoveFinalizers, flushUncountedAndRemoveFinalizers",
});

interface UntrackFacts extends Facts {
  readonly pods: number;
}

/** Finalizers are removed. */
export const untrack: Rule<UntrackFacts> = rule<UntrackFacts>({
  id: "untrack",
  looksAt: ["pods with the finalizer batch.kubernetes.io/job-tracking", "status.uncountedTerminatedPods"],
  chooses:
    "The finalizers of pods listed in the status are removed, and those of all pods of a Job that ends or is being deleted; the last failed pod of an index keeps its finalizer until it is replaced.",
  sentence: ({ pods }) =>
    `${pluralize(pods, "pod")} accounted for → remove ${pods === 1 ? "its finalizer" : "their finalizers"}`,
  example: { pods: 2 },
  source: "job_controller.go canRemoveFinalizer, removeTrackingFinalizerFromPods",
});

/** The status counts pods whose finalizers are gone. */
export const count: Rule<StatusChange> = rule<StatusChange>({
  id: "count",
  looksAt: ["pods named by the status whose finalizers are gone"],
  chooses: "Pods listed in the status are counted once their finalizers are gone.",
  sentence: statusInWords,
  example: { changes: [{ path: ".succeeded", after: 1 }], uncounted: 0 },
  source: "job_controller.go cleanUncountedPodsWithoutFinalizers",
});

interface FinishFacts extends StatusChange {
  readonly type: string;
  readonly reason: string;
}

/** The Job is finished. */
export const finish: Rule<FinishFacts> = rule<FinishFacts>({
  id: "finish",
  looksAt: ["the end of the Job", "status.uncountedTerminatedPods", "terminating pods"],
  chooses: "A Job that ends is finished when all its pods are counted and none is terminating.",
  sentence: ({ type, reason }) => `all pods are counted, none is terminating → ${type} (${reason})`,
  example: { type: "Complete", reason: "CompletionsReached", changes: [], uncounted: 0 },
  source: "job_controller.go enactJobFinished",
});

/** Counts that the status omits when they are 0. */
const counts: ReadonlySet<string> = new Set(["active", "succeeded", "failed"]);

function statusInWords({ changes, uncounted }: StatusChange): string {
  const words = [...new Set(changes.flatMap(changeInWords))];
  if (changes.some(({ path }) => path.startsWith(".uncountedTerminatedPods"))) {
    words.push(`${pluralize(uncounted, "pod")} to be counted`);
  }
  return words.join(", ") || "status changed";
}

function changeInWords({ path, before, after }: FieldChange): readonly string[] {
  const name = path.slice(1);
  // The first conditions show as one change, later ones by type.
  if (name === "conditions")
    return isConditions(after) ? after.map(({ type }) => `${type} set`) : ["conditions removed"];
  const [, condition, field] = /^conditions\[(\w+)\](?:\.(\w+))?$/.exec(name) ?? [];
  if (condition !== undefined) {
    if (field === undefined) return [`${condition} set`];
    return field === "status" ? [`${condition} changed`] : [];
  }
  if (name.startsWith("uncountedTerminatedPods")) return [];
  const none = counts.has(name) ? "0" : "none";
  return [`${name} ${show(before, none)} → ${show(after, none)}`];
}

function isConditions(value: unknown): value is readonly { readonly type: string }[] {
  return Array.isArray(value);
}

function show(value: unknown, none: string): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value || '""' : none;
}

/** All of them, adoption and release included. */
export const rules: readonly Rule[] = [
  managedElsewhere,
  finished,
  unknownMode,
  adopt,
  release,
  end,
  deadline,
  endPods,
  wait,
  beingDeleted,
  suspendPods,
  scaleDown,
  backOff,
  scaleUp,
  steady,
  suspension,
  status,
  untrack,
  count,
  finish,
];
