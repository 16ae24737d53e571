/** The disruption controller. Source: kubernetes v1.36 pkg/controller/disruption/disruption.go. */
import { keyOf } from "../../api/key.ts";
import type { Kind } from "../../api/kind.ts";
import {
  Deployments,
  Pods,
  PodDisruptionBudgets,
  ReplicaSets,
  ReplicationControllers,
  StatefulSets,
} from "../../api/kinds.ts";
import { matches, selectorOf } from "../../api/labels.ts";
import type { StoredObject } from "../../api/object.ts";
import type { Pod, PodDisruptionBudget } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Watch,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { isBehindItsSpec, watchPrimary } from "../../controller/api/primary.ts";
import { budgetRules, podRules } from "./rules.ts";
import { announcedDisruption, syncStaleCondition } from "./stale-condition.ts";
import { syncBudget } from "./sync.ts";

/** The `source.component` of its Events. */
const component = "controllermanager";

/** Counts how many pods of each PodDisruptionBudget may be evicted. */
export const disruption: ControllerDefinition = defineController<PodDisruptionBudget>({
  name: "disruption",
  aliases: ["pdb", "poddisruptionbudget", "disruption-controller"],
  purpose: "counts how many pods of each PodDisruptionBudget may be evicted",
  component,
  ifRunTwice: "both would write the status of each budget",
  isLeftUndone: isBehindItsSpec,
  source: "pkg/controller/disruption/disruption.go",
  for: PodDisruptionBudgets,
  watches: [
    watchPrimary(PodDisruptionBudgets),
    watch<Pod>({ kind: Pods, on: ({ object }, context) => enqueueBudgetOf(object, context) }),
    cached(ReplicationControllers),
    cached(ReplicaSets),
    cached(Deployments),
    cached(StatefulSets),
  ],
  workers: 1,
  rules: budgetRules,
  permissions: [
    { group: "policy", resource: "poddisruptionbudgets/status", verbs: ["update"] },
    { group: "*", resource: "*/scale", verbs: ["get"] },
  ],
  sync: syncBudget,
});

/** A kind that is only read: its changes reach a budget through its pods. */
function cached<T extends StoredObject>(kind: Kind<T>): Watch {
  return watch<T>({ kind, on() {} });
}

/** Enqueues one budget that selects the pod, and warns where several do: evictions of the pod are refused then. */
function enqueueBudgetOf(pod: Pod, context: WatchContext): void {
  const budgets = context
    .cache(PodDisruptionBudgets)
    .list(pod.metadata.namespace)
    .filter(({ spec }) => selects(spec?.selector, pod));
  const [first] = budgets;
  if (first === undefined) return;
  if (budgets.length > 1) {
    const { namespace = "", name } = pod.metadata;
    const message = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${first.metadata.name}" arbitrarily.`;
    context.event(Pods, pod, { type: "Warning", reason: "MultiplePodDisruptionBudgets", message });
  }
  context.enqueue(keyOf(first));
}

function selects(selector: Parameters<typeof selectorOf>[0], { metadata: { labels } }: Pod): boolean {
  try {
    return matches(selectorOf(selector), labels);
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Takes the condition DisruptionTarget back from pods that were to go and stayed. */
export const staleDisruption: ControllerDefinition = defineController<Pod>({
  name: "stale-disruption",
  aliases: [],
  companionOf: "disruption",
  purpose: "resets DisruptionTarget of pods that were not deleted (comes with disruption)",
  component,
  recordsEvents: false,
  source: "pkg/controller/disruption/disruption.go",
  for: Pods,
  watches: [
    watch<Pod>({
      kind: Pods,
      on({ type, object }, context) {
        if (type !== "deleted" && announcedDisruption(object) !== undefined) context.enqueue(keyOf(object));
      },
    }),
  ],
  workers: 1,
  rules: podRules,
  permissions: [{ group: "", resource: "pods/status", verbs: ["update"] }],
  sync: syncStaleCondition,
});
