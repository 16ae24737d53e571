/** The rules of the Namespace controller, in the order in which a sync comes to them. */
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import type { ConditionChange } from "./conditions.ts";

/** `1 pod`, `3 pods`. */
function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

const live = "the Namespace as the API server has it now, not the cache";

export const notDeleted: Rule<Facts> = rule<Facts>({
  id: "not-deleted",
  looksAt: [live, "metadata.deletionTimestamp"],
  chooses: "A namespace that nobody has deleted is left alone.",
  sentence: () => "the API server says that it is not being deleted → nothing to do",
  example: {},
  source: "namespaced_resources_deleter.go Delete",
});

interface TerminateFacts extends Facts {
  readonly phase: string;
}

export const terminate: Rule<TerminateFacts> = rule<TerminateFacts>({
  id: "terminate",
  looksAt: [live, "metadata.deletionTimestamp", "status.phase"],
  chooses: "A namespace that is being deleted has the phase Terminating, so that nothing new is let into it.",
  sentence: ({ phase }) => `it is being deleted, and its phase is ${phase || "not set"} → Terminating`,
  example: { phase: "Active" },
  source: "namespaced_resources_deleter.go updateNamespaceStatusFunc",
});

interface FinalizersFacts extends Facts {
  readonly finalizers: readonly string[];
}

export const finalized: Rule<FinalizersFacts> = rule<FinalizersFacts>({
  id: "finalized",
  looksAt: ["spec.finalizers", "metadata.finalizers"],
  chooses:
    "A namespace without finalizers in its spec has been emptied: whoever holds it now does so by metadata.finalizers.",
  sentence: ({ finalizers }) =>
    finalizers.length === 0
      ? "its spec has no finalizers left → nothing to do"
      : `its spec has no finalizers left → nothing to do; ${finalizers.join(", ")} in its metadata ${finalizers.length === 1 ? "holds" : "hold"} it`,
  example: { finalizers: ["example.com/hold"] },
  source: "namespaced_resources_deleter.go Delete, finalized",
});

interface UnknownFacts extends Facts {
  /** Group versions that did not say what they have; empty where discovery failed as a whole. */
  readonly groupVersions: readonly string[];
  readonly error: string;
}

export const discoveryFailed: Rule<UnknownFacts> = rule<UnknownFacts>({
  id: "discovery-failed",
  looksAt: ["discovery: the namespaced kinds that can be deleted, each in its group's preferred version"],
  chooses: "What can be discovered is deleted; but the namespace stays while any group does not say what it has.",
  sentence: ({ groupVersions, error }) =>
    groupVersions.length === 0
      ? `no kind could be discovered: ${error} → try again`
      : `${groupVersions.join(", ")} could not be discovered → all else is deleted, and the namespace stays until ${groupVersions.length === 1 ? "it answers" : "they answer"}`,
  example: { groupVersions: ["metrics.k8s.io/v1beta1"], error: "stale GroupVersion discovery: metrics.k8s.io/v1beta1" },
  source: "namespaced_resources_deleter.go deleteAllContent",
});

export const podsFirst: Rule<Facts> = rule<Facts>({
  id: "pods-first",
  looksAt: ["discovery"],
  chooses: "Pods are deleted before all else, so that nothing that they need goes while they run.",
  sentence: () => "its pods go before all else → delete them",
  example: {},
  source: "namespaced_resources_deleter.go deleteAllContent (OrderedNamespaceDeletion)",
});

interface WaitForPodsFacts extends Facts {
  readonly pods: number;
  /** How many of them each finalizer holds. */
  readonly finalizers: Readonly<Record<string, number>>;
  readonly inSeconds: number;
}

export const waitForPods: Rule<WaitForPodsFacts> = rule<WaitForPodsFacts>({
  id: "wait-for-pods",
  looksAt: [
    "the pods that are left, and their finalizers",
    "spec.terminationGracePeriodSeconds of pods that have not ended",
    "metadata.deletionTimestamp of the Namespace",
  ],
  chooses:
    "While pods are left, all else waits. The key is requeued after half of their longest grace period, or of 15 s where only finalizers hold them.",
  sentence: ({ pods, finalizers, inSeconds }) =>
    `${counted(pods, "pod")} left${heldBy(finalizers)} → all else waits${again(inSeconds)}`,
  example: { pods: 3, finalizers: {}, inSeconds: 16 },
  source: "namespaced_resources_deleter.go deleteAllContent, estimateGracefulTerminationForPods",
});

interface DeleteFacts extends Facts {
  readonly kinds: number;
}

export const deleteContent: Rule<DeleteFacts> = rule<DeleteFacts>({
  id: "delete-content",
  looksAt: ["discovery: the namespaced kinds that can be deleted, each in its group's preferred version"],
  chooses:
    "Of every kind all objects are deleted, in the background: as a collection, or one by one where the server takes no collection. A kind that fails does not stop the others.",
  sentence: ({ kinds }) => `no pod is left → delete all objects of ${counted(kinds, "kind")}`,
  example: { kinds: 32 },
  source: "namespaced_resources_deleter.go deleteAllContentForGroupVersionResource",
});

interface FailedFacts extends Facts {
  readonly errors: readonly string[];
}

export const contentFailed: Rule<FailedFacts> = rule<FailedFacts>({
  id: "content-failed",
  looksAt: ["the answers to the deletions and to the lists after them"],
  chooses:
    "When a kind could not be emptied, the sync fails after the others, and is tried again with backoff, at most a minute later.",
  sentence: ({ errors }) =>
    `${counted(errors.length, "kind")} could not be emptied → try again: ${errors.slice(0, 2).join("; ")}${errors.length > 2 ? `; and ${errors.length - 2} more` : ""}`,
  example: { errors: ['configmaps "kept" is forbidden: it is to be kept'] },
  source: "namespaced_resources_deleter.go deleteAllContent",
});

interface RemainingFacts extends Facts {
  /** How many objects of each resource are left. */
  readonly remaining: Readonly<Record<string, number>>;
  readonly finalizers: Readonly<Record<string, number>>;
  readonly inSeconds: number;
}

export const waitForContent: Rule<RemainingFacts> = rule<RemainingFacts>({
  id: "wait-for-content",
  looksAt: ["the objects that are left, and their finalizers"],
  chooses:
    "While finalizers hold objects, the namespace stays; the key is requeued after half of the 15 s that they are given.",
  sentence: ({ remaining, finalizers, inSeconds }) => {
    const left = Object.entries(remaining).map(([resource, count]) => `${count} ${resource}`);
    return `${left.length === 0 ? "something" : left.join(", ")} left${heldBy(finalizers)} → wait${again(inSeconds)}`;
  },
  example: { remaining: { configmaps: 2 }, finalizers: { "example.com/hold": 2 }, inSeconds: 8 },
  source: "namespaced_resources_deleter.go deleteAllContent, ResourcesRemainingError",
});

function heldBy(finalizers: Readonly<Record<string, number>>): string {
  const names = Object.keys(finalizers);
  return names.length === 0 ? "" : `, held by ${names.join(", ")}`;
}

function again(seconds: number): string {
  return seconds === 0 ? "" : `; look again in ${seconds} s`;
}

interface ConditionsFacts extends Facts {
  readonly changes: readonly ConditionChange[];
}

export const conditions: Rule<ConditionsFacts> = rule<ConditionsFacts>({
  id: "conditions",
  looksAt: ["discovery", "what could not be deleted", "what is left, and its finalizers", "status.conditions"],
  chooses: "Five conditions say what keeps the namespace, and are written when one of them changes.",
  sentence: ({ changes }) => {
    const bad = changes.filter(({ status }) => status === "True").map(({ type, message }) => `${type}: ${message}`);
    const good = changes.filter(({ status }) => status !== "True").map(({ type }) => type);
    if (bad.length === 0 && good.length === 5) return "nothing is in the way → all five conditions say so";
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
  /** Others in its spec, that stay. */
  readonly others: readonly string[];
}

export const finalize: Rule<FinalizeFacts> = rule<FinalizeFacts>({
  id: "finalize",
  looksAt: ["what is left", "spec.finalizers"],
  chooses:
    "When nothing is left, the finalizer kubernetes is taken out of the spec, and with the last finalizer the namespace goes.",
  sentence: ({ others }) =>
    others.length === 0
      ? "nothing is left in it → take out the finalizer kubernetes"
      : `nothing is left in it → take out the finalizer kubernetes; ${others.join(", ")} ${others.length === 1 ? "stays" : "stay"}`,
  example: { others: [] },
  source: "namespaced_resources_deleter.go finalizeNamespace",
});

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
