/** Usage compared with the target. Pure. Source: kubernetes v1.36 pkg/controller/podautoscaler/metrics/utilization.go. */
import { low32, wrap64 } from "./go-integers.ts";
import type { PodMetrics } from "./pod-metric.ts";

/** How much of their requests the pods use. */
export interface Utilization {
  /** The utilization divided by the target. */
  readonly ratio: number;
  /** As a percentage of all requests, rounded down. */
  readonly percent: number;
  /** The average of the pods, in thousandths. */
  readonly average: bigint;
}

/** What utilization is measured against. */
export interface UtilizationGoal {
  /** Thousandths by the pods' names. */
  readonly requests: ReadonlyMap<string, bigint>;
  /** Percent of the requests. */
  readonly target: number;
}

/** Over the pods with known metrics and requests. @throws Error if there are none, or none of them requests anything. */
export function utilizationOf(metrics: PodMetrics, { requests, target }: UtilizationGoal): Utilization {
  let used = 0n;
  let requested = 0n;
  let count = 0n;
  for (const [name, { value }] of metrics) {
    const request = requests.get(name);
    if (request === undefined) continue;
    used = wrap64(used + value);
    requested = wrap64(requested + request);
    count++;
  }
  if (requested === 0n) throw new Error("no metrics returned matched known pods");
  const percent = low32(wrap64(used * 100n) / requested);
  return { ratio: percent / target, percent, average: used / count };
}

/** Average usage, and its ratio to the target; both amounts in thousandths. Requires at least one pod. */
export function usageOf(metrics: PodMetrics, target: bigint): { readonly ratio: number; readonly average: bigint } {
  let used = 0n;
  for (const { value } of metrics.values()) used = wrap64(used + value);
  const average = used / BigInt(metrics.size);
  return { ratio: Number(average) / Number(target), average };
}
