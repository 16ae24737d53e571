/** The input for the calculation of one metric. */
import { messageOf } from "../../api/error-message.ts";
import { milliValue, ofMilli, parseQuantity } from "../../api/quantity.ts";
import type { TargetPods } from "./ambiguous.ts";
import type { AutoscalerSync, MetricStatus } from "./draft.ts";
import type { Goal, Proposal } from "./replica-calculator.ts";
import { tolerancesOf } from "./spec.ts";

/** A sync, the replicas of its target, and its pods. */
export interface Scaled extends TargetPods {
  readonly sync: AutoscalerSync;
  readonly specReplicas: number;
  readonly statusReplicas: number;
}

/** What one kind of metric yields: the proposal, its name, and the status. */
export interface Worked extends Proposal {
  /** `cpu resource utilization (percentage of request)`: in Events and conditions. */
  readonly name: string;
  /** The target, human-readable. */
  readonly target: string;
  readonly status: MetricStatus;
}

/** The goal, starting from so many replicas. */
export function goalOf({ sync }: Scaled, current: number): Goal {
  return { current, tolerances: tolerancesOf(sync.spec, sync.options) };
}

/** The namespace of the autoscaler and of everything it measures. */
export function namespaceOf({ sync }: Scaled): string {
  return sync.hpa.metadata.namespace ?? "";
}

/** A quantity of the spec in thousandths. */
export function milliOf(text: string): bigint {
  return milliValue(parseQuantity(text) ?? ofMilli(0n));
}

/** Prefixes an error with what was being done. */
export async function doing<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${what}: ${messageOf(error)}`, { cause: error });
  }
}
