/** The rules of the StatefulSet controller, in the order in which a sync evaluates them. */
import { pluralize } from "../../api/pluralize.ts";
import type { FieldChange } from "../../api/field-changes.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import { type AvailabilityFacts, availabilityRule } from "../../controller/workload/pod-rules.ts";
import { adopt, release } from "../../controller/workload/ref-manager.ts";
import { revisionRules } from "../../controller/workload/controller-revision/rules.ts";
import { batchSizes } from "../../controller/workload/slow-start.ts";
import { claimRules } from "./claim-rules.ts";
import type { Awaited, Repair } from "./plan.ts";

interface PodFacts extends Facts {
  readonly pod: string;
}

/** A set that is being deleted neither creates nor deletes pods. */
export const beingDeleted: Rule<{ readonly pods: number }> = rule<{ readonly pods: number }>({
  id: "being-deleted",
  looksAt: ["metadata.deletionTimestamp"],
  chooses: "For a set that is being deleted, only the status is updated; its pods are left to the garbage collector.",
  sentence: ({ pods }) => `it is being deleted, ${pluralize(pods, "pod")} left → no pod is created or deleted`,
  example: { pods: 2 },
  source: "stateful_set_control.go updateStatefulSet",
});

interface EndedFacts extends PodFacts {
  readonly phase: string;
}

/** A terminated pod is deleted, to be recreated. */
export const deleteEnded: Rule<EndedFacts> = rule<EndedFacts>({
  id: "delete-ended",
  looksAt: ["each desired pod's phase"],
  chooses: "A pod that has failed or succeeded is deleted; once it is gone, it is created again under the same name.",
  sentence: ({ pod, phase }) => `${pod} has ${phase === "Failed" ? "failed" : "succeeded"} → delete it, to recreate it`,
  example: { pod: "web-1", phase: "Failed" },
  source: "stateful_set_control.go processReplica",
});

interface CreateFacts extends Facts {
  /** Names of the first few. */
  readonly pods: readonly string[];
  readonly count: number;
  readonly desired: number;
  readonly ordered: boolean;
  /** In an ordered set: how many desired pods come before it. */
  readonly before: number;
  readonly revisions: readonly string[];
}

/** Missing pods are created. */
export const createPods: Rule<CreateFacts> = rule<CreateFacts>({
  id: "create-pods",
  looksAt: [
    "spec.replicas, spec.ordinals.start",
    "spec.podManagementPolicy",
    "names of its pods",
    "spec.updateStrategy.rollingUpdate.partition",
  ],
  chooses:
    "Missing pods are created by ordinal: in an ordered set the lowest one, once all before it are available; with Parallel all of them, in batches of 1, 2, 4, … pods.",
  sentence: ({ pods, count, desired, ordered, before, revisions }) => {
    const named = count > pods.length ? `${pods.join(", ")} and ${count - pods.length} more` : pods.join(", ");
    const of = `from ${revisions.join(" or ")}`;
    const ready = before === 0 ? "" : `, ${before === 1 ? "the one" : `all ${before}`} before it available`;
    if (ordered) return `${named} is missing${ready} → create it ${of}`;
    const batches = batchSizes(count);
    const how = batches.length > 1 ? `, in batches of ${batches.join(", ")}` : "";
    return `${count} of ${pluralize(desired, "pod")} ${count === 1 ? "is" : "are"} missing → create ${named} ${of}${how}`;
  },
  example: { pods: ["web-1"], count: 1, desired: 3, ordered: true, before: 1, revisions: ["web-6d5f4c"] },
  source: "stateful_set_control.go processReplica, stateful_set_utils.go newVersionedStatefulSetPod",
});

/** What an ordered set waits for before it continues. */
export type WaitedFor = Awaited | "is made anew";

interface WaitFacts extends PodFacts {
  readonly until: WaitedFor;
  /** How many desired pods come after it, and how many are condemned. */
  readonly after: number;
  readonly condemned: number;
}

const stateWhile: Readonly<Record<WaitedFor, string>> = {
  "is gone": "is being deleted",
  "is ready": "is not ready",
  "is available": "is not available yet",
  "is made anew": "has ended and is being deleted",
};

/** An ordered set waits for one pod before it touches the next. */
export const waitForPod: Rule<WaitFacts> = rule<WaitFacts>({
  id: "wait-for-pod",
  looksAt: ["spec.podManagementPolicy", "each desired pod's phase, readiness, age of readiness, deletionTimestamp"],
  chooses:
    "In an ordered set, a pod that is being deleted, not Running and Ready, or not available yet blocks all pods after it, scaling down and updates.",
  sentence: ({ pod, until, after, condemned }) => {
    const held = [
      ...(after > 0 ? [`${pluralize(after, "pod")} after it`] : []),
      ...(condemned > 0 ? [`${pluralize(condemned, "pod")} to scale down`] : []),
    ];
    const holds = held.length === 0 ? "" : `; it holds up ${held.join(" and ")}`;
    return `${pod} ${stateWhile[until]} → wait${holds}`;
  },
  example: { pod: "web-1", until: "is ready", after: 3, condemned: 0 },
  source: "stateful_set_control.go processReplica",
});

interface RepairFacts extends PodFacts {
  readonly repairs: readonly Repair[];
}

/** A pod is brought back into line with the set. */
export const repairPod: Rule<RepairFacts> = rule<RepairFacts>({
  id: "repair-pod",
  looksAt: ["name and labels of each pod", "volumes of each pod", "owners of its claims"],
  chooses:
    "A pod that lacks the label with its name or a volume for a claim is updated, and so is one whose claims get other owners.",
  sentence: ({ pod, repairs }) => `${pod} differs from what the set specifies (${repairs.join(", ")}) → update it`,
  example: { pod: "web-1", repairs: ["identity"] },
  source: "stateful_pod_control.go UpdateStatefulPod",
});

interface ScaleDownFacts extends PodFacts {
  readonly desired: number;
  readonly start: number;
  readonly condemned: number;
}

/** A condemned pod is deleted. */
export const scaleDown: Rule<ScaleDownFacts> = rule<ScaleDownFacts>({
  id: "scale-down",
  looksAt: ["spec.replicas, spec.ordinals.start", "names, readiness and deletionTimestamps of its pods"],
  chooses:
    "Pods outside the desired ordinals are deleted, the highest first: in an ordered set one at a time, with Parallel all at once.",
  sentence: ({ pod, desired, start, condemned }) => {
    const range = desired === 0 ? "none is desired" : `ordinals ${start} to ${start + desired - 1} are desired`;
    return `${range}, ${pluralize(condemned, "pod")} too many → delete ${pod}`;
  },
  example: { pod: "web-4", desired: 3, start: 0, condemned: 2 },
  source: "stateful_set_control.go processCondemned",
});

interface ScaleDownWaitFacts extends PodFacts {
  readonly condemned: string;
  readonly until: Awaited;
}

/** An ordered set deletes no pod while another one is unhealthy. */
export const waitToScaleDown: Rule<ScaleDownWaitFacts> = rule<ScaleDownWaitFacts>({
  id: "wait-to-scale-down",
  looksAt: ["readiness and deletionTimestamps of pods that are too many"],
  chooses:
    "In an ordered set the next pod is deleted once the one before is gone; while a pod is not healthy, only that one is deleted.",
  sentence: ({ condemned, pod, until }) =>
    condemned === pod
      ? `${pod} ${stateWhile[until]} → wait`
      : `${condemned} is too many, ${pod} ${stateWhile[until]} → wait`,
  example: { condemned: "web-4", pod: "web-4", until: "is gone" },
  source: "stateful_set_control.go processCondemned",
});

interface UpdateFacts extends PodFacts {
  readonly from: string;
  readonly to: string;
  readonly partition: number;
}

/** A pod of another revision is deleted, to be recreated from the template. */
export const updatePod: Rule<UpdateFacts> = rule<UpdateFacts>({
  id: "update-pod",
  looksAt: ["spec.updateStrategy", "revision of each pod, from the highest ordinal down to the partition"],
  chooses:
    "The highest pod of another revision is deleted, to be recreated from the template: one at a time, never below the partition.",
  sentence: ({ pod, from, to, partition }) =>
    `${pod} is of ${from === "" ? "no revision" : from}, not of ${to} → delete it${partition > 0 ? `; the first ${partition} stay` : ""}`,
  example: { pod: "web-2", from: "web-7f9b8d", to: "web-6d5f4c", partition: 0 },
  source: "stateful_set_control.go updateStatefulSet",
});

/** The next pod is updated when the one before is available. */
export const waitToUpdate: Rule<{ readonly pod: string; readonly outdated: number }> = rule<{
  readonly pod: string;
  readonly outdated: number;
}>({
  id: "wait-to-update",
  looksAt: ["availability of each updated pod"],
  chooses: "No further pod is updated while an updated one is not available.",
  sentence: ({ pod, outdated }) =>
    `${pod} is not available → wait${outdated > 0 ? ` before ${pluralize(outdated, "older pod")} ${outdated === 1 ? "is" : "are"} updated` : ""}`,
  example: { pod: "web-2", outdated: 2 },
  source: "stateful_set_control.go updateStatefulSet",
});

interface CountFacts extends Facts {
  readonly pods: number;
  /** Pods of revisions other than the update revision. */
  readonly outdated: number;
  readonly because: "on delete" | "partition" | undefined;
}

/** Everything is as desired. */
export const steady: Rule<CountFacts> = rule<CountFacts>({
  id: "steady",
  looksAt: ["names, readiness and revisions of its pods", "spec.updateStrategy"],
  chooses: "All pods exist, as specified and with the desired revisions: nothing is done.",
  sentence: ({ pods, outdated, because }) => {
    const kept =
      outdated === 0 || because === undefined
        ? ""
        : `, ${outdated} of an older revision, which ${because === "partition" ? "the partition keeps" : "OnDelete leaves alone"}`;
    return `${pluralize(pods, "pod")}${kept} → nothing to do`;
  },
  example: { pods: 3, outdated: 0, because: undefined },
  source: "stateful_set_control.go updateStatefulSet",
});

interface StatusFacts extends Facts {
  readonly changes: readonly FieldChange[];
}

/** The status is written. */
export const status: Rule<StatusFacts> = rule<StatusFacts>({
  id: "status",
  looksAt: ["the pods as listed before this sync's writes", "its revisions", "metadata.generation", "status"],
  chooses:
    "The status is written when a count, a revision or the observed generation has changed, without any conditions; a conflict is retried on the cached set.",
  sentence: ({ changes }) => changes.map(changeInWords).join(", "),
  example: { changes: [{ path: ".readyReplicas", before: 2, after: 3 }] },
  source: "stateful_set_control.go updateStatus, updateStatefulSetStatus; stateful_set_status_updater.go",
});

function changeInWords({ path, before, after }: FieldChange): string {
  const name = path.slice(1);
  if (name.startsWith("conditions")) return `${name} removed`;
  const isName = name.endsWith("Revision");
  const text = (value: unknown): string => {
    if (typeof value === "string" || typeof value === "number") return String(value);
    // The status omits zeros.
    return isName || name === "collisionCount" ? "none" : "0";
  };
  return `${name} ${text(before)} → ${text(after)}`;
}

/** The key is requeued for when the next ready pod becomes available. */
export const availability: Rule<AvailabilityFacts> = availabilityRule({
  example: { ready: 3, available: 2, inMs: 4000, pod: "web-2" },
  source: "stateful_set.go syncStatefulSet, controller_utils.go FindMinNextPodAvailabilityCheck",
});

/** All of them, adoption and release included. */
export const rules: readonly Rule[] = [
  adopt,
  release,
  ...revisionRules,
  beingDeleted,
  deleteEnded,
  ...claimRules,
  createPods,
  waitForPod,
  repairPod,
  scaleDown,
  waitToScaleDown,
  updatePod,
  waitToUpdate,
  steady,
  status,
  availability,
];
