/** Which pods' metrics count. Pure. Source: kubernetes v1.36 pkg/controller/podautoscaler/replica_calculator.go groupPods. */
import { parseTime } from "../../api/time.ts";
import type { Pod } from "../../api/types.ts";
import { podReadyCondition } from "../../controller/workload/pod-status.ts";
import type { PodMetric, PodMetrics } from "./pod-metric.ts";

/** How long after a pod's start its metrics are not trusted, in ms. */
export interface Readiness {
  /** For this long, a CPU sample counts only if it was taken after the pod became ready. */
  readonly cpuInitializationPeriodMs: number;
  /** An unready pod whose readiness last changed within this time after its start counts as never ready. */
  readonly initialReadinessDelayMs: number;
}

/** How pods are grouped. */
export interface Grouping extends Readiness {
  /** The resource that is measured; undefined for other metrics. */
  readonly resource?: string | undefined;
  /** ms since 1970. */
  readonly now: number;
}

/** The names of pods, grouped by whether their metrics are usable. */
export interface PodGroups {
  /** How many pods count with their metrics. */
  readonly ready: number;
  /** Pending, or with a CPU sample that start-up may have distorted. */
  readonly unready: ReadonlySet<string>;
  /** Pods without metrics. */
  readonly missing: ReadonlySet<string>;
  /** Failed, or being deleted. */
  readonly ignored: ReadonlySet<string>;
}

/** The pods, and what was measured of them. */
export interface Measured {
  readonly pods: readonly Pod[];
  readonly metrics: PodMetrics;
  readonly grouping: Grouping;
}

/** Groups pods by whether their metrics are usable. */
export function groupPods({ pods, metrics, grouping }: Measured): PodGroups {
  const unready = new Set<string>();
  const missing = new Set<string>();
  const ignored = new Set<string>();
  let ready = 0;
  for (const pod of pods) {
    const { name, deletionTimestamp } = pod.metadata;
    const phase = pod.status?.phase;
    const metric = metrics.get(name);
    if (deletionTimestamp !== undefined || phase === "Failed") ignored.add(name);
    else if (phase === "Pending") unready.add(name);
    else if (metric === undefined) missing.add(name);
    else if (grouping.resource === "cpu" && isUnready(pod, { ...metric, ...grouping })) unready.add(name);
    else ready++;
  }
  return { ready, unready, missing, ignored };
}

/** Whether a CPU sample is meaningless: the pod is starting, or has never been ready. */
function isUnready(pod: Pod, sample: PodMetric & Grouping): boolean {
  const { timestamp, windowMs, cpuInitializationPeriodMs, initialReadinessDelayMs, now } = sample;
  const condition = podReadyCondition(pod);
  const started = pod.status?.startTime;
  if (condition === undefined || started === undefined) return true;
  const startedAt = parseTime(started);
  // An unknown time is null on the wire, which the types do not say; Go reads it as the zero time.
  const transition: string | null | undefined = condition.lastTransitionTime;
  const changedAt = transition === undefined || transition === null ? -Infinity : parseTime(transition);
  if (startedAt + cpuInitializationPeriodMs > now)
    return condition.status === "False" || timestamp < changedAt + windowMs;
  return condition.status === "False" && startedAt + initialReadinessDelayMs > changedAt;
}
