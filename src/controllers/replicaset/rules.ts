/** The rules of the ReplicaSet controller, in the order in which a sync evaluates them. */
import { pluralize } from "../../api/pluralize.ts";
import type { FieldChange } from "../../api/field-changes.ts";
import {
  type AvailabilityFacts,
  availabilityRule,
  type UnobservedFacts,
  waitRule,
} from "../../controller/workload/pod-rules.ts";
import { adopt, release } from "../../controller/workload/ref-manager.ts";
import { type Rule, rule } from "../../controller/api/rule.ts";
import { batchSizes } from "../../controller/workload/slow-start.ts";

interface PodCounts extends Readonly<Record<string, unknown>> {
  readonly desired: number;
  readonly active: number;
}

const counted = ["spec.replicas", "active pods: neither terminal nor being deleted"];

/** `1 pod`, `3 pods`. */
const pods = (count: number): string => pluralize(count, "pod");

/** An object that is being deleted neither creates nor deletes pods. */
export const beingDeleted: Rule<PodCounts> = rule<PodCounts>({
  id: "being-deleted",
  looksAt: ["metadata.deletionTimestamp"],
  chooses:
    "For an object that is being deleted, only the status is updated; its pods are left to the garbage collector.",
  sentence: ({ active }) => `it is being deleted, ${pods(active)} left → no pod is created or deleted`,
  example: { desired: 3, active: 2 },
  source: "replica_set.go syncReplicaSet",
});

/** No pod is created or deleted while expectations are unsatisfied. */
export const wait: Rule<PodCounts & UnobservedFacts> = waitRule<PodCounts & UnobservedFacts>({
  chooses:
    "No pod is created or deleted until all previous creations and deletions have been observed; expectations expire after 5 minutes.",
  example: { desired: 5, active: 2, creations: 3, deletions: 0 },
  source: "replica_set.go syncReplicaSet, controller_utils.go SatisfiedExpectations",
});

interface ScaleUpFacts extends PodCounts {
  readonly create: number;
}

/** Missing pods are created. */
export const scaleUp: Rule<ScaleUpFacts> = rule<ScaleUpFacts>({
  id: "scale-up",
  looksAt: [...counted, "spec.template"],
  chooses:
    "Missing pods are created, at most 500 per sync, in batches of 1, 2, 4, …; the first error stops further batches.",
  sentence: ({ desired, active, create }) => {
    const missing = desired - active;
    const batches = batchSizes(create);
    const most = create < missing ? `create ${create} of them` : `create ${create}`;
    const how = batches.length > 1 ? `, in batches of ${listed(batches)}` : "";
    return `${missing} of ${pods(desired)} ${missing === 1 ? "is" : "are"} missing → ${most}${how}`;
  },
  example: { desired: 5, active: 2, create: 3 },
  source: "replica_set.go manageReplicas, slowStartBatch",
});

function listed(sizes: readonly number[]): string {
  if (sizes.length > 4) return `${sizes.slice(0, 3).join(", ")}, … ${sizes.at(-1)}`;
  return `${sizes.slice(0, -1).join(", ")} and ${sizes.at(-1)}`;
}

interface ScaleDownFacts extends PodCounts {
  readonly delete: number;
  /** The criterion that ranked the last pod to be deleted before the first pod to be kept. */
  readonly by: string | undefined;
  /** Names of the first few pods to be deleted. */
  readonly chosen: readonly string[];
}

/** Excess pods are deleted. */
export const scaleDown: Rule<ScaleDownFacts> = rule<ScaleDownFacts>({
  id: "scale-down",
  looksAt: [
    ...counted,
    "each pod's node, phase, readiness, pod-deletion-cost, restarts and age",
    "how many pods of the same Deployment are on its node",
  ],
  chooses: "Excess pods are deleted, at most 500 per sync, in kube-controller-manager's deletion order.",
  sentence: (facts) => {
    const excess = facts.active - facts.desired;
    const most = facts.delete < excess ? `delete ${facts.delete} of them` : `delete ${facts.delete}`;
    return `${excess} of ${pods(facts.active)} ${excess === 1 ? "is" : "are"} too many → ${most}${facts.by === undefined ? "" : `, ${facts.by}`}`;
  },
  example: { desired: 2, active: 3, delete: 1, by: "not ready before ready", chosen: ["web-x7k2p"] },
  source: "replica_set.go manageReplicas, getPodsToDelete; controller_utils.go ActivePodsWithRanks",
});

/** The number of pods is right. */
export const steady: Rule<PodCounts> = rule<PodCounts>({
  id: "steady",
  looksAt: counted,
  chooses: "There are as many active pods as desired: none is created or deleted.",
  sentence: ({ desired, active }) => `${active} of ${pods(desired)} → nothing to do`,
  example: { desired: 3, active: 3 },
  source: "replica_set.go manageReplicas",
});

interface ReplicaFailureFacts extends Readonly<Record<string, unknown>> {
  /** `FailedCreate` or `FailedDelete`; undefined when the condition is removed. */
  readonly reason: string | undefined;
  readonly message: string;
}

/** The condition ReplicaFailure is set or removed. */
export const replicaFailure: Rule<ReplicaFailureFacts> = rule<ReplicaFailureFacts>({
  id: "replica-failure",
  looksAt: ["the error of creating or deleting pods in this sync", "condition ReplicaFailure"],
  chooses: "The first failure sets the condition ReplicaFailure; a sync without a failure removes it.",
  sentence: ({ reason, message }) =>
    reason === undefined
      ? "creating and deleting pods succeeded in this sync → ReplicaFailure is removed"
      : `${reason}: ${message} → ReplicaFailure is set`,
  example: { reason: "FailedCreate", message: 'pods "web-" is forbidden: exceeded quota' },
  source: "replica_set_utils.go calculateStatus",
});

interface StatusFacts extends Readonly<Record<string, unknown>> {
  readonly changes: readonly FieldChange[];
}

/** The status is written. */
export const status: Rule<StatusFacts> = rule<StatusFacts>({
  id: "status",
  looksAt: ["the pods as listed before this sync's writes", "metadata.generation", "status"],
  chooses:
    "The status is written when a count, a condition or the observed generation has changed; a failed write is retried once on a fresh copy.",
  sentence: ({ changes }) => {
    const telling = changes.filter((change) => !goesWithoutSaying(change, changes));
    return (telling.length > 0 ? telling : changes).map(changeInWords).join(", ");
  },
  example: { changes: [{ path: ".replicas", before: 2, after: 5 }] },
  source: "replica_set_utils.go calculateStatus, updateReplicaSetStatus",
});

/** Usually all pods have the template's labels, and a first count of 0 terminating pods is no news. */
function goesWithoutSaying(change: FieldChange, changes: readonly FieldChange[]): boolean {
  const replicas = changes.find(({ path }) => path === ".replicas");
  if (change.path === ".fullyLabeledReplicas") {
    return countOf(change.before) === countOf(replicas?.before) && countOf(change.after) === countOf(replicas?.after);
  }
  return change.path === ".terminatingReplicas" && countOf(change.before) === countOf(change.after);
}

function changeInWords({ path, before, after }: FieldChange): string {
  const name = path.slice(1);
  // The status omits zeros, except here: a missing count and 0 differ.
  if (path === ".terminatingReplicas") return `${name} ${countOrNone(before)} → ${countOrNone(after)}`;
  if (!name.startsWith("conditions")) return `${name} ${countOf(before)} → ${countOf(after)}`;
  // The only condition that this controller sets.
  if (before === undefined) return "ReplicaFailure set";
  return after === undefined ? "ReplicaFailure removed" : "conditions changed";
}

function countOrNone(value: unknown): string {
  return value === undefined ? "none" : String(countOf(value));
}

/** The status omits zeros. */
function countOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** The key is requeued for when the next ready pod becomes available. */
export const availability: Rule<AvailabilityFacts> = availabilityRule({
  example: { ready: 3, available: 2, inMs: 4000, pod: "web-x7k2p" },
  source: "replica_set.go syncReplicaSet, controller_utils.go FindMinNextPodAvailabilityCheck",
});

/** All of them, adoption and release included. */
export const rules: readonly Rule[] = [
  adopt,
  release,
  beingDeleted,
  wait,
  scaleUp,
  scaleDown,
  steady,
  replicaFailure,
  status,
  availability,
];
