/** What is measured of a pod. Source: kubernetes v1.36 pkg/controller/podautoscaler/metrics/interfaces.go. */

/** One pod's value of a metric. */
export interface PodMetric {
  /** When it was measured, in ms since 1970. */
  readonly timestamp: number;
  /** The time that it covers, in ms. */
  readonly windowMs: number;
  /** In thousandths. */
  readonly value: bigint;
}

/** By the pods' names. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;
