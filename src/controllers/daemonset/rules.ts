/** The rules of the DaemonSet controller, in the order in which a sync evaluates them. */
import type { FieldChange } from "../../api/field-changes.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";
import { type UnobservedFacts, waitRule } from "../../controller/workload/pod-rules.ts";
import { adopt, release } from "../../controller/workload/ref-manager.ts";
import { historyRules } from "./history-rules.ts";
import { podRules } from "./pod-rules.ts";
import { rolloutRules } from "./rollout-rules.ts";

/** A set that selects all pods is left alone. */
export const selectingAll: Rule = rule({
  id: "selecting-all",
  looksAt: ["spec.selector"],
  chooses: "A set with an empty selector, which would match every pod, is left alone.",
  sentence: () => "it selects all pods → nothing is done",
  example: {},
  source: "daemon_controller.go syncDaemonSet",
});

/** A set that is being deleted is left alone. */
export const beingDeleted: Rule = rule({
  id: "being-deleted",
  looksAt: ["metadata.deletionTimestamp"],
  chooses:
    "A set that is being deleted is left alone, including its status: its revisions may be gone, and its pods are left to the garbage collector.",
  sentence: () => "it is being deleted → nothing is done",
  example: {},
  source: "daemon_controller.go syncDaemonSet",
});

/** No pod is created or deleted while expectations are unsatisfied. */
export const wait: Rule<UnobservedFacts> = waitRule({
  chooses:
    "Until all previous creations and deletions have been observed, only the status is updated, without observedGeneration; expectations expire after 5 minutes.",
  example: { creations: 3, deletions: 0 },
  source: "daemon_controller.go syncDaemonSet",
});

interface StatusFacts extends Facts {
  readonly changes: readonly FieldChange[];
}

/** The status is updated from the cache. */
export const status: Rule<StatusFacts> = rule<StatusFacts>({
  id: "status",
  looksAt: ["which nodes should run a pod", "the oldest pod of each node", "metadata.generation", "status"],
  chooses:
    "The status is written when a count or the observed generation has changed; a refused write is tried once more on the set as the API server has it.",
  sentence: ({ changes }) =>
    changes.length === 0 ? "unchanged, written again" : changes.map(changeInWords).join(", "),
  example: { changes: [{ path: ".numberReady", before: 2, after: 3 }] },
  source: "daemon_controller.go updateDaemonSetStatus, storeDaemonSetStatus",
});

function changeInWords({ path, before, after }: FieldChange): string {
  // The status omits some zeros.
  const count = (value: unknown): number => (typeof value === "number" ? value : 0);
  return `${path.slice(1)} ${count(before)} → ${count(after)}`;
}

interface AvailabilityFacts extends Facts {
  readonly ready: number;
  readonly available: number;
  readonly inMs: number;
}

/** The key is requeued for when ready pods may be available. */
export const availability: Rule<AvailabilityFacts> = rule<AvailabilityFacts>({
  id: "availability",
  looksAt: ["spec.minReadySeconds", "how many pods are ready, and how many available"],
  chooses: "While ready pods are not yet available, the key is requeued for after minReadySeconds.",
  sentence: ({ ready, available, inMs }) =>
    `${available} of ${ready} ready pods are available → requeue in ${inMs / 1000} s`,
  example: { ready: 3, available: 2, inMs: 10_000 },
  source: "daemon_controller.go updateDaemonSetStatus",
});

/** All of them, adoption and release included. */
export const rules: readonly Rule[] = [
  selectingAll,
  beingDeleted,
  adopt,
  release,
  ...historyRules,
  wait,
  ...podRules,
  ...rolloutRules,
  status,
  availability,
];
