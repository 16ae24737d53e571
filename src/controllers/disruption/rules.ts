/** The rules of the disruption controller, in the order in which its syncs evaluate them. */
import { pluralize } from "../../api/pluralize.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

const pods = (count: number): string => pluralize(count, "pod");

interface UnmanagedFacts extends Facts {
  /** Names of the first few. */
  readonly names: readonly string[];
  readonly count: number;
}

/** Percentages ignore pods without a controller. */
export const unmanaged: Rule<UnmanagedFacts> = rule<UnmanagedFacts>({
  id: "unmanaged-pods",
  looksAt: ["the pods' owner references"],
  chooses:
    "Pods without a controller do not count as expected pods of a budget with maxUnavailable or a percentage: nothing says how many there should be.",
  sentence: ({ names, count }) => `${pods(count)} (${names.join(", ")}) without a controller → not among the expected`,
  example: { names: ["debug"], count: 1 },
  source: "disruption.go getExpectedScale",
});

interface EvictionFacts extends Facts {
  readonly names: readonly string[];
}

/** An eviction that was granted but not carried out no longer counts. */
export const expired: Rule<EvictionFacts> = rule<EvictionFacts>({
  id: "eviction-expired",
  looksAt: ["status.disruptedPods", "the pods' deletionTimestamps"],
  chooses: "A pod whose eviction was granted more than 2 minutes ago and which is not being deleted counts again.",
  sentence: ({ names }) => `${names.join(", ")} not deleted within 2 minutes of the eviction → no longer disrupted`,
  example: { names: ["web-7k2xp"] },
  source: "disruption.go buildDisruptedPodMap",
});

interface StatusFacts extends Facts {
  readonly healthy: number;
  readonly desired: number;
  readonly expected: number;
  readonly disrupted: number;
  readonly allowed: number;
}

/** The status reports how many pods may be evicted. */
export const status: Rule<StatusFacts> = rule<StatusFacts>({
  id: "status",
  looksAt: [
    "spec.minAvailable or spec.maxUnavailable",
    "the pods that the selector matches: readiness, deletion, granted evictions",
    "the replicas of their controllers",
  ],
  chooses:
    "As many evictions are allowed as there are healthy pods beyond those that are required; none while no pod is expected.",
  sentence: ({ healthy, desired, expected, disrupted, allowed }) => {
    const leaving = disrupted === 0 ? "" : `, ${pods(disrupted)} about to be evicted`;
    const counts = `${healthy} of ${expected} healthy, ${desired} required${leaving}`;
    return `${counts} → ${allowed === 0 ? "no eviction" : pluralize(allowed, "eviction")} allowed`;
  },
  example: { healthy: 3, desired: 2, expected: 3, disrupted: 0, allowed: 1 },
  source: "disruption.go updatePdbStatus",
});

interface FailureFacts extends Facts {
  readonly error: string;
}

/** While the pods cannot be counted, no eviction is allowed. */
export const syncFailed: Rule<FailureFacts> = rule<FailureFacts>({
  id: "sync-failed",
  looksAt: ["the error that kept the pods from being counted"],
  chooses: "A budget whose pods cannot be counted allows no eviction; the condition DisruptionAllowed has the error.",
  sentence: ({ error }) => `cannot count the pods: ${error} → no eviction allowed`,
  example: { error: 'found no controllers for pod "web-7k2xp"' },
  source: "disruption.go failSafe",
});

/** The rules of budgets. */
export const budgetRules: readonly Rule[] = [unmanaged, expired, status, syncFailed];

interface WaitFacts extends Facts {
  readonly seconds: number;
}

/** A pod whose disruption was announced gets time to be deleted. */
export const awaitDeletion: Rule<WaitFacts> = rule<WaitFacts>({
  id: "await-deletion",
  looksAt: ["the condition DisruptionTarget", "metadata.deletionTimestamp"],
  chooses: "A pod with the condition DisruptionTarget has 2 minutes to be deleted.",
  sentence: ({ seconds }) => `to be disrupted, and not being deleted yet → sync again in ${seconds} s`,
  example: { seconds: 110 },
  source: "disruption.go nonTerminatingPodHasStaleDisruptionCondition",
});

/** A pod that was not deleted after the announcement is no longer a target. */
export const staleCondition: Rule<Facts> = rule<Facts>({
  id: "stale-condition",
  looksAt: ["the condition DisruptionTarget", "metadata.deletionTimestamp", "status.phase"],
  chooses: "If it has not been deleted by then, the condition becomes False. One that the kubelet has set stays.",
  sentence: () => "was to be disrupted 2 minutes ago, and is not being deleted → DisruptionTarget=False",
  example: {},
  source: "disruption.go syncStalePodDisruption",
});

/** The rules of pods. */
export const podRules: readonly Rule[] = [awaitDeletion, staleCondition];
