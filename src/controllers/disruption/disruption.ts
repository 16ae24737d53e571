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
import { matches, selectorOf, selectorOrNothing } from "../../api/labels.ts";
import type { StoredObject } from "../../api/object.ts";
import type { LabelSelector, Pod, PodDisruptionBudget } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Notification,
  type Watch,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { isBehindItsSpec, watchPrimary } from "../../controller/api/primary.ts";
import { podKey, podOfKey } from "../../controller/workload/pod-key.ts";
import { budgetRules, podRules } from "./rules.ts";
import { announcedDisruption, syncStaleCondition } from "./stale-condition.ts";
import { syncBudget } from "./sync.ts";

/** A time in milliseconds. */
export interface DisruptionOptions {
  /** How long a condition DisruptionTarget may announce a deletion that does not happen. Upstream: stalePodDisruptionTimeout. */
  readonly staleAfterMs: number;
}

/**
 * Counts how many pods of each PodDisruptionBudget may be evicted, and resets the condition DisruptionTarget of pods that were to be
 * deleted but were not. Keys of these pods share the queue of budgets; upstream has a second one.
 */
export const disruption: ControllerDefinition = defineDisruption({ staleAfterMs: 120_000 });

/** The same with a different timeout. */
export function defineDisruption({ staleAfterMs }: DisruptionOptions): ControllerDefinition {
  return defineController<PodDisruptionBudget>({
    name: "disruption",
    aliases: ["pdb", "poddisruptionbudget", "disruption-controller"],
    purpose: "counts how many pods of each PodDisruptionBudget may be evicted",
    component: "controllermanager",
    ifRunTwice: "both would write the status of each budget",
    isLeftUndone: isBehindItsSpec,
    source: "pkg/controller/disruption/disruption.go",
    for: PodDisruptionBudgets,
    watches: [
      watchPrimary(PodDisruptionBudgets),
      watch<Pod>({ kind: Pods, on: onPod }),
      cached(ReplicationControllers),
      cached(ReplicaSets),
      cached(Deployments),
      cached(StatefulSets),
    ],
    workers: 1,
    rules: [...budgetRules, ...podRules],
    permissions: [
      { group: "policy", resource: "poddisruptionbudgets/status", verbs: ["update"] },
      { group: "", resource: "pods/status", verbs: ["update"] },
      { group: "*", resource: "*/scale", verbs: ["get"] },
    ],
    about: (key) => {
      const pod = podOfKey(key);
      return pod === undefined ? undefined : { kind: Pods.kind, key: pod };
    },
    sync(key, context) {
      const pod = podOfKey(key);
      return pod === undefined ? syncBudget(key, context) : syncStaleCondition(context, { key: pod, staleAfterMs });
    },
  });
}

/** A kind that is only read: its changes reach a budget through its pods. */
function cached<T extends StoredObject>(kind: Kind<T>): Watch {
  return watch<T>({ kind, on() {} });
}

function onPod({ type, object: pod }: Notification<Pod>, context: WatchContext): void {
  enqueueBudgetOf(pod, context);
  if (type !== "deleted" && announcedDisruption(pod) !== undefined) context.enqueue(podKey(pod));
}

/** Enqueues one budget that selects the pod, and warns if several do: then evictions of the pod are refused. */
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

function selects(selector: LabelSelector | undefined, { metadata: { labels } }: Pod): boolean {
  return matches(
    selectorOrNothing(() => selectorOf(selector)),
    labels,
  );
}
