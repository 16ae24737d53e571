/** The rules of the horizontal-pod-autoscaler controller, in the order in which a sync evaluates them. */
import { pluralize } from "../../api/pluralize.ts";
import { type Facts, type Rule, rule } from "../../controller/api/rule.ts";

const replicasText = (count: number): string => pluralize(count, "replica");

interface ErrorFacts extends Facts {
  readonly error: string;
}

/** The target's scale cannot be read. */
export const targetUnreadable: Rule<ErrorFacts & { readonly target: string }> = rule({
  id: "target-unreadable",
  looksAt: ["spec.scaleTargetRef", "the target's subresource scale"],
  chooses: "If the target cannot be read, nothing is scaled; AbleToScale is False.",
  sentence: ({ target, error }) => `cannot read the scale of ${target}: ${error} → no scaling`,
  example: { target: "Deployment web", error: 'deployments.apps "web" not found' },
  source: "horizontal.go scaleForResourceMappings",
});

/** Zero replicas disable an autoscaler. */
export const scalingDisabled: Rule<Facts> = rule<Facts>({
  id: "scaling-disabled",
  looksAt: ["the replicas of the target's scale"],
  chooses: "A target that was scaled to 0 stays there; ScalingActive is False.",
  sentence: () => "the target was scaled to 0 replicas → no scaling",
  example: {},
  source: "horizontal.go reconcileAutoscaler",
});

interface BoundFacts extends Facts {
  readonly current: number;
  readonly bound: number;
}

/** The maximum applies regardless of metrics. */
export const aboveMax: Rule<BoundFacts> = rule<BoundFacts>({
  id: "above-max",
  looksAt: ["the replicas of the target's scale", "spec.maxReplicas"],
  chooses: "A target above maxReplicas is scaled down to it; its metrics are not read.",
  sentence: ({ current, bound }) => `${replicasText(current)}, at most ${bound} allowed → scale to ${bound}`,
  example: { current: 12, bound: 10 },
  source: "horizontal.go reconcileAutoscaler",
});

/** The minimum applies regardless of metrics. */
export const belowMin: Rule<BoundFacts> = rule<BoundFacts>({
  id: "below-min",
  looksAt: ["the replicas of the target's scale", "spec.minReplicas"],
  chooses: "A target below minReplicas is scaled up to it; its metrics are not read.",
  sentence: ({ current, bound }) => `${replicasText(current)}, at least ${bound} required → scale to ${bound}`,
  example: { current: 1, bound: 2 },
  source: "horizontal.go reconcileAutoscaler",
});

/** The pods must belong to this autoscaler only. */
export const unusableSelector: Rule<Facts & { readonly problem: string }> = rule({
  id: "unusable-selector",
  looksAt: ["the selector of the target's scale", "the selectors of the namespace's other autoscalers"],
  chooses:
    "A target is not scaled if its selector is unusable or another autoscaler selects the same pods; ScalingActive is False.",
  sentence: ({ problem }) => `${problem} → no scaling`,
  example: { problem: "selector is required" },
  source: "horizontal.go validateAndParseSelector",
});

/** Within the bounds, only metrics can decide. */
export const metricsUnknown: Rule<Facts & { readonly current: number }> = rule({
  id: "metrics-unknown",
  looksAt: ["spec.minReplicas, spec.maxReplicas"],
  chooses:
    "If metrics cannot be known, as in a dry run, a target within its bounds is not scaled, and the status does not change.",
  sentence: ({ current }) =>
    `${replicasText(current)} are within the bounds, and no metrics are known here → leave them`,
  example: { current: 2 },
});

interface MetricFacts extends Facts {
  /** In a few words. */
  readonly metric: string;
  readonly usage: string;
  readonly target: string;
  readonly current: number;
  readonly replicas: number;
  /** Pods whose metrics do not count. */
  readonly unready: number;
  readonly missing: number;
  readonly ignored: number;
}

function uncountedText({ unready, missing, ignored }: MetricFacts): string {
  const parts = [
    ...(unready > 0 ? [`${unready} not ready`] : []),
    ...(missing > 0 ? [`${missing} without metrics`] : []),
    ...(ignored > 0 ? [`${ignored} ending`] : []),
  ];
  return parts.length === 0 ? "" : ` (${pluralize(unready + missing + ignored, "pod")}: ${parts.join(", ")})`;
}

/** Each metric proposes a number of replicas. */
export const metric: Rule<MetricFacts> = rule<MetricFacts>({
  id: "metric",
  looksAt: ["the metrics API", "spec.metrics", "the pods: phase, readiness, start, requests", "the tolerance"],
  chooses:
    "A metric recommends the number of replicas that brings usage to its target; within the tolerance (10% unless spec.behavior says otherwise) it recommends the current number. Pods without metrics, and pods that are not ready, dampen the change.",
  sentence: (facts) => {
    const { metric: name, usage, target, current, replicas } = facts;
    const recommendation =
      replicas === current ? `${replicasText(replicas)} are right` : `recommends ${replicasText(replicas)}`;
    return `${name}: ${usage}, target ${target}${uncountedText(facts)} → ${recommendation}`;
  },
  example: { metric: "cpu", usage: "180%", target: "60%", current: 2, replicas: 6, unready: 0, missing: 0, ignored: 0 },
  source: "replica_calculator.go GetResourceReplicas",
});

/** A metric is unavailable. */
export const metricFailed: Rule<ErrorFacts & { readonly metric: string }> = rule({
  id: "metric-failed",
  looksAt: ["the metrics API", "the pods' requests"],
  chooses: "A metric that cannot be read or computed recommends nothing, and prevents scaling down.",
  sentence: ({ metric: name, error }) => `${name}: ${error}`,
  example: { metric: "cpu", error: "no metrics returned from resource metrics API" },
  source: "horizontal.go computeReplicasForMetric",
});

/** No metric is available, or only some are and they would scale down. */
export const noReplicaCount: Rule<Facts & { readonly failed: number; readonly metrics: number }> = rule({
  id: "no-replica-count",
  looksAt: ["the metrics that failed"],
  chooses:
    "If no metric is usable, or one has failed and the others would scale down, nothing is scaled; ScalingActive is False.",
  sentence: ({ failed, metrics }) => `${failed} of ${pluralize(metrics, "metric")} unavailable → no scaling`,
  example: { failed: 1, metrics: 1 },
  source: "horizontal.go computeReplicasForMetrics",
});

interface NormalizedFacts extends Facts {
  readonly recommended: number;
  readonly stabilized: number;
  readonly replicas: number;
  /** The reason of AbleToScale. */
  readonly able: string;
  /** The reason of ScalingLimited. */
  readonly limited: string;
}

const limits: Readonly<Record<string, string>> = {
  ScaleUpLimit: "limited by the scale-up rate",
  ScaleDownLimit: "no faster down than the rate allows",
  TooManyReplicas: "no more than maxReplicas",
  TooFewReplicas: "no fewer than minReplicas",
};

/** The recommendation is stabilized and kept within bounds. */
export const normalized: Rule<NormalizedFacts> = rule<NormalizedFacts>({
  id: "normalized",
  looksAt: [
    "what was recommended within the stabilization windows",
    "what was scaled within the periods of the policies",
    "spec.minReplicas, spec.maxReplicas, spec.behavior",
  ],
  chooses:
    "Scaling down follows the highest recommendation of the last 5 minutes, or of the window in spec.behavior. One step up at most doubles the replicas (4 are always allowed), or follows the policies of spec.behavior.",
  sentence: ({ recommended, stabilized, replicas, limited }) => {
    const held = stabilized === recommended ? "" : `, held at ${stabilized} by what was recommended before`;
    const limit = limits[limited];
    return `the metrics recommend ${recommended}${held}${limit === undefined ? "" : `, ${limit}`} → ${replicasText(replicas)}`;
  },
  example: { recommended: 6, stabilized: 6, replicas: 4, able: "ReadyForNewScale", limited: "ScaleUpLimit" },
  source: "horizontal.go normalizeDesiredReplicas, normalizeDesiredReplicasWithBehaviors",
});

interface ScaleFacts extends Facts {
  readonly target: string;
  readonly from: number;
  readonly to: number;
  readonly reason: string;
}

/** The target is scaled. */
export const rescale: Rule<ScaleFacts> = rule<ScaleFacts>({
  id: "rescale",
  looksAt: ["the replicas of the target's scale", "the replicas that are desired"],
  chooses: "A target whose number of replicas differs from the desired one is scaled through its scale subresource.",
  // Upstream gives no reason when an earlier recommendation is carried out only now.
  sentence: ({ target, from, to, reason }) =>
    `${reason === "" ? "more was recommended before" : reason} → scale ${target} from ${from} to ${to}`,
  example: {
    target: "Deployment web",
    from: 2,
    to: 4,
    reason: "cpu resource utilization (percentage of request) above target",
  },
  source: "horizontal.go reconcileAutoscaler",
});

interface StatusFacts extends Facts {
  readonly current: number;
  readonly desired: number;
  /** Reasons of the conditions. */
  readonly able: string;
  readonly active: string;
  readonly limited: string;
}

/** The status reports what was found. */
export const status: Rule<StatusFacts> = rule<StatusFacts>({
  id: "status",
  looksAt: ["the status as it was", "the metrics", "the conditions AbleToScale, ScalingActive, ScalingLimited"],
  chooses: "The status is written when it has changed: with changing metrics, that is every time.",
  sentence: ({ current, desired, able, active, limited }) => {
    const reasons = [able, active, limited].filter((reason) => reason !== "").join(", ");
    return `${current} of ${replicasText(desired)}; ${reasons} → write the status`;
  },
  example: { current: 2, desired: 4, able: "SucceededRescale", active: "ValidMetricFound", limited: "ScaleUpLimit" },
  source: "horizontal.go updateStatusIfNeeded",
});

/** In the order in which a sync meets them. */
export const rules: readonly Rule[] = [
  targetUnreadable,
  scalingDisabled,
  aboveMax,
  belowMin,
  metricsUnknown,
  unusableSelector,
  metric,
  metricFailed,
  noReplicaCount,
  normalized,
  rescale,
  status,
];
