/** Which pods' metrics count. Pure. Source: kubernetes v1.36 pkg/controller/podautoscaler/replica_calculator.go groupPods. */
import { parseTime } from "../../api/time.ts";
import type { Pod } from "../../api/types.ts";
import { podReadyCondition } from "../../controller/workload/pod-status.ts";
import type { PodMetric, PodMetrics } from "./pod-metric.ts";

/** How long after a pod's start its metrics are doubted, in ms. */
export interface Readiness {
  /** So long a sample of CPU counts only if it was taken after the pod became ready. */
  readonly cpuInitializationPeriodMs: number;
  /** A pod that was ready only within so long after its start has never been ready. */
  readonly initialReadinessDelayMs: number;
}

/** How pods are told apart. */
export interface Grouping extends Readiness {
  /** The resource that is measured; undefined for other metrics. */
  readonly resource?: string | undefined;
  /** ms since 1970. */
  readonly now: number;
}

/** Pods by what their metrics are worth; names. */
export interface PodGroups {
  /** How many pods count as they are. */
  readonly ready: number;
  /** Pending, or of a CPU sample that start-up may have spoiled. */
  readonly unready: ReadonlySet<string>;
  /** Pods without metrics. */
  readonly missing: ReadonlySet<string>;
  /** Failed, or being deleted. */
  readonly ignored: ReadonlySet<string>;
}

/** What is measured of pods, and which pods there are. */
export interface Measured {
  readonly pods: readonly Pod[];
  readonly metrics: PodMetrics;
  readonly grouping: Grouping;
}

/** Sorts pods by what their metrics are worth. */
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

/** Whether a sample of CPU says nothing: the pod is starting, or has never been ready. */
function isUnready(pod: Pod, sample: PodMetric & Grouping): boolean {
  const { timestamp, windowMs, cpuInitializationPeriodMs, initialReadinessDelayMs, now } = sample;
  const condition = podReadyCondition(pod);
  const started = pod.status?.startTime;
  if (condition === undefined || started === undefined) return true;
  const startedAt = parseTime(started);
  // An unknown time is null on the wire, which the types do not say; in Go it is long ago.
  const transition: string | null | undefined = condition.lastTransitionTime;
  const changedAt = transition === undefined || transition === null ? -Infinity : parseTime(transition);
  if (startedAt + cpuInitializationPeriodMs > now)
    return condition.status === "False" || timestamp < changedAt + windowMs;
  return condition.status === "False" && startedAt + initialReadinessDelayMs > changedAt;
}
