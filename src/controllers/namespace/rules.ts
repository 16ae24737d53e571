/** The rules of the Namespace controller, in the order in which a sync evaluates them. */
import { pluralize } from "../../api/pluralize.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import type { ConditionChange } from "./conditions.ts";

const live = "the live Namespace on the API server, not the cached one";

/** A namespace that is not being deleted is left alone. */
export const notDeleted: Rule<Facts> = rule<Facts>({
  id: "not-deleted",
  looksAt: [live, "metadata.deletionTimestamp"],
  chooses: "A namespace that is not being deleted is left alone.",
  sentence: () => "it is not being deleted, according to the API server → nothing to do",
  example: {},
  source: "namespaced_resources_deleter.go Delete",
});

interface TerminateFacts extends Facts {
  readonly phase: string;
}

/** The phase becomes Terminating. */
export const terminate: Rule<TerminateFacts> = rule<TerminateFacts>({
  id: "terminate",
  looksAt: [live, "metadata.deletionTimestamp", "status.phase"],
  chooses: "Sets status.phase to Terminating, so that admission rejects new objects.",
  sentence: ({ phase }) => `it is being deleted, and its phase is ${phase || "not set"} → Terminating`,
  example: { phase: "Active" },
  source: "namespaced_resources_deleter.go updateNamespaceStatusFunc",
});

interface FinalizersFacts extends Facts {
  readonly finalizers: readonly string[];
}

/** The namespace has already been emptied. */
export const finalized: Rule<FinalizersFacts> = rule<FinalizersFacts>({
  id: "finalized",
  looksAt: ["spec.finalizers", "metadata.finalizers"],
  chooses:
    "A namespace without finalizers in its spec has been emptied: only metadata.finalizers can still block its deletion.",
  sentence: ({ finalizers }) =>
    finalizers.length === 0
      ? "its spec has no finalizers left → nothing to do"
      : `its spec has no finalizers left → nothing to do; ${finalizers.join(", ")} in its metadata ${finalizers.length === 1 ? "blocks" : "block"} its deletion`,
  example: { finalizers: ["example.com/hold"] },
  source: "namespaced_resources_deleter.go Delete, finalized",
});

interface UnknownFacts extends Facts {
  /** Group versions whose discovery failed; empty if discovery failed as a whole. */
  readonly groupVersions: readonly string[];
  readonly error: string;
}

/** Some kinds are unknown. */
export const discoveryFailed: Rule<UnknownFacts> = rule<UnknownFacts>({
  id: "discovery-failed",
  looksAt: ["discovery: the namespaced kinds that can be deleted, each in its group's preferred version"],
  chooses: "All discovered kinds are emptied, but the namespace is not finalized while discovery of any group fails.",
  sentence: ({ groupVersions, error }) =>
    groupVersions.length === 0
      ? `discovery failed: ${error} → retry`
      : `${groupVersions.join(", ")} could not be discovered → everything else is deleted, and the namespace stays until ${groupVersions.length === 1 ? "it is" : "they are"} available`,
  example: { groupVersions: ["metrics.k8s.io/v1beta1"], error: "stale GroupVersion discovery: metrics.k8s.io/v1beta1" },
  source: "namespaced_resources_deleter.go deleteAllContent",
});

/** Pods are deleted before everything else. */
export const podsFirst: Rule<Facts> = rule<Facts>({
  id: "pods-first",
  looksAt: ["discovery"],
  chooses: "Pods are deleted before everything else, so that nothing they need disappears while they run.",
  sentence: () => "its pods are deleted before everything else → delete them",
  example: {},
  source: "namespaced_resources_deleter.go deleteAllContent (OrderedNamespaceDeletion)",
});

interface WaitForPodsFacts extends Facts {
  readonly pods: number;
  /** How many of them have each finalizer. */
  readonly finalizers: Readonly<Record<string, number>>;
  readonly inSeconds: number;
}

/** Everything else waits for the pods. */
export const waitForPods: Rule<WaitForPodsFacts> = rule<WaitForPodsFacts>({
  id: "wait-for-pods",
  looksAt: [
    "the pods that are left, and their finalizers",
    "spec.terminationGracePeriodSeconds of pods that have not ended",
    "metadata.deletionTimestamp of the Namespace",
  ],
  chooses:
    "While pods are left, everything else waits. The key is requeued after half of their longest grace period, or after half of 15 s if only finalizers block them.",
  sentence: ({ pods, finalizers, inSeconds }) =>
    `${pluralize(pods, "pod")} left${heldBy(finalizers)} → everything else waits${again(inSeconds)}`,
  example: { pods: 3, finalizers: {}, inSeconds: 16 },
  source: "namespaced_resources_deleter.go deleteAllContent, estimateGracefulTerminationForPods",
});

interface DeleteFacts extends Facts {
  readonly kinds: number;
}

/** All objects of all kinds are deleted. */
export const deleteContent: Rule<DeleteFacts> = rule<DeleteFacts>({
  id: "delete-content",
  looksAt: ["discovery: the namespaced kinds that can be deleted, each in its group's preferred version"],
  chooses:
    "All objects of every kind are deleted in the background: as a collection, or one by one if the server does not support that. A kind that fails does not stop the others.",
  sentence: ({ kinds }) => `no pod is left → delete all objects of ${pluralize(kinds, "kind")}`,
  example: { kinds: 32 },
  source: "namespaced_resources_deleter.go deleteAllContentForGroupVersionResource",
});

interface FailedFacts extends Facts {
  readonly errors: readonly string[];
}

/** A kind could not be emptied. */
export const contentFailed: Rule<FailedFacts> = rule<FailedFacts>({
  id: "content-failed",
  looksAt: ["the responses to the deletions and to the lists after them"],
  chooses:
    "If a kind cannot be emptied, the sync fails once all others are done, and is retried with a back-off of at most a minute.",
  sentence: ({ errors }) =>
    `${pluralize(errors.length, "kind")} could not be emptied → retry: ${errors.slice(0, 2).join("; ")}${errors.length > 2 ? `; and ${errors.length - 2} more` : ""}`,
  example: { errors: ['configmaps "kept" is forbidden: it is to be kept'] },
  source: "namespaced_resources_deleter.go deleteAllContent",
});

interface RemainingFacts extends Facts {
  /** How many objects of each resource are left. */
  readonly remaining: Readonly<Record<string, number>>;
  readonly finalizers: Readonly<Record<string, number>>;
  readonly inSeconds: number;
}

/** Finalizers block the deletion of content. */
export const waitForContent: Rule<RemainingFacts> = rule<RemainingFacts>({
  id: "wait-for-content",
  looksAt: ["the objects that are left, and their finalizers"],
  chooses: "While finalizers block objects, the namespace stays; the key is requeued after half of an estimated 15 s.",
  sentence: ({ remaining, finalizers, inSeconds }) => {
    const left = Object.entries(remaining).map(([resource, count]) => `${count} ${resource}`);
    return `${left.length === 0 ? "something" : left.join(", ")} left${heldBy(finalizers)} → wait${again(inSeconds)}`;
  },
  example: { remaining: { configmaps: 2 }, finalizers: { "example.com/hold": 2 }, inSeconds: 8 },
  source: "namespaced_resources_deleter.go deleteAllContent, ResourcesRemainingError",
});

function heldBy(finalizers: Readonly<Record<string, number>>): string {
  const names = Object.keys(finalizers);
  return names.length === 0 ? "" : `, blocked by ${names.join(", ")}`;
}

function again(seconds: number): string {
  return seconds === 0 ? "" : `; requeue in ${seconds} s`;
}

interface ConditionsFacts extends Facts {
  readonly changes: readonly ConditionChange[];
}

/** The conditions are written. */
export const conditions: Rule<ConditionsFacts> = rule<ConditionsFacts>({
  id: "conditions",
  looksAt: ["discovery", "what could not be deleted", "what is left, and its finalizers", "status.conditions"],
  chooses: "Five conditions report what blocks the deletion; they are written when one of them changes.",
  sentence: ({ changes }) => {
    const bad = changes.filter(({ status }) => status === "True").map(({ type, message }) => `${type}: ${message}`);
    const good = changes.filter(({ status }) => status !== "True").map(({ type }) => type);
    if (bad.length === 0 && good.length === 5) return "nothing blocks the deletion → all five conditions are False";
    return [...bad, ...(good.length === 0 ? [] : [`${good.join(", ")} → False`])].join("; ");
  },
  example: {
    changes: [
      {
        type: "NamespaceContentRemaining",
        status: "True",
        reason: "SomeResourcesRemain",
        message: "Some resources are remaining: configmaps. has 2 resource instances",
      },
    ],
  },
  source: "status_condition_utils.go updateConditions",
});

interface FinalizeFacts extends Facts {
  /** Other finalizers in its spec, which are kept. */
  readonly others: readonly string[];
}

/** The namespace is released. */
export const finalize: Rule<FinalizeFacts> = rule<FinalizeFacts>({
  id: "finalize",
  looksAt: ["what is left", "spec.finalizers"],
  chooses:
    "When nothing is left, the finalizer kubernetes is removed from the spec; once no finalizer is left, the API server deletes the namespace.",
  sentence: ({ others }) =>
    others.length === 0
      ? "nothing is left in it → remove the finalizer kubernetes"
      : `nothing is left in it → remove the finalizer kubernetes; ${others.join(", ")} ${others.length === 1 ? "stays" : "stay"}`,
  example: { others: [] },
  source: "namespaced_resources_deleter.go finalizeNamespace",
});

/** All of them. */
export const rules: readonly Rule[] = [
  notDeleted,
  terminate,
  finalized,
  discoveryFailed,
  podsFirst,
  waitForPods,
  deleteContent,
  contentFailed,
  waitForContent,
  conditions,
  finalize,
];
