/** The horizontal-pod-autoscaler controller. Source: kubernetes v1.36 pkg/controller/podautoscaler/horizontal.go. */
import { keyOf } from "../../api/key.ts";
import { HorizontalPodAutoscalers, Pods } from "../../api/kinds.ts";
import type { HorizontalPodAutoscaler, Pod } from "../../api/types.ts";
import {
  type ControllerDefinition,
  defineController,
  type Notification,
  watch,
  type WatchContext,
} from "../../controller/api/definition.ts";
import { fixedIntervalLimiter } from "../../workqueue/rate-limiters.ts";
import { register } from "./ambiguous.ts";
import { memory } from "./memory.ts";
import { type AutoscalerOptions, defaultOptions } from "./options.ts";
import { rules } from "./rules.ts";
import { syncAutoscaler } from "./sync.ts";

/** Scales workloads to the replicas that their metrics call for. */
export const horizontalPodAutoscaler: ControllerDefinition = defineAutoscaler();

/** The controller with periods and tolerances that differ from kube-controller-manager's defaults. */
export function defineAutoscaler(changed: Partial<AutoscalerOptions> = {}): ControllerDefinition {
  const options = { ...defaultOptions, ...changed };
  return defineController<HorizontalPodAutoscaler>({
    name: "horizontal-pod-autoscaler",
    aliases: ["hpa", "horizontalpodautoscaler", "horizontal-pod-autoscaler-controller", "horizontalpodautoscaling"],
    purpose: "scales workloads by their metrics",
    component: "horizontal-pod-autoscaler",
    ifRunTwice: "both would scale the target, each by what it remembers itself",
    isLeftUndone: ({ status }) => (status?.conditions ?? []).length === 0,
    source: "pkg/controller/podautoscaler/horizontal.go",
    for: HorizontalPodAutoscalers,
    watches: [
      watch<HorizontalPodAutoscaler>({
        kind: HorizontalPodAutoscalers,
        on: (notification, context) => onAutoscaler({ ...notification, ...options }, context),
      }),
      // Only read: syncs are periodic, so pod events enqueue nothing.
      watch<Pod>({ kind: Pods, on() {} }),
    ],
    workers: 5,
    retry: { rateLimiter: () => fixedIntervalLimiter(options.syncPeriodMs) },
    syncsEveryMs: options.syncPeriodMs,
    dryRun: {
      is: "adapted",
      why: "it scales only within its bounds, since what pods would use is unknown",
      sync: (_key, context) => syncAutoscaler(context, { ...options, readsMetrics: false }),
    },
    rules,
    permissions: [
      { group: "autoscaling", resource: "horizontalpodautoscalers/status", verbs: ["update"] },
      { group: "*", resource: "*/scale", verbs: ["get", "update"] },
      { group: "metrics.k8s.io", resource: "pods", verbs: ["list"] },
      { group: "custom.metrics.k8s.io", resource: "*", verbs: ["get", "list"] },
      { group: "external.metrics.k8s.io", resource: "*", verbs: ["get", "list"] },
    ],
    sync: (_key, context) => syncAutoscaler(context, options),
  });
}

/** Every change waits for the period and merges with a key already waiting. The next sync of a deleted autoscaler drops its history. */
function onAutoscaler(
  { type, object, syncPeriodMs }: Notification<HorizontalPodAutoscaler> & Pick<AutoscalerOptions, "syncPeriodMs">,
  context: WatchContext,
): void {
  const key = keyOf(object);
  const { selectors } = context.state(memory);
  if (type === "deleted") {
    selectors.delete(key);
    return;
  }
  register(selectors, key);
  context.enqueue(key, syncPeriodMs);
}
