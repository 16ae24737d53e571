/**
 * How many replicas a metric proposes. Pure: the measurements are passed in.
 * Source: kubernetes v1.36 pkg/controller/podautoscaler/replica_calculator.go.
 */
import type { Pod } from "../../api/types.ts";
import { isPodReady } from "../../controller/workload/pod-status.ts";
import { int32, int64, most32, most64, wrap64 } from "./go-integers.ts";
import { groupPods, type Measured, type PodGroups } from "./pod-groups.ts";
import type { PodMetric, PodMetrics } from "./pod-metric.ts";
import { requestsOf } from "./requests.ts";
import { usageOf, utilizationOf } from "./utilization.ts";

/** Within these, usage counts as on target: ratios such as 0.1. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

/** What every calculation starts from. */
export interface Goal {
  /** The replicas that the target has, by its spec or its status. */
  readonly current: number;
  readonly tolerances: Tolerances;
}

/** What a metric proposes. */
export interface Proposal {
  readonly replicas: number;
  /** What was measured, in thousandths: the average, or the value. */
  readonly usage: bigint;
  /** Percent of the requests, for a utilization. */
  readonly utilization?: number;
  /** How the pods' metrics were counted, if they were. */
  readonly groups?: PodGroups;
}

function isWithin({ down, up }: Tolerances, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}

/** A target utilization of requests. */
export interface UtilizationTarget extends Goal {
  readonly resource: string;
  readonly container: string | undefined;
  /** Percent. */
  readonly target: number;
}

/** For a target utilization. @throws Error if no metric counts, or requests are missing. */
export function replicasForUtilization(measured: Measured, goal: UtilizationTarget): Proposal {
  const { target } = goal;
  const counted = count(measured);
  const requests = requestsOf(measured.pods, goal);
  const first = utilizationOf(counted.metrics, { requests, target });
  const replicas = replicasOf(goal, {
    ...counted,
    ratio: first.ratio,
    // A pod without metrics is assumed to use all that it requests, or the target utilization if that is more.
    assumed: (name) => wrap64((requests.get(name) ?? 0n) * BigInt(Math.max(100, target))) / 100n,
    ratioOf: (metrics) => utilizationOf(metrics, { requests, target }).ratio,
  });
  return { replicas, usage: first.average, utilization: first.percent, groups: counted.groups };
}

/** For a target average, in thousandths. @throws Error if no metric counts. */
export function replicasForAverage(measured: Measured, goal: Goal & { readonly target: bigint }): Proposal {
  const { target } = goal;
  const counted = count(measured);
  const { ratio, average } = usageOf(counted.metrics, target);
  const replicas = replicasOf(goal, {
    ...counted,
    ratio,
    assumed: () => target,
    ratioOf: (metrics) => usageOf(metrics, target).ratio,
  });
  return { replicas, usage: average, groups: counted.groups };
}

interface Counted {
  /** Excluding pods that are ignored or unready. */
  readonly metrics: Map<string, PodMetric>;
  readonly groups: PodGroups;
}

function count(measured: Measured): Counted {
  if (measured.pods.length === 0) throw noPods();
  const groups = groupPods(measured);
  const counted = new Map(measured.metrics);
  for (const name of [...groups.ignored, ...groups.unready]) counted.delete(name);
  if (counted.size === 0) throw new Error("did not receive metrics for targeted pods (pods might be unready)");
  return { metrics: counted, groups };
}

function noPods(): Error {
  return new Error("no pods returned by selector while calculating replica count");
}

interface Ratio extends Counted {
  /** Usage divided by the target, over the metrics that count. */
  readonly ratio: number;
  /** What a pod without metrics is assumed to use when the others call for scaling down. */
  readonly assumed: (name: string) => bigint;
  readonly ratioOf: (metrics: PodMetrics) => number;
}

/**
 * Pods without a usable metric damp the change: they are assumed to use much on the way down and nothing on the way up. If that reverses
 * the change, or makes it too small, nothing changes.
 */
function replicasOf({ current, tolerances }: Goal, { ratio, metrics, groups, assumed, ratioOf }: Ratio): number {
  const { ready, unready, missing } = groups;
  const unreadyCount = unready.size > 0 && ratio > 1;
  if (!unreadyCount && missing.size === 0)
    return isWithin(tolerances, ratio) ? current : int32(Math.ceil(ratio * ready));
  const filled = new Map(metrics);
  const fill = (names: ReadonlySet<string>, valueOf: (name: string) => bigint): void => {
    for (const name of names) filled.set(name, { timestamp: 0, windowMs: 0, value: valueOf(name) });
  };
  const nothing = (): bigint => 0n;
  if (ratio < 1) fill(missing, assumed);
  else if (ratio > 1) fill(missing, nothing);
  if (unreadyCount) fill(unready, nothing);
  const damped = ratioOf(filled);
  const turnsRound = (ratio < 1 && damped > 1) || (ratio > 1 && damped < 1);
  if (isWithin(tolerances, damped) || turnsRound) return current;
  const replicas = int32(Math.ceil(damped * filled.size));
  const contradicts = (damped < 1 && replicas > current) || (damped > 1 && replicas < current);
  return contradicts ? current : replicas;
}

/** A metric of something other than pods, and its target; both in thousandths. */
export interface ValueGoal extends Goal {
  readonly usage: bigint;
  readonly target: bigint;
}

/** For the value of an object's or an external metric. @throws Error if there are no pods and the metric calls for a change. */
export function replicasForValue(goal: ValueGoal, pods: readonly Pod[]): Proposal {
  const { usage, target, current, tolerances } = goal;
  const ratio = Number(usage) / Number(target);
  if (current === 0) return { replicas: int32(Math.ceil(ratio)), usage };
  if (isWithin(tolerances, ratio)) return { replicas: current, usage };
  if (pods.length === 0) throw new Error(`unable to calculate ready pods: ${noPods().message}`);
  const ready = pods.filter((pod) => pod.status?.phase === "Running" && isPodReady(pod)).length;
  const replicas = ratio * ready;
  return { replicas: replicas > most32 ? most32 : int32(Math.ceil(replicas)), usage };
}

/**
 * For an object's metric that is divided among the replicas, as counted in the status.
 * Source: replica_calculator.go GetObjectPerPodMetricReplicas.
 */
export function replicasForShare(goal: ValueGoal): Proposal {
  const replicas = shared(goal, (count) => int32(count));
  return { replicas, usage: int64(Math.ceil(Number(goal.usage) / goal.current)) };
}

/** The same for an external metric, with large values capped. Source: GetExternalPerPodMetricReplicas. */
export function replicasForExternalShare(goal: ValueGoal): Proposal {
  const replicas = shared(goal, (count) => (count > most32 ? most32 : int32(count)));
  const isLargest = Number(goal.usage) >= Number(most64);
  return { replicas, usage: isLargest ? most64 : int64(Math.ceil(Number(goal.usage) / goal.current)) };
}

function shared({ usage, target, current, tolerances }: ValueGoal, toReplicas: (count: number) => number): number {
  const ratio = Number(usage) / (Number(target) * current);
  return isWithin(tolerances, ratio) ? current : toReplicas(Math.ceil(Number(usage) / Number(target)));
}

/**
 * The sum of the values of an external metric that is divided among the replicas. A negative one on the way counts as an overflow, and the sum
 * as the largest int64: as upstream, such a metric asks for as many replicas as possible. Source: GetExternalPerPodMetricReplicas.
 */
export function externalShareUsage(values: readonly bigint[]): bigint {
  let sum = 0n;
  for (const value of values) {
    sum = wrap64(sum + value);
    if (sum < 0n) return most64;
  }
  return sum;
}

/** The sum of the values of an external metric; at most the largest int64. Source: GetExternalMetricReplicas. */
export function externalUsage(values: readonly bigint[]): bigint {
  let sum = 0n;
  for (const value of values) {
    sum += value;
    if (sum > most64) return most64;
  }
  return sum;
}
